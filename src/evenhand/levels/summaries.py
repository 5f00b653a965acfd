"""What stands for the student's notes: a summary by the writer or by a T5, or the notes that the corpus has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..documents import Document
from ..errors import DataError, SpecError
from ..models.chat import Seq2SeqChat, Writer
from ..models.generation import Sampling
from ..seeds import seed_of
from .answers import read_answer

PROMPT = "Summarize this text in a few short bullet points: "
SAMPLING = Sampling(temperature=0.7, max_new_tokens=120)
T5_PROMPT = "summarize: "
T5_SAMPLING = Sampling(temperature=0.0, max_new_tokens=200)


def check_origin(name: str, origin: str) -> None:
    if origin not in ("writer", "notes") and not origin.startswith("t5:"):
        raise SpecError(f"{name}: summary_from must be 'writer', 'notes' or 't5:MODEL', got {origin!r}")


def with_summaries(documents: Sequence[Document], writer: Writer, origin: str, seed: int) -> list[Document]:
    """The documents with meta['summary'] and meta['summary_from']. What could not be summarised has an empty summary."""
    if origin == "notes":
        return [_with(document, _notes(document), "notes") for document in documents]
    if origin == "writer":
        return _summarised(documents, writer, PROMPT, SAMPLING, seed)
    return _summarised(documents, Seq2SeqChat(origin.removeprefix("t5:")), T5_PROMPT, T5_SAMPLING, seed)


def _summarised(
    documents: Sequence[Document], writer: Writer, prompt: str, sampling: Sampling, seed: int
) -> list[Document]:
    prompts = [[{"role": "user", "content": prompt + document.text}] for document in documents]
    seeds = [seed_of(document.digest, "summary", seed) for document in documents]
    answers = writer.complete(prompts, seeds, sampling)
    texts = [read_answer(a, p[-1]["content"]).text for a, p in zip(answers, prompts, strict=True)]
    return [
        _with(d, text, answer.model, answer.error) for d, text, answer in zip(documents, texts, answers, strict=True)
    ]


def _notes(document: Document) -> str:
    notes = document.meta.get("notes")
    if not notes:
        raise DataError(
            f"document {document.id!r} has no notes; give the corpus a column 'notes', or summary_from='writer'"
        )
    return str(notes)


def _with(document: Document, summary: str, origin: str, error: str | None = None) -> Document:
    failed = {"failed": f"no summary: {error}"} if error else {}
    return replace(document, meta={**document.meta, "summary": summary, "summary_from": origin, **failed})
