"""Papers that a person wrote and a machine paraphrased in part: which sections is known, and so the machine's share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

from ...documents import Document, Label, Level, Span
from ...errors import DataError, SpecError
from ...models.chat import Completion, Writer
from ...registry import Card
from ...sections import SECTIONS, join_sections, spans_of, split_sections
from ...seeds import rng, seed_of
from ..answers import read_answer
from .asking import Asked, AskedPapers, Reading, ask, general
from .base import IDMGSP, Made
from .tidy import own_section

SUBSETS = tuple("+".join(subset) for size in (1, 2, 3) for subset in combinations(SECTIONS, size))
PROMPT = (
    "Paraphrase this {section} of a scientific paper in your own words. Write about {words} words. Answer with the paraphrase "
    "only.\n\n{text}"
)


@dataclass(frozen=True)
class CoCreated(AskedPapers):
    """``sections``: one of the seven subsets, such as 'abstract+conclusion'; 'random', one of them a paper by a seeded draw; or
    'all', all seven of every paper. A section is paraphrased once, whichever subsets hold it."""

    sections: str = "random"
    temperature: float = 1.0
    max_new_tokens: int = 1024
    tries: int = 1
    name: ClassVar[str] = "co_created"
    level: ClassVar[Level] = Level.REWRITE_HUMAN
    label: ClassVar[Label] = "mixed"
    card: ClassVar[Card] = Card(
        summary="Human papers of which an LLM paraphrased any of the seven subsets of sections.",
        source=f"{IDMGSP}, section 3.3 and figure 3",
        family="papers",
        needs="human papers with the lines Abstract:, Introduction:, Conclusion:, and a writer",
        follows="one prompt a section with the number of words it shall have, temperature 1.0; the wording of the prompt is ours "
        "(the notebook's was not found), and so is the draw of subsets",
        pitfalls="label is 'mixed' (the paper calls all of them fake, whatever the share); read meta paraphrased_sections and "
        "machine_share. Models shorten long sections: the words asked for and given stand in meta.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sections not in (*SUBSETS, "random", "all"):
            raise SpecError(
                f"{self.name}: sections is 'random', 'all' or one of {', '.join(SUBSETS)}; got {self.sections!r}"
            )

    def check(self, document: Document) -> None:
        if document.label != "human":
            raise DataError(
                f"{self.name}: {document.id!r} has the label {document.label!r}; papers that people wrote are paraphrased"
            )
        if set(split_sections(document.text)) != set(SECTIONS):
            raise DataError(
                f"{self.name}: {document.id!r} has not the three headings, each on a line of its own and with text under it; "
                f"join the sections so: {join_sections(dict.fromkeys(SECTIONS, '...'))!r}"
            )

    def make(self, documents: list[Document], writer: Writer, seed: int) -> Iterator[tuple[Document, Made]]:
        """One paper a document and subset."""
        wanted = [(document, subset) for document in documents for subset in self.subsets(document, seed)]
        return self.mixed(wanted, self.paraphrased(wanted, writer, seed), writer)

    def document(self, source: Document, made: Made, seed: int) -> Document:
        """Its id names the subset."""
        found = super().document(source, made, seed)
        return replace(found, id=f"{found.id}/{'+'.join(made.told['paraphrased_sections'])}")

    def subsets(self, document: Document, seed: int) -> list[str]:
        if self.sections == "all":
            return list(SUBSETS)
        if self.sections == "random":
            return [rng("co-created", document.digest, seed).choice(SUBSETS)]
        return [self.sections]

    def paraphrased(
        self, wanted: Sequence[tuple[Document, str]], writer: Writer, seed: int
    ) -> dict[tuple[str, str], Asked]:
        """(id of the paper, section) -> what came of it."""
        places = list(dict.fromkeys((d.id, name) for d, subset in wanted for name in subset.split("+")))
        texts = {document.id: split_sections(document.text) for document, _ in wanted}
        prompts = [
            PROMPT.format(section=name, words=len(texts[key][name].split()), text=texts[key][name])
            for key, name in places
        ]
        seeds = [seed_of(texts[key][name], name, seed) for key, name in places]
        return dict(zip(places, ask(writer, prompts, self.sampling, read_paraphrase, self.tries, seeds), strict=True))

    def mixed(
        self, wanted: Sequence[tuple[Document, str]], asked: Mapping[tuple[str, str], Asked], writer: Writer
    ) -> Iterator[tuple[Document, Made]]:
        """A section that several subsets hold was asked for once: its tries are counted with the first of them."""
        counted: set[tuple[str, str]] = set()
        for document, subset in wanted:
            places = [(document.id, name) for name in subset.split("+")]
            new = [asked[place] for place in places if place not in counted]
            counted.update(places)
            yield document, self.one(document, {name: asked[key, name] for key, name in places}, new, writer)

    def one(self, document: Document, answers: Mapping[str, Asked], new: Sequence[Asked], writer: Writer) -> Made:
        own, tries = split_sections(document.text), sum(answer.tries for answer in new)
        marks = tuple(dict.fromkeys(mark for answer in answers.values() for mark in answer.marks))
        told: dict[str, Any] = {"paraphrased_sections": list(answers), "least": len(new), **writer.about}
        told["words_asked"] = {name: len(own[name].split()) for name in answers}
        if lost := [f"{name}: {answer.why}" for name, answer in answers.items() if answer.text is None]:
            return Made({}, writer.model, self.sampling.told, tries, marks, "; ".join(lost), told)
        parts = {**own, **{name: answer.text for name, answer in answers.items()}}
        told["words_given"] = {name: len(parts[name].split()) for name in answers}
        told["machine_share"] = round(sum(len(parts[n]) for n in answers) / sum(map(len, parts.values())), 4)
        return Made(parts, writer.model, self.sampling.told, tries, marks, None, told)

    def spans(self, made: Made, text: str) -> tuple[Span, ...]:
        """Headings go with their section. Characters of the whole text are covered."""
        if not text:
            return ()
        places = spans_of(made.parts)
        ends = [*(start - len(f"{name}:\n\n") for name, (start, _) in places.items()), len(text)][1:]
        found: list[Span] = []
        for name, end in zip(places, ends, strict=True):
            author: Any = "machine" if name in made.told["paraphrased_sections"] else "human"
            start = found[-1].end if found else 0
            if found and found[-1].author == author:
                found[-1] = Span(found[-1].start, end, author)
            else:
                found.append(Span(start, end, author))
        return tuple(found)


def read_paraphrase(completion: Completion, prompt: str) -> Reading:
    """The paraphrase alone: no heading, no further section, no copy."""
    source, name = prompt.partition("\n\n")[2], "(?:abstract|introduction|conclusion)"
    answer = read_answer(replace(completion, text=own_section(completion.text, name)), prompt, source)
    marks, refused = general(completion, prompt)
    if refused is None and "copy" in answer.marks:
        refused = "a copy of the section"
    if refused is None and not answer.text:
        refused = "another section, or none"
    return Reading(answer.text, tuple(dict.fromkeys((*marks, *answer.marks))), refused)
