"""The cluster bootstrap: clusters are drawn with replacement, each with all its rows."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError
from ..seeds import numpy_rng
from .delong import Difference
from .inputs import FloatArray, IntArray, as_codes, check_open, check_whole

Statistic = Callable[..., float]


def cluster_bootstrap(
    statistic: Statistic,
    clusters: ArrayLike,
    *data: ArrayLike,
    strata: ArrayLike | None = None,
    replicates: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> Difference:
    """``statistic(*data)`` with a percentile interval over resampled clusters.

    ``clusters`` labels each row; every array of ``data`` has one entry a row and is resampled alike, so both terms of a
    difference come from the same resample: write the difference as one statistic. Without ``data`` the statistic gets
    the row numbers. ``strata`` (one a row, constant in a cluster) keeps the number of clusters in each, e.g. per class.
    A statistic that raises DataError (a class is gone from the resample) counts as undefined, and ``method`` says how
    often. ``n`` counts clusters; ``p`` is the two-sided p-value of 'zero', read off the replicates.
    Raises DataError where lengths differ or the statistic is undefined on the data itself.
    """
    check_open("level", level)
    arrays, _, k = _rows(clusters, data)
    value = float(statistic(*arrays))
    if k < 2:
        return Difference(value, nan, nan, k, "no interval: all rows lie in one cluster", level)
    draws = bootstrap_draws(statistic, clusters, *data, strata=strata, replicates=replicates, seed=seed)
    return summarize_draws(value, draws, n=k, level=level)


def bootstrap_draws(
    statistic: Statistic,
    clusters: ArrayLike,
    *data: ArrayLike,
    strata: ArrayLike | None = None,
    replicates: int = 2000,
    seed: int = 0,
) -> FloatArray:
    """The replicates themselves, shape (replicates,); NaN where the statistic is undefined on a resample."""
    check_whole("replicates", replicates)
    arrays, codes, k = _rows(clusters, data)
    groups = _cluster_strata(codes, k, strata)
    order, starts = np.argsort(codes, kind="stable"), np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=k))])
    generator = numpy_rng("stats.cluster_bootstrap", seed)
    return np.array([_defined(statistic, arrays, order[_draw(generator, groups, starts)]) for _ in range(replicates)])


def summarize_draws(
    value: float, draws: ArrayLike, *, n: int, level: float = 0.95, what: str = "", of: str = "clusters"
) -> Difference:
    """Percentile interval and two-sided p of 'zero' from bootstrap replicates; ``method`` counts undefined ones.

    ``what`` names the statistic and ``of`` what was resampled.
    """
    array = np.asarray(draws, dtype=np.float64)
    defined = array[~np.isnan(array)]
    name = f"{what}, bootstrap of {of}" if what else f"bootstrap of {of}"
    if defined.size == 0 or np.isnan(value):
        return Difference(value, nan, nan, n, f"{name}; no interval: undefined on the data or on every resample", level)
    if defined.min() == defined.max():
        return Difference(value, nan, nan, n, f"{name}; no interval: it does not vary over resamples", level)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    lost = f", {array.size - defined.size} undefined" if defined.size < array.size else ""
    method = f"{name} (percentile, B={array.size}{lost})"
    return Difference(value, float(low), float(high), n, method, level, _p_of_zero(defined))


def _p_of_zero(draws: FloatArray) -> float:
    """Twice the smaller tail beyond zero, with the observed data counted as one more replicate."""
    tail = min(int((draws <= 0).sum()), int((draws >= 0).sum()))
    return min(1.0, 2 * (tail + 1) / (draws.size + 1))


def design_effect(
    statistic: Statistic, clusters: ArrayLike, *data: ArrayLike, replicates: int = 2000, seed: int = 0
) -> float:
    """Variance over resampled clusters / variance over resampled rows: n rows are worth n / design effect.

    NaN where there is one cluster or no variance.
    """
    size = np.size(clusters)
    _, k = as_codes(clusters, size, "clusters")
    if k < 2:
        return nan
    by_cluster = bootstrap_draws(statistic, clusters, *data, replicates=replicates, seed=seed)
    by_row = bootstrap_draws(statistic, np.arange(size), *data, replicates=replicates, seed=seed)
    variance = float(np.nanvar(by_row))
    return float(np.nanvar(by_cluster)) / variance if variance > 0 else nan


def _rows(clusters: ArrayLike, data: tuple[ArrayLike, ...]) -> tuple[list[NDArray[Any]], IntArray, int]:
    size = np.size(clusters)
    if size == 0:
        raise DataError("clusters: no rows; pass one cluster label for each row")
    codes, k = as_codes(clusters, size, "clusters")
    arrays = [np.asarray(array) for array in data] or [np.arange(size)]
    for i, array in enumerate(arrays):
        if array.shape[:1] != (size,):
            raise DataError(f"data {i} has {array.shape[:1]} rows, clusters {size}; every array needs one entry a row")
    return arrays, codes, k


def _cluster_strata(codes: IntArray, k: int, strata: ArrayLike | None) -> list[IntArray]:
    """The clusters of each stratum; one stratum of all where none is asked for."""
    if strata is None:
        return [np.arange(k)]
    labels, count = as_codes(strata, len(codes), "strata")
    of_cluster = np.zeros(k, dtype=np.int64)
    of_cluster[codes] = labels
    if not (of_cluster[codes] == labels).all():
        raise DataError("strata: a cluster lies in two strata; drop strata, or use labels that nest clusters")
    return [np.flatnonzero(of_cluster == s) for s in range(count)]


def _draw(generator: np.random.Generator, groups: list[IntArray], starts: IntArray) -> IntArray:
    """Positions (in cluster order) of the rows of as many clusters, drawn with replacement, as each stratum has."""
    drawn = np.concatenate([group[generator.integers(0, len(group), len(group))] for group in groups])
    sizes = starts[drawn + 1] - starts[drawn]
    offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows: IntArray = np.repeat(starts[drawn], sizes) + offsets
    return rows


def _defined(statistic: Statistic, arrays: list[NDArray[Any]], rows: IntArray) -> float:
    try:
        return float(statistic(*(array[rows] for array in arrays)))
    except DataError:
        return nan
