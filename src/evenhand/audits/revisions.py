"""How far do improved and rewritten texts depart from what a human wrote? GEDE, appendix C and figure 8."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..documents import Level
from ..errors import Abstain, SpecError
from ..measures.positions import WordsChangedAligned
from ..registry import Card
from . import changed_words
from .base import Audit, finding
from .by_generator import pools
from .changes import Drawn
from .corpus_statistics import known, mean
from .finding import Figure, Finding, Layout, Result, Series
from .pairs import shared_resample
from .rows import Floats, Rows, Settings
from .sides import of_level

TABLE = "revisions"
MEASURES = ("words_changed_aligned", "words_changed", "semantic_similarity", "trigram_similarity", "edit_similarity")
REVISED = (Level.IMPROVE_HUMAN, Level.REWRITE_HUMAN)
CURE = 'add measures = ["words_changed_aligned", "semantic_similarity"] to the plan'


@dataclass(frozen=True)
class Revisions(Audit):
    """``examples``: so many improved texts of each generator are shown word by word, beside their sources. A report then holds
    people's words."""

    name: ClassVar[str] = "revisions"
    title: ClassVar[str] = "Improved and rewritten texts beside their sources"
    question: ClassVar[str] = "How much of a human text is left when a machine improves or rewrites it?"
    card: ClassVar[Card] = Card(
        "Share of words changed, and similarity of meaning, of improved and rewritten texts, by generator",
        source="GEDE, appendix C, figures 7 (with examples=1) and 8",
        follows="ours: the paper shows one text word by word, and similarities without naming the embedding; the spec of the "
        "measure names ours. Word changes are taken from the texts where the run holds no such measure",
        pitfalls="only texts whose source stands in the run; the GEDE database does not tell sources",
    )

    examples: int = 0
    replicates: int = 2000

    def __post_init__(self) -> None:
        if self.examples < 0:
            raise SpecError(f"revisions: examples is 0 or more, got {self.examples!r}")

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        measures = taken(rows)
        if not measures:
            why = f"This run holds no measure of a text against its source, and no texts to take one from; {CURE}."
            return Result(self.spec, self.title, self.question, (), (), notes=(why,))
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        found = [f for level in REVISED for f in of_generators(level, rows, measures, drawn)]
        layout = Layout(TABLE, "Departure from the source", "Means over texts.", ("level", "generator"), ("measure",))
        shown = list(changed_words.examples(rows, self.examples, settings.seed))
        words = Layout(
            changed_words.TABLE,
            "Word by word",
            f"Improved texts beside their sources, at most {changed_words.SHOWN} changes of each; drawn by the seed.",
            ("generator", "text", "change"),
            ("metric",),
        )
        notes = [] if any("semantic" in spec for spec in measures) else [f"No similarity of meaning was taken; {CURE}."]
        if not found:
            notes.append("This run holds no improved and no rewritten text.")
        return Result(
            self.spec,
            self.title,
            self.question,
            (*found, *shown),
            (layout, words) if shown else (layout,),
            tuple(clouds(rows, measures)),
            notes=tuple(notes),
        )


def taken(rows: Rows) -> dict[str, Floats]:
    """The run's measures of a text against its source; word changes are taken here where they are missing."""
    measures = {spec: values for spec, values in rows.measures.items() if spec.partition("(")[0] in MEASURES}
    if not any(spec.startswith("words_changed_aligned") for spec in measures) and all(
        t is not None for t in rows.texts
    ):
        values = changed(rows)
        if not np.isnan(values).all():
            measures[WordsChangedAligned().spec] = values
    return measures


def changed(rows: Rows) -> Floats:
    measure, values = WordsChangedAligned(), np.full(len(rows), np.nan)
    for i in np.flatnonzero((rows.parent >= 0) & np.isin(rows["level"], [level.value for level in REVISED])):
        try:
            values[i] = measure.of(rows.texts[i] or "", rows.texts[rows.parent[i]] or "")
        except Abstain:
            continue
    return values


def of_generators(level: Level, rows: Rows, measures: dict[str, Floats], drawn: Drawn) -> Iterator[Finding]:
    mine, pool = of_level(rows, level), pools(rows)
    for generator in sorted({*pool[mine]}):
        for spec, values in measures.items():
            one = known(values, rows, mine & (pool == generator))
            where = {"level": level.value, "generator": generator or "not told", "measure": spec}
            told = {"texts": one.n} | ({"without a source": one.missing} if one.missing else {})
            yield finding(TABLE, where, "mean", mean(one, drawn), told)


def clouds(rows: Rows, measures: dict[str, Floats]) -> Iterator[Figure]:
    for spec, values in measures.items():
        series = []
        for level in REVISED:
            mine = values[of_level(rows, level)]
            if (there := mine[np.isfinite(mine)]).size:
                series.append(Series(level.value, tuple(map(float, there)), ()))
        if series:
            yield Figure(f"revisions-{spec}", "density", f"{spec} to the source", spec, "density", tuple(series))
