"""Improve-Human: small corrections of a human text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..documents import Label, Level
from ..registry import Card
from .base import GEDE, REWRITE, LevelBuilder


@dataclass(frozen=True)
class ImproveHuman(LevelBuilder):
    name: ClassVar[str] = "improve_human"
    level: ClassVar[Level] = Level.IMPROVE_HUMAN
    label: ClassVar[Label] = "mixed"
    edits: ClassVar[bool] = True
    system: ClassVar[str] = (
        "Your task is to improve a given text. Structure and content of the text should be retained and you should only "
        "make small improvements to the grammar and language."
    )
    template: ClassVar[str] = REWRITE
    card: ClassVar[Card] = Card(
        summary="A human text with small corrections of grammar and language by an LLM.",
        source=GEDE,
        family="level",
        needs="a writer",
        follows="the paper: also this level's user prompt says 'Rewrite this text'",
        pitfalls="label is 'mixed': the author is human, the wording partly the machine's. Small models drift or copy.",
    )
