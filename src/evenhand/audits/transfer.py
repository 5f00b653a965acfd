"""Does what a detector learnt on some texts hold on others? Every training group beside every tested group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..evaluations import FOLD, GROUP
from ..registry import Card
from .base import Audit, by_detector, percent
from .changes import Drawn
from .finding import Answer, Finding, Layout, Result
from .keyed import word
from .learnt import Told, told_by_evaluation
from .pairs import shared_resample
from .rows import Mask, Rows, Settings
from .sides import Sides, measured, of_policy

TABLE = "transfer"


@dataclass(frozen=True)
class Transfer(Audit):
    name: ClassVar[str] = "transfer"
    title: ClassVar[str] = "Transfer"
    question: ClassVar[str] = "Does a detector hold on texts of a group that it has not learnt from?"
    card: ClassVar[Card] = Card(
        "AUROC and TPR by what a detector learnt from and what it is tested on",
        source="ours; the cross-corpus rule of GEDE, section 4.4, and the field's leave-one-out",
        follows="the run's policy within each tested group; in a run that leaves generators out, human texts are those that were "
        "held out with the generator",
        pitfalls="groups differ in length, genre and mix of levels; detectors that learn nothing stand beside as 'nothing'; a "
        "detector that learnt from few texts may fail for that alone",
    )

    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        learners = {short: learner(short, spec, settings) for short, spec in by_detector(rows)}
        judged = measured(TABLE, list(cells(rows, settings)), rows, settings, drawn)
        found = [beside(one, *learners[one.where["detector"]]) for one in judged]
        layout = Layout(
            TABLE,
            "Learnt from, tested on",
            f"Policy: the last acceptable level is {settings.policy.boundary}. In sample: the threshold holds "
            f"{percent(settings.policy.fpr)} of the tested group's own negatives; TPR and FPR at a threshold from their "
            "calibration half. No text is scored by a detector that learnt from it or from its cluster.",
            ("detector", "trained on", "metric"),
            ("tested on",),
        )
        notes = (
            () if found else ("This run has no evaluation: set evaluation = \"leave_out(by='domain')\" in its plan.",)
        )
        answers = tuple(said(found))
        return Result(self.spec, self.title, self.question, tuple(found), (layout,), (), answers, notes)


def learner(short: str, spec: str, settings: Settings) -> tuple[str, Told]:
    """The detector of a column of scores as the table names it, and what it learnt from where it is tested on a group."""
    if alone := settings.environment.get("columns", {}).get(spec):
        return alone["detector"], lambda _: str(alone["fold"])
    return short, told_by_evaluation(spec, settings) or (lambda _: "nothing")


def beside(one: Finding, detector: str, learnt_from: Told) -> Finding:
    trained = learnt_from(one.where["tested on"])
    return replace(one, where={**one.where, "detector": detector, "trained on": trained})


def cells(rows: Rows, settings: Settings) -> Iterator[Sides]:
    """The policy's sides within each group; texts of no group stand with the fold that tests them."""
    fold, group = (np.array([word(meta, key) for meta in rows.meta], object) for key in (FOLD, GROUP))
    whole = of_policy(rows, settings.policy.boundary)
    for name in sorted({*group} - {""}) or sorted({*fold} - {""}):
        mine: Mask = (group == name) | ((group == "") & (fold == name))
        yield Sides({"tested on": name}, whole.positive & mine, whole.negative & mine)


def said(found: Sequence[Finding]) -> Iterator[Answer]:
    """The worst transfer of each detector, and whether the intervals tell it from its best."""
    for detector in dict.fromkeys(f.where["detector"] for f in found):
        mine = [
            f
            for f in found
            if f.metric == "AUROC"
            and f.where["detector"] == detector
            and f.where["trained on"] not in ("nothing", f.where["tested on"])
            and not np.isnan(f.estimate.low)
        ]
        if len(mine) < 2:
            continue
        best, worst = max(mine, key=lambda f: f.estimate.value), min(mine, key=lambda f: f.estimate.value)
        apart = best.estimate.low > worst.estimate.high
        yield Answer(
            "shown" if apart else "missing",
            f"{detector}: AUROC from {worst.estimate.value:.2f} (learnt from {worst.where['trained on']}, tested on "
            f"{worst.where['tested on']}) to {best.estimate.value:.2f} ({best.where['trained on']}, "
            f"{best.where['tested on']}); the 95% intervals {'do not overlap' if apart else 'overlap'}.",
        )
