"""Emoji at the ends of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import Card
from .base import Sampled
from .splice import Rows, gaps
from .tokens import sentence_ends

# Simple ones, one with a skin tone, sequences held together by a zero-width joiner, a flag.
EMOJI = (
    "🙂", "😂", "😅", "👍", "🎉", "🔥", "❤️", "😭", "🤔", "✨", "🙏", "😊", "👍🏽", "🤷‍♀️", "👩‍💻", "👨‍👩‍👧", "🏳️‍🌈", "🇫🇷",
)  # fmt: skip


@dataclass(frozen=True)
class Emoji(Sampled):
    name: ClassVar[str] = "emoji"
    card: ClassVar[Card] = Card(
        "Puts an emoji behind sentences, some of them made of several code points.",
        family="everyday",
        pitfalls="Sentence ends are found by rule; a text without full stops has none.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.15}
    unit: ClassVar[str] = "sentence end"
    keeps: ClassVar[tuple[str, ...]] = ("url", "code")

    def find(self, text: str) -> Rows:
        return gaps(np.array(sentence_ends(text), dtype=np.int64))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return [f" {EMOJI[at]}" for at in generator.integers(len(EMOJI), size=len(rows)).tolist()]
