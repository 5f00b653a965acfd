"""Summary, and task with summary: a machine's text from a human's points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..documents import Document, Level
from ..models.chat import Writer
from ..registry import Card
from .base import ESSAY, GEDE, LevelBuilder, need_task
from .summaries import check_origin, with_summaries

_FOLLOWS = (
    "the paper summarises with T5 (t5-3b in the code) in a form that it does not print: 't5:' is our reading of it (greedy, "
    "200 tokens; what is longer than 512 tokens fails, as there). 'writer' is ours"
)


@dataclass(frozen=True)
class Summary(LevelBuilder):
    """``summary_from``: 'writer' asks the writer, 'notes' takes meta['notes'], 't5:hub:google-t5/t5-3b' asks a T5 (as GEDE)."""

    summary_from: str = "writer"
    name: ClassVar[str] = "summary"
    level: ClassVar[Level] = Level.SUMMARY
    system: ClassVar[str] = ESSAY
    template: ClassVar[str] = "Write an essay with the following information: {summary}"
    card: ClassVar[Card] = Card(
        summary="An essay by an LLM from a summary of the human text.",
        source=GEDE,
        family="level",
        needs="a writer",
        follows=_FOLLOWS,
        pitfalls="Which model summarised is kept in meta['summary_from'].",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_origin(self.name, self.summary_from)

    def prepared(self, documents: Sequence[Document], writer: Writer, seed: int) -> list[Document]:
        return with_summaries(documents, writer, self.summary_from, seed)

    def fields(self, document: Document) -> dict[str, str]:
        return {"summary": document.meta["summary"]}


@dataclass(frozen=True)
class TaskSummary(Summary):
    name: ClassVar[str] = "task_summary"
    level: ClassVar[Level] = Level.TASK_SUMMARY
    template: ClassVar[str] = "Write an essay for this task: {task} Please include the following information: {summary}"
    card: ClassVar[Card] = Card(
        summary="An essay by an LLM from the task and a summary of the human text.",
        source=GEDE,
        family="level",
        needs="a writer",
        follows=_FOLLOWS,
        pitfalls="Which model summarised is kept in meta['summary_from'].",
    )

    def fields(self, document: Document) -> dict[str, str]:
        return {"task": need_task(document, self.name), "summary": document.meta["summary"]}
