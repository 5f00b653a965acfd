"""What every statistic asks of its input; each refusal names the cure."""

from __future__ import annotations

from math import isnan
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError, SpecError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def as_array(values: ArrayLike, name: str) -> FloatArray:
    """Anything that reads as numbers, as float64 of any shape."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name}: cannot be read as numbers ({error}); pass a flat list or array of floats") from None


def as_scores(values: ArrayLike, name: str) -> FloatArray:
    """One-dimensional float64 scores; infinities are kept (they rank), NaN and emptiness are refused."""
    array = as_array(values, name)
    if array.ndim != 1:
        raise DataError(f"{name}: has shape {array.shape}; pass a flat list or array of scores")
    if array.size == 0:
        raise DataError(f"{name}: holds no score; this statistic needs at least one text of this class")
    missing = int(np.isnan(array).sum())
    if missing:
        raise DataError(
            f"{name}: {missing} of {array.size} scores are NaN (abstained or failed); "
            "leave them out, as in x[~np.isnan(x)], and report how many there were"
        )
    return array


def as_finite(values: ArrayLike, name: str, why: str) -> FloatArray:
    """Like ``as_scores``, for statistics that need sums: infinities are refused too."""
    array = as_scores(values, name)
    infinite = int(np.isinf(array).sum())
    if infinite:
        raise DataError(
            f"{name}: {infinite} of {array.size} scores are infinite, and {why}; "
            "use a statistic of ranks (auroc, tpr_at_fpr) or leave these texts out and report how many"
        )
    return array


def as_flags(values: ArrayLike, name: str) -> BoolArray:
    """One-dimensional booleans; 0 and 1 are read as such, anything else is refused."""
    array = as_scores(values, name)
    if not np.isin(array, (0.0, 1.0)).all():
        raise DataError(f"{name}: holds values other than 0 and 1; pass flags, e.g. scores > threshold")
    return array.astype(np.bool_)


def as_probabilities(values: ArrayLike, name: str) -> FloatArray:
    array = as_scores(values, name)
    if array.min() < 0 or array.max() > 1:
        raise DataError(
            f"{name}: holds values from {array.min():g} to {array.max():g}; pass probabilities from 0 to 1 "
            "(raw scores have no calibration: map them with a calibrator fitted on other texts)"
        )
    return array


def as_codes(labels: ArrayLike, size: int, name: str) -> tuple[IntArray, int]:
    """Labels of any type -> codes 0..K-1 and K; as many as there are scores."""
    array: NDArray[Any] = np.asarray(labels)
    if array.ndim != 1 or array.size != size:
        raise DataError(f"{name}: has shape {array.shape}, but there are {size} rows; pass one label for each row")
    unique, codes = np.unique(comparable(array, name), return_inverse=True)
    return codes.astype(np.int64), len(unique)


def comparable(labels: ArrayLike, name: str) -> NDArray[Any]:
    """Labels that sort: mixed types as text; a missing one is refused, or all of them would pass for one cluster."""
    array: NDArray[Any] = np.asarray(labels)
    listed = array.ravel().tolist() if array.dtype.kind in "fO" else []
    if any(label is None or (isinstance(label, float) and isnan(label)) for label in listed):
        raise DataError(f"{name}: some labels are missing; give every row one (a text that stands alone gets its own)")
    return array.astype(str) if array.dtype == object else array


def group_sums(codes: IntArray, values: ArrayLike, k: int) -> FloatArray:
    """The sum of ``values`` over each code 0..k-1."""
    return np.bincount(codes, np.asarray(values, dtype=np.float64), k).astype(np.float64)


def ratio(part: ArrayLike, whole: ArrayLike) -> FloatArray:
    """``part / whole``, NaN where the whole is not above zero."""
    above, below = np.broadcast_arrays(np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64))
    out: FloatArray = np.full(above.shape, np.nan)
    np.divide(above, below, out=out, where=below > 0)
    return out


def check_same_length(a: NDArray[Any], b: NDArray[Any], names: str) -> None:
    if a.size != b.size:
        raise DataError(
            f"{names}: {a.size} and {b.size} values; paired statistics need the same texts in the same order"
        )


def is_number(value: object) -> bool:
    """A real number, of Python or NumPy; a boolean is none."""
    return isinstance(value, Real | np.number) and not isinstance(value, bool)


def check_open(name: str, value: float) -> float:
    """A level or confidence: strictly between 0 and 1."""
    if not is_number(value) or not 0 < float(value) < 1:
        raise SpecError(f"{name} must lie between 0 and 1 (both excluded), e.g. 0.95; got {value!r}")
    return float(value)


def check_closed(name: str, value: float) -> float:
    if not is_number(value) or not 0 <= float(value) <= 1:
        raise SpecError(f"{name} must lie from 0 to 1, e.g. 0.01 for one percent; got {value!r}")
    return float(value)


def check_whole(name: str, value: int, least: int = 1) -> int:
    """A whole number from ``least`` on."""
    if not is_number(value) or not float(value).is_integer() or value < least:
        raise SpecError(f"{name} must be a whole number, at least {least}; got {value!r}")
    return int(value)


def check_counts(successes: int, n: int, what: str = "errors") -> None:
    """Whole numbers with 0 <= successes <= n and n >= 1."""
    whole = all(is_number(x) and float(x).is_integer() for x in (successes, n))
    if not whole or n < 1 or not 0 <= successes <= n:
        raise DataError(
            f"{what}: {successes!r} of {n!r} is no count; pass whole numbers with 0 <= {what} <= n and n >= 1"
        )


def allowed_errors(fpr: float, n: int) -> int:
    """floor(fpr * n), safe against 0.29 * 100 = 28.999..."""
    return int(np.floor(fpr * n + 1e-9))
