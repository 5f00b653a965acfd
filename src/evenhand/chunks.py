"""Work items: texts and the detectors that still have to answer, through an engine, into the table of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from . import engines
from .detectors.judging import judge, key
from .documents import SET_ASIDE, Document, Judgement
from .folds import Column, learnt_rows
from .models.weights import resolve
from .store import Store, batches

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Options:
    """How to compute, which never changes a number. ``batch``: texts a work item, which is what a kill loses at most;
    batches are cut from the table of documents, not from what is left to do. ``engine="auto"``: a process a core
    where models run on the processor, else serial."""

    engine: str = "auto"
    batch: int = 16
    retry_failed: bool = False
    progress: Progress = lambda done, total: None


@dataclass(frozen=True)
class Chunk:
    """Texts by digest, the columns that still have to answer, with the texts that each may judge, and the (digest, column)
    pairs that are missing."""

    texts: dict[str, str]
    judged: dict[int, tuple[str, ...]]
    missing: frozenset[tuple[str, int]]


def run_chunks(store: Store, columns: Sequence[Column], documents: Sequence[Document], options: Options) -> None:
    fitted, keys = [one.detector for one in columns], [key(one.detector) for one in columns]
    answered = [store.done(name) for name in keys]
    for one, there in zip(columns, answered, strict=True):
        for rows in batches(learnt_rows(one, there), 500):
            store.append("scores", rows)
    chunks = list(unfinished(documents, answered, [one.left_out for one in columns], options.batch))
    total, done = sum(len(chunk.missing) for chunk in chunks), 0
    options.progress(done, total)
    for rows in engines.get(engine_of(options.engine, fitted)).map(partial(score_chunk, fitted, keys), chunks):
        store.append("scores", rows)
        done += len(rows)
        options.progress(done, total)


def engine_of(spec: str, fitted: Sequence[Any]) -> str:
    if spec != "auto":
        return spec
    devices = {resolve(model).device for detector in fitted for model in getattr(detector, "models", ())}
    return "processes" if devices == {"cpu"} else "serial"


def texts_to_judge(documents: Iterable[Document]) -> dict[str, str]:
    """Each text once, by its digest and in that order, which tells nothing of labels."""
    return dict(sorted((d.digest, d.text) for d in documents if d.split not in SET_ASIDE))


def unfinished(
    documents: Sequence[Document], done: Sequence[set[str]], left_out: Sequence[frozenset[str]], size: int
) -> Iterator[Chunk]:
    for pairs in batches(texts_to_judge(documents).items(), size):
        judged = {i: tuple(name for name, _ in pairs if name not in out) for i, out in enumerate(left_out)}
        missing = frozenset((name, i) for i, names in judged.items() for name in names if name not in done[i])
        if missing:
            yield Chunk(dict(pairs), {i: judged[i] for i in sorted({i for _, i in missing})}, missing)


def score_chunk(fitted: list[Any], keys: list[str], chunk: Chunk) -> list[dict[str, Any]]:
    """Columns that judge the same texts go through the models together."""
    together: dict[tuple[str, ...], list[int]] = {}
    for i, names in chunk.judged.items():
        together.setdefault(names, []).append(i)
    return [
        {"digest": name, "detector": keys[i], **told(answer)}
        for names, members in together.items()
        for i, column in zip(
            members, judge([chunk.texts[name] for name in names], [fitted[i] for i in members]), strict=True
        )
        for name, answer in zip(names, column, strict=True)
        if (name, i) in chunk.missing
    ]


def told(answer: Judgement) -> dict[str, Any]:
    return {
        "score": answer.score if answer.status == "ok" else None,
        "status": answer.status,
        "reason": answer.reason,
        "n_tokens": answer.n_tokens,
        "truncated": answer.truncated,
    }
