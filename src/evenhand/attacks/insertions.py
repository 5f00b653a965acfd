"""What authors add to a text: citations, and quotations in another script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import SpecError
from ..registry import Card
from .base import Sampled
from .splice import Rows, gaps
from .tokens import sentence_ends

AUTHORS = (
    "Abara", "Bergström", "Castellanos", "Dlamini", "Eriksen", "Farrow", "Gallagher", "Hoshino", "Ivanova", "Jansen",
    "Kowalski", "Lindqvist", "Moreau", "Nakamura", "Okafor", "Petrov", "Quigley", "Rossi", "Silva", "Tanaka", "Ueda",
    "Varga", "Whitfield", "Xu", "Yilmaz", "Zhang",
)  # fmt: skip

QUOTATIONS = (
    "«Тише едешь, дальше будешь».", "«Σπεύδε βραδέως».", "«مع الوقت يتضح كل شيء».", "„הזמן ילמד אותנו”.",
    "「千里之行，始于足下。」", "「急がば回れ。」", "“धीरे धीरे सब होता है।”", "“ช้าๆ ได้พร้าเล่มงาม”",
    "“x ∈ ℝ, ∀ε > 0 ∃δ > 0”", "“α + β ≤ γ”", "“Qui va piano, va sano e va lontano.”", "“Eile mit Weile.”",
)  # fmt: skip
"""Proverbs and formulas that are nobody's property, in nine scripts."""


@dataclass(frozen=True)
class Citations(Sampled):
    """``style``: 'author-year' or 'numeric'."""

    style: str = "author-year"

    name: ClassVar[str] = "citations"
    card: ClassVar[Card] = Card(
        "Cites an invented source at the end of sentences.",
        family="everyday",
        pitfalls="The sources do not exist; sentence ends are found by rule.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.25}
    unit: ClassVar[str] = "sentence that ends in a full stop"
    keeps: ClassVar[tuple[str, ...]] = ("url", "code", "quotation")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.style not in ("author-year", "numeric"):
            raise SpecError(f"{self.name}: style must be 'author-year' or 'numeric', got {self.style!r}")

    def find(self, text: str) -> Rows:
        ends = [end - 1 for end in sentence_ends(text) if text[end - 1] == "." and text[end - 2] not in ")]"]
        return gaps(np.array(ends, dtype=np.int64))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        if self.style == "numeric":
            return [f" [{number}]" for number in range(1, len(rows) + 1)]
        authors = generator.integers(len(AUTHORS), size=len(rows)).tolist()
        years = generator.integers(1978, 2024, size=len(rows)).tolist()
        return [f" ({AUTHORS[author]}, {year})" for author, year in zip(authors, years, strict=True)]


@dataclass(frozen=True)
class QuoteInsertion(Sampled):
    name: ClassVar[str] = "quote_insertion"
    card: ClassVar[Card] = Card(
        "Inserts short quotations in other scripts, and formulas, behind sentences.",
        family="everyday",
        pitfalls="Made to see what a sanitizer does to legitimate foreign text; it changes what the text says.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.1}
    unit: ClassVar[str] = "sentence end"
    keeps: ClassVar[tuple[str, ...]] = ("url", "code", "quotation")

    def find(self, text: str) -> Rows:
        return gaps(np.array(sentence_ends(text), dtype=np.int64))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return [f" {QUOTATIONS[at]}" for at in generator.integers(len(QUOTATIONS), size=len(rows)).tolist()]
