"""What every sanitizer is: text in, ``Edited`` out, with a map from each output character to its input character."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..documents import Edited
from ..errors import DataError
from ..registry import Component

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
    """Applies the changes in one pass; each is one edit and one span, of no width where it deletes."""
    found = len(changes) if candidates is None else candidates
    if not changes:
        return unchanged(text, found, note or "nothing to change")
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    origin: list[int] = []
    at = size = 0
    for start, end, new in changes:
        pieces += (text[at:start], new)
        origin += range(at, start)
        origin += range(start, end)[: len(new)]
        origin += [end - 1] * (len(new) - (end - start))
        size += start - at
        spans.append((size, size + len(new)))
        size += len(new)
        at = end
    pieces.append(text[at:])
    origin += range(at, len(text))
    return Edited("".join(pieces), tuple(spans), len(changes), found, dose(len(changes), text), note, tuple(origin))
