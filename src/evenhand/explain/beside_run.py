"""A score beside the threshold and the human texts of a run: high compared with what?"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from os import PathLike

from .. import stats
from ..audits.base import cell, nominal
from ..audits.rows import Settings, read_rows
from ..errors import DataError
from ..store import Store


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
    def said(self) -> str:
        if isnan(self.threshold):
            return (
                f"The run has no threshold for {self.detector}: {self.human} clean human texts of its calibration half."
            )
        side = "above" if self.score > self.threshold else "not above"
        return (
            f"The score {self.score:.4g} is {side} the run's threshold {self.threshold:.4g}, which {self.fpr:.1%} of human texts "
            f"may pass. {self.above} of {self.human} clean human texts of the calibration half score as high (p = {self.p:.3f}; "
            f"{self.human} texts can show no p below {1 / (self.human + 1):.3f}). That is no chance that a human wrote it."
        )


def standing(run: Store | str | PathLike[str], detector: str, score: float) -> Standing:
    """Where ``score`` stands among the run's human texts. Reads the calibration half only, so it uses up nothing of the other.

    Raises StoreError where the run holds no scores, DataError where this detector is none of its own.
    """
    store = run if isinstance(run, Store) else Store.existing(run)
    rows, settings = read_rows(store), Settings.of(store.settings())
    if detector not in rows.scores:
        raise DataError(f"{store.folder} holds no scores of {detector!r}; it has: {', '.join(rows.scores)}")
    human = cell(rows, detector, rows.clean & rows.human & (rows.half(settings.seed) == "calibration"))
    limit = nominal(human, settings.policy.fpr)
    p = float(stats.conformal_p_values([score], human.scores)[0]) if human.n else float("nan")
    above = int((human.scores >= score).sum())
    return Standing(detector, score, limit.value, settings.policy.fpr, human.n, above, p)
