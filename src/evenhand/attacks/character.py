"""Small slips inside words: swapped, wrong, missing and added letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_letters
from typing import ClassVar

import numpy as np

from ..registry import Card
from .perturb import Perturbation, changeable, deleted, inserted, substituted, swapped
from .slips import by_keyboard
from .splice import Rows
from .tokens import lower_words, strings


@dataclass(frozen=True)
class Character(Perturbation):
    name: ClassVar[str] = "character"
    card: ClassVar[Card] = Card(
        "Swaps, replaces, drops or adds a letter in words.",
        source="DetectRL (Wu et al. 2024): DeepWordBug (Gao et al. 2018) as in TextAttack 0.3.9, without a victim model",
        family="character",
        needs="profile='detectrl': a sentence splitter (nupunkt, part of the core)",
        follows="profile='detectrl': in every sentence at least one word and 10% of them; letters of either case, first and "
        "last letters too; function words spared (a list of ours for NLTK's); sentences joined by one space",
        pitfalls="The default hits lower-case words of four letters on, keeps their first letter and uses the keyboard.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.05, "detectrl": 0.1}
    unit: ClassVar[str] = "word to change"

    def find(self, text: str) -> Rows:
        return changeable(text) if self.profile == "detectrl" else lower_words(text, 4)

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        change = deep_word_bug if self.profile == "detectrl" else by_keyboard
        return [change(word, generator) for word in strings(text, rows)]


def deep_word_bug(word: str, generator: np.random.Generator) -> str:
    """One of its four changes; the letter that comes in may be the one that was there (then nothing changes)."""
    kind, at, letter = generator.integers(4), int(generator.integers(len(word))), ascii_letters[generator.integers(52)]
    if kind == 0:
        return swapped(word, 0, len(word) - 1, generator)
    if kind == 1:
        return substituted(word, at, letter)
    return deleted(word, 0, len(word), generator) if kind == 2 else inserted(word, at, letter)
