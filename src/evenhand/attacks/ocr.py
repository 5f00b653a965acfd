"""Letters misread by optical character recognition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import Card
from .base import Sampled
from .splice import Flags, Rows, characters, codes
from .tokens import strings

_READ_AS = {
    "rn": "m", "cl": "d", "vv": "w", "li": "h", "m": "rn", "w": "vv", "d": "cl", "l": "1", "I": "l", "O": "0", "0": "O",
    "1": "l", "S": "5", "5": "S", "B": "8", "8": "B", "e": "c", "h": "b", "g": "q", "Z": "2",
}  # fmt: skip


@dataclass(frozen=True)
class OcrConfusions(Sampled):
    name: ClassVar[str] = "ocr_confusions"
    card: ClassVar[Card] = Card(
        "Misreads letters as optical character recognition does (rn for m, 1 for l, O for 0).",
        family="character",
        pitfalls="A scan spares nothing: addresses, names and quotations are hit too, unless protect is given.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.01}
    unit: ClassVar[str] = "letter that is often misread"
    keeps: ClassVar[tuple[str, ...]] = ()

    def find(self, text: str) -> Rows:
        points = np.minimum(codes(text), 128)
        pair = _pairs(points)
        single = _flags(points, [read for read in _READ_AS if len(read) == 1])
        pair[1:] &= ~pair[:-1]
        single &= ~pair
        single[1:] &= ~pair[:-1]
        rows = characters(np.flatnonzero(single | pair))
        rows[:, 1] += pair[rows[:, 0]]
        return rows

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return [_READ_AS[old] for old in strings(text, rows)]


def _flags(points: np.ndarray[tuple[int], np.dtype[np.uint32]], letters: Sequence[str]) -> Flags:
    table = np.zeros(129, dtype=bool)
    table[[ord(letter) for letter in letters]] = True
    return table[points]


def _pairs(points: np.ndarray[tuple[int], np.dtype[np.uint32]]) -> Flags:
    """Where a pair of letters begins that is read as one."""
    found = np.zeros(len(points), dtype=bool)
    for read in _READ_AS:
        if len(read) == 2:
            found[:-1] |= (points[:-1] == ord(read[0])) & (points[1:] == ord(read[1]))
    return found
