"""What stands for the student's notes: a summary by the writer or by a T5, or the notes that the corpus has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..documents import Document
from ..errors import DataError, SpecError
from ..models.chat import Cached, Completion, Seq2SeqChat, Writer
from ..models.generation import Sampling
from ..models.home import cache_dir
from ..seeds import seed_of
from .answers import Answer, read_answer

PROMPT = "Summarize this text in a few short bullet points: {human-text}"
SAMPLING = Sampling(temperature=0.7, max_new_tokens=120)
T5_PROMPT = "summarize: {human-text}"
T5_SAMPLING = Sampling(temperature=0.0, max_new_tokens=200)
T5_WORDS = 150
"""As many as its tokens hold, where only the cost is counted."""


def check_origin(name: str, origin: str) -> None:
    if origin not in ("writer", "notes") and not origin.startswith("t5:"):
        raise SpecError(f"{name}: summary_from must be 'writer', 'notes' or 't5:MODEL', got {origin!r}")


def with_summaries(documents: Sequence[Document], writer: Writer, origin: str, seed: int) -> list[Document]:
    """The documents with meta['summary'] and meta['summary_from']. What could not be summarised has an empty summary."""
    if origin == "notes":
        return [_noted(document) for document in documents]
    if origin == "writer":
        return _summarised(documents, writer, PROMPT, SAMPLING, seed)
    if writer.counts_only:  # a T5 runs on this machine: it is nobody's to bill, and is not run to count
        return [replace(d, meta={**d.meta, "summary": " ".join(d.text.split()[:T5_WORDS])}) for d in documents]
    t5 = Cached(Seq2SeqChat(origin.removeprefix("t5:")), cache_dir() / "answers")
    return _summarised(documents, t5, T5_PROMPT, T5_SAMPLING, seed)


def _summarised(
    documents: Sequence[Document], writer: Writer, prompt: str, sampling: Sampling, seed: int
) -> list[Document]:
    prompts = [
        [{"role": "user", "content": prompt.format_map({"human-text": document.text})}] for document in documents
    ]
    seeds = [seed_of(document.digest, "summary", seed) for document in documents]
    answers = writer.complete(prompts, seeds, sampling)
    how = {"summary_prompt": prompt, "summary_decoding": sampling.told}
    return [
        _with(d, read_answer(a, p[-1]["content"]), a, how) for d, p, a in zip(documents, prompts, answers, strict=True)
    ]


def _noted(document: Document) -> Document:
    notes = document.meta.get("notes")
    if not notes:
        raise DataError(
            f"document {document.id!r} has no notes; give the corpus a column 'notes', or summary_from='writer'"
        )
    return replace(document, meta={**document.meta, "summary": str(notes), "summary_from": "notes"})


def _with(document: Document, answer: Answer, completion: Completion, how: Mapping[str, str]) -> Document:
    marks = {"summary_marks": list(answer.marks)} if answer.marks else {}
    failed = {} if answer.text else {"failed": f"no summary: {completion.error or 'the answer was empty'}"}
    told = {"summary": answer.text, "summary_from": completion.model, **how, **marks, **failed}
    return replace(document, meta={**document.meta, **told})
