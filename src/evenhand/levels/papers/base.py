"""Makers of papers: from a title to an abstract, an introduction and a conclusion, and a record that says how they came.

A title that brought no paper stands in the result with an empty text and its reason, so that nothing is lost from the count.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ...documents import Document, Label, Level, Span
from ...errors import DataError, SpecError
from ...models.chat import Writer
from ...registry import Component
from ...sections import join_sections, spans_of, split_sections
from ..base import OWN

IDMGSP = "IDMGSP (scientific papers)"


@dataclass(frozen=True)
class Made:
    """What a maker got for one title. ``parts``: section -> text, empty where the paper failed, and then ``error`` says why.
    ``tries``: answers asked for; ``marks``: as in levels/answers.py, of the answers that were kept."""

    parts: Mapping[str, str]
    generator: str
    decoding: str = ""
    tries: int = 1
    marks: tuple[str, ...] = ()
    error: str | None = None
    told: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PaperMaker(Component):
    """``build`` gives papers in the order of the documents that they are made of: one each, and of their titles alone, unless a
    maker says otherwise."""

    level: ClassVar[Level] = Level.TASK
    label: ClassVar[Label] = "machine"
    source: ClassVar[Level] = Level.HUMAN
    asks: ClassVar[bool] = True
    """Whether it asks the writer that it is given; others bring their own models, or none."""
    models_asked: ClassVar[bool] = True
    """Whether any model is asked, the writer or the maker's own."""
    whole: ClassVar[bool] = False
    """Whether one answer holds the whole paper."""

    @abstractmethod
    def make(self, documents: list[Document], writer: Any, seed: int) -> Iterable[tuple[Document, Made]]:
        """The papers, each behind its document. All documents passed ``check``. ``writer`` is one where the maker asks; else it
        is None, or one that only counts what models of the maker's own would be asked."""

    def build(self, documents: Iterable[Document], writer: Writer | None = None, seed: int = 0) -> list[Document]:
        given = list(documents)
        if self.asks and writer is None:
            raise SpecError(f"{self.name} asks a chat model: name it as the writer")
        for document in given:
            self.check(document)
        asked = writer if self.asks or (writer is not None and writer.counts_only) else None
        return [self.document(one, made, seed) for one, made in self.make(given, asked, seed)]

    def check(self, document: Document) -> None:
        """Raises DataError for a document that no paper can be made of."""
        if not (document.title or "").strip():
            raise DataError(f"{self.name}: document {document.id!r} has no title; give the file a column 'title'")

    def document(self, source: Document, made: Made, seed: int) -> Document:
        text = join_sections(made.parts)
        return replace(
            source,
            id=f"{source.id}/{self.name}",
            text=text,
            label=self.label,
            level=self.level,
            level_after=None,
            generator=made.generator,
            decoding=made.decoding,
            source_id=source.id if source.text else None,
            cluster=source.cluster or source.id,
            truncated="cut" in made.marks,
            spans=self.spans(made, text),
            meta={**{key: v for key, v in source.meta.items() if key not in OWN}, **self.told(made, seed)},
        )

    @property
    def recorded(self) -> str:
        """The spec as its papers tell it: without the folders of this machine."""
        return self.spec

    def spans(self, made: Made, text: str) -> tuple[Span, ...]:
        return (Span(0, len(text), "machine"),) if text else ()

    def told(self, made: Made, seed: int) -> dict[str, Any]:
        told = {"prompt": self.recorded, "seed": seed, "tries": made.tries, "marks": list(made.marks), **made.told}
        return told | ({"error": made.error} if made.error else {})


def by_section(paper: Document) -> Iterator[Document]:
    """The sections of a paper as documents of their own, each with its spans; one cluster, one source. Of a co-created paper,
    each is its author's. Empty papers give none."""
    parts = split_sections(paper.text)
    for name, (start, end) in spans_of(parts).items():
        spans = tuple(
            Span(max(s.start, start) - start, min(s.end, end) - start, s.author)
            for s in paper.spans
            if s.start < end and s.end > start
        )
        part = replace(paper, id=f"{paper.id}#{name}", text=parts[name], section=name, spans=spans)
        yield _of_its_author(part) if paper.label == "mixed" else part


def _of_its_author(part: Document) -> Document:
    """A section of a co-created paper, with the label, level and share of who wrote it."""
    machine = any(span.author == "machine" for span in part.spans)
    meta = {**part.meta, "paraphrased_sections": [part.section] if machine else [], "machine_share": float(machine)}
    if machine:
        return replace(part, label="machine", meta=meta)
    return replace(part, label="human", level=Level.HUMAN, generator=None, decoding=None, meta=meta)


def outcome(papers: Iterable[Document]) -> dict[str, int]:
    """How many papers were asked for, came, came at the first try, and were skipped; tries in all; then marks."""
    counts = dict.fromkeys(("n", "accepted", "at once", "skipped", "tries"), 0)
    for paper in papers:
        came = bool(paper.text)
        counts["n"] += 1
        counts["accepted"] += came
        counts["at once"] += came and paper.meta.get("tries", 1) <= paper.meta.get("least", 1)
        counts["skipped"] += not came
        counts["tries"] += paper.meta.get("tries", 1)
        for mark in paper.meta.get("marks", ()):
            counts[mark] = counts.get(mark, 0) + 1
    return counts
