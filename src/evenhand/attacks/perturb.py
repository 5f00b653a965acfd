"""What DetectRL's three perturbations share: TextAttack's budget per sentence, and small changes inside a word."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .base import Sampled
from .function_words import FUNCTION_WORDS
from .splice import Rows, Spans, rows_of, splice
from .tokens import select, sentences, strings, textattack_words

Weights = NDArray[np.float64]


def changeable(text: str) -> Rows:
    """TextAttack's words that are no stop words and longer than one letter."""
    rows = textattack_words(text)
    keep = [len(word) > 1 and word.lower() not in FUNCTION_WORDS for word in strings(text, rows)]
    return select(rows, np.array(keep, dtype=bool))


def per_sentence(text: str, rows: Rows, rate: float, weights: Weights, generator: np.random.Generator) -> Rows:
    """In each sentence max(1, floor(rate x words)) of its rows, drawn by weight, without replacement."""
    starts = textattack_words(text)[:, 0]
    chosen: list[NDArray[np.intp]] = []
    for start, end in sentences(text).tolist():
        first, last = np.searchsorted(rows[:, 0], (start, end))
        total = int(np.subtract(*np.searchsorted(starts, (end, start))))
        inside = np.arange(first, last)[weights[first:last] > 0]
        count = min(len(inside), max(1, int(rate * total)))
        if count:
            share = weights[inside] / weights[inside].sum()
            chosen.append(np.sort(generator.choice(inside, count, replace=False, p=share)))
    return rows[np.concatenate(chosen)] if chosen else rows[:0]


def joined_by_spaces(text: str, rows: Rows, new: Sequence[str]) -> tuple[str, Spans]:
    """Spliced, and the sentences joined by one space, as DetectRL does: line breaks between them are lost."""
    found = sentences(text).tolist()
    edges = [(0, found[0][0], ""), *((a, b, " ") for (_, a), (b, _) in pairwise(found))] if found else []
    lost = [((start, end), wanted) for start, end, wanted in edges if text[start:end] != wanted]
    both = sorted([*lost, *zip(map(tuple, rows.tolist()), new, strict=True)])
    return splice(text, rows_of([row for row, _ in both]), [put for _, put in both])


class Perturbation(Sampled):
    """With profile='detectrl' a share of the words of every sentence, at least one; by default a share of all."""

    @property
    def by_sentence(self) -> bool:
        return self.profile == "detectrl" and self.edits_per_1000 is None

    def weights(self, text: str, rows: Rows) -> Weights:
        """How often each row is drawn, for profile='detectrl'; shape (n,)."""
        return np.ones(len(rows))

    def budget(self, candidates: int, text: str, generator: np.random.Generator) -> int:
        if self.by_sentence:
            return candidates if self.share else 0
        return super().budget(candidates, text, generator)

    def choose(self, text: str, rows: Rows, count: int, generator: np.random.Generator) -> Rows:
        if self.by_sentence:
            return per_sentence(text, rows, self.share, self.weights(text, rows), generator)
        return super().choose(text, rows, count, generator)

    def rewrite(self, text: str, rows: Rows, new: Sequence[str]) -> tuple[str, Spans]:
        if self.profile != "detectrl":
            return super().rewrite(text, rows, new)
        return joined_by_spaces(text, rows, new)


def inner_space(word: str, generator: np.random.Generator) -> str:
    at = int(generator.integers(1, len(word)))
    return f"{word[:at]} {word[at:]}"


def swapped(word: str, first: int, last: int, generator: np.random.Generator) -> str:
    """Letters i and i + 1 change places, first <= i < last."""
    at = int(generator.integers(first, last))
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def deleted(word: str, first: int, last: int, generator: np.random.Generator) -> str:
    at = int(generator.integers(first, last))
    return word[:at] + word[at + 1 :]


def substituted(word: str, at: int, letter: str) -> str:
    return word[:at] + letter + word[at + 1 :]


def inserted(word: str, at: int, letter: str) -> str:
    return word[:at] + letter + word[at:]
