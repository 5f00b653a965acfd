"""What is left out when one types in a hurry: capitals, apostrophes, the last full stop."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import Card
from .base import Sampled
from .splice import Rows, characters
from .tokens import sentence_ends

_FIRST = re.compile(r"[A-Z](?:(?<=^\w)|(?<=\n\w)|(?<=[.!?] \w)|(?<=[.!?][\"”'’)] \w))(?=[a-z])")
_APOSTROPHE = re.compile(r"['’](?<=[^\W\d_].)(?=(?:t|s|m|d|ll|re|ve)\b)")


@dataclass(frozen=True)
class SentenceCase(Sampled):
    name: ClassVar[str] = "sentence_case"
    card: ClassVar[Card] = Card("Begins sentences with a small letter.", family="everyday")
    rates: ClassVar[Mapping[str, float]] = {"default": 0.3}
    unit: ClassVar[str] = "capital that opens a sentence"

    def find(self, text: str) -> Rows:
        return characters(np.array([match.start() for match in _FIRST.finditer(text)], dtype=np.intp))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return "".join(text[at].lower() for at in rows[:, 0].tolist())


@dataclass(frozen=True)
class DroppedApostrophes(Sampled):
    name: ClassVar[str] = "dropped_apostrophes"
    card: ClassVar[Card] = Card("Leaves out apostrophes (dont, its).", family="everyday")
    rates: ClassVar[Mapping[str, float]] = {"default": 0.5}
    unit: ClassVar[str] = "apostrophe"

    def find(self, text: str) -> Rows:
        return characters(np.array([match.start() for match in _APOSTROPHE.finditer(text)], dtype=np.intp))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return [""] * len(rows)


@dataclass(frozen=True)
class DroppedPeriods(Sampled):
    name: ClassVar[str] = "dropped_periods"
    card: ClassVar[Card] = Card(
        "Leaves out the full stop at the end of a line or of the text.", family="everyday",
        pitfalls="Full stops between two sentences of one line stay.",
    )  # fmt: skip
    rates: ClassVar[Mapping[str, float]] = {"default": 1.0}
    unit: ClassVar[str] = "full stop at the end of a line"

    def find(self, text: str) -> Rows:
        ends = [end for end in sentence_ends(text) if text[end - 1] == "." and text[end : end + 1] in ("", "\n")]
        return characters(np.array(ends, dtype=np.intp) - 1)

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return [""] * len(rows)
