"""How much of its source's wording a text keeps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

from ..errors import Abstain, SpecError
from ..registry import Card
from .base import Measure


@dataclass(frozen=True)
class ExactCopy(Measure):
    name: ClassVar[str] = "exact_copy"
    needs_source: ClassVar[bool] = True
    unit: ClassVar[str] = "1 or 0"
    card: ClassVar[Card] = Card(
        "1 where the text equals its source to the character, else 0.",
        source="Attacking Only Half the Data (2026), Table 5, column exact",
        family="wording kept",
        pitfalls="1 after an attack that found nothing to change is no repair",
    )

    def of(self, text: str, source: str) -> float:
        return float(text == source)


@dataclass(frozen=True)
class TrigramSimilarity(Measure):
    """``kind``: 'jaccard' of the sets of character n-grams, or 'cosine' of their counts; ``n``: 3 for trigrams."""

    kind: str = "jaccard"
    n: int = 3
    name: ClassVar[str] = "trigram_similarity"
    needs_source: ClassVar[bool] = True
    unit: ClassVar[str] = "share"
    card: ClassVar[Card] = Card(
        "Character trigrams that a text shares with its source, 0 to 1.",
        source="Attacking Only Half the Data (2026), Table 5",
        family="wording kept",
        follows="the paper does not say which: the Jaccard index of sets gives .111 and .927 after RAID's homoglyph and "
        "whitespace attacks on 200 other texts, where the paper prints .118 and .930; cosine gives .215 and .962",
    )

    def __post_init__(self) -> None:
        if self.kind not in ("jaccard", "cosine"):
            raise SpecError(f"{self.name}: kind is 'jaccard' or 'cosine', got {self.kind!r}")
        if isinstance(self.n, bool) or not isinstance(self.n, int) or self.n < 1:
            raise SpecError(f"{self.name}: n must be a whole number from 1, got {self.n!r}")

    def of(self, text: str, source: str) -> float:
        a, b = grams(text, self.n), grams(source, self.n)
        if not a or not b:
            raise Abstain(f"a text of fewer than {self.n} characters has no {self.n}-gram")
        return jaccard(a, b) if self.kind == "jaccard" else cosine(a, b)


def grams(text: str, n: int) -> Counter[str]:
    return Counter(text[i : i + n] for i in range(len(text) - n + 1))


def jaccard(a: Counter[str], b: Counter[str]) -> float:
    shared = len(a.keys() & b.keys())
    return shared / (len(a) + len(b) - shared)


def cosine(a: Counter[str], b: Counter[str]) -> float:
    if a == b:
        return 1.0
    inner = sum(count * b[gram] for gram, count in a.items())
    return inner / sqrt(sum(c * c for c in a.values()) * sum(c * c for c in b.values()))


@dataclass(frozen=True)
class EditSimilarity(Measure):
    """``unit_of``: 'characters' or 'words' (between whitespace)."""

    unit_of: str = "characters"
    name: ClassVar[str] = "edit_similarity"
    needs_source: ClassVar[bool] = True
    unit: ClassVar[str] = "share"
    card: ClassVar[Card] = Card(
        "1 - Levenshtein distance to the source / length of the longer of the two.",
        source="Levenshtein 1966; computed by rapidfuzz",
        family="wording kept",
        pitfalls="the time grows with the product of the lengths: a third of a second for two texts of 0.1 MB, half a "
        "minute for two of 1 MB",
    )

    def __post_init__(self) -> None:
        if self.unit_of not in ("characters", "words"):
            raise SpecError(f"{self.name}: unit_of is 'characters' or 'words', got {self.unit_of!r}")

    def of(self, text: str, source: str) -> float:
        from rapidfuzz.distance import Levenshtein

        if self.unit_of == "words":
            return float(Levenshtein.normalized_similarity(text.split(), source.split()))
        return float(Levenshtein.normalized_similarity(text, source))
