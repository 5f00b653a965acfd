"""DetectRL's sentence attack: letters and words changed together, mostly by look-alikes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import MissingError
from ..registry import Card
from .homoglyph import WIDER
from .perturb import Perturbation, Weights, changeable, deleted, inner_space, swapped
from .similar import angular_similarity, neighbours, replacements
from .splice import Rows, rows_of
from .tokens import lower_words, strings

NEIGHBOURS, LEAST_SIMILARITY = 5, 0.8
_LETTERS = "-9876543210'abcdefghijklmnopqrstuvwxyz"
_GLYPHS = (
    "\u02d7\u09ed\u0222\U0001d7d5\u0431\u01bc\u13ce\u01b7\u14bflO`\u0251\u042c\u03f2\u0501\u0435\U0001d68f\u0261\u0570"
    "\u0456\u03f3\U0001d48c\u217c\uff4d\u0578\u043e\u0440\u051b\u2c85\u0455\U0001d69d\u057d\u0475\u051d\u00d7\u0443\u1d22"
)
TEXTATTACK: Mapping[str, str] = dict(zip(_LETTERS, _GLYPHS, strict=True))
"""WordSwapHomoglyphSwap of TextAttack 0.3.9."""


@dataclass(frozen=True)
class Sentence(Perturbation):
    """``vectors``: path of word vectors for the words among the changes; None: the thesaurus. ``encoder``: a sentence encoder
    that must find the whole text still like the old one; None: no such check."""

    vectors: str | None = None
    encoder: str | None = None

    name: ClassVar[str] = "sentence"
    card: ClassVar[Card] = Card(
        "Splits, shortens, scrambles or swaps words, or writes them with look-alikes.",
        source="DetectRL (Wu et al. 2024): TextBugger (Li et al. 2019) as in TextAttack 0.3.9; the two-sided paper calls it "
        "homoglyph",
        family="word",
        needs="word vectors (GloVe) by vectors=PATH for profile='detectrl'; without them a thesaurus derived from WordNet",
        follows="profile='detectrl': in every sentence at least one word and 10% of them, drawn evenly over all changes, so "
        "that look-alikes (one for every letter) are the most; the Universal Sentence Encoder is another encoder here, or none",
        pitfalls="Changes words and letters: a sanitizer restores the look-alikes only, DetectRL's homoglyph column is no "
        "pure homoglyph attack.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.1, "detectrl": 0.1}
    files: ClassVar[tuple[str, ...]] = ("vectors",)
    unit: ClassVar[str] = "word to change"
    costly: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.profile == "detectrl" and self.vectors is None:
            raise MissingError(
                f"{self.name}(profile='detectrl') needs word vectors (GloVe, one word and its numbers a line): give "
                "vectors='PATH'; the default profile works with a thesaurus"
            )

    def find(self, text: str) -> Rows:
        return changeable(text) if self.profile == "detectrl" else lower_words(text, 4)

    def weights(self, text: str, rows: Rows) -> Weights:
        return np.array([3 + _lookalikes(old) + len(self._near(old)) for old in strings(text, rows)], dtype=np.float64)

    def _near(self, word: str) -> tuple[str, ...]:
        if self.profile == "detectrl" and self.vectors is not None:
            return neighbours(word, self.vectors, NEIGHBOURS, -1.0)
        return replacements(word, "", self.vectors, NEIGHBOURS, -1.0)

    def settle(self, text: str, chosen: Rows, generator: np.random.Generator) -> tuple[Rows, Sequence[str]]:
        settled = []
        for (start, end), old in zip(chosen.tolist(), strings(text, chosen), strict=True):
            changes = _changes(old, self._near(old), TEXTATTACK if self.profile == "detectrl" else WIDER, generator)
            drawn = [changes[at] for at in generator.permutation(len(changes)).tolist()]
            if new := next((one for one in drawn if self._accepts(text, start, end, one)), None):
                settled.append(((start, end), new))
        return rows_of([row for row, _ in settled]), [new for _, new in settled]

    def _accepts(self, text: str, start: int, end: int, new: str) -> bool:
        if self.encoder is None:
            return True
        return angular_similarity(text, text[:start] + new + text[end:], self.encoder) >= LEAST_SIMILARITY


def _lookalikes(word: str) -> int:
    return sum(letter in TEXTATTACK for letter in word)


def _changes(word: str, near: Sequence[str], table: Mapping[str, str], generator: np.random.Generator) -> list[str]:
    """One of each kind, one for every letter with a look-alike, and the near words; the word's ends stay in place."""
    made = [inner_space(word, generator)]
    made += [deleted(word, 1, len(word) - 1, generator)] if len(word) > 2 else []
    made += [swapped(word, 1, len(word) - 2, generator)] if len(word) > 3 else []
    made += [word[:at] + table[letter][0] + word[at + 1 :] for at, letter in enumerate(word) if letter in table]
    return [one for one in (*made, *near) if one != word]
