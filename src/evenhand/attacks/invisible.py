"""Marks that are not seen: those of the writing direction, and the byte-order mark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import Card
from .base import Sampled
from .splice import Rows, gaps

_MARKED = re.compile(r"\A(?=.)|\d[\d.,:]*|[\"“”«»]", re.DOTALL)


@dataclass(frozen=True)
class BidiMarks(Sampled):
    name: ClassVar[str] = "bidi_marks"
    card: ClassVar[Card] = Card(
        "Puts left-to-right marks (U+200E) before numbers and quotes, as exports of chats do, and a byte-order mark "
        "(U+FEFF) at the start.",
        family="invisible",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 1.0}
    unit: ClassVar[str] = "number or quote"
    keeps: ClassVar[tuple[str, ...]] = ("url", "code")

    def find(self, text: str) -> Rows:
        return gaps(np.unique(np.array([match.start() for match in _MARKED.finditer(text)], dtype=np.int64)))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return "".join("\u200e" if start else "\ufeff" for start in rows[:, 0].tolist())
