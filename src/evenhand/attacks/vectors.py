"""Word vectors from a text file (one word and its numbers a line), such as counter-fitted GloVe or fastText's .vec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MissingError


@dataclass(frozen=True, eq=False)
class Vectors:
    """``matrix``: one unit vector a word, shape (words, dimensions)."""

    words: tuple[str, ...]
    index: Mapping[str, int]
    matrix: NDArray[np.float32]

    def cosine(self, one: str, other: str) -> float:
        """NaN where one of them has no vector."""
        if one not in self.index or other not in self.index:
            return float("nan")
        return float(self.matrix[self.index[one]] @ self.matrix[self.index[other]])

    def nearest(self, word: str, count: int, least: float = -1.0) -> tuple[str, ...]:
        """The ``count`` other words of the highest cosine, best first, none below ``least``."""
        if word not in self.index:
            return ()
        cosines = self.matrix @ self.matrix[self.index[word]]
        cosines[self.index[word]] = -np.inf
        best = np.argsort(-cosines, kind="stable")[:count]
        return tuple(self.words[at] for at in best.tolist() if cosines[at] >= least)


@lru_cache(maxsize=2)
def read_vectors(path: str) -> Vectors:
    """Reads the whole file once; a first line of two numbers (fastText) is skipped. Raises MissingError or DataError."""
    file = Path(path)
    if not file.is_file():
        raise MissingError(
            f"no word vectors at {path!r}; give the path of a text file with a word and its numbers a line "
            "(counter-fitted-vectors.txt of nmrksic/counter-fitting, or a .vec file of fastText)"
        )
    words: list[str] = []
    rows: list[NDArray[np.float32]] = []
    with file.open(encoding="utf-8", errors="surrogateescape") as lines:
        for number, line in enumerate(lines, 1):
            word, _, numbers = line.rstrip().partition(" ")
            if number == 1 and numbers.isdigit():
                continue
            words.append(word)
            rows.append(_row(path, number, numbers, len(rows[0]) if rows else None))
    if not rows:
        raise DataError(f"the word vectors {path!r} are empty")
    matrix = np.stack(rows)
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
    return Vectors(tuple(words), {word: at for at, word in enumerate(words)}, matrix)


def _row(path: str, number: int, numbers: str, size: int | None) -> NDArray[np.float32]:
    try:
        row = np.array(numbers.split(" "), dtype=np.float32)
    except ValueError:
        raise DataError(f"{path!r}, line {number}: a word and numbers were expected, got {numbers[:40]!r}") from None
    if size is not None and len(row) != size:
        raise DataError(f"{path!r}, line {number}: {len(row)} numbers, where the first line has {size}")
    return row
