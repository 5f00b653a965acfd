"""IDMGSP's training sets and test sets (table 2) out of any corpus of real, fake and co-created papers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from ..documents import SET_ASIDE, Document
from ..errors import DataError, SpecError
from ..hygiene.leakage import UNUSED
from ..hygiene.splits import TOGETHER, hanging_together
from ..registry import Card
from ..seeds import seed_of
from .base import FOLD, GROUP, Evaluation
from .table_two import TEST, TRAIN, parsing_of, source_of

TRAINING, TESTS = "training_sets", "test_sets"
"""Entries of a document's ``meta``: the sets that hold it, with commas between them."""
Wanted = Mapping[str, Mapping[str, int]]
Papers = dict[str, list[list[Document]]]


@dataclass(frozen=True)
class IdmgspSets(Evaluation):
    """``train``: training sets, a fitted detector each; ``test``: test sets. Where the corpus tells the sets (``idmgsp``), they
    are those. Else they are drawn: a corpus with fewer papers than table 2 gives sets of the same proportions; titles, clusters
    and copies of a text stand on one side."""

    name: ClassVar[str] = "idmgsp_sets"
    apart: ClassVar[bool] = True
    card: ClassVar[Card] = Card(
        "The data sets of IDMGSP's table 2: a column of scores for each training set, test sets named in meta test_sets.",
        source="IDMGSP, sec. 4.1 and table 2",
        family="evaluation",
        follows="the paper's counts. Which papers are in which set is a seeded draw; TRAIN-SUB is a part of TRAIN, and TECG is "
        "ChatGPT's part of TEST, as the counts of table 1 ask (the published accuracies contradict that: see beside_idmgsp)",
        pitfalls="a source that the corpus lacks is an error, and the scarcest source sets the size of all: name only the sets "
        "that it can fill. Wording that papers share is not looked at: SCIgen's grammar repeats itself everywhere",
    )

    train: tuple[str, ...] = ("TRAIN",)
    test: tuple[str, ...] = ("TEST", "TECG")

    def __post_init__(self) -> None:
        for field, known in (("train", TRAIN), ("test", TEST)):
            value = getattr(self, field)
            told = isinstance(value, list | tuple) and bool(value)
            if not told or any(one not in known for one in value):
                raise SpecError(f"{self.name}: {field} is a list of {', '.join(known)}; got {value!r}")
            object.__setattr__(self, field, tuple(value))

    def placed(self, documents: Sequence[Document], seed: int) -> list[Document]:
        if any(d.meta.get(TRAINING) or d.meta.get(TESTS) for d in documents):
            return self._published(documents)
        parsers = frozenset(str(d.meta.get("parser")) for d in documents if d.label == "human")
        sources = {d.id: source_of(d, parsers) for d in documents}
        needs = {"train": needed(TRAIN, self.train), "test": needed(TEST, self.test)}
        wanted, scale = scaled(needs, counted(documents, sources))
        sides = dealt(documents, sources, wanted, seed)
        members: dict[str, list[str]] = defaultdict(list)
        for side, sets, names in (("train", TRAIN, self.train), ("test", TEST, self.test)):
            for name in names:
                for one in drawn(sides[side], sets[name], scale):
                    members[one].append(name)
        return [self._noted(d, members.get(d.id, []), parsing_of(d, parsers)) for d in documents]

    def _published(self, documents: Sequence[Document]) -> list[Document]:
        """The sets that the corpus tells (as IDMGSP's files do) go before a draw."""
        told = {name for d in documents for name in told_sets(d)}
        if lost := [name for name in (*self.train, *self.test) if name not in told]:
            raise DataError(
                f"{self.name}: the corpus tells the sets {', '.join(sorted(told))}, but no {', '.join(lost)}"
            )
        asked = {*self.train, *self.test}
        sets = ([name for name in told_sets(d) if name in asked] for d in documents)
        return [self._noted(d, own, str(d.meta.get("parsing", "1"))) for d, own in zip(documents, sets, strict=True)]

    def _noted(self, document: Document, sets: Sequence[str], parsing: str) -> Document:
        training = ",".join(name for name in sets if name in TRAIN)
        tests = ",".join(name for name in sets if name in TEST)
        told = {**document.meta, FOLD: "", GROUP: "", TRAINING: training, TESTS: tests}
        told |= {"parsing": parsing} if document.label == "human" else {}
        return replace(document, split=None if tests else "train" if training else UNUSED, meta=told)

    def folds(self, documents: Sequence[Document]) -> list[str]:
        return list(self.train)

    def trains(self, fold: str, document: Document) -> bool:
        return fold in told_sets(document, TRAINING)

    def tests(self, fold: str, document: Document) -> bool:
        return document.split not in SET_ASIDE and bool(document.meta.get(TESTS))


