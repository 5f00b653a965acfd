"""Characters without width put between the letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import Card
from .base import Sampled
from .splice import Rows, codes, gaps

ZERO_WIDTH_SPACE = "\u200b"


@dataclass(frozen=True)
class ZeroWidth(Sampled):
    name: ClassVar[str] = "zero_width"
    card: ClassVar[Card] = Card(
        "puts a zero-width space (U+200B) after characters",
        source="RAID (Dugan et al. 2024), zero_width_space",
        family="character",
        follows="profile='raid': after every character, the last one too, so that the text doubles in length",
        pitfalls="the default stays inside words and never parts a letter from its accents; RAID's code takes "
        "quadratic time for the same result",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.1, "raid": 1.0}
    unit: ClassVar[str] = "gap between two letters"

    def find(self, text: str) -> Rows:
        if self.profile == "raid":
            return gaps(np.arange(1, len(text) + 1))
        return gaps(_inside_words(text))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> list[str]:
        return [ZERO_WIDTH_SPACE] * len(rows)


def _inside_words(text: str) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Positions between two letters or digits; a combining mark stays with its letter."""
    points = codes(text)
    kinds = np.unique(points)
    alphanumeric = np.array([chr(point).isalnum() for point in kinds.tolist()], dtype=bool)
    marks = np.array([unicodedata.category(chr(point))[0] == "M" for point in kinds.tolist()], dtype=bool)
    where = np.searchsorted(kinds, points)
    letter, mark = alphanumeric[where], marks[where]
    return np.flatnonzero((letter | mark)[:-1] & letter[1:]) + 1
