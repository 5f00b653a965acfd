"""What does it cost to draw the line elsewhere? The five policies of GEDE (sec. 4.1, table 2, figure 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..documents import Level
from ..registry import Card
from .base import Audit, percent
from .changes import Drawn
from .finding import Answer, Finding, Layout, Result
from .pairs import shared_resample
from .rows import Rows, Settings
from .sides import curves, measured, of_policy

TABLE = "boundary"
BOUNDARIES = tuple(Level)[:5]


@dataclass(frozen=True)
class Boundary(Audit):
    name: ClassVar[str] = "boundary"
    title: ClassVar[str] = "Where the line is drawn"
    question: ClassVar[str] = "How do the errors change when a policy accepts more, or less, help from a machine?"
    card: ClassVar[Card] = Card(
        "AUROC, TPR and FPR under the five policies of GEDE: human, improve-human, ... task-summary",
        source="GEDE, table 2, figure 2 and section 4.1",
        follows="no label flip where AUROC < .5 (the authors' code flips); TPR in sample by step rule and interpolated as "
        "theirs, beside that of a held-out threshold",
        pitfalls="FPR here counts every text that the policy accepts, machine-improved ones included; tables of different "
        "mixes of levels do not compare",
    )

    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        lines = [of_policy(rows, boundary) for boundary in BOUNDARIES]
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        findings = measured(TABLE, lines, rows, settings, drawn)
        layout = Layout(
            TABLE,
            "Five policies",
            "Rows: the last acceptable level. Texts above it are positive. In sample: the threshold holds the tolerated "
            f"{percent(settings.policy.fpr)} on all accepted texts. TPR and FPR: the threshold comes from the accepted texts "
            "of the calibration half, and FPR is counted on those of the other half.",
            ("boundary", "metric"),
            ("detector",),
        )
        return Result(
            self.spec,
            self.title,
            self.question,
            tuple(findings),
            (layout,),
            tuple(curves("roc-boundary", "last accepted level", lines, rows)),
            tuple(said(findings)),
            absent(rows),
        )


def absent(rows: Rows) -> tuple[str, ...]:
    """A note on the levels that this run lacks: rows of neighbouring policies are then the same texts."""
    there = set(rows.values("level", rows.clean))
    missing = [level.value for level in Level if level.value not in there]
    return (f"Levels without texts in this run: {', '.join(missing)}.",) if missing else ()


def said(findings: Sequence[Finding]) -> Iterator[Answer]:
    areas: dict[str, dict[str, Finding]] = {}
    for one in findings:
        if one.metric == "AUROC" and not np.isnan(one.estimate.value):
            areas.setdefault(one.where["detector"], {})[one.where["boundary"]] = one
    for detector, by in areas.items():
        best = max(by, key=lambda b: by[b].estimate.value)
        worst = min(by, key=lambda b: by[b].estimate.value)
        high, low = by[best].estimate, by[worst].estimate
        if high.value == low.value:
            continue
        sure = high.low > low.high
        yield Answer(
            "shown" if sure else "missing",
            f"{detector} separates best when the last accepted level is {best} (AUROC {high.value:.2f}) and worst when it is "
            f"{worst} (AUROC {low.value:.2f})"
            + ("." if sure else f"; the intervals overlap, so these {high.n} clusters do not settle the order."),
        )
