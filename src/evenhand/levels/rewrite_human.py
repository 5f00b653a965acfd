"""Rewrite-Human: a human text in the words of a machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..documents import Label, Level
from ..registry import Card
from .base import GEDE, REWRITE, LevelBuilder


@dataclass(frozen=True)
class RewriteHuman(LevelBuilder):
    name: ClassVar[str] = "rewrite_human"
    level: ClassVar[Level] = Level.REWRITE_HUMAN
    label: ClassVar[Label] = "mixed"
    edits: ClassVar[bool] = True
    template: ClassVar[str] = REWRITE
    card: ClassVar[Card] = Card(
        summary="A human text rewritten by an LLM.",
        source=GEDE,
        family="level",
        needs="a writer",
        pitfalls="No system prompt in the paper; chat templates of some models put in one of their own.",
    )
