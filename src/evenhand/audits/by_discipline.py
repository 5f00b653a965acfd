"""Are some disciplines harder for all detectors? GEDE, table 6."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import stats
from ..registry import Card
from ..stats import Estimate
from ..stats.means import mean_over_cells
from .base import Audit, area, by_detector, cell, counts, finding, none
from .by_corpus import within
from .changes import Drawn
from .finding import Finding, Layout, Result
from .keyed import spread, told
from .pairs import shared_resample
from .rows import Rows, Settings
from .sides import Sides

TABLE = "by_discipline"
MEAN, SPREAD = "mean over detectors", "standard deviation over detectors"


@dataclass(frozen=True)
class ByDiscipline(Audit):
    """``by``: the column or meta key of the discipline; texts that are told none take that of their cluster."""

    name: ClassVar[str] = "by_discipline"
    title: ClassVar[str] = "Disciplines"
    question: ClassVar[str] = "In which disciplines do the detectors fare better or worse?"
    card: ClassVar[Card] = Card(
        "AUROC within each discipline: every detector, and mean and standard deviation over the detectors",
        source="GEDE, table 6",
        follows="the paper gives mean and deviation over its detectors and no interval; here the mean has one, from clusters "
        "drawn alike for all detectors",
        pitfalls="the deviation is one between detectors, and says nothing of how well n texts settle the mean; a discipline "
        "of a handful of texts settles nothing",
    )

    by: str = "discipline"
    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        sides = within(rows, settings, self.by, spread(rows, told(rows, self.by)))
        found = tuple(f for one in sides for f in of_discipline(one, rows, drawn))
        layout = Layout(
            TABLE,
            "Disciplines",
            f"AUROC under the run's policy (last acceptable level: {settings.policy.boundary}).",
            (self.by,),
            ("detector",),
        )
        notes = () if found else (f"This run holds no unedited text that is told its {self.by}.",)
        return Result(self.spec, self.title, self.question, found, (layout,), notes=notes)


def of_discipline(sides: Sides, rows: Rows, drawn: Drawn) -> Iterator[Finding]:
    cells = {
        short: (cell(rows, spec, sides.positive), cell(rows, spec, sides.negative)) for short, spec in by_detector(rows)
    }
    for short, (positive, negative) in cells.items():
        where = {**sides.where, "detector": short}
        yield finding(TABLE, where, "AUROC", area(positive, negative), counts(positive=positive, negative=negative))
    whole = [both for both in cells.values() if both[0].n and both[1].n]
    mean, deviation = summary(drawn.areas(whole)) if whole else (none("no AUROC: a class is missing"),) * 2
    told_n = {"detectors": len(whole), "human": int((sides.negative & rows.human).sum())}
    yield finding(TABLE, {**sides.where, "detector": MEAN}, "AUROC", mean, told_n)
    yield finding(TABLE, {**sides.where, "detector": SPREAD}, "AUROC", deviation, told_n)


def summary(areas: stats.Draws) -> tuple[Estimate, Estimate]:
    """Mean and standard deviation over the cells, the mean with an interval from their joint replicates."""
    mean = mean_over_cells(areas, "mean AUROC over detectors").estimates()[0]
    spread = float(np.std(areas.values, ddof=1)) if len(areas.values) > 1 else np.nan
    why = "standard deviation over detectors, no interval: they are no sample"
    return mean, Estimate(
        spread, np.nan, np.nan, len(areas.values), why if len(areas.values) > 1 else "one detector only"
    )
