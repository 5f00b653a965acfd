"""Characters without width put between the letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..registry import Card
from .base import Sampled
from .splice import Rows, codes, gaps, is_kind

ZERO_WIDTH_SPACE = "\u200b"


@dataclass(frozen=True)
class ZeroWidth(Sampled):
    name: ClassVar[str] = "zero_width"
    card: ClassVar[Card] = Card(
        "Puts a zero-width space (U+200B) after characters.",
        source="RAID (Dugan et al. 2024), zero_width_space",
        family="character",
        follows="profile='raid': after every character, the last one too, so that the text doubles in length. profile='web': "
        "behind slashes and hyphens inside words, where web pages allow a line to end",
        pitfalls="The default stays inside words and never parts a letter from its accents; RAID's code takes "
        "quadratic time for the same result.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.1, "raid": 1.0, "web": 1.0}
    unit: ClassVar[str] = "gap between two letters"

    def find(self, text: str) -> Rows:
        if self.profile == "raid":
            return gaps(np.arange(1, len(text) + 1))
        return gaps(_where_pages_break(text) if self.profile == "web" else _inside_words(text))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return ZERO_WIDTH_SPACE * len(rows)


def _inside_words(text: str) -> NDArray[np.intp]:
    """Positions between two letters or digits: never beside a combining mark, which would part what is one to the eye."""
    letter = is_kind(codes(text), str.isalnum)
    return np.flatnonzero(letter[:-1] & letter[1:]) + 1


def _where_pages_break(text: str) -> NDArray[np.intp]:
    """Positions behind a slash, hyphen or underscore between two letters or digits."""
    points = codes(text)
    letter, joint = is_kind(points, str.isalnum), is_kind(points, lambda c: c in "/-_")
    return np.flatnonzero(letter[:-2] & joint[1:-1] & letter[2:]) + 2
