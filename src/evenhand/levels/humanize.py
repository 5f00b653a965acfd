"""Humanize: a machine's text made to pass for a person's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..documents import Document, Level
from ..registry import Card
from .base import LevelBuilder


@dataclass(frozen=True)
class Humanize(LevelBuilder):
    """By a chat model; GEDE's own way, DIPPER, is an 11B paraphraser that no chat endpoint serves."""

    profile: str = "ours"
    profiles: ClassVar[tuple[str, ...]] = ("ours",)
    name: ClassVar[str] = "humanize"
    level: ClassVar[Level] = Level.HUMANIZE
    source: ClassVar[Level] = Level.TASK
    card: ClassVar[Card] = Card(
        summary="A machine's text that an LLM rewrites so that it reads as a person's.",
        source="ours; the level is GEDE's",
        family="level",
        needs="texts of the level 'task', and a writer",
        follows="ours: prompt and model; GEDE humanizes with DIPPER and does not print its diversity codes",
        pitfalls="Not comparable with GEDE's humanize column.",
    )

    def request(self, document: Document) -> str:
        return (
            "Rewrite this text so that it reads as if a person had written it, with the same content: " + document.text
        )
