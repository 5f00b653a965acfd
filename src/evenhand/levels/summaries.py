"""What stands for the student's notes: a summary by the writer, or the notes that the corpus has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..documents import Document
from ..errors import DataError, SpecError
from ..models.chat import Writer
from ..models.generation import Sampling
from ..seeds import seed_of
from .answers import read_answer

ORIGINS = ("writer", "notes")
PROMPT = "Summarize this text in a few short bullet points: "
SAMPLING = Sampling(temperature=0.7, max_new_tokens=120)


def check_origin(name: str, origin: str) -> None:
    if origin not in ORIGINS:
        raise SpecError(f"{name}: summary_from must be one of {', '.join(ORIGINS)}, got {origin!r}")


def with_summaries(documents: Sequence[Document], writer: Writer, origin: str, seed: int) -> list[Document]:
    """The documents with meta['summary'] and meta['summary_from']; the prompt for the writer is ours."""
    if origin == "notes":
        return [_with(document, _notes(document), "notes") for document in documents]
    prompts = [[{"role": "user", "content": PROMPT + document.text}] for document in documents]
    seeds = [seed_of(document.digest, "summary", seed) for document in documents]
    answers = writer.complete(prompts, seeds, SAMPLING)
    texts = [read_answer(a, p[-1]["content"]).text for a, p in zip(answers, prompts, strict=True)]
    return [_with(d, text, answer.model) for d, text, answer in zip(documents, texts, answers, strict=True)]


def _notes(document: Document) -> str:
    notes = document.meta.get("notes")
    if not notes:
        raise DataError(
            f"document {document.id!r} has no notes; give the corpus a column 'notes', or summary_from='writer'"
        )
    return str(notes)


def _with(document: Document, summary: str, origin: str) -> Document:
    return replace(document, meta={**document.meta, "summary": summary, "summary_from": origin})
