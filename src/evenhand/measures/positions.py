"""Which share of the words a text and its source do not have in common: place by place, and after alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..errors import Abstain
from ..registry import Card
from .base import Measure
from .tokens import pieces


@dataclass(frozen=True)
class WordsChanged(Measure):
    name: ClassVar[str] = "words_changed"
    needs_source: ClassVar[bool] = True
    unit: ClassVar[str] = "share"
    card: ClassVar[Card] = Card(
        "Share of word places whose word differs: word i of the text against word i of its source.",
        source="Attacking Only Half the Data (2026), Table 15, 'positions changed'",
        family="wording kept",
        follows="words between whitespace; the paper names no denominator: the longer of the two here, so that places "
        "which only one of them has are changed",
        pitfalls="one word put in or left out shifts all words behind it: words_changed_aligned does not",
    )

    def of(self, text: str, source: str) -> float:
        a, b = pieces(text), pieces(source)
        return 1 - sum(x == y for x, y in zip(a, b, strict=False)) / longer(a, b)


@dataclass(frozen=True)
class WordsChangedAligned(Measure):
    name: ClassVar[str] = "words_changed_aligned"
    needs_source: ClassVar[bool] = True
    unit: ClassVar[str] = "share"
    card: ClassVar[Card] = Card(
        "Word edits (put in, left out, replaced) in the cheapest alignment with the source / words of the longer one.",
        source="Levenshtein 1966 over words; computed by rapidfuzz",
        family="wording kept",
    )

    def of(self, text: str, source: str) -> float:
        from rapidfuzz.distance import Levenshtein

        a, b = pieces(text), pieces(source)
        return float(Levenshtein.distance(a, b)) / longer(a, b)


def longer(a: list[str], b: list[str]) -> int:
    """The number of words of the longer one; raises Abstain where neither has a word."""
    if not a and not b:
        raise Abstain("neither the text nor its source has a word")
    return max(len(a), len(b))
