"""Tokens of a text as a model's tokenizer cuts it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..registry import Card
from .base import Measure


@dataclass(frozen=True)
class Tokens(Measure):
    """``model``: embedded, hub:NAME@REVISION or a folder; its tokenizer alone is loaded."""

    model: str = "embedded"
    name: ClassVar[str] = "tokens"
    unit: ClassVar[str] = "tokens"
    card: ClassVar[Card] = Card(
        "Tokens of a model's tokenizer, special tokens left out.",
        source="IDMGSP, table 1",
        family="length",
        needs="the extra torch",
        follows="the paper names no tokenizer, so a count is comparable only under the one that the spec names",
    )

    def fetch(self) -> str:
        """Brings the model into the cache; gives its folder."""
        from ..models.weights import fetch

        return str(fetch(self.model))

    def of(self, text: str, source: str) -> float:
        from ..models.loading import tokenizer
        from ..models.weights import resolve

        readable = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate is no text to a tokenizer
        return len(tokenizer(resolve(self.model))(readable, add_special_tokens=False, verbose=False)["input_ids"])
