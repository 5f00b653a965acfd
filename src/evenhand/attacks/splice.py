"""Many small edits of one text at once, in linear time: code points in arrays, one copy."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
"""Places in a text: (start, end) per row, ordered, not overlapping; shape (n, 2)."""
Codes = NDArray[np.uint32]
Flags = NDArray[np.bool_]
Spans = tuple[tuple[int, int], ...]


def codes(text: str) -> Codes:
    """The code points, one per character; lone surrogates stay as they are."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def from_codes(points: Codes) -> str:
    return points.astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")


def is_kind(points: Codes, kind: Callable[[str], bool]) -> Flags:
    """``kind`` of each character, asked once for each different one; shape (n,)."""
    if not len(points):
        return np.zeros(0, dtype=bool)
    table = np.zeros(int(points.max()) + 1, dtype=bool)
    table[points] = True
    present = np.flatnonzero(table)
    table[present] = [kind(chr(point)) for point in present.tolist()]
    return table[points]


def rows_of(spans: list[tuple[int, int]]) -> Rows:
    return np.array(spans, dtype=np.int64).reshape(-1, 2)


def characters(positions: NDArray[np.intp]) -> Rows:
    """One row per character at these positions."""
    return np.stack([positions, positions + 1], axis=1).astype(np.int64, copy=False)


def gaps(positions: NDArray[np.intp]) -> Rows:
    """One empty row before each of these positions."""
    return np.stack([positions, positions], axis=1).astype(np.int64, copy=False)


def splice(text: str, rows: Rows, new: Sequence[str]) -> tuple[str, Spans]:
    """``text`` with each row replaced by its new string, and where the new strings stand in the output.

    A ``new`` that is itself a string puts one of its characters in place of each row.
    """
    starts, ends = np.ascontiguousarray(rows[:, 0]), np.ascontiguousarray(rows[:, 1])
    old, lengths = ends - starts, _lengths(new)
    growth = np.cumsum(lengths - old)
    places = starts + growth - (lengths - old)
    source = codes(text)
    output = np.empty(len(source) + int(growth[-1] if len(growth) else 0), dtype=np.uint32)
    put = _indexes(places, lengths)
    free = np.ones(len(output), dtype=bool)
    free[put] = False
    output[free] = source[_kept(len(source), starts, old)] if old.any() else source
    output[put] = codes(new if isinstance(new, str) else "".join(new))
    return from_codes(output), _pairs(places, places + lengths)


def _lengths(new: Sequence[str]) -> NDArray[np.int64]:
    return np.ones(len(new), np.int64) if isinstance(new, str) else np.fromiter(map(len, new), np.int64, len(new))


def _kept(size: int, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
    kept = np.ones(size, dtype=bool)
    kept[_indexes(starts, lengths)] = False
    return kept


def _indexes(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """start, start + 1, ... (length of them) for each pair, in one array."""
    if (lengths == 1).all():
        return starts
    first = np.cumsum(lengths) - lengths
    return np.repeat(starts - first, lengths) + np.arange(int(lengths.sum()))


def _pairs(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Spans:
    """A million small tuples: collecting garbage between them would cost more than making them."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return tuple(zip(starts.tolist(), ends.tolist(), strict=True))
    finally:
        if collecting:
            gc.enable()
