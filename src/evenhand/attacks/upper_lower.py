"""The case of first letters flipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import Card
from .base import Sampled
from .splice import Rows, characters, codes, is_kind
from .tokens import nltk_tokens, words


@dataclass(frozen=True)
class UpperLower(Sampled):
    name: ClassVar[str] = "upper_lower"
    card: ClassVar[Card] = Card(
        "Flips the case of the first letter of words.",
        source="RAID (Dugan et al. 2024), upper_lower",
        family="character",
        follows="profile='raid': tokens of NLTK's word tokenizer (re-implemented: 0.13% more candidates on DetectRL), so "
        "that clitics are hit too (doN't)",
        pitfalls="Letters without case (and those whose other case is longer) are no candidates.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.05, "raid": 0.05}
    unit: ClassVar[str] = "word whose first letter has two cases"

    def find(self, text: str) -> Rows:
        starts = (nltk_tokens(text) if self.profile == "raid" else words(text))[:, 0]
        return characters(starts[is_kind(codes(text)[starts], _has_case)])

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return "".join(text[at].swapcase() for at in rows[:, 0].tolist())


def _has_case(letter: str) -> bool:
    other = letter.swapcase()
    return other != letter and len(other) == 1 and other.swapcase() == letter
