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
        """An endpoint may tell only in its answers which model it is, so what came is looked at too."""
        sources = list(documents)
        for source in sources:
            self._check(source, writer.model)
        made = super().build(sources, writer, seed)
        for source, one in zip(sources, made, strict=True):
            self._check(source, one.generator if one.text else None)
        return made

    def _check(self, source: Document, model: str | None) -> None:
        if source.generator == model is not None:
            raise DataError(f"{self.name}: {source.id!r} was written by {model} itself; this level needs another model")
