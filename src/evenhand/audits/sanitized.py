"""What does cleaning the text before detection give back, and what does it cost?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..registry import Card
from .base import Audit, area, by_detector, cell, counts, finding, rate, thresholds
from .finding import Finding, Layout, Result
from .rows import Rows, Settings


@dataclass(frozen=True)
class Sanitized(Audit):
    name: ClassVar[str] = "sanitized"
    title: ClassVar[str] = "Texts cleaned before detection"
    question: ClassVar[str] = "If texts are cleaned before they are scored, is detection restored, and who pays for it?"
    card: ClassVar[Card] = Card(
        "Two-sided AUROC, TPR and FPR of cleaned texts, at the thresholds of uncleaned ones",
        source="'Attacking Only Half the Data', figure 5, tables 6 and 17",
        pitfalls="the row 'none' shows what cleaning does to unedited text: its FPR is the cost that honest writers bear",
    )

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        tau = thresholds(rows, settings)
        positive = rows.positive(settings.policy) == 1
        findings: list[Finding] = []
        cleaners = [s for s in rows.values("sanitizer") if s != "none"]
        for cleaner in cleaners:
            for attack in rows.values("attack", rows.where(sanitizer=cleaner)):
                cleaned = rows.where(sanitizer=cleaner, attack=attack)
                for short, spec in by_detector(rows):
                    h, m = cell(rows, spec, cleaned & rows.human), cell(rows, spec, cleaned & positive)
                    where = {"sanitizer": cleaner, "attack": attack, "detector": short}
                    level = tau[spec].value
                    findings += [
                        finding("sanitized", where, "AUROC two-sided", area(m, h), counts(machine=m, human=h)),
                        finding("sanitized", where, "TPR", rate(m, level, "TPR"), counts(machine=m)),
                        finding("sanitized", where, "FPR", rate(h, level, "FPR"), counts(human=h)),
                    ]
        layout = Layout(
            "sanitized",
            "Cleaned texts",
            "Every text was cleaned before it was scored; thresholds come from uncleaned, unedited human texts.",
            ("sanitizer", "attack", "metric"),
            ("detector",),
        )
        notes = () if cleaners else ("This run holds no sanitized text.",)
        return Result(self.spec, self.title, self.question, tuple(findings), (layout,), notes=notes)
