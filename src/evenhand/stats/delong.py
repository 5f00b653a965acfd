"""AUROC with the interval of DeLong, DeLong & Clarke-Pearson (1988), in the fast midrank form of Sun & Xu (2014)."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats as sp
from scipy.special import expit, logit

from ..errors import DataError
from .estimate import Estimate
from .inputs import FloatArray, IntArray, as_codes, as_scores, check_open, check_same_length
from .proportions import clopper_pearson

_ROUNDING = 1e-28
"""Variances below this are rounding: one swapped pair among 100,000 texts of each class makes 1e-20."""


@dataclass(frozen=True, slots=True)
class Difference(Estimate):
    """An estimated difference, with the two-sided p-value of 'there is none' (NaN where no test exists)."""

    p: float = nan


def placements(positive: FloatArray, negative: FloatArray) -> tuple[FloatArray, FloatArray]:
    """For each positive the share of negatives below it, for each negative the share of positives above it; ties half.

    Both means are the AUROC (Sun & Xu 2014, eq. 5: midranks of the pooled scores less those within the class).
    """
    m, n = len(positive), len(negative)
    pooled = sp.rankdata(np.concatenate([positive, negative]))
    above = (pooled[:m] - sp.rankdata(positive)) / n
    below = 1 - (pooled[m:] - sp.rankdata(negative)) / m
    return above, below


def auroc(
    positive: ArrayLike,
    negative: ArrayLike,
    *,
    positive_clusters: ArrayLike | None = None,
    negative_clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """P(score of a positive > score of a negative) + half of the ties, for scores of any scale, infinities included.

    The interval is DeLong's on the logit scale; at 0 or 1, where it has no width, the exact bound on the smaller class.
    Where texts share a source, author or task pass both ``*_clusters``: the interval then allows for it, also across the
    classes (Obuchowski 1997), and ``n`` counts clusters instead of texts. NaN interval where a class holds one text or
    lies in one cluster. Raises DataError on an empty class or NaN.
    """
    x, y = as_scores(positive, "positive"), as_scores(negative, "negative")
    check_open("level", level)
    codes, name = _codes(len(x), len(y), positive_clusters, negative_clusters)
    above, below = placements(x, y)
    value, n, smaller = float(above.mean()), len(np.unique(codes)), _smaller(codes, len(x))
    if smaller < 2:
        return Estimate(value, nan, nan, n, "AUROC; no interval: a class holds one text or cluster", level)
    if value in (0.0, 1.0):
        low, high = clopper_pearson(smaller if value else 0, smaller, level)
        return Estimate(value, low, high, n, "AUROC, exact bound on the smaller class (no overlap)", level)
    variance = _variance(above - value, below - value, codes)
    if variance < _ROUNDING:
        return Estimate(value, nan, nan, n, "AUROC; no interval: the scores do not vary", level)
    half = float(sp.norm.ppf((1 + level) / 2)) * sqrt(variance) / (value * (1 - value))
    low, high = (float(expit(logit(value) + side * half)) for side in (-1, 1))
    return Estimate(value, low, high, n, f"AUROC, {name} on the logit scale", level)


def compare_auroc(
    positive_a: ArrayLike,
    negative_a: ArrayLike,
    positive_b: ArrayLike,
    negative_b: ArrayLike,
    *,
    positive_clusters: ArrayLike | None = None,
    negative_clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Difference:
    """AUROC of detector (or run) a minus that of b on the same texts, in the same order (paired DeLong 1988).

    Two-sided p from the normal law; clusters as in ``auroc``. NaN interval where a class holds one text or cluster, or
    where the difference does not vary over texts (two detectors that rank alike).
    """
    xa, ya = as_scores(positive_a, "positive_a"), as_scores(negative_a, "negative_a")
    xb, yb = as_scores(positive_b, "positive_b"), as_scores(negative_b, "negative_b")
    check_same_length(xa, xb, "positive_a and positive_b")
    check_same_length(ya, yb, "negative_a and negative_b")
    check_open("level", level)
    codes, name = _codes(len(xa), len(ya), positive_clusters, negative_clusters)
    (above_a, below_a), (above_b, below_b) = placements(xa, ya), placements(xb, yb)
    above, below, n = above_a - above_b, below_a - below_b, len(np.unique(codes))
    value = float(above.mean())
    if _smaller(codes, len(xa)) < 2:
        why = "difference of AUROC; no interval: a class holds one text or cluster"
        return Difference(value, nan, nan, n, why, level)
    variance = _variance(above - value, below - value, codes)
    if variance < _ROUNDING:
        return Difference(value, nan, nan, n, "difference of AUROC; no interval: it does not vary over texts", level)
    half = float(sp.norm.ppf((1 + level) / 2)) * sqrt(variance)
    p = float(2 * sp.norm.sf(abs(value) / sqrt(variance)))
    return Difference(value, value - half, value + half, n, f"difference of AUROC, paired, {name}", level, p)


def _codes(m: int, n: int, positive: ArrayLike | None, negative: ArrayLike | None) -> tuple[IntArray, str]:
    """The cluster of every text, positives first; each its own where no clusters are given."""
    if positive is None and negative is None:
        return np.arange(m + n), "DeLong"
    if positive is None or negative is None:
        raise DataError("clusters are given for one class only; pass both positive_clusters and negative_clusters")
    codes, _ = as_codes(np.concatenate([np.asarray(positive), np.asarray(negative)]), m + n, "clusters")
    return codes, "Obuchowski's clustered form"


def _smaller(codes: IntArray, m: int) -> int:
    return min(len(np.unique(codes[:m])), len(np.unique(codes[m:])))


def _variance(above: FloatArray, below: FloatArray, codes: IntArray) -> float:
    """Obuchowski 1997, eq. 4-6: S10/m + S01/n + 2 S11/(mn), from sums of centred placements within each cluster.

    With one text a cluster this is DeLong's S10/m + S01/n.
    """
    m, n, k = len(above), len(below), int(codes.max()) + 1
    tens, ones = np.bincount(codes[:m], above, k) / m, np.bincount(codes[m:], below, k) / n
    k10, k01 = len(np.unique(codes[:m])), len(np.unique(codes[m:]))
    own = k10 / (k10 - 1) * float(tens @ tens) + k01 / (k01 - 1) * float(ones @ ones)
    return own + 2 * k / (k - 1) * float(tens @ ones)
