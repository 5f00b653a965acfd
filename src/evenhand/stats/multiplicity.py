"""Many cells at once: max-T (Westfall & Young 1993), Holm (1979), Benjamini & Hochberg (1995)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import DataError
from .inputs import FloatArray, IntArray, as_array


def holm(p: ArrayLike) -> FloatArray:
    """Adjusted p-values: the chance of any false mark is below alpha whatever the dependence. NaN stays NaN."""
    return _adjusted(p, lambda size: size - np.arange(size), ascending=True)


def benjamini_hochberg(p: ArrayLike) -> FloatArray:
    """Adjusted p-values: the expected share of false marks among the marks is below alpha (positive dependence)."""
    return _adjusted(p, lambda size: size / np.arange(1, size + 1), ascending=False)


def _adjusted(p: ArrayLike, factors: object, *, ascending: bool) -> FloatArray:
    values = as_array(p, "p-values")
    if values.ndim != 1 or (values < 0).any() or (values > 1).any():
        raise DataError("p-values: pass a flat list of numbers from 0 to 1 (NaN where a cell has no test)")
    adjusted, tested = np.full(values.shape, np.nan), np.flatnonzero(~np.isnan(values))
    order = tested[np.argsort(values[tested], kind="stable")]
    scaled = values[order] * factors(len(order))  # type: ignore[operator]
    monotone = np.maximum.accumulate(scaled) if ascending else np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted[order] = np.minimum(monotone, 1.0)
    return adjusted


def max_t(values: ArrayLike, replicates: ArrayLike) -> FloatArray:
    """Adjusted two-sided p-values of 'this cell is zero' from one joint bootstrap (step-down max-T).

    ``values`` has shape (cells,), ``replicates`` (cells, B), all cells from the same resamples: what they share (human
    texts, sources) is then not paid for again, as Holm does. Each deviation is divided by its bootstrap standard error;
    the smallest possible p is 1 / (B + 1). NaN cells stay NaN; a non-zero value without any spread counts as infinitely
    far, so leave cells of a handful of clusters out. Raises DataError where shapes differ.
    """
    centre, draws = as_array(values, "values"), as_array(replicates, "replicates")
    if centre.ndim != 1 or draws.ndim != 2 or len(centre) != len(draws) or draws.shape[1] < 2:
        raise DataError(f"max_t: values {centre.shape} and replicates {draws.shape}; pass (cells,) and (cells, B >= 2)")
    adjusted = np.full(centre.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(centre) & ~np.isnan(draws).all(axis=1))
    if tested.size:
        adjusted[tested] = _step_down(*_studentized(centre[tested], draws[tested]))
    return adjusted


def _studentized(values: FloatArray, draws: FloatArray) -> tuple[FloatArray, FloatArray]:
    """|value| / se and |replicate - value| / se; undefined replicates are no evidence, so they count as 0."""
    error = np.nanstd(draws, axis=1, ddof=1)
    spread = np.where(error > 0, error, 1.0)
    observed = np.where(error > 0, np.abs(values) / spread, np.where(values == 0, 0.0, np.inf))
    deviations = np.nan_to_num(np.abs(draws - values[:, None]) / spread[:, None], nan=0.0)
    return observed, deviations


def _step_down(observed: FloatArray, deviations: FloatArray) -> FloatArray:
    order: IntArray = np.argsort(-observed, kind="stable")
    largest_left = np.maximum.accumulate(deviations[order[::-1]], axis=0)[::-1]
    beyond = (largest_left >= observed[order, None]).sum(axis=1)
    p = np.maximum.accumulate((1 + beyond) / (1 + deviations.shape[1]))
    adjusted = np.empty_like(p)
    adjusted[order] = p
    return adjusted
