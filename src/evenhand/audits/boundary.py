"""What does it cost to draw the line elsewhere? The five policies of GEDE (sec. 5.1, table 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import stats
from ..documents import Level, Policy
from ..registry import Card
from .base import Audit, area, by_detector, cell, counts, finding, nominal, none, percent, rate
from .finding import Answer, Finding, Layout, Result
from .rows import Rows, Settings

BOUNDARIES = tuple(Level)[:5]


@dataclass(frozen=True)
class Boundary(Audit):
    name: ClassVar[str] = "boundary"
    title: ClassVar[str] = "Where the line is drawn"
    question: ClassVar[str] = "How do the errors change when a policy accepts more, or less, help from a machine?"
    card: ClassVar[Card] = Card(
        "AUROC, TPR and FPR under the five policies of GEDE: human, improve-human, ... task-summary",
        source="GEDE, table 2 and section 5.1",
        follows="no label flip where AUROC < .5 (the authors' code flips); TPR with a held-out threshold, beside the step rule",
        pitfalls="FPR here counts every text that the policy accepts, machine-improved ones included",
    )

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        findings: list[Finding] = []
        levels = {level for level in rows.values("level", rows.clean) if level}
        for boundary in BOUNDARIES:
            for short, spec in by_detector(rows):
                findings += self.one(rows, settings, short, spec, boundary)
        layout = Layout(
            "boundary",
            "Five policies",
            "Rows: the last acceptable level. Texts above it are positive. The threshold comes from the accepted texts of the "
            "calibration half; FPR is counted on those of the other half.",
            ("boundary", "metric"),
            ("detector",),
        )
        absent = [level.value for level in Level if level.value not in levels]
        notes = (f"Levels without texts in this run: {', '.join(absent)}.",) if absent else ()
        return Result(
            self.spec, self.title, self.question, tuple(findings), (layout,), (), self.answers(findings), notes
        )

    def one(self, rows: Rows, settings: Settings, short: str, spec: str, boundary: Level) -> list[Finding]:
        verdict = rows.positive(Policy(boundary, settings.policy.fpr))
        half = rows.half(settings.seed)
        positive = cell(rows, spec, rows.clean & (verdict == 1))
        negative = cell(rows, spec, rows.clean & (verdict == 0))
        tau = nominal(cell(rows, spec, rows.clean & (verdict == 0) & (half == "calibration")), settings.policy.fpr)
        verify = cell(rows, spec, rows.clean & (verdict == 0) & (half == "verification"))
        fpr = settings.policy.fpr
        step = (
            stats.cluster_bootstrap(
                lambda s, y: stats.tpr_at_fpr(s[y == 1], s[y == 0], fpr, replicates=0).value,
                np.concatenate([positive.clusters, negative.clusters]),
                np.concatenate([positive.scores, negative.scores]),
                np.concatenate([np.ones(positive.n), np.zeros(negative.n)]),
                replicates=500,
                seed=settings.seed,
            )
            if positive.n and negative.n
            else none("no TPR: a class is empty")
        )
        where = {"boundary": boundary.value, "detector": short}
        both = counts(positive=positive, negative=negative)
        return [
            finding("boundary", where, "AUROC", area(positive, negative), both),
            finding("boundary", where, f"TPR at {percent(fpr)} FPR, in sample", step, both),
            finding("boundary", where, "TPR", rate(positive, tau.value, "TPR"), counts(positive=positive)),
            finding(
                "boundary", where, "FPR, verification half", rate(verify, tau.value, "FPR"), counts(negative=verify)
            ),
        ]

    def answers(self, findings: list[Finding]) -> tuple[Answer, ...]:
        areas: dict[str, dict[str, float]] = {}
        for one in findings:
            if one.metric == "AUROC" and not np.isnan(one.estimate.value):
                areas.setdefault(one.where["detector"], {})[one.where["boundary"]] = one.estimate.value
        told = []
        for detector, by in areas.items():
            best, worst = max(by, key=lambda b: by[b]), min(by, key=lambda b: by[b])
            if best != worst:
                told.append(
                    Answer(
                        "shown",
                        f"{detector} separates best when the last accepted level is {best} (AUROC {by[best]:.2f}) and worst "
                        f"when it is {worst} (AUROC {by[worst]:.2f}).",
                    )
                )
        return tuple(told)
