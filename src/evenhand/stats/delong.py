"""AUROC with the interval of DeLong, DeLong & Clarke-Pearson (1988), in the fast midrank form of Sun & Xu (2014)."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats as sp

from .estimate import Estimate
from .inputs import FloatArray, as_codes, as_scores, check_open, check_same_length
from .proportions import clopper_pearson


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


def auroc(positive: ArrayLike, negative: ArrayLike, *, level: float = 0.95) -> Estimate:
    """P(score of a positive > score of a negative) + half of the ties, for scores of any scale, infinities included.

    The interval is DeLong's on the logit scale; at 0 or 1, where it has no width, the exact bound on the smaller class.
    Texts must be independent: where they share a source use ``clustered_auroc`` or ``cluster_bootstrap``.
    ``n`` counts both classes. Raises DataError on an empty class or NaN.
    """
    x, y = as_scores(positive, "positive"), as_scores(negative, "negative")
    check_open("level", level)
    above, below = placements(x, y)
    value, n = float(above.mean()), len(x) + len(y)
    if min(len(x), len(y)) < 2:
        return Estimate(value, nan, nan, n, "AUROC; no interval: a class holds one text", level)
    variance = float(above.var(ddof=1) / len(x) + below.var(ddof=1) / len(y))
    return _interval(value, variance, n, min(len(x), len(y)), level, "AUROC, DeLong on the logit scale")


def clustered_auroc(
    positive: ArrayLike,
    negative: ArrayLike,
    positive_clusters: ArrayLike,
    negative_clusters: ArrayLike,
    *,
    level: float = 0.95,
) -> Estimate:
    """AUROC whose interval allows for texts that share a cluster, also across the classes (Obuchowski 1997).

    ``n`` counts clusters. NaN interval where a class lies in one cluster. With one text a cluster: a DeLong interval.
    """
    x, y = as_scores(positive, "positive"), as_scores(negative, "negative")
    check_open("level", level)
    labels = np.concatenate([np.asarray(positive_clusters).astype(str), np.asarray(negative_clusters).astype(str)])
    codes, k = as_codes(labels, len(x) + len(y), "clusters")
    smaller = min(len(np.unique(codes[: len(x)])), len(np.unique(codes[len(x) :])))
    above, below = placements(x, y)
    value = float(above.mean())
    if smaller < 2:
        return Estimate(value, nan, nan, k, "AUROC; no interval: a class lies in one cluster", level)
    variance = _cluster_variance(above - value, below - value, codes, k)
    return _interval(value, variance, k, smaller, level, "AUROC, Obuchowski's clustered form on the logit scale")


def _cluster_variance(above: FloatArray, below: FloatArray, codes: FloatArray | np.ndarray, k: int) -> float:
    """Obuchowski 1997, eq. 4-6: S10/I + S01/J + 2 S11 from the sums of centred placements within each cluster."""
    m, n = len(above), len(below)
    with_positive, with_negative = len(np.unique(codes[:m])), len(np.unique(codes[m:]))
    tens = np.bincount(codes[:m], above, k) / m
    ones = np.bincount(codes[m:], below, k) / n
    shared = 2 * k / (k - 1) * float(tens @ ones)
    own = with_positive / (with_positive - 1) * float(tens @ tens)
    return own + with_negative / (with_negative - 1) * float(ones @ ones) + shared


def _interval(value: float, variance: float, n: int, smaller: int, level: float, method: str) -> Estimate:
    """On the logit scale (delta method: se / (A (1 - A))); exact at the ends, NaN where the scores do not vary."""
    if value in (0.0, 1.0):
        low, high = clopper_pearson(smaller if value else 0, smaller, level)
        return Estimate(value, low, high, n, "AUROC, exact bound on the smaller class (no overlap)", level)
    if variance <= 0:
        return Estimate(value, nan, nan, n, "AUROC; no interval: the scores do not vary", level)
    half = float(sp.norm.ppf((1 + level) / 2)) * sqrt(variance) / (value * (1 - value))
    centre = log(value / (1 - value))
    low, high = (1 / (1 + np.exp(-(centre + side * half))) for side in (-1, 1))
    return Estimate(value, float(low), float(high), n, method, level)


def compare_auroc(
    positive_a: ArrayLike, negative_a: ArrayLike, positive_b: ArrayLike, negative_b: ArrayLike, *, level: float = 0.95
) -> Difference:
    """AUROC of detector a minus that of b on the same independent texts, in the same order (paired DeLong 1988).

    Two-sided p from the normal law. Texts that share a source need ``cluster_bootstrap``. NaN interval where a class
    holds one text or where the two never differ in rank.
    """
    xa, ya = as_scores(positive_a, "positive_a"), as_scores(negative_a, "negative_a")
    xb, yb = as_scores(positive_b, "positive_b"), as_scores(negative_b, "negative_b")
    check_same_length(xa, xb, "positive_a and positive_b")
    check_same_length(ya, yb, "negative_a and negative_b")
    check_open("level", level)
    (above_a, below_a), (above_b, below_b) = placements(xa, ya), placements(xb, yb)
    above, below, n = above_a - above_b, below_a - below_b, len(xa) + len(ya)
    value = float(above.mean())
    if min(len(xa), len(ya)) < 2:
        return Difference(value, nan, nan, n, "difference of AUROC; no interval: a class holds one text", level)
    variance = float(above.var(ddof=1) / len(xa) + below.var(ddof=1) / len(ya))
    if variance <= 0:
        return Difference(value, nan, nan, n, "difference of AUROC; no interval: it does not vary over texts", level)
    half = float(sp.norm.ppf((1 + level) / 2)) * sqrt(variance)
    p = float(2 * sp.norm.sf(abs(value) / sqrt(variance)))
    return Difference(value, value - half, value + half, n, "difference of AUROC, paired DeLong", level, p)
