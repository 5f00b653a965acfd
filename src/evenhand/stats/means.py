"""Means of many cells, and ratios of statistics, on one set of resampled clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import DataError
from .cells import Draws, Resample, Rows
from .inputs import as_finite


def bootstrap_means(cells: Sequence[Rows], resample: Resample) -> Draws:
    """The mean of each cell's numbers (scores, or paired differences of scores), on the data and on every resample.

    Raises DataError on infinite numbers, which have no mean.
    """
    if not cells:
        raise DataError("no cells; pass at least one rows(...)")
    replicates, values = np.empty((len(cells), resample.replicates)), np.empty(len(cells))
    for i, cell in enumerate(cells):
        numbers = as_finite(cell.scores, f"cell {i}", "a mean of them does not exist")
        values[i] = numbers.mean()
        sums = np.bincount(cell.clusters, numbers, len(resample.labels))
        sizes = np.bincount(cell.clusters, minlength=len(resample.labels)).astype(np.float64)
        total = sizes @ resample.counts
        replicates[i] = np.divide(sums @ resample.counts, total, out=np.full(total.shape, np.nan), where=total > 0)
    n = np.array([cell.n_clusters for cell in cells])
    return Draws(values, replicates, n, n, "mean")


def ratio(part: Draws, whole: Draws, what: str) -> Draws:
    """``part / whole``, cell by cell, both from the same resamples; NaN where the denominator is 0."""
    if part.replicates.shape != whole.replicates.shape:
        shapes = f"{part.replicates.shape} and {whole.replicates.shape}"
        raise DataError(f"draws of shapes {shapes} do not divide; use take() to line the cells up")
    values, replicates = (
        np.divide(a, b, out=np.full(np.shape(a), np.nan), where=b != 0)
        for a, b in ((part.values, whole.values), (part.replicates, whole.replicates))
    )
    return Draws(values, replicates, np.maximum(part.n, whole.n), np.minimum(part.smaller, whole.smaller), what)


def mean_over_cells(draws: Draws, what: str) -> Draws:
    """One cell: the mean of all of them, from the same resamples (their mean AUROC, say)."""
    if not len(draws.values):
        raise DataError("no cells; a mean needs at least one")
    n, smaller = np.array([draws.n.max()]), np.array([draws.smaller.min()])
    return Draws(draws.values.mean(keepdims=True), draws.replicates.mean(axis=0, keepdims=True), n, smaller, what)
