"""Asking a model until its answer can be used, a bounded number of times, and section after section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...documents import Document
from ...errors import SpecError
from ...models.chat import Completion, Writer
from ...models.generation import Sampling
from ...sections import SECTIONS
from ...seeds import seed_of
from ..answers import read_answer
from .base import Made, PaperMaker


@dataclass(frozen=True)
class AskedPapers(PaperMaker):
    """``tries``: answers asked for at most, of a document or of each section; then the title is skipped, with the reason."""

    temperature: float = 0.7
    max_new_tokens: int = 2048
    tries: int = 3

    def __post_init__(self) -> None:
        _ = self.sampling
        check_tries(self.name, self.tries)

    @property
    def sampling(self) -> Sampling:
        return Sampling(temperature=self.temperature, max_new_tokens=self.max_new_tokens)

    def seeds(self, documents: list[Document], seed: int) -> list[int]:
        """Of what is asked, not of how it is read: other headings or more tries take the answers that are kept."""
        return [seed_of(document.title, self.name, seed) for document in documents]


def check_tries(name: str, tries: int) -> None:
    if tries < 1:
        raise SpecError(f"{name}: tries must be a whole number from 1, got {tries!r}")


@dataclass(frozen=True)
class Reading:
    """What an answer is worth: its text, and why it cannot be used, if it cannot."""

    text: Any
    marks: tuple[str, ...] = ()
    refused: str | None = None


@dataclass(frozen=True)
class Asked:
    """The first answer that could be used, or None; ``refused`` counts why the others could not."""

    text: Any = None
    tries: int = 0
    marks: tuple[str, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)

    @property
    def why(self) -> str:
        told = ", ".join(f"{reason} ({n})" for reason, n in sorted(self.refused.items()))
        return f"no usable answer in {self.tries} tries: {told}"


Read = Callable[[Completion, str], Reading]
"""(answer, prompt) -> what it is worth"""
Prompt = Callable[[str, Mapping[str, str]], str]
"""(title, sections so far) -> prompt"""


def ask(
    writer: Writer, prompts: Sequence[str], sampling: Sampling, read: Read, tries: int, seeds: Sequence[object]
) -> list[Asked]:
    """One outcome a prompt, in their order. All prompts that are still open are asked together; each try has its own seed,
    made of the prompt's ``seeds`` and the number of the try. An answer that failed for good (an error) is not asked for again."""
    found = [Asked()] * len(prompts)
    still = list(range(len(prompts)))
    for number in range(1, tries + 1):
        messages = [[{"role": "user", "content": prompts[i]}] for i in still]
        answers = writer.complete(messages, [seed_of(seeds[i], "try", number) for i in still], sampling)
        read_now = {i: read(answer, prompts[i]) for i, answer in zip(still, answers, strict=True)}
        for i, reading in read_now.items():
            found[i] = after(found[i], reading)
        lost = {i for i, answer in zip(still, answers, strict=True) if answer.finish_reason == "error"}
        still = [i for i in still if read_now[i].refused and i not in lost]
        if not still:
            break
    return found


def after(before: Asked, reading: Reading) -> Asked:
    if reading.refused is None:
        return Asked(reading.text, before.tries + 1, reading.marks, before.refused)
    refused = dict(Counter(before.refused) + Counter([reading.refused]))
    return Asked(None, before.tries + 1, (), refused)


def general(completion: Completion, prompt: str) -> tuple[tuple[str, ...], str | None]:
    """The marks of an answer, as every level has them, and why none with these marks can be used, or None."""
    marks = read_answer(completion, prompt).marks
    if "error" in marks:
        return marks, f"error: {completion.error}"
    return marks, next((mark for mark in ("empty", "refusal") if mark in marks), None)


@dataclass(frozen=True)
class Step:
    """How one section is asked for: of whom, with which decoding, and how often at most."""

    writer: Writer
    sampling: Sampling
    prompt: Prompt
    read: Read
    tries: int


@dataclass(frozen=True)
class Written:
    """Sections as far as they came; ``error`` says at which one it ended."""

    parts: Mapping[str, str]
    tries: int
    marks: tuple[str, ...]
    error: str | None = None

    def by(self, generator: str, decoding: str, about: Mapping[str, str]) -> Made:
        """The paper, and how it came; at the least it takes an answer a section."""
        parts, told = {} if self.error else self.parts, {"least": len(SECTIONS), **about}
        return Made(parts, generator, decoding, self.tries, self.marks, self.error, told)


def section_by_section(titles: Sequence[str], steps: Mapping[str, Step], seeds: Sequence[object]) -> list[Written]:
    """Section after section for all titles; a title whose section failed is asked for no further one."""
    found = [Written({}, 0, ())] * len(titles)
    for section, step in steps.items():
        going = [i for i, written in enumerate(found) if written.error is None]
        prompts = [step.prompt(titles[i], found[i].parts) for i in going]
        own = [seed_of(seeds[i], section) for i in going]
        for i, asked in zip(going, ask(step.writer, prompts, step.sampling, step.read, step.tries, own), strict=True):
            found[i] = grown(found[i], section, asked)
    return found


def grown(written: Written, section: str, asked: Asked) -> Written:
    tries, marks = written.tries + asked.tries, tuple(dict.fromkeys((*written.marks, *asked.marks)))
    if asked.text is None:
        return Written(written.parts, tries, marks, f"{section}: {asked.why}")
    return Written({**written.parts, section: asked.text}, tries, marks)
