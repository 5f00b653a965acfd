"""Paragraph breaks between sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import Card
from .base import Sampled
from .splice import Rows, Spans, rows_of, splice
from .tokens import select, sentences, strings

BREAK = "\n\n"


@dataclass(frozen=True)
class InsertParagraphs(Sampled):
    name: ClassVar[str] = "insert_paragraphs"
    card: ClassVar[Card] = Card(
        "Puts paragraph breaks between sentences.",
        source="RAID (Dugan et al. 2024), insert_paragraphs",
        family="layout",
        needs="a sentence splitter (nupunkt, part of the core)",
        follows="profile='raid': a break before the chosen sentences, after the space; all sentences are joined again by one "
        "space, so that the text loses its own breaks",
        pitfalls="RAID splits with NLTK's Punkt, here nupunkt does: rare abbreviations are split otherwise.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.5, "raid": 0.5}
    unit: ClassVar[str] = "gap between two sentences"

    def find(self, text: str) -> Rows:
        found = sentences(text)
        between = np.stack([found[:-1, 1], found[1:, 0]], axis=1)
        if self.profile == "raid":
            return between
        kept = ["\n" not in gap for gap in strings(text, between)]
        return select(between, np.array(kept, dtype=bool))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return [BREAK] * len(rows)

    def rewrite(self, text: str, rows: Rows, new: Sequence[str]) -> tuple[str, Spans]:
        if self.profile != "raid":
            return super().rewrite(text, rows, new)
        starts = set(rows[:, 1].tolist())
        places, put = [], []
        between = self.find(text)
        for (start, end), gap in zip(between.tolist(), strings(text, between), strict=True):
            if gap != " ":
                places.append((start, end))
                put.append(" " + BREAK * (end in starts))
            elif end in starts:
                places.append((end, end))
                put.append(BREAK)
        return splice(text, rows_of(places), put)
