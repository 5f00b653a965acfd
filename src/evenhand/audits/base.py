"""What every audit is, and the cells that audits share: scores of one detector on a set of rows, with what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nan
from typing import ClassVar

import numpy as np

from .. import stats
from ..registry import Component
from ..stats import Estimate
from ..stats.decisions import clustered_share
from .finding import Finding, Result
from .rows import Floats, Mask, Rows, Settings


class Audit(Component):
    """Base of the family: ``question`` is what it answers, in one sentence."""

    title: ClassVar[str]
    question: ClassVar[str]

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        """What an audit is: findings and answers from the rows of a run."""
        raise NotImplementedError


@dataclass(frozen=True)
class Cell:
    """The scores of one detector on some rows, and the clusters they come from; ``missing`` were not scored."""

    scores: Floats
    clusters: np.ndarray
    missing: int

    @property
    def n(self) -> int:
        return len(self.scores)

    @property
    def independent(self) -> bool:
        """Does every text come from a cluster of its own?"""
        return len(np.unique(self.clusters)) == self.n


def cell(rows: Rows, detector: str, mask: Mask) -> Cell:
    scores = rows.scores[detector][mask]
    known = ~np.isnan(scores)
    return Cell(scores[known], rows.clusters[mask][known], int((~known).sum()))


def counts(**cells: Cell) -> dict[str, int]:
    """n of each class, the clusters, and the unscored texts where there are any."""
    told = {name: one.n for name, one in cells.items()}
    told["clusters"] = len(np.unique(np.concatenate([one.clusters for one in cells.values()])))
    missing = {f"{name} not scored": one.missing for name, one in cells.items() if one.missing}
    return told | missing


def rate(
    above: Cell, threshold: float, what: str, resample: stats.Resample | None = None, level: float = 0.95
) -> Estimate:
    """The share of texts above a threshold set elsewhere: exact interval for independent texts, by cluster otherwise.

    Where clusters are drawn, a rate of 0 or 1 gets the exact bound that its clusters carry.
    """
    if above.n == 0:
        return none(f"no {what}: no text was scored")
    if np.isnan(threshold):
        return none(f"no {what}: there is no threshold")
    flags = above.scores > threshold
    if above.independent:
        return stats.proportion(int(flags.sum()), above.n, level=level, what=what)
    k = len(np.unique(above.clusters))
    if flags.all() or not flags.any():
        return stats.proportion(k if flags.all() else 0, k, level=level, what=f"{what}, exact bound of the clusters")
    drawn = resample or stats.resample_clusters(above.clusters)
    flagged = [(stats.rows(drawn, above.scores, above.clusters), threshold)]
    return stats.bootstrap_rates(flagged, drawn).estimates(level)[0]


def share(above: Cell, threshold: float, what: str, level: float = 0.95) -> Estimate:
    """Like ``rate``, with bounds that hold for rare flags in few clusters too, and are wider: exact ones of the clusters."""
    if above.n == 0:
        return none(f"no {what}: no text was scored")
    if np.isnan(threshold):
        return none(f"no {what}: there is no threshold")
    return clustered_share(above.scores > threshold, above.clusters, level=level, what=what)


def wilson(flags: Mask, clusters: np.ndarray, what: str) -> Estimate:
    """The share of flagged texts: Wilson's interval where each stands alone, of clusters ``clustered_share``'s."""
    if len(np.unique(clusters)) == len(flags):
        return stats.proportion(int(flags.sum()), len(flags), interval="wilson", what=what)
    return clustered_share(flags, clusters, what=what)


def yes_or_no(scores: Floats) -> bool:
    """Whether a detector gives verdicts: each of its scores is 1 or 0."""
    known = scores[~np.isnan(scores)]
    return bool(len(known)) and bool(np.isin(known, (0.0, 1.0)).all())


def area(positive: Cell, negative: Cell) -> Estimate:
    """AUROC with an interval that knows which texts share a cluster (Obuchowski; DeLong where none do)."""
    if not positive.n or not negative.n:
        return none("no AUROC: " + ("no machine text" if not positive.n else "no human text") + " was scored")
    return stats.auroc(
        positive.scores, negative.scores, positive_clusters=positive.clusters, negative_clusters=negative.clusters
    )


def none(why: str) -> Estimate:
    """The estimate that is not there."""
    return Estimate(nan, nan, nan, 0, why)


def note(estimate: Estimate) -> str | None:
    return estimate.method if np.isnan(estimate.value) else None


def finding(table: str, where: Mapping[str, str], metric: str, estimate: Estimate, told: Mapping[str, int]) -> Finding:
    return Finding(table, dict(where), metric, estimate, dict(told), note=note(estimate))


def fixed(
    table: str,
    where: Mapping[str, str],
    metric: str,
    value: float,
    n: int,
    why: str,
    told: Mapping[str, int] | None = None,
) -> Finding:
    """A number that is no estimate and has no interval; ``why`` says what it is."""
    return Finding(table, dict(where), metric, Estimate(value, nan, nan, n, why), dict(told or {}), note=why)


def counted(table: str, where: Mapping[str, str], metric: str, n: float, of: int | None = None) -> Finding:
    """A count, of as many texts as it counts where no whole is named."""
    return fixed(table, where, metric, n, int(n) if of is None else of, "a count")


def thresholds(rows: Rows, settings: Settings) -> dict[str, stats.Threshold]:
    """For each detector the nominal threshold at the policy's FPR, from the clean human texts of the calibration half.

    Attacked or sanitized text never enters. A detector without a scored human text there gets NaN.
    """
    mask = rows.clean & rows.human & (rows.half(settings.seed) == "calibration")
    return {detector: nominal(cell(rows, detector, mask), settings.policy.fpr) for detector in rows.scores}


def nominal(human: Cell, fpr: float) -> stats.Threshold:
    if not human.n:
        return stats.Threshold(nan, 0, 0, fpr, None, "no clean human text of the calibration half was scored")
    return stats.threshold(human.scores, fpr)


def by_detector(rows: Rows) -> Iterator[tuple[str, str]]:
    """(short name, spec) of every detector; the short name is the spec's name where no other shares it."""
    names = [spec.partition("(")[0] for spec in rows.scores]
    for name, spec in zip(names, rows.scores, strict=True):
        yield (name if names.count(name) == 1 else spec), spec


def proven(proof: stats.Certificate) -> str:
    """A certificate in plain words."""
    sure = percent(proof.confidence)
    counted = f"{proof.errors} of {proof.n} independent human texts accused"
    return f"{counted}; with {sure} confidence at most {percent(proof.upper)} are"


def percent(value: float) -> str:
    """'4.2%', and never '0%' or '100%' for what is neither."""
    if np.isnan(value):
        return "unknown"
    shown = f"{100 * value:.1f}".rstrip("0").rstrip(".")
    if shown in ("0", "100") and value not in (0, 1):
        return "under 0.1%" if value < 0.5 else "over 99.9%"
    return f"{shown}%"
