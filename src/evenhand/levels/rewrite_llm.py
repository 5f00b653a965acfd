"""Rewrite-LLM: a machine's text in the words of another machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from ..documents import Document, Level
from ..errors import DataError
from ..models.chat import Writer
from ..registry import Card
from .base import GEDE, REWRITE, LevelBuilder


@dataclass(frozen=True)
class RewriteLlm(LevelBuilder):
    name: ClassVar[str] = "rewrite_llm"
    level: ClassVar[Level] = Level.REWRITE_LLM
    source: ClassVar[Level] = Level.TASK
    template: ClassVar[str] = REWRITE.replace("human", "llm")
    card: ClassVar[Card] = Card(
        summary="A machine's text rewritten by another LLM.",
        source=GEDE,
        family="level",
        needs="texts of the level 'task', and a writer with another model than theirs",
        follows="the paper: generator is the model that rewrites",
    )

    def build(self, documents: Iterable[Document], writer: Writer, seed: int = 0) -> list[Document]:
        sources = list(documents)
        own = [document.id for document in sources if document.generator == writer.model]
        if own:
            raise DataError(
                f"{self.name}: {own[0]!r} was written by {writer.model} itself; this level needs another model"
            )
        return super().build(sources, writer, seed)
