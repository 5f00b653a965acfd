"""One score beside the threshold and the human texts of a run: high compared with what?"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan

from .. import stats
from .base import cell, nominal
from .rows import Rows, Settings


@dataclass(frozen=True, slots=True)
class Standing:
    """``threshold`` is that of the run's policy, from the ``human`` clean human texts of its calibration half; ``p`` the
    share of them that score at least as high, this text counted too (conformal, Vovk): no chance that a human wrote it."""

    detector: str
    score: float
    threshold: float
    fpr: float
    human: int
    above: int
    p: float

    @property
    def flagged(self) -> bool:
        return self.score > self.threshold

    @property
    def said(self) -> str:
        if isnan(self.threshold):
            return (
                f"The run has no threshold for {self.detector}: {self.human} clean human texts of its calibration half."
            )
        side = "above" if self.flagged else "not above"
        return (
            f"The score {self.score:.4g} is {side} the run's threshold {self.threshold:.4g}, which {self.fpr:.1%} of human texts "
            f"may pass. {self.above} of {self.human} clean human texts of the calibration half score as high (p = {self.p:.3f}; "
            f"{self.human} texts can show no p below {1 / (self.human + 1):.3f}). That is no chance that a human wrote it."
        )


def place(rows: Rows, settings: Settings, detector: str, score: float, without: int | None = None) -> Standing:
    """Where ``score`` stands. Reads the calibration half only, so it uses up nothing of the other; ``without`` names a row of
    the run whose own cluster is left out, so that no text is compared with itself. NaN p for a NaN score."""
    calibration = rows.clean & rows.human & (rows.half(settings.seed) == "calibration")
    if without is not None:
        calibration = calibration & (rows.clusters != rows.clusters[without])
    human = cell(rows, detector, calibration)
    tau, above = nominal(human, settings.policy.fpr).value, int((human.scores >= score).sum())
    known = human.n and not isnan(score)
    p = float(stats.conformal_p_values([score], human.scores)[0]) if known else nan
    return Standing(detector, score, tau, settings.policy.fpr, human.n, above, p)
