"""AUROC between texts of like length (or any other stratum): what is left when a nuisance cannot help."""

from __future__ import annotations

from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats as sp
from scipy.special import expit, logit

from ..errors import DataError
from .delong import placements
from .estimate import Estimate
from .inputs import FloatArray, IntArray, as_finite, as_scores, check_open, check_whole


def quantile_strata(*values: ArrayLike, strata: int = 5) -> tuple[IntArray, ...]:
    """Stratum numbers of each array of lengths, cut at quantiles of all of them together; ties stay together."""
    check_whole("strata", strata)
    if not values:
        raise DataError("quantile_strata: no lengths were given; pass one array for each class")
    arrays = [as_finite(v, f"values {i}", "a stratum needs a finite value") for i, v in enumerate(values)]
    cuts = np.quantile(np.concatenate(arrays), np.linspace(0, 1, strata + 1)[1:-1])
    return tuple(np.searchsorted(cuts, array, "left").astype(np.int64) for array in arrays)


def matched_auroc(
    positive: ArrayLike,
    negative: ArrayLike,
    positive_strata: ArrayLike,
    negative_strata: ArrayLike,
    *,
    level: float = 0.95,
) -> Estimate:
    """Mean AUROC within strata, weighted by their pairs: a positive is compared only to negatives of its own stratum.

    DeLong variances of the strata add up; logit scale. Texts in strata of one class are dropped, and ``method`` counts
    them. NaN interval where a stratum in use holds one text of a class. Raises DataError where no stratum has both.
    """
    x, y = as_scores(positive, "positive"), as_scores(negative, "negative")
    check_open("level", level)
    a, b = _labels(positive_strata, len(x), "positive_strata"), _labels(negative_strata, len(y), "negative_strata")
    shared = np.intersect1d(a, b)
    if not shared.size:
        raise DataError("matched_auroc: no stratum holds both classes; use fewer or wider strata")
    parts = [_part(x[a == s], y[b == s]) for s in shared]
    pairs = np.array([m * n for m, n, _, _ in parts], dtype=np.float64)
    weights, used = pairs / pairs.sum(), sum(m + n for m, n, _, _ in parts)
    value = float(weights @ [auc for _, _, auc, _ in parts])
    variance = float(weights**2 @ [v for _, _, _, v in parts])
    name = f"AUROC within {len(parts)} strata, {len(x) + len(y) - used} texts without a counterpart dropped"
    if np.isnan(variance) or variance <= 0 or value in (0.0, 1.0):
        return Estimate(value, nan, nan, used, f"{name}; no interval: a stratum of one text, or no spread", level)
    half = float(sp.norm.ppf((1 + level) / 2)) * sqrt(variance) / (value * (1 - value))
    low, high = (float(expit(logit(value) + side * half)) for side in (-1, 1))
    return Estimate(value, low, high, used, f"{name}, DeLong on the logit scale", level)


def _labels(strata: ArrayLike, size: int, name: str) -> NDArray[Any]:
    labels = np.asarray(strata)
    if labels.shape != (size,):
        raise DataError(f"{name}: has shape {labels.shape}, but there are {size} scores; pass one stratum for each")
    return labels


def _part(x: FloatArray, y: FloatArray) -> tuple[int, int, float, float]:
    """(positives, negatives, AUROC, its DeLong variance) of one stratum."""
    above, below = placements(x, y)
    if min(len(x), len(y)) < 2:
        return len(x), len(y), float(above.mean()), nan
    variance = float(above.var(ddof=1) / len(x) + below.var(ddof=1) / len(y))
    return len(x), len(y), float(above.mean()), variance
