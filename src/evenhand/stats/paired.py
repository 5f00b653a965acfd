"""Paired tests between two detectors or two runs on the same texts. For AUROC see ``compare_auroc``."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats as sp

from ..seeds import numpy_rng
from .delong import Difference
from .inputs import FloatArray, as_codes, as_finite, as_flags, check_open, check_same_length, group_sums

_EXACT_CLUSTERS = 12
"""Up to here all 2^k sign patterns are counted, above it they are drawn."""


def mcnemar(flags_a: ArrayLike, flags_b: ArrayLike, *, level: float = 0.95) -> Difference:
    """Share flagged by a minus share flagged by b, on the same independent texts.

    p: exact binomial test of the texts on which they differ (McNemar 1947, exact form). Interval: Agresti & Min (2005),
    half a text added to each of the four cells. Texts that share a cluster: ``paired_shift`` of the flags.
    """
    a, b = as_flags(flags_a, "flags_a"), as_flags(flags_b, "flags_b")
    check_same_length(a, b, "flags_a and flags_b")
    only_a, only_b, n = int((a & ~b).sum()), int((b & ~a).sum()), len(a)
    p = float(sp.binomtest(only_a, only_a + only_b).pvalue) if only_a + only_b else 1.0
    x, y, size = only_a + 0.5, only_b + 0.5, n + 2
    centre, error = (x - y) / size, sqrt(x + y - (x - y) ** 2 / size) / size
    half = float(sp.norm.ppf((1 + check_open("level", level)) / 2)) * error
    low, high = max(-1.0, centre - half), min(1.0, centre + half)
    return Difference((only_a - only_b) / n, low, high, n, "difference of shares, McNemar exact, Agresti-Min", level, p)


def paired_shift(
    before: ArrayLike,
    after: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    replicates: int = 10_000,
    seed: int = 0,
) -> Difference:
    """Mean of after - before over the same texts: of one detector before and after an edit, or of two runs.

    Interval: t with the cluster-robust error (clusters - 1 degrees of freedom). p: the signs of whole clusters are
    flipped, all 2^k ways up to twelve clusters, else ``replicates`` drawn ones. ``n`` counts clusters; NaN interval
    below two. Raises DataError on infinite scores, which have no mean.
    """
    x, y = as_finite(before, "before", "a mean shift does not exist"), as_finite(after, "after", "it has no mean shift")
    check_same_length(x, y, "before and after")
    check_open("level", level)
    change = y - x
    codes, k = as_codes(np.arange(len(x)) if clusters is None else clusters, len(x), "clusters")
    value, sums = float(change.mean()), group_sums(codes, change, k)
    if k < 2:
        return Difference(value, nan, nan, k, "mean paired shift; no interval: all rows lie in one cluster", level)
    residuals = group_sums(codes, change - value, k)
    error = sqrt(k / (k - 1) * float(residuals @ residuals)) / len(x)
    half = float(sp.t.ppf((1 + level) / 2, k - 1)) * error
    p = _sign_flip_p(sums, replicates, seed)
    return Difference(
        value, value - half, value + half, k, "mean paired shift, t over clusters, sign-flip test", level, p
    )


def _sign_flip_p(sums: FloatArray, replicates: int, seed: int) -> float:
    """Two-sided share of sign patterns at least as extreme; a drawn one counts the observed pattern too."""
    size, k = abs(float(sums.sum())) - 1e-12 * float(np.abs(sums).sum()), len(sums)
    if k <= _EXACT_CLUSTERS:
        patterns = (np.arange(2**k)[:, None] >> np.arange(k)) & 1
        return float((np.abs((2 * patterns - 1) @ sums) >= size).mean())
    generator, beyond = numpy_rng("stats.sign_flip", seed), 0
    for start in range(0, replicates, 256):
        signs = generator.integers(0, 2, (min(256, replicates - start), k)) * 2 - 1
        beyond += int((np.abs(signs @ sums) >= size).sum())
    return (beyond + 1) / (replicates + 1)
