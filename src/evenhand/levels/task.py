"""Task: a machine's text from the task alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ..documents import Document, Level
from ..errors import SpecError
from ..models.chat import Writer
from ..registry import Card
from ..seeds import seed_of
from .answers import read_answer
from .base import ESSAY, GEDE, LevelBuilder, need_task

PARAPHRASE = "Paraphrase this task description. Keep its meaning and answer with the new task description only: "


@dataclass(frozen=True)
class Task(LevelBuilder):
    """``task_paraphrases=4`` adds four paraphrases of each task by the writer, so five texts a document."""

    task_paraphrases: int = 0
    name: ClassVar[str] = "task"
    level: ClassVar[Level] = Level.TASK
    system: ClassVar[str] = ESSAY
    reads_text: ClassVar[bool] = False
    card: ClassVar[Card] = Card(
        summary="An essay by an LLM from the task alone.",
        source=GEDE,
        family="level",
        needs="a writer",
        follows="the paper's table 7; in job files of the authors, system and user prompt stand exchanged. Ours: the prompt "
        "that paraphrases a task, which the paper does not print",
        pitfalls="Texts of one task are alike: cluster by task where many documents share one.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.task_paraphrases < 0:
            raise SpecError(f"{self.name}: task_paraphrases must be 0 or more, got {self.task_paraphrases!r}")

    def prepared(self, documents: Sequence[Document], writer: Writer, seed: int) -> list[Document]:
        numbers = range(1, self.task_paraphrases + 1)
        wanted = [_variant(document, number) for document in documents for number in numbers]
        prompts = [[{"role": "user", "content": PARAPHRASE + need_task(d, self.name)}] for d in wanted]
        seeds = [seed_of(d.task, "paraphrase", d.meta["variant"], seed) for d in wanted]
        answers = writer.complete(prompts, seeds, self.sampling) if wanted else []
        texts = [read_answer(a, p[-1]["content"]).text for a, p in zip(answers, prompts, strict=True)]
        return [*documents, *(replace(d, task=text or d.task) for d, text in zip(wanted, texts, strict=True))]

    def request(self, document: Document) -> str:
        return f"Write an essay for this task: {need_task(document, self.name)}"


def _variant(document: Document, number: int) -> Document:
    return replace(document, meta={**document.meta, "variant": number})
