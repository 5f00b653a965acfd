"""Does cleaning bring the text back? Tables 5, 16 and 18 of the two-sided paper: of texts, not of scores."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from rapidfuzz.distance import Levenshtein

from ..errors import Abstain
from ..measures.overlap import TrigramSimilarity
from ..registry import Card
from ..sanitizers.fold import table
from ..stats import Estimate
from ..stats.means import bootstrap_means, ratio
from .base import Audit, Cell, finding, none, rate
from .changes import Drawn
from .finding import Finding, Layout, Result
from .pairs import attacks_of, shared_resample
from .rows import Mask, Rows, Settings

SIMILARITY, REWRITTEN = "restoration", "rewritten"


@dataclass(frozen=True)
class Restoration(Audit):
    name: ClassVar[str] = "restoration"
    title: ClassVar[str] = "What cleaning does to the text itself"
    question: ClassVar[str] = (
        "How close do edited texts come to their sources again when they are cleaned, and which others are rewritten?"
    )
    card: ClassVar[Card] = Card(
        "Trigram similarity to the source before and after cleaning, texts restored exactly, substituted letters turned back, "
        "unedited texts rewritten",
        source="'Attacking Only Half the Data', tables 5, 16 and 18",
        follows="similarity: Jaccard of character trigrams, which fits the paper's numbers best (it does not say which). Turned "
        "back: foreign letters that stand in place of a source letter (Levenshtein alignment)",
        pitfalls="an edited text that equals its source is no repair: 'exact, of changed texts' leaves those out that the edit "
        "left as they were",
    )

    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        if any(text is None for text in rows.texts):
            note = "The texts of this run are not stored (store_texts = false), and this audit reads them."
            return Result(self.spec, self.title, self.question, (), (), notes=(note,))
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        found = [*restored(rows, drawn), *rewritten(rows, drawn)]
        layouts = (
            Layout(
                SIMILARITY,
                "Texts before and after cleaning",
                "Similarity to the source, 1 is the same trigrams. Exact: share of texts that equal their source. Sanitizer "
                "'none' is the edited text as it is.",
                ("attack", "sanitizer"),
                ("metric",),
            ),
            Layout(
                REWRITTEN,
                "Unedited texts rewritten",
                "What cleaning changes where nothing was attacked.",
                ("sanitizer",),
                ("metric",),
            ),
        )
        notes = tuple(mappings(rows)) if found else ("This run holds no edited and no sanitized text.",)
        return Result(self.spec, self.title, self.question, tuple(found), layouts, notes=notes)


def restored(rows: Rows, drawn: Drawn) -> Iterator[Finding]:
    known: dict[tuple[str, str], float] = {}
    for attack in attacks_of(rows):
        for sanitizer in rows.values("sanitizer", rows.where(attack=attack)):
            texts = rows.where(attack=attack, sanitizer=sanitizer) & (rows.origin >= 0)
            where = {"attack": attack, "sanitizer": sanitizer}
            told = {"texts": int(texts.sum())}
            for metric, estimate in of_texts(rows, texts, drawn, known):
                yield finding(SIMILARITY, where, metric, estimate, told)


def of_texts(
    rows: Rows, texts: Mask, drawn: Drawn, known: dict[tuple[str, str], float]
) -> Iterator[tuple[str, Estimate]]:
    """The four measures; ``known`` keeps the similarities, since cleaning leaves most edited texts as they are."""
    index = np.flatnonzero(texts).tolist()
    triples = [(text_of(rows, int(rows.origin[i])), text_of(rows, edited_of(rows, i)), text_of(rows, i)) for i in index]
    clusters = rows.clusters[index]
    yield "trigram similarity", mean([similarity(now, source, known) for source, _, now in triples], clusters, drawn)
    exact = np.array([now == source for source, _, now in triples], np.float64)
    touched = np.array([edited != source for source, edited, _ in triples], bool)
    yield "exact", rate(Cell(exact, clusters, 0), 0.5, "share", drawn.resample)
    yield "exact, of changed texts", rate(Cell(exact[touched], clusters[touched], 0), 0.5, "share", drawn.resample)
    turned = np.array([turned_back(*triple) for triple in triples], np.float64).reshape(-1, 2)
    yield "letters turned back", pooled(turned[:, 0], turned[:, 1], clusters, drawn)


def edited_of(rows: Rows, i: int) -> int:
    """The attacked text that a cleaned one was made from; itself where it was not cleaned."""
    parent = int(rows.parent[i])
    return parent if rows["sanitizer"][i] != "none" and not rows.clean[parent] else i


def text_of(rows: Rows, i: int) -> str:
    return rows.texts[i] or ""


def similarity(text: str, source: str, known: dict[tuple[str, str], float]) -> float:
    if (text, source) not in known:
        try:
            known[text, source] = TrigramSimilarity().of(text, source)
        except Abstain:
            known[text, source] = np.nan
    return known[text, source]


def turned_back(source: str, edited: str, now: str) -> tuple[int, int]:
    """(letters that stand in their place again, letters that the edit replaced by foreign ones)."""
    foreign = {c for c in set(edited) - set(source) if not c.isascii() and unicodedata.category(c)[0] == "L"}
    if not foreign:
        return 0, 0
    places = [i for i, c in replaced(source, edited) if c in foreign]
    standing = kept(source, now)
    return sum(standing[i] for i in places), len(places)


def replaced(source: str, edited: str) -> Iterator[tuple[int, str]]:
    """(place in the source, character of the edited text) of every substitution."""
    if len(source) == len(edited):
        yield from ((i, b) for i, (a, b) in enumerate(zip(source, edited, strict=True)) if a != b)
        return
    for op in Levenshtein.editops(source, edited):
        if op.tag == "replace":
            yield op.src_pos, edited[op.dest_pos]


def kept(source: str, now: str) -> np.ndarray:
    """For each character of the source: does it stand in ``now`` too, after alignment?"""
    standing = np.ones(len(source), bool)
    if len(source) == len(now):
        return np.array([a == b for a, b in zip(source, now, strict=True)], bool)
    for op in Levenshtein.editops(source, now):
        if op.tag != "insert":
            standing[op.src_pos] = False
    return standing


def mean(values: Sequence[float], clusters: np.ndarray, drawn: Drawn) -> Estimate:
    numbers = np.array(values, float)
    known = ~np.isnan(numbers)
    if not known.any():
        return none("no similarity: no text has three characters")
    return bootstrap_means([drawn.rows(Cell(numbers[known], clusters[known], 0))], drawn.resample).estimates()[0]


def pooled(part: np.ndarray, whole: np.ndarray, clusters: np.ndarray, drawn: Drawn) -> Estimate:
    """Share of all letters, whatever text they stand in."""
    if not whole.sum():
        return none("no share: the edit puts no foreign letter in place of another")
    parts, wholes = (bootstrap_means([drawn.rows(Cell(x, clusters, 0))], drawn.resample) for x in (part, whole))
    return ratio(parts, wholes, "share of letters").estimates()[0]


def rewritten(rows: Rows, drawn: Drawn) -> Iterator[Finding]:
    for sanitizer in (s for s in rows.values("sanitizer") if s != "none"):
        texts = rows.where(sanitizer=sanitizer, attack="none") & (rows.origin >= 0)
        for metric, some in (("all texts", texts), ("human texts", texts & rows.human)):
            index = np.flatnonzero(some).tolist()
            changed = np.array([text_of(rows, i) != text_of(rows, int(rows.origin[i])) for i in index], np.float64)
            estimate = rate(Cell(changed, rows.clusters[index], 0), 0.5, "share", drawn.resample)
            told = {"texts": len(index), "rewritten": int(changed.sum())}
            yield finding(REWRITTEN, {"sanitizer": sanitizer}, f"share of {metric}", estimate, told)


def mappings(rows: Rows) -> Iterator[str]:
    """Table 18, for runs that fold by the curated table."""
    if any("curated47" in sanitizer or sanitizer.startswith("paper_") for sanitizer in rows.values("sanitizer")):
        targets: dict[str, list[str]] = {}
        for source, target in table("curated47").items():
            targets.setdefault(target, []).append(f"U+{ord(source):04X}")
        lines = "; ".join(f"{target} from {', '.join(points)}" for target, points in sorted(targets.items()))
        yield f"The curated table folds {len(table('curated47'))} characters ({lines}), the full one {len(table('uts39'))}."
