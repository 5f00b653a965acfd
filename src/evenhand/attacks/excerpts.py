"""Parts of a text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from ..documents import Edited
from ..errors import SpecError
from ..registry import Card
from .base import Attack, dose, unchanged

_WORD = re.compile(r"\S+")


def _check_words(name: str, words: int) -> None:
    if isinstance(words, bool) or not isinstance(words, int) or words < 1:
        raise SpecError(f"{name}: words must be a whole number from 1 on, got {words!r}")


def _cut(text: str, start: int, end: int, candidates: int) -> Edited:
    """text[start:end]; each side that is lost is one edit."""
    edges = ((0, 0),) * (start > 0) + ((end - start, end - start),) * (end < len(text))
    return Edited(text[start:end], edges, len(edges), candidates, dose(len(edges), text))


@dataclass(frozen=True)
class Truncate(Attack):
    """The first ``words`` words (between blanks)."""

    words: int = 200

    name: ClassVar[str] = "truncate"
    card: ClassVar[Card] = Card(
        "Keeps the beginning of the text.",
        source="two-sided evaluation (Shill and Nandi 2026), sec. 4.5: controlled truncation of identical sources",
        family="length",
        pitfalls="Cuts in the middle of a sentence, on both classes alike.",
    )

    def __post_init__(self) -> None:
        _check_words(self.name, self.words)

    def edit(self, text: str, seed: int = 0) -> Edited:
        spans = [match.span() for match in _WORD.finditer(text)]
        if len(spans) <= self.words:
            return unchanged(text, f"no-op: the text has {len(spans)} words, no more than {self.words}")
        return _cut(text, 0, spans[self.words - 1][1], 1)


@dataclass(frozen=True)
class Excerpt(Attack):
    """``words`` words in a row, from anywhere; begins with a word and ends with one."""

    words: int = 200

    name: ClassVar[str] = "excerpt"
    card: ClassVar[Card] = Card("Keeps a random part of the text.", family="length")

    def __post_init__(self) -> None:
        _check_words(self.name, self.words)

    def edit(self, text: str, seed: int = 0) -> Edited:
        spans = [match.span() for match in _WORD.finditer(text)]
        places = len(spans) - self.words + 1
        if places <= 1:
            return unchanged(text, f"no-op: the text has {len(spans)} words, no more than {self.words}")
        first = int(self.generator(text, seed).integers(places))
        return _cut(text, spans[first][0], spans[first + self.words - 1][1], places)
