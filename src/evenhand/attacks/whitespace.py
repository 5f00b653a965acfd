"""Spaces doubled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import Card
from .base import Sampled
from .splice import Rows, codes, gaps


@dataclass(frozen=True)
class Whitespace(Sampled):
    name: ClassVar[str] = "whitespace"
    card: ClassVar[Card] = Card(
        "Adds a space where there is one.",
        source="RAID (Dugan et al. 2024), whitespace",
        family="character",
        follows="profile='raid': gaps after the pieces of split(' ') are drawn with replacement, so one gap may get "
        "several spaces and the text may end in one; about 18% of the gaps are touched at theta 0.2",
        pitfalls="The default doubles single spaces between two words, each at most once, and keeps indents.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.2, "raid": 0.2}
    unit: ClassVar[str] = "single space between words"

    def find(self, text: str) -> Rows:
        points = codes(text)
        space = points == ord(" ")
        if self.profile == "raid":
            return gaps(np.append(np.flatnonzero(space), len(points)) if text else np.zeros(0, dtype=np.intp))
        blank = space | (points == ord("\n")) | (points == ord("\t")) | (points == ord("\r"))
        single = space[1:-1] & ~blank[:-2] & ~blank[2:]
        return gaps(np.flatnonzero(single) + 1)

    def choose(self, text: str, rows: Rows, count: int, generator: np.random.Generator) -> Rows:
        if self.profile != "raid":
            return super().choose(text, rows, count, generator)
        return rows[np.sort(generator.integers(0, len(rows), count))]

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return " " * len(rows)
