"""The text as it is: the clean row beside every attacked one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..documents import Edited
from ..registry import Card
from .base import Attack, unchanged


@dataclass(frozen=True)
class NoAttack(Attack):
    name: ClassVar[str] = "none"
    card: ClassVar[Card] = Card("Changes nothing.", family="control")

    def edit(self, text: str, seed: int = 0) -> Edited:
        return unchanged(text, "none: the clean text")
