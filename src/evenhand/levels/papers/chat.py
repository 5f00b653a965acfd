"""Papers by chat models: in one document, as IDMGSP asked ChatGPT, or section by section, as it asked GPT-3."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from ...documents import Document
from ...errors import SpecError
from ...models.chat import Completion, Writer
from ...registry import Card
from ...sections import SECTIONS, split_sections
from ..answers import read_answer
from .asking import AskedPapers, Prompt, Read, Reading, Step, ask, general, section_by_section
from .base import IDMGSP, Made
from .tidy import cut_at_end, one_line, own_section

DOCUMENT = "Write a document with the title {title}, including an abstract, an introduction, and a conclusion"
"""IDMGSP, section 3.2.4, to the letter."""
_HEADING = re.compile(
    r"^[ \t]*(?:#+[ \t]*|\*\*)?(?:\d+\.?[ \t]+)?(abstract|introduction|conclusion)s?\b[:* \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that is a section's name: in Markdown, numbered, or bare."""


@dataclass(frozen=True)
class ChatPapers(AskedPapers):
    """``headings``: 'paper' takes only answers with the lines 'Abstract:', 'Introduction:', 'Conclusion:'; 'any' also the same
    names alone on a line, bare or as Markdown headings, which today's models write."""

    headings: str = "paper"
    whole: ClassVar[bool] = True
    name: ClassVar[str] = "chat_papers"
    card: ClassVar[Card] = Card(
        summary="Papers that a chat model writes in one document, from the title.",
        source=f"{IDMGSP}, section 3.2.4 (ChatGPT)",
        family="papers",
        needs="a writer",
        follows="the paper's prompt and its temperature 0.7 (its release of ChatGPT had no such setting); from the code: only "
        "answers in the form Abstract:, Introduction:, Conclusion: are taken, and a title is skipped after 3 tries",
        pitfalls="What is skipped is no chance: titles whose answers have another form are missing. `outcome` counts them.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.headings not in ("paper", "any"):
            raise SpecError(f"{self.name}: headings is 'paper' or 'any', got {self.headings!r}")

    def make(self, documents: list[Document], writer: Writer, seed: int) -> Iterator[tuple[Document, Made]]:
        prompts = [DOCUMENT.format_map({"title": document.title}) for document in documents]
        found = ask(writer, prompts, self.sampling, self.read, self.tries, self.seeds(documents, seed))
        by, about = (writer.model, self.sampling.told), writer.about
        for document, one in zip(documents, found, strict=True):
            why = None if one.text else one.why
            yield document, Made(one.text or {}, *by, one.tries, one.marks, why, about)

    def read(self, completion: Completion, prompt: str) -> Reading:
        marks, refused = general(completion, prompt)
        text = _HEADING.sub(r"\1:", completion.text) if self.headings == "any" else completion.text
        text = re.sub(r"(?im)^(abstract|introduction|conclusion):", lambda m: f"{m[1].capitalize()}:", text)
        parts = split_sections(text)
        if refused or set(parts) != set(SECTIONS):
            return Reading(None, refused=refused or "not in the form")
        last = read_answer(replace(completion, text=parts["conclusion"]))  # without what is said after the end
        parts = {**parts, "conclusion": last.text or parts["conclusion"]}
        return Reading({name: one_line(part) for name, part in parts.items()}, marks)


@dataclass(frozen=True)
class CascadePapers(AskedPapers):
    """Abstract from the title, introduction from both, conclusion from all three."""

    max_new_tokens: int = 1024
    name: ClassVar[str] = "cascade_papers"
    card: ClassVar[Card] = Card(
        summary="Papers that a chat model writes section by section, each shown what came before.",
        source=f"{IDMGSP}, section 3.2.5 (GPT-3, fine-tuned on 178 papers)",
        family="papers",
        needs="a writer",
        follows="the cascade and the cut at <END>; the prompts are ours, since the paper's model was fine-tuned and needed none; "
        "temperature and length are ours too, the paper names neither",
        pitfalls="An answer at the token limit without <END> is asked for again, as often as tries says.",
    )

    def make(self, documents: list[Document], writer: Writer, seed: int) -> Iterator[tuple[Document, Made]]:
        steps = {
            section: Step(writer, self.sampling, asking_for(section), reading_of(section), self.tries)
            for section in SECTIONS
        }
        found = section_by_section([str(d.title) for d in documents], steps, self.seeds(documents, seed))
        made = (one.by(writer.model, self.sampling.told, writer.about) for one in found)
        return zip(documents, made, strict=True)


def asking_for(section: str) -> Prompt:
    """(title, sections so far) -> the request for this section."""

    def prompt(title: str, parts: Mapping[str, str]) -> str:
        before = "".join(f"\n\n{name.capitalize()}: {text}" for name, text in parts.items())
        asked = f"Write the {section} of this scientific paper, and end it with <END>. Answer with the {section} only."
        return f"{asked}\n\nTitle: {title}{before}"

    return prompt


def reading_of(section: str) -> Read:
    """An answer that came to an end, cut at <END>, without its heading and without further sections."""

    def read(completion: Completion, prompt: str) -> Reading:
        marks, refused = general(completion, prompt)
        raw, ended = cut_at_end(completion.text)
        text = read_answer(replace(completion, text=own_section(raw, section)), prompt).text
        if refused is None and not text:
            refused = "another section, or none"
        if refused is None and completion.finish_reason == "length" and not ended:
            refused = "no end within the token limit"
        return Reading(text, tuple(mark for mark in marks if mark != "cut"), refused)

    return read
