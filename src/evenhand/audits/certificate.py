"""Which false-positive rate do the human texts of this run prove?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import stats
from ..errors import SpecError
from ..registry import Card
from ..stats import Estimate
from .base import Audit, by_detector, cell, counts, finding, none, percent, proven
from .finding import Answer, Finding, Layout, Result
from .rows import Rows, Settings


@dataclass(frozen=True)
class CertificateAudit(Audit):
    name: ClassVar[str] = "certificate"
    title: ClassVar[str] = "What these texts prove"
    question: ClassVar[str] = (
        "With a threshold chosen on one half of the human texts, which FPR does the other half prove?"
    )
    card: ClassVar[Card] = Card(
        "Certified thresholds (Neyman-Pearson umbrella) and certificates on held-out human texts",
        source="Tong, Feng & Li 2018 (Science Advances); exact binomial bound",
        pitfalls="counts clusters, not texts: several texts of one author are one draw",
    )

    fpr: float = 0.01
    confidence: float = 0.95

    def __post_init__(self) -> None:
        for key in ("fpr", "confidence"):
            value = getattr(self, key)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
                raise SpecError(f"certificate: {key} must lie between 0 and 1, got {getattr(self, key)!r}")

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        findings: list[Finding] = []
        answers: list[Answer] = []
        for short, spec in by_detector(rows):
            found, answer = self.one(rows, settings, short, spec)
            findings += found
            answers.append(answer)
        layout = Layout(
            "certificate",
            "Certificates",
            f"Asked: at most {percent(self.fpr)} false accusations, with {percent(self.confidence)} confidence.",
            ("detector",),
            ("metric",),
        )
        return Result(self.spec, self.title, self.question, tuple(findings), (layout,), answers=tuple(answers))

    def one(self, rows: Rows, settings: Settings, short: str, spec: str) -> tuple[list[Finding], Answer]:
        half = rows.half(settings.seed)
        human = rows.clean & rows.human
        calibration = cell(rows, spec, human & (half == "calibration"))
        verify = cell(rows, spec, human & (half == "verification"))
        if not calibration.n or not verify.n:
            why = "a half of the human texts was not scored"
            return [finding("certificate", {"detector": short}, "FPR certified", none(why), {})], Answer(
                "missing", f"{short}: {why}."
            )
        tau = stats.threshold(calibration.scores, self.fpr, self.confidence, clusters=calibration.clusters)
        if np.isnan(tau.value):
            return [
                finding("certificate", {"detector": short}, "threshold", none(tau.reason or ""), {"human": tau.n})
            ], (Answer("missing", f"{short}: {tau.reason}."))
        proof = stats.cluster_certificate(verify.scores > tau.value, verify.clusters, self.fpr, self.confidence)
        value = Estimate(tau.value, np.nan, np.nan, tau.n, "certified threshold, no interval: an order statistic")
        upper = Estimate(proof.upper, 0.0, proof.upper, proof.n, proof.reason)
        told = [
            finding("certificate", {"detector": short}, "threshold", value, counts(human=calibration)),
            finding("certificate", {"detector": short}, "FPR certified", upper, counts(human=verify)),
        ]
        return told, Answer("shown" if proof.certified else "missing", f"{short}: {proven(proof)}.")
