"""What every sanitizer is: text in, ``Edited`` out, with a map from each output character to its input character."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..documents import Edited
from ..errors import DataError
from ..registry import Component

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Change = tuple[int, int, str]
"""Characters ``start`` to ``end`` (exclusive) of the input give way to these; changes are sorted and do not overlap."""


@dataclass(frozen=True)
class Sanitizer(Component):
    """Called as an attack is, so that either can stand in a chain; ``seed`` is unused: a sanitizer draws nothing."""

    def __call__(self, text: str, seed: int = 0) -> Edited:
        if not isinstance(text, str):
            raise DataError(
                f"{self.spec}: a sanitizer takes one text (str), got {type(text).__name__}; call it per text"
            )
        return self.clean(text)

    def clean(self, text: str) -> Edited:
        raise NotImplementedError


def unchanged(text: str, candidates: int = 0, note: str | None = "nothing to change") -> Edited:
    return Edited(text, candidates=candidates, note=note, origin=tuple(range(len(text))))


def dose(edits: int, text: str) -> float:
    """Edits per 1,000 whitespace words of ``text``; of a text without words, per 1,000 texts."""
    return 1000 * edits / (len(text.split()) or 1) if edits else 0.0


def edited(text: str, changes: Sequence[Change], candidates: int | None = None, note: str | None = None) -> Edited:
    """Applies the changes in one pass, in linear time; each is one edit and one span, of no width where it deletes."""
    found = len(changes) if candidates is None else candidates
    if not changes:
        return unchanged(text, found, note or "nothing to change")
    starts, ends, news = zip(*changes, strict=True)
    pieces = [part for at, start, new in zip((0, *ends), starts, news, strict=False) for part in (text[at:start], new)]
    spans, origin = _places(len(text), starts, ends, list(map(len, news)))
    pieces.append(text[ends[-1] :])
    return Edited("".join(pieces), spans, len(changes), found, dose(len(changes), text), note, origin)


def _places(
    length: int, starts: Sequence[int], ends: Sequence[int], sizes: Sequence[int]
) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]:
    """Spans in the output, and origins: new characters stand for the old ones in order, surplus ones for the last."""
    import numpy as np

    start, end, size = (np.array(column, dtype=np.int64) for column in (starts, ends, sizes))
    growth = size - (end - start)
    begin = start + np.cumsum(growth) - growth
    gone = np.bincount(np.minimum(start + size, end), minlength=length + 1)
    gone -= np.bincount(end, minlength=length + 1)
    copies = (np.cumsum(gone[:length]) == 0).astype(np.int64)
    copies[end[growth > 0] - 1] += growth[growth > 0]
    origin = np.repeat(np.arange(length), copies).tolist()
    return tuple(zip(begin.tolist(), (begin + size).tolist(), strict=True)), tuple(origin)


def respelt(text: str, new: str, candidates: int) -> Edited:
    """``new`` differs from ``text`` in single characters, at the same places: each is one edit and one span."""
    import numpy as np

    if new == text:
        return unchanged(text, candidates)
    at = np.flatnonzero(_codes(text) != _codes(new))
    spans = tuple(zip(at.tolist(), (at + 1).tolist(), strict=True))
    return Edited(new, spans, len(at), candidates, dose(len(at), text), origin=tuple(range(len(text))))


def without(text: str, gone: Sequence[int], candidates: int) -> Edited:
    """``text`` without the characters at these sorted places: each is one edit, each run of them one empty span."""
    import numpy as np

    if not gone:
        return unchanged(text, candidates)
    stays = np.ones(len(text), dtype=bool)
    stays[gone] = False
    kept = _codes(text)[stays].tobytes().decode("utf-32-le", "surrogatepass")
    left = np.array(gone) - np.arange(len(gone))
    at = left[np.diff(left, prepend=-1) > 0].tolist()
    origin = tuple(np.flatnonzero(stays).tolist())
    return Edited(kept, tuple(zip(at, at, strict=True)), len(gone), candidates, dose(len(gone), text), origin=origin)


def _codes(text: str) -> NDArray[np.uint32]:
    import numpy as np

    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
