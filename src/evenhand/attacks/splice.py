"""Many small edits of one text at once, in linear time: code points in arrays, one copy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
"""Places in a text: (start, end) per row, ordered, not overlapping; shape (n, 2)."""
Codes = NDArray[np.uint32]
Spans = tuple[tuple[int, int], ...]


def codes(text: str) -> Codes:
    """The code points, one per character; lone surrogates stay as they are."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def from_codes(points: Codes) -> str:
    return points.astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")


def rows_of(spans: list[tuple[int, int]]) -> Rows:
    return np.array(spans, dtype=np.int64).reshape(-1, 2)


def characters(positions: NDArray[np.intp]) -> Rows:
    """One row per character at these positions."""
    return np.stack([positions, positions + 1], axis=1).astype(np.int64, copy=False)


def gaps(positions: NDArray[np.intp]) -> Rows:
    """One empty row before each of these positions."""
    return np.stack([positions, positions], axis=1).astype(np.int64, copy=False)


def _indexes(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """start, start + 1, ... (length of them) for each pair, in one array."""
    first = np.cumsum(lengths) - lengths
    return np.repeat(starts - first, lengths) + np.arange(int(lengths.sum()))


def splice(text: str, rows: Rows, new: list[str]) -> tuple[str, Spans]:
    """``text`` with each row replaced by its new string, and where the new strings stand in the output."""
    old_lengths = rows[:, 1] - rows[:, 0]
    lengths = np.fromiter(map(len, new), np.int64, len(new))
    growth = np.cumsum(lengths - old_lengths)
    starts = rows[:, 0] + growth - (lengths - old_lengths)
    source = codes(text)
    output = np.empty(len(source) + int(growth[-1] if len(growth) else 0), dtype=np.uint32)
    kept = np.ones(len(source), dtype=bool)
    kept[_indexes(rows[:, 0], old_lengths)] = False
    free = np.ones(len(output), dtype=bool)
    put = _indexes(starts, lengths)
    free[put] = False
    output[free] = source[kept]
    output[put] = codes("".join(new))
    return from_codes(output), tuple(zip(starts.tolist(), (starts + lengths).tolist(), strict=True))
