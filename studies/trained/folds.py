"""Who learns from which texts and is tested on which: folds that share no cluster, copy or near-duplicate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evenhand.documents import Document, Level, Policy
from evenhand.errors import DataError
from evenhand.hygiene import repair, split

from .texts import WORDS, first_words, read

POLICY = Policy(boundary=Level.REWRITE_HUMAN, fpr=0.05)
SIDES = {"domains": 2, "unglued": 2, "generators": 2, "attacks": 2, "essays": 3, "mixset": 3}
"""Studies, and into how many parts their texts are cut. Every part is tested on by a model of the others."""
SETS = {"essays": "student_essays", "mixset": "mixset"}
LABELS = {"essays": ("policy", "usual", "ordinal"), "mixset": ("policy", "usual", "ordinal")}
"""What is learnt; elsewhere there are two classes and nothing to choose."""


@dataclass(frozen=True)
class Fold:
    """``name`` says what was learnt from and which part is tested on, e.g. 'arxiv.0'."""

    study: str
    name: str
    train: tuple[Document, ...]
    test: tuple[Document, ...]


def documents_of(study: str, folder: Path) -> list[Document]:
    """With ``split``, the part '0', '1', ... in which each stands."""
    if study not in SIDES:
        raise DataError(f"no study {study!r}; there are: {', '.join(SIDES)}")
    found = parts(read(folder, SETS.get(study, "detectrl")), SIDES[study])
    return found if study != "unglued" else unglued(found, read(folder, "detectrl", words=None))


def unglued(documents: Sequence[Document], whole_texts: Sequence[Document]) -> list[Document]:
    """The clean texts, with the spaces back that most of DetectRL's human abstracts and no machine text lost. The whole texts
    are mended, by the words of all of them, and then cut."""
    clean = [d for d in whole_texts if d.attack == "none"]
    mended = {d.id: first_words(d.text, WORDS) for d in repair(clean, ("glued",))[0]}
    return [replace(d, text=mended[d.id]) for d in documents if d.attack == "none"]


def parts(documents: Sequence[Document], n: int) -> list[Document]:
    """``n`` parts with alike numbers of each kind of text. Attacked texts stand where their source does."""
    clean = [d for d in documents if d.attack == "none"]
    kinds = [replace(d, label="/".join(filter(None, (d.label, d.domain, d.generator)))) for d in clean]
    side = {d.cluster: d.split for d in split(kinds, shares={str(part): 1 / n for part in range(n)})}
    if lost := [d.id for d in documents if d.cluster not in side]:
        raise DataError(f"{len(lost)} attacked texts have no clean text in their cluster, such as {lost[0]!r}")
    return [replace(d, split=side[d.cluster]) for d in documents]


def folds(study: str, documents: Sequence[Document]) -> list[Fold]:
    names = sorted({str(d.split) for d in documents})
    return [fold for part in names for fold in MAKERS[study](study, part, documents)]


def by_domain(study: str, part: str, documents: Sequence[Document]) -> list[Fold]:
    """Learns one domain of the other part; tested on every domain of this part."""
    learnt, test = sides([d for d in documents if d.attack == "none"], part)
    domains = sorted({str(d.domain) for d in documents})
    return [Fold(study, f"{name}.{part}", only(learnt, domain=name), test) for name in domains]


def by_generator(study: str, part: str, documents: Sequence[Document]) -> list[Fold]:
    """Learns people's texts and those of all generators but one; tested on people's texts and that one's."""
    learnt, test = sides([d for d in documents if d.attack == "none"], part)
    return [
        Fold(study, f"{name}.{part}", without(learnt, name), (*only(test, generator=None), *only(test, generator=name)))
        for name in sorted({d.generator for d in documents if d.generator})
    ]


def all_clean(study: str, part: str, documents: Sequence[Document]) -> list[Fold]:
    """Learns every clean text of the other part; tested on all of this one, attacked texts too."""
    learnt, test = sides(documents, part)
    return [Fold(study, f"all.{part}", only(learnt, attack="none"), test)]


def whole(study: str, part: str, documents: Sequence[Document]) -> list[Fold]:
    learnt, test = sides(documents, part)
    return [Fold(study, f"all.{part}", learnt, test)]


MAKERS = {
    "domains": by_domain,
    "unglued": by_domain,
    "generators": by_generator,
    "attacks": all_clean,
    "essays": whole,
    "mixset": whole,
}


def sides(documents: Sequence[Document], part: str) -> tuple[tuple[Document, ...], tuple[Document, ...]]:
    return tuple(d for d in documents if d.split != part), tuple(d for d in documents if d.split == part)


def only(documents: Sequence[Document], **wanted: str | None) -> tuple[Document, ...]:
    return tuple(d for d in documents if all(getattr(d, field) == value for field, value in wanted.items()))


def without(documents: Sequence[Document], generator: str) -> tuple[Document, ...]:
    return tuple(d for d in documents if d.generator != generator)


def positive(study: str, document: Document) -> bool:
    """By the policy where levels are studied; DetectRL's texts by their author, edited or not."""
    if study not in SETS:
        return document.label == "machine"
    return bool(POLICY.positive(document.label, document.level))
