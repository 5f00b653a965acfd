"""Task: a machine's text from the task alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..documents import Document, Level
from ..errors import SpecError
from ..models.chat import Completion, Writer
from ..models.generation import Message
from ..registry import Card
from ..seeds import seed_of
from .answers import read_answer
from .base import ESSAY, GEDE, LevelBuilder, need_task

PARAPHRASE = "Paraphrase this task description. Keep its meaning and answer with the new task description only: {task}"


@dataclass(frozen=True)
class Task(LevelBuilder):
    """``task_paraphrases=4`` adds four paraphrases of each task by the writer, so five texts a task: documents that share it
    divide the five among them, and where they are more, every wording has several."""

    task_paraphrases: int = 0
    name: ClassVar[str] = "task"
    level: ClassVar[Level] = Level.TASK
    system: ClassVar[str] = ESSAY
    template: ClassVar[str] = "Write an essay for this task: {task}"
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
        dealt = list(self._dealt(documents))
        wanted = [_variant(document, number) for document, numbers in dealt for number in numbers if number]
        prompts = [[{"role": "user", "content": PARAPHRASE.format_map(self.fields(d))}] for d in wanted]
        seeds = [seed_of(d.task, "paraphrase", d.meta["variant"], seed) for d in wanted]
        answers = writer.complete(prompts, seeds, self.sampling) if wanted else []
        as_told = [document for document, numbers in dealt if 0 in numbers]
        return [*as_told, *map(_paraphrased, wanted, prompts, answers)]

    def _dealt(self, documents: Sequence[Document]) -> Iterator[tuple[Document, range]]:
        """Each document with the numbers of the wordings of its task that it gets an essay of; 0 is the task as it is."""
        wordings, sharing = self.task_paraphrases + 1, Counter(document.task for document in documents)
        seen: Counter[str | None] = Counter()
        for document in documents:
            yield document, range(seen[document.task] % wordings, wordings, sharing[document.task])
            seen[document.task] += 1

    def fields(self, document: Document) -> dict[str, str]:
        return {"task": need_task(document, self.name)}


def _variant(document: Document, number: int) -> Document:
    return replace(document, meta={**document.meta, "variant": number})


def _paraphrased(document: Document, prompt: list[Message], completion: Completion) -> Document:
    """The document under its new task; without one it gets no text, and says why."""
    answer = read_answer(completion, prompt[-1]["content"])
    told: dict[str, Any] = {"task_from": completion.model, "task_prompt": PARAPHRASE}
    told |= {"task_marks": list(answer.marks)} if answer.marks else {}
    if not answer.text:
        told["failed"] = f"no paraphrase of the task: {completion.error or 'the answer was empty'}"
    return replace(document, task=answer.text or document.task, meta={**document.meta, **told})
