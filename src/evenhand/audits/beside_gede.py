"""GEDE's tables 2 to 5 beside ours, where a run has the cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..documents import Level
from ..errors import SpecError
from ..registry import Card
from .base import Audit, by_detector, fixed
from .beside_published import DETECTORS, model_of
from .boundary import BOUNDARIES
from .by_corpus import within
from .by_generator import ALL, of_generators, pools
from .changes import Drawn
from .finding import Answer, Finding, Layout, Result
from .keyed import spread, told
from .levels import of_levels
from .pairs import shared_resample
from .published import tables
from .rows import Rows, Settings
from .sides import measured, of_policy, sample_names

TABLE = "beside_gede"
SPELLING = {"Task+Summary": "task-summary"}
GENERATORS = {"GPT-4o-mini": "gpt-4o-mini", "Llama-3.3": "llama-3.3", "Both": ALL}
"""Published name -> how the name of a generator begins, owner left out."""
TOLERANCES = {"AUC": 0.005, "TPR@5%FPR": 0.02}
OURS = {"AUC": "AUROC"}


@dataclass(frozen=True)
class Printed:
    """One published number: ``cell`` is the boundary, level, generator or corpus."""

    table: str
    detector: str
    cell: str
    metric: str
    value: float


def printed() -> Iterator[Printed]:
    """Every AUC and TPR of tables 2 to 5, cells spelt as ours."""
    for table in ("gede.T2", "gede.T3", "gede.T4", "gede.T5"):
        for row, columns in tables()[table]["values"].items():
            for column, values in columns.items():
                detector, cell = (column, row) if table == "gede.T2" else (row, column)
                for metric, value in values.items():
                    yield Printed(
                        table, detector.replace("FastDetect", "Fast-Detect"), spelt(table, cell), metric, value
                    )


def spelt(table: str, cell: str) -> str:
    if table == "gede.T4":
        return GENERATORS[cell]
    return SPELLING.get(cell, cell.lower())


@dataclass(frozen=True)
class BesideGede(Audit):
    """``by``: what tells the corpora apart ('domain' for the GEDE database). ``models``: 'same' compares a detector with the
    model that the paper names only, 'any' with any model."""

    name: ClassVar[str] = "beside_gede"
    title: ClassVar[str] = "Beside GEDE's tables"
    question: ClassVar[str] = "Where this run measured what GEDE printed, how far apart are the two?"
    card: ClassVar[Card] = Card(
        "GEDE's AUC and TPR at 5% FPR (tables 2 to 5) beside ours",
        source="GEDE, tables 2 to 5",
        follows="TPR interpolated in sample, as the authors' code; cells match by corpus 'gede', formula, model and cell. "
        "Tolerances: AUC .005, TPR .02",
        pitfalls="RoBERTa's rows of tables 2 to 4 pool two models by corpus, Ghostbuster ran on substitute models: neither is "
        "compared",
    )

    by: str = "domain"
    models: str = "same"
    replicates: int = 2000

    def __post_init__(self) -> None:
        if self.models not in ("same", "any"):
            raise SpecError(f"beside_gede: models is 'same' or 'any', got {self.models!r}")

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        if "gede" not in " ".join(rows.values("corpus")).lower():
            why = "These texts are not GEDE's: nothing published was measured on them."
            return Result(self.spec, self.title, self.question, (), (), answers=(Answer("missing", why),))
        ours = list(self.ours(rows, settings))
        pairs = list(self.matches(ours, rows, settings))
        found = tuple(f for one, f in pairs for f in beside(one, f))
        layout = Layout(
            TABLE,
            "Published and ours",
            "No interval was printed with the published numbers.",
            ("table", "detector", "cell", "quantity"),
            ("metric",),
        )
        return Result(self.spec, self.title, self.question, found, (layout,), answers=tuple(said(pairs)))

    def ours(self, rows: Rows, settings: Settings) -> Iterator[tuple[str, str, Finding]]:
        """(table, cell, finding) of every cell of tables 2 to 5, at GEDE's boundary and FPR."""
        policy = replace(settings.policy, boundary=Level.REWRITE_HUMAN, fpr=0.05)
        at = replace(settings, policy=policy)
        drawn = Drawn(shared_resample(rows, at, self.replicates))
        cells = {
            "gede.T2": ("boundary", [of_policy(rows, boundary) for boundary in BOUNDARIES]),
            "gede.T3": ("level", list(of_levels(rows, at))),
            "gede.T4": ("generator", list(of_generators(rows, at, pools(rows)))),
            "gede.T5": (self.by, list(within(rows, at, self.by, spread(rows, told(rows, self.by))))),
        }
        for table, (key, sides) in cells.items():
            for f in measured(table, sides, rows, at, drawn, held_out=False):
                yield table, f.where[key], f

    def matches(
        self, ours: Sequence[tuple[str, str, Finding]], rows: Rows, settings: Settings
    ) -> Iterator[tuple[Printed, Finding]]:
        specs = dict(by_detector(rows))
        interpolated = sample_names(0.05)[1]
        for one in printed():
            if one.detector not in DETECTORS:
                continue
            formula, models = DETECTORS[one.detector]
            metric = OURS.get(one.metric, interpolated)
            for table, cell, f in ours:
                spec = specs[f.where["detector"]]
                same = spec.partition("(")[0] == formula
                fits = self.models == "any" or model_of(spec, settings) in models
                there = table == one.table and f.metric == metric and same_cell(one, cell)
                if there and same and fits and not np.isnan(f.estimate.value):
                    yield one, f


def same_cell(one: Printed, cell: str) -> bool:
    name = cell.lower().rpartition("/")[2]
    return name.startswith(one.cell) if one.table == "gede.T4" else name == one.cell


def beside(one: Printed, ours: Finding) -> Iterator[Finding]:
    table = f"GEDE {one.table.partition('.')[2]}"
    where: dict[str, Any] = {"table": table, "detector": one.detector, "cell": one.cell, "quantity": one.metric}
    mine = ours.estimate
    yield fixed(TABLE, where, "published", one.value, 0, "as printed, without an interval")
    yield replace(ours, table=TABLE, where=where, metric="ours")
    apart = replace(
        mine,
        value=mine.value - one.value,
        low=mine.low - one.value,
        high=mine.high - one.value,
        method=f"ours less published; {mine.method}",
    )
    side = "within" if agrees(one, ours) else "beyond"
    yield Finding(TABLE, where, "difference", apart, note=f"{side} the tolerance of {TOLERANCES[one.metric]:g}")


def agrees(one: Printed, ours: Finding) -> bool:
    return abs(ours.estimate.value - one.value) <= TOLERANCES[one.metric] + 1e-9


def said(pairs: Sequence[tuple[Printed, Finding]]) -> Iterator[Answer]:
    if not pairs:
        yield Answer("missing", "No detector of this run has the formula and the model of one of GEDE's.")
        return
    within_tolerance = sum(agrees(one, f) for one, f in pairs)
    held = sum(f.estimate.low <= one.value <= f.estimate.high for one, f in pairs)
    yield Answer(
        "shown" if within_tolerance == len(pairs) else "warning",
        f"{within_tolerance} of {len(pairs)} published numbers lie within their tolerance of ours; {held} lie in our 95% "
        "interval.",
    )