def told_sets(document: Document, *keys: str) -> list[str]:
    """The sets that the document's meta names, under these keys or both."""
    return [name for key in keys or (TRAINING, TESTS) for name in str(document.meta.get(key, "")).split(",") if name]


def paper_of(document: Document, source: str) -> tuple[str, str]:
    """What counts as one paper: a text, or the sections of one cluster."""
    return source, document.cluster if document.section and document.cluster else document.id


def counted(documents: Iterable[Document], sources: Mapping[str, str | None]) -> Counter[str]:
    """Papers by source."""
    papers = {paper_of(d, source) for d in documents if (source := sources[d.id])}
    return Counter(source for source, _ in papers)


def needed(sets: Wanted, names: Sequence[str]) -> dict[str, int]:
    """Source -> papers for all of these sets; they share what they can."""
    sources = sorted({source for name in names for source in sets[name]})
    return {source: max(sets[name].get(source, 0) for name in names) for source in sources}


def scaled(needs: Wanted, there: Mapping[str, int]) -> tuple[dict[str, dict[str, int]], Fraction]:
    """What each side gets of each source, and the part of table 2 that is (a float would lose papers). Raises DataError for a
    source that is missing."""
    total = Counter[str]()
    for need in needs.values():
        total.update(need)
    if lost := sorted(source for source in total if not there.get(source)):
        told = ", ".join(f"{n:,} {source}" for source, n in sorted(there.items())) or "none of the sources"
        raise DataError(
            f"idmgsp_sets: no paper of {', '.join(lost)} is here ({told}); name sets that do not ask for them, or build them"
        )
    scale = min(Fraction(1), *(Fraction(there[source], n) for source, n in total.items()))
    wanted = {side: {source: int(scale * n) for source, n in need.items()} for side, need in needs.items()}
    if empty := sorted({source for need in wanted.values() for source, n in need.items() if n == 0}):
        raise DataError(f"idmgsp_sets: too few papers of {', '.join(empty)}, of which {dict(there)} are here; add some")
    return wanted, scale


def dealt(
    documents: Sequence[Document], sources: Mapping[str, str | None], wanted: Wanted, seed: int
) -> dict[str, Papers]:
    """Side -> source -> papers, in seeded order. What only one side asks for comes first, with all that hangs on it, until that
    side has enough; then the rest of such a unit may serve the other side (a paper whose paraphrase is one too many)."""
    sides: dict[str, Papers] = {side: defaultdict(list) for side in wanted}
    units = [unit for unit in hanging_together(documents, TOGETHER["title"], None) if any(sources[d.id] for d in unit)]
    order = sorted(units, key=lambda unit: seed_of("idmgsp_sets", seed, min(d.id for d in unit)))
    for unit in sorted(order, key=lambda unit: len(_open(unit, sources, wanted)) != 1):
        counts = counted(unit, sources)
        lacks = {side: _lack(counts, need, sides[side]) for side, need in wanted.items()}
        allowed = [side for side in _open(unit, sources, wanted) if lacks[side]] or list(wanted)
        side = max(allowed, key=lacks.__getitem__)
        papers: dict[tuple[str, str], list[Document]] = defaultdict(list)
        for document in unit:
            if source := sources[document.id]:
                papers[paper_of(document, source)].append(document)
        for (source, _), members in papers.items():
            sides[side][source].append(members)
    return sides


def _open(unit: Sequence[Document], sources: Mapping[str, str | None], wanted: Wanted) -> list[str]:
    """The sides that ask for every source of the unit."""
    own = {source for d in unit if (source := sources[d.id])}
    return [side for side, need in wanted.items() if own <= need.keys()]


def _lack(counts: Mapping[str, int], need: Mapping[str, int], have: Papers) -> float:
    """The part that a side still lacks of what the unit has, on average over its papers."""
    lacks = (
        n * max(0.0, 1 - len(have.get(source, ())) / need[source]) for source, n in counts.items() if source in need
    )
    return sum(lacks) / sum(counts.values())


def drawn(papers: Papers, set_: Mapping[str, int], scale: Fraction) -> list[str]:
    """The ids of the documents of one set: the first papers of each source. Raises DataError where the side has fewer."""
    found: list[str] = []
    for source, n in set_.items():
        wanted, there = int(scale * n), papers.get(source, [])
        if len(there) < max(1, wanted):
            raise DataError(
                f"idmgsp_sets: {wanted:,} papers of {source} are needed on one side, and titles or clusters leave {len(there):,} "
                "there; add papers, or ask for fewer sets"
            )
        found += [document.id for paper in there[:wanted] for document in paper]
    return found
