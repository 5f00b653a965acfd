"""Papers by causal language models, section by section: IDMGSP's GPT-2 and Galactica recipes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from ...documents import Document
from ...errors import SpecError
from ...models.chat import Cached, Completion, Writer
from ...models.continuation import Decoding, LocalContinuation
from ...models.home import cache_dir
from ...registry import Card
from ...sections import SECTIONS
from ...seeds import seed_of
from ..answers import whole_sentences
from .asking import Prompt, Read, Reading, Step, check_tries, general, section_by_section
from .base import IDMGSP, Made, PaperMaker
from .tidy import cut_at_end, numbered_references, one_line, own_section, without_fragment

SEP = "<|sep|>"
"""Between title and section, in what the released section models learnt from (authors' code)."""
RELEASED = {section: f"hub:tum-nlp/IDMGSP-GPT-2-{section.upper()}" for section in SECTIONS}
GPT2 = Decoding(top_k=50, top_p=0.5, max_new_tokens=512)
GALACTICA = {
    "abstract": Decoding(
        max_new_tokens=512, top_k=50
    ),  # the row's dashes are the library's defaults, top_k = 50 among them
    "introduction": Decoding(0.7, 0.9, 25, 1024, no_repeat_ngram=10),
    "conclusion": Decoding(0.7, 0.9, 25, 1024, no_repeat_ngram=10),
}
SHORTEST = {"abstract": 1, "introduction": 40, "conclusion": 30}
"""Tokens below which Galactica's section is asked for again (authors' code)."""


@dataclass(frozen=True)
class CausalPapers(PaperMaker):
    """``model``: 'released' (IDMGSP's three section models on the hub), a folder with the folders abstract, introduction and
    conclusion (`evenhand build section-models` makes them), or any one model for all sections. ``prompt``: with '{title}' and
    '{section}'; None is the title and <|sep|> for section models, 'Title: ...' and 'Abstract:' for others.
    ``max_new_tokens``: None is the recipe's."""

    model: str = "embedded"
    recipe: str = "gpt2"
    prompt: str | None = None
    max_new_tokens: int | None = None
    tries: int = 3
    name: ClassVar[str] = "causal_papers"
    asks: ClassVar[bool] = False
    card: ClassVar[Card] = Card(
        summary="Papers that causal models write section by section, from the title (gpt2) or from all before (galactica).",
        source=f"{IDMGSP}, sections 3.2.2 and 3.2.3, table A1; the authors' notebooks",
        licence="models as their cards say (IDMGSP-GPT-2: openrail++; Galactica: CC BY-NC 4.0)",
        family="papers",
        needs="torch, and the models",
        follows="gpt2: 512 new tokens, top_k 50, top_p 0.5, temperature 1 (the notebook: 512 in all, title included); a leading "
        "fragment goes up to the next sentence, as the paper says (the notebook: up to the first capital), and the last whole "
        "sentence stays (the notebook takes one sentence too many). galactica: table A1, again until the end of text, at most "
        "`tries` times (the notebook: without bound, and for the conclusion three times, then whatever came); no padding, "
        "which changes no token where the mask is right; 'Abstract:' is given (there the model has to write it)",
        pitfalls="The released models have no model card; their use is read from the notebooks and was not run here. An "
        "untuned model given a bare title drifts: see the accept rates in docs/scientific-papers.md.",
    )

    def __post_init__(self) -> None:
        if self.recipe not in ("gpt2", "galactica"):
            raise SpecError(f"{self.name}: recipe is 'gpt2' or 'galactica', got {self.recipe!r}")
        check_tries(self.name, self.tries)
        for section in SECTIONS:
            _ = self.decoding(section)
            try:
                self.asked(section)("A title", {})
            except (KeyError, IndexError, ValueError):
                raise SpecError(
                    f"{self.name}: prompt may hold {{title}} and {{section}}, got {self.prompt!r}"
                ) from None

    def decoding(self, section: str) -> Decoding:
        recipe = GPT2 if self.recipe == "gpt2" else GALACTICA[section]
        own = recipe.max_new_tokens if self.max_new_tokens is None else self.max_new_tokens
        return Decoding(recipe.temperature, recipe.top_p, recipe.top_k, own, recipe.no_repeat_ngram)

    @property
    def recorded(self) -> str:
        return replace(self, model=Path(self.model).name).spec if Path(self.model).is_dir() else self.spec

    @property
    def tuned(self) -> bool:
        """Whether there is a model a section, which has learnt to follow a bare title."""
        return len(set(self.models().values())) > 1

    def models(self) -> dict[str, str]:
        """Section -> model spec."""
        if self.model == "released":
            return dict(RELEASED)
        folder = Path(self.model)
        if all((folder / section / "config.json").is_file() for section in SECTIONS):
            return {section: str(folder / section) for section in SECTIONS}
        return dict.fromkeys(SECTIONS, self.model)

    def make(self, documents: list[Document], writer: Writer | None, seed: int) -> Iterator[tuple[Document, Made]]:
        """With its own models; a ``writer`` is asked in their place where one is given, as a count of the cost does."""
        models = self.models()
        writers = {section: writer or kept(models[section]) for section in SECTIONS}
        steps = {
            section: Step(writers[section], self.decoding(section), self.asked(section), self.read(section), self.tries)
            for section in SECTIONS
        }
        seeds = [seed_of(document.title, self.name, self.recipe, seed) for document in documents]
        found = section_by_section([str(d.title) for d in documents], steps, seeds)
        name = ", ".join(dict.fromkeys(writers[section].model for section in SECTIONS))
        decoding = "; ".join(dict.fromkeys(self.decoding(section).told for section in SECTIONS))
        about = writers[SECTIONS[0]].about
        return zip(documents, (one.by(name, decoding, about) for one in found), strict=True)

    def asked(self, section: str) -> Prompt:
        def prompt(title: str, parts: Mapping[str, str]) -> str:
            if self.prompt is not None:
                return self.prompt.format(title=title, section=section.capitalize())
            if self.recipe == "gpt2" and self.tuned:
                return f"{title}{SEP}"
            if self.recipe == "gpt2":
                return f"Title: {title}\n\n{section.capitalize()}:"
            before = "".join(f"{name.capitalize()}: {text}\n\n" for name, text in parts.items())
            return f"Title: {title}\n\n{before}{section.capitalize()}:"

        return prompt

    def read(self, section: str) -> Read:
        """GPT-2's answers are all taken, cut to whole sentences; Galactica's only with their end."""

        def gpt2(completion: Completion, prompt: str) -> Reading:
            marks, refused = general(completion, prompt)
            raw, ended = cut_at_end(completion.text)
            kept = own_section(raw, section)
            text = without_fragment(one_line(kept))
            if "cut" in marks and not ended and raw.rstrip().endswith(kept):  # else another section followed
                text = whole_sentences(text)
            return Reading(text, marks, refused or (None if text else "nothing left after its fragment"))

        def galactica(completion: Completion, prompt: str) -> Reading:
            marks, refused = general(completion, prompt)
            raw, ended = cut_at_end(completion.text)
            text = one_line(numbered_references(own_section(raw, section)))
            ended = (
                ended or completion.finish_reason == "stop" or len(own_section(raw, section)) < len(raw.strip()) - 20
            )
            if refused is None and not ended:
                refused = "no end of text within the token limit"
            if refused is None and len(re.findall(r"\w+", text)) * 4 / 3 < SHORTEST[section]:
                refused = "too short"
            text = text if not text or text.endswith(".") else f"{text}."
            return Reading(text, tuple(mark for mark in marks if mark != "cut"), refused)

        return gpt2 if self.recipe == "gpt2" else galactica


def kept(model: str) -> Writer:
    """The model behind its kept answers. Special tokens stay in them: some end a section, some are Galactica's references."""
    return Cached(LocalContinuation(model, special=True), cache_dir() / "answers")
