"""What are the texts like? Task against Human, by corpus and generator: length, vocabulary, readability. GEDE, figures 4-6."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..documents import Level
from ..errors import SpecError
from ..registry import Card
from ..stats import Estimate, mark_changes
from ..stats.means import bootstrap_means
from .base import Audit, Cell, finding, none
from .by_generator import pools
from .changes import Drawn, marked
from .finding import Figure, Finding, Layout, Result, Series
from .keyed import spread, told
from .pairs import shared_resample
from .rows import Floats, Mask, Rows, Settings
from .sides import of_level

TABLE = "corpus_statistics"
MEASURES = ("words", "sentences", "sentence_length", "type_token_ratio", "flesch_kincaid", "gunning_fog")
CURE = "add measures = [" + ", ".join(f'"{name}"' for name in MEASURES) + "] to the plan"


@dataclass(frozen=True)
class CorpusStatistics(Audit):
    """``by``: the column or meta key that tells the corpora apart. ``level``: what is set against human texts."""

    name: ClassVar[str] = "corpus_statistics"
    title: ClassVar[str] = "Human and generated texts"
    question: ClassVar[str] = "In what do generated texts differ from human ones before any detector looks at them?"
    card: ClassVar[Card] = Card(
        "Means of length, vocabulary and readability, Task against Human, by corpus and generator, with their differences",
        source="GEDE, appendix A.1, figures 4 to 6",
        follows="our reading: the figures are drawn without their numbers, and the paper names no formulas; ours are those of "
        "the measures named in the table",
        pitfalls="the type-token ratio falls with length; readability grades are for English",
    )

    by: str = "corpus"
    level: str = "task"
    replicates: int = 2000

    def __post_init__(self) -> None:
        if Level.read(self.level) == Level.HUMAN:
            raise SpecError("corpus_statistics: level must be another one than human, e.g. 'task'")

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        measures = {spec: v for spec, v in rows.measures.items() if spec.partition("(")[0] in MEASURES}
        if not measures:
            return Result(self.spec, self.title, self.question, (), (), notes=(f"No measure was taken; {CURE}.",))
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        corpora = spread(rows, told(rows, self.by))
        found = list(self.findings(rows, corpora, measures, drawn))
        layout = Layout(
            TABLE,
            f"{self.level} against human",
            f"Means over unedited texts; difference: {self.level} less human. Marks: over all differences of this table.",
            (self.by, "generator", "texts"),
            ("measure",),
        )
        figures = tuple(self.clouds(rows, measures))
        notes = (
            () if found else (f"This run holds no unedited text of the level {self.level} in a corpus that is told.",)
        )
        return Result(self.spec, self.title, self.question, tuple(found), (layout,), figures, notes=notes)

    def findings(self, rows: Rows, corpora: np.ndarray, measures: dict[str, Floats], drawn: Drawn) -> Iterator[Finding]:
        pairs: list[tuple[dict[str, str], Cell, Cell]] = []
        for where, *masks in self.cells(rows, corpora):
            for spec, values in measures.items():
                human, made = (known(values, rows, mask) for mask in masks)
                pairs.append(({**where, "measure": spec}, human, made))
        for where, *cells in pairs:
            for name, one in zip((Level.HUMAN.value, self.level), cells, strict=True):
                yield finding(TABLE, {**where, "texts": name}, "mean", mean(one, drawn), {"texts": one.n})
        whole = [pair for pair in pairs if pair[1].n and pair[2].n]
        if whole:
            of_human = bootstrap_means([drawn.rows(one) for _, one, _ in whole], drawn.resample)
            of_made = bootstrap_means([drawn.rows(one) for _, _, one in whole], drawn.resample)
            for (where, _, _), change in zip(whole, mark_changes(of_made - of_human), strict=True):
                yield marked(finding(TABLE, {**where, "texts": "difference"}, "mean", change.estimate, {}), change)

    def cells(self, rows: Rows, corpora: np.ndarray) -> Iterator[tuple[dict[str, str], Mask, Mask]]:
        human, made, pool = of_level(rows, Level.HUMAN), of_level(rows, Level.read(self.level)), pools(rows)
        for corpus in sorted({*corpora[made]} - {""}):
            for generator in sorted({*pool[made & (corpora == corpus)]}):
                mine = made & (corpora == corpus) & (pool == generator)
                yield {self.by: corpus, "generator": generator or "not told"}, human & (corpora == corpus), mine

    def clouds(self, rows: Rows, measures: dict[str, Floats]) -> Iterator[Figure]:
        for spec, values in measures.items():
            series = []
            for level in (Level.HUMAN, Level.read(self.level)):
                mine = values[of_level(rows, level)]
                series.append(Series(level.value, tuple(map(float, mine[~np.isnan(mine)])), ()))
            if all(one.x for one in series):
                yield Figure(
                    f"statistics-{spec}", "density", f"{spec}: {self.level} and human", spec, "density", tuple(series)
                )


def known(values: Floats, rows: Rows, mask: Mask) -> Cell:
    """The values of a measure on ``mask``, as a cell; what was not taken is counted as missing."""
    taken = mask & np.isfinite(values)
    return Cell(values[taken], rows.clusters[taken], int(mask.sum() - taken.sum()))


def mean(values: Cell, drawn: Drawn) -> Estimate:
    if not values.n:
        return none("no mean: the measure was taken of none of these texts")
    return bootstrap_means([drawn.rows(values)], drawn.resample).estimates()[0]
