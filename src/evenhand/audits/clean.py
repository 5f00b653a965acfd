"""How well does each detector tell human from machine text that nobody has edited, and which FPR do these texts certify?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import stats
from ..registry import Card
from .base import Audit, Cell, area, by_detector, cell, counts, finding, none, percent, proven, rate, thresholds
from .finding import Answer, Figure, Finding, Layout, Result, Series
from .rows import Floats, Mask, Rows, Settings


@dataclass(frozen=True)
class Clean(Audit):
    name: ClassVar[str] = "clean"
    title: ClassVar[str] = "Unedited texts"
    question: ClassVar[str] = (
        "On unedited texts, how often does each detector flag machine text, and how often does it accuse a human writer?"
    )
    card: ClassVar[Card] = Card(
        "AUROC, TPR and FPR on unedited texts, with a held-out threshold and what n can certify",
        source="thresholds on half of the clean human texts: two-sided paper, figure 8b; certificates: exact binomial",
        pitfalls="one threshold from few texts varies: 'threshold range' says how far its true FPR may lie from the nominal",
    )

    confidence: float = 0.95

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        tau = thresholds(rows, settings)
        findings: list[Finding] = []
        answers = list(caveat(settings))
        for short, spec in by_detector(rows):
            found, answer = self.one(rows, settings, short, spec, tau[spec])
            findings += found
            answers += answer
        layout = Layout(
            "clean",
            "Unedited texts",
            f"Policy: machine text is what lies above {settings.policy.boundary}. The threshold is set for "
            f"{percent(settings.policy.fpr)} of the human texts of the calibration half; FPR is counted on the other half.",
            ("detector",),
            ("metric",),
        )
        return Result(
            self.spec, self.title, self.question, tuple(findings), (layout,), figures(rows, settings), tuple(answers)
        )

    def one(
        self, rows: Rows, settings: Settings, short: str, spec: str, tau: stats.Threshold
    ) -> tuple[list[Finding], list[Answer]]:
        human, machine = classes(rows, settings, spec)
        verify = cell(rows, spec, rows.clean & rows.human & (rows.half(settings.seed) == "verification"))
        where = {"detector": short}
        low, high = tau.fpr_range(0.9)
        fpr, tpr = rate(verify, tau.value, "FPR"), rate(machine, tau.value, "TPR")
        ranked = area(machine, human)
        delong = stats.auroc(machine.scores, human.scores) if machine.n and human.n else ranked
        proof = prove(verify, tau.value, settings.policy.fpr, self.confidence)
        certified = (
            stats.Estimate(proof.upper, 0, proof.upper, proof.n, proof.reason) if proof else none("no threshold")
        )
        law = stats.Estimate(tau.mean_fpr, low, high, tau.n, "Beta law of the order statistic, 90% range", 0.9)
        both, one_side = counts(machine=machine, human=human), counts(human=verify)
        cells = [
            finding("clean", where, "AUROC (DeLong)", delong, both),
            finding("clean", where, "AUROC (by cluster)", ranked, both),
            finding("clean", where, "TPR", tpr, counts(machine=machine)),
            finding("clean", where, "FPR, verification half", fpr, one_side),
            finding("clean", where, "FPR certified", certified, one_side),
            finding("clean", where, "threshold range", law, {"human": tau.n}),
        ]
        answers = said(short, settings.policy.fpr, tpr, (machine, verify), proof, tau)
        return cells, [*odd(short, human, machine, ranked), *answers]


def caveat(settings: Settings) -> Iterator[Answer]:
    """What the corpus cannot show, said before any number."""
    corpus = settings.environment.get("corpus", {})
    told = corpus.get("pitfalls")
    if told and corpus.get("family") == "corpus":
        yield Answer("warning", f"The texts: {told[:1].lower()}{told[1:]}")


def classes(rows: Rows, settings: Settings, detector: str) -> tuple[Cell, Cell]:
    """(human, machine) among the clean texts; machine is what the policy calls so."""
    positive = rows.positive(settings.policy) == 1
    return cell(rows, detector, rows.clean & rows.human), cell(rows, detector, rows.clean & positive)


def prove(verify: Cell, tau: float, fpr: float, confidence: float) -> stats.Certificate | None:
    if not verify.n or np.isnan(tau):
        return None
    return stats.cluster_certificate(verify.scores > tau, verify.clusters, fpr, confidence)


def said(
    short: str,
    fpr: float,
    tpr: stats.Estimate,
    cells: tuple[Cell, Cell],
    proof: stats.Certificate | None,
    tau: stats.Threshold,
) -> Iterator[Answer]:
    """``cells``: the machine texts, and the human ones of the half that no threshold was set on."""
    if proof is None:
        yield Answer("missing", f"{short}: nothing can be said; {tau.reason or 'no human text was scored'}.")
        return
    machine, human = cells
    accused = int((human.scores > tau.value).sum())
    if not np.isnan(tpr.value):
        yield Answer(
            "missing" if np.isnan(tpr.low) else "shown",
            f"{short} flags {percent(tpr.value)} of the unedited machine texts ({bounds(tpr)}, {sized(machine)}) at a threshold "
            f"meant for {percent(fpr)} false accusations; of the human texts that it was not set on, it accused "
            f"{percent(accused / human.n)} ({accused} of {sized(human)}).",
        )
    if proof.certified:
        yield Answer(
            "shown", f"{short}: at most {percent(fpr)} of human writers like these are accused ({proven(proof)})."
        )
    else:
        yield Answer(
            "missing",
            f"{short}: {proof.n} independent human texts do not show that at most {percent(fpr)} are accused (they certify "
            f"{percent(proof.upper)}); {proof.missing} more human texts are missing, all without a false accusation.",
        )


def odd(short: str, human: Cell, machine: Cell, ranked: stats.Estimate) -> Iterator[Answer]:
    """What looks like a fault in how scores were made or read. It is told; nothing is turned on the texts of the test."""
    scores = np.concatenate([human.scores, machine.scores])
    if len(scores) > 1 and (scores == scores[0]).all():
        yield Answer(
            "warning",
            f"{short} gives all {len(scores)} unedited texts one score, {scores[0]:g}: it tells no text from another.",
        )
    elif ranked.high < 0.5:
        yield Answer(
            "warning",
            f"{short} scores human texts above machine texts: AUROC {ranked.value:.3f}, 95% interval {ranked.low:.3f} to "
            f"{ranked.high:.3f}. Labels may be swapped, or its scores mean the reverse: its maker can tell, these texts cannot.",
        )


def bounds(e: stats.Estimate) -> str:
    return "no interval" if np.isnan(e.low) else f"95% interval {percent(e.low)} to {percent(e.high)}"


def sized(one: Cell) -> str:
    """How many texts, and of how many clusters where texts share one."""
    return f"{one.n} texts" if one.independent else f"{one.n} texts of {len(np.unique(one.clusters))} clusters"


def figures(rows: Rows, settings: Settings) -> tuple[Figure, ...]:
    curves, clouds = [], []
    for short, spec in by_detector(rows):
        human, machine = classes(rows, settings, spec)
        if not human.n or not machine.n:
            continue
        roc = stats.roc_curve(machine.scores, human.scores)
        corners = np.flatnonzero(turns(roc.fpr, roc.tpr))
        curves.append(Series(short, tuple(map(float, roc.fpr[corners])), tuple(map(float, roc.tpr[corners]))))
        series = [
            Series(label, tuple(map(float, c.scores)), ()) for label, c in (("human", human), ("machine", machine))
        ]
        clouds.append(Figure(f"scores-{short}", "density", f"{short}: scores", "score", "density", tuple(series)))
    if not curves:
        return ()
    chart = Figure("roc", "line", "ROC, unedited texts", "false-positive rate", "true-positive rate", tuple(curves))
    return (chart, *clouds)


def turns(x: Floats, y: Floats) -> Mask:
    """The points where a step curve turns; those between lie on a straight line and say nothing more."""
    level, upright = np.diff(x) == 0, np.diff(y) == 0
    straight = (level[1:] & level[:-1]) | (upright[1:] & upright[:-1])
    return np.concatenate([[True], ~straight, [True]])
