"""Builders of contribution levels: from documents and a writer to documents that a machine had its part in.

Prompts and settings of ``profile='gede'`` are those of the GEDE paper's tables 7 and 8, to the letter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..documents import Document, Label, Level, Span
from ..errors import DataError, SpecError
from ..models.chat import Completion, Writer
from ..models.generation import Message, Sampling
from ..registry import Component
from ..seeds import seed_of
from .answers import Answer, read_answer
from .spans import kept_words

GEDE = "GEDE (contribution levels), table 7 (prompts) and table 8 (temperature 1.0, 512 new tokens)"
ESSAY = "You are a student writing an essay on a given topic. Write around 300 words."
OWN = frozenset(
    "profile system prompt finish_reason n_tokens seed marks raw error variant failed provider quantization".split()
)
"""Entries of meta that tell how this text was made, and nothing of what is made from it."""
REWRITE = "Rewrite this text: {human-text}"


@dataclass(frozen=True)
class LevelBuilder(Component):
    """``build`` makes one document per document, in their order: an answer that failed has an empty text and says why."""

    profile: str = "gede"
    temperature: float = 1.0
    max_new_tokens: int = 512
    level: ClassVar[Level]
    label: ClassVar[Label] = "machine"
    source: ClassVar[Level] = Level.HUMAN
    """The level of the documents that it is built from."""
    profiles: ClassVar[tuple[str, ...]] = ("gede",)
    reads_text: ClassVar[bool] = True
    edits: ClassVar[bool] = False
    """Whether the answer is an edit of the source, so that words of the source may stand in it."""
    system: ClassVar[str] = ""
    template: ClassVar[str]
    """The user prompt, with fields spelt as in the paper's table 7: {human-text}, {llm-text}, {task}, {summary}."""

    def __post_init__(self) -> None:
        if self.profile not in self.profiles:
            raise SpecError(f"{self.name}: no profile {self.profile!r}; there is {', '.join(map(repr, self.profiles))}")
        _ = self.sampling

    @property
    def sampling(self) -> Sampling:
        return Sampling(temperature=self.temperature, max_new_tokens=self.max_new_tokens)

    def fields(self, document: Document) -> dict[str, str]:
        """What stands in the fields of the prompt; raises DataError where the document lacks what the level needs."""
        return {"human-text": document.text, "llm-text": document.text}

    def prepared(self, documents: Sequence[Document], writer: Writer, seed: int) -> list[Document]:
        """The documents with what the prompt needs beside the text, such as a summary."""
        return list(documents)

    def build(self, documents: Iterable[Document], writer: Writer, seed: int = 0) -> list[Document]:
        sources = self.prepared(list(documents), writer, seed)
        prompts = [self.messages(source) for source in sources]
        seeds = [seed_of(source.digest, self.spec, source.meta.get("variant", 0), seed) for source in sources]
        why = {index: reason for index, source in enumerate(sources) if (reason := self._impossible(source))}
        asked = [index for index in range(len(sources)) if index not in why]
        came = writer.complete([prompts[i] for i in asked], [seeds[i] for i in asked], self.sampling)
        model = _own_name(came, writer)
        answers = {index: Completion("", "error", 0, model, reason) for index, reason in why.items()}
        answers |= {i: replace(one, model=model) if one.error else one for i, one in zip(asked, came, strict=True)}
        made = [self._document(s, prompts[i], seeds[i], answers[i]) for i, s in enumerate(sources)]
        return [replace(one, meta={**one.meta, **writer.about}) for one in made]

    def messages(self, document: Document) -> list[Message]:
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, {"role": "user", "content": self.template.format_map(self.fields(document))}]

    def _document(self, source: Document, prompt: list[Message], seed: int, completion: Completion) -> Document:
        answer = read_answer(completion, prompt[-1]["content"], source.text if self.edits else "")
        variant = f"/{number}" if (number := source.meta.get("variant")) else ""
        return replace(
            source,
            id=f"{source.id}/{self.level}{variant}",
            text=answer.text,
            label=self.label,
            level=self.level,
            level_after=None,
            generator=completion.model,
            decoding=self.sampling.told,
            source_id=source.id,
            cluster=source.cluster or source.id,
            truncated="cut" in answer.marks,
            spans=self._spans(source.text, answer.text),
            meta={**_kept(source), **self._told(answer, completion, seed)},
        )

    def _impossible(self, source: Document) -> str | None:
        """Why no machine can be asked about this document, or None."""
        if failed := source.meta.get("failed"):
            return str(failed)
        return "the source is empty" if self.reads_text and not source.text.strip() else None

    def _told(self, answer: Answer, completion: Completion, seed: int) -> dict[str, Any]:
        told: dict[str, Any] = {
            "profile": self.profile,
            "system": self.system,
            "prompt": self.template,
            "finish_reason": completion.finish_reason,
            "n_tokens": completion.n_tokens,
            "seed": seed,
            "marks": list(answer.marks),
        }
        if answer.raw != answer.text:
            told["raw"] = answer.raw
        return told | ({"error": completion.error} if completion.error else {})

    def _spans(self, source: str, text: str) -> tuple[Span, ...]:
        if self.edits:
            return kept_words(source, text)
        return (Span(0, len(text), "machine"),) if text else ()


def _own_name(came: Iterable[Completion], writer: Writer) -> str:
    """What the answers call the model that an endpoint was asked for, so that texts that did not come count under it too."""
    names = {one.model for one in came if not one.error}
    return names.pop() if len(names) == 1 else writer.model


def _kept(source: Document) -> dict[str, Any]:
    """What is true of the source and of what is made from it; how the source itself was made stays with the source."""
    return {key: value for key, value in source.meta.items() if key not in OWN}


def need_task(document: Document, name: str) -> str:
    if not document.task:
        raise DataError(f"{name}: document {document.id!r} has no task; give the corpus a column 'task'")
    return document.task


def counts(documents: Iterable[Document]) -> dict[str, dict[str, int]]:
    """Per level: how many documents, and how many with each mark."""
    table: dict[str, Counter[str]] = {}
    for document in documents:
        row = table.setdefault(str(document.level or document.label), Counter())
        row.update(["n", *document.meta.get("marks", ())])
    return {level: dict(row) for level, row in table.items()}
