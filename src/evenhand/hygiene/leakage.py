"""What two sides of a split share and must not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ..documents import Document
from ..errors import DataError
from .minhash import near_duplicates
from .normal import copy_key, normal

UNUSED = "unused"
"""The split of a text that stands on no side."""
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Leak:
    """``kind``: cluster, source, title, copy or near; ``pairs``: ids on two sides, one pair for each thing shared."""

    kind: str
    pairs: tuple[Pair, ...] = field(repr=False)
    sentence: str

    @property
    def count(self) -> int:
        return len(self.pairs)


def leaks(documents: Iterable[Document], near: float = 0.1) -> list[Leak]:
    """What stands on more than one side: shared clusters, sources, titles, exact copies, near-duplicates; [] if clean.

    ``near``: the share of the shorter text's eight-word runs that makes two texts near-duplicates. Raises DataError where
    there are not two sides, because such a split can be neither clean nor leaking.
    """
    kept = [d for d in documents if d.split is not None and d.split != UNUSED]
    sides = sorted({str(d.split) for d in kept})
    if len(sides) < 2:
        told = f"all on one side ({sides[0]})" if sides else "on no side"
        raise DataError(f"the texts lie {told}: no split to check; make one with split() or `evenhand split`")
    found = [
        _leak("cluster", _torn(kept, lambda d: d.cluster), "clusters lie on two sides", "keep cluster"),
        _leak("source", _torn(kept, source_of), "sources lie on two sides", "keep source"),
        _leak("title", _torn(kept, lambda d: normal(d.title or "")), "titles stand on two sides", "split by title"),
        _leak("copy", _torn(kept, lambda d: copy_key(d.text)), "texts stand on two sides, word for word", "drop one"),
        _leak("near", _near(kept, near), f"pairs share {near:.0%} or more of their wording", "keep them together"),
    ]
    return [leak for leak in found if leak is not None]


def source_of(document: Document) -> str:
    return document.source_id or document.id


def check_split(documents: Iterable[Document], near: float = 0.1) -> None:
    """Raises DataError, which lists the leaks, unless the split is clean."""
    found = leaks(documents, near)
    if found:
        raise DataError("this split leaks: " + " ".join(leak.sentence for leak in found))


CURES = {
    "keep cluster": "let split() place whole clusters",
    "keep source": "give the texts made from one source one cluster, or split by source",
    "split by title": "split(by='title') keeps one title on one side",
    "drop one": "drop the copies, or let split() join them",
    "keep them together": "let split() join near-duplicates, or drop one of each pair",
}


def _leak(kind: str, pairs: list[Pair], what: str, cure: str) -> Leak | None:
    if not pairs:
        return None
    shown = ", ".join(f"{a!r} and {b!r}" for a, b in pairs[:3])
    more = f" and {len(pairs) - 3:,} more" if len(pairs) > 3 else ""
    return Leak(kind, tuple(pairs), f"{len(pairs):,} {what}: {shown}{more}. Cure: {CURES[cure]}.")


def _torn(documents: Sequence[Document], key: Callable[[Document], str]) -> list[Pair]:
    """One pair of ids for each key that stands on two sides; an empty key is no key."""
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for document in documents:
        if name := key(document):
            groups[name].setdefault(str(document.split), document.id)
    torn = [list(group.values()) for group in groups.values() if len(group) > 1]
    return [(ids[0], ids[1]) for ids in torn]


def _near(documents: Sequence[Document], share: float) -> list[Pair]:
    """Near-duplicates on two sides that are no exact copies."""
    keys = [copy_key(d.text) for d in documents]
    pairs = [(i, j) for i, j, _ in near_duplicates([d.text for d in documents], share) if keys[i] != keys[j]]
    apart = [(documents[i], documents[j]) for i, j in pairs]
    return [(a.id, b.id) for a, b in apart if a.split != b.split]
