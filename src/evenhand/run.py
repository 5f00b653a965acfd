"""The one place where plan, engine, detectors and store meet."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any

import pyarrow.compute as pc

from . import audits, corpora, detectors, engines, measures, provenance
from .detectors.judging import judge, key
from .detectors.trained.weights import told as weights_told
from .detectors.trained.weights import unwrapped
from .documents import SET_ASIDE, Document, Judgement, digest
from .errors import DataError
from .measures import Measured
from .models.weights import resolve
from .plan import Plan
from .store import Store, batches, document_of, row_of

Progress = Callable[[int, int], None]
LEARNT_FROM: dict[str, Callable[[Document], Any]] = {
    "levels": lambda d: d.level,
    "corpora": lambda d: d.corpus,
    "clusters": lambda d: d.cluster or d.source_id or d.id,
    "generators": lambda d: d.generator,
}
"""What a detector's ``fit`` may take beside texts and labels: one value a text, named in its ``learns_from``."""


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
    """Texts by digest, the detectors that still have to answer, and the (digest, detector) pairs that are missing."""

    texts: dict[str, str]
    detectors: tuple[int, ...]
    missing: frozenset[tuple[str, int]]


def score(plan: Plan, out: str | PathLike[str], options: Options | None = None) -> Store:
    """Scores every text of ``plan`` with every detector; what the folder ``out`` already holds is not done again."""
    options, store, plan = options or Options(), Store.at(out), plan.resolved()
    chosen = [detectors.get(spec, model=plan.model) for spec in plan.detectors]
    for spec in plan.audits:
        audits.canonical(spec)  # a misspelt question is refused before hours of scoring
    provenance.claim(store, plan.identity())
    store.write_text("plan.toml", plan.to_toml())
    documents = stored_documents(store, plan)
    fitted = [fit(detector, documents, plan) for detector in chosen]
    keys = {spec: key(detector) for spec, detector in zip(plan.detectors, fitted, strict=True)}
    before = store.read_json("environment.json")
    keys = {**before.get("detectors", {}), **keys}  # detectors that joined earlier stay
    about = {spec: told_of(detector) for spec, detector in zip(plan.detectors, fitted, strict=True)}
    told = {**before, **provenance.environment(keys), "corpus": corpus_card(plan)}
    told["about"] = {**before.get("about", {}), **about}
    store.write_text("environment.json", json.dumps(told, indent=1, sort_keys=True, default=str))
    if options.retry_failed:
        store.drop_failed()
    measure(store, plan, documents)
    run_chunks(store, fitted, documents, options)
    return store


def told_of(detector: Any) -> dict[str, Any]:
    """Of a detector's card, and of its training, weights and own threshold where it learnt: the reading half can't ask it."""
    inner, card = unwrapped(detector), getattr(detector, "card", None)
    known = {name: getattr(card, name) for name in ("source", "licence") if card is not None}
    learnt = {"training": getattr(inner, "training_", None), "threshold": getattr(inner, "threshold_", None)}
    spec = {"saved": inner.spec} if inner is not detector else {}
    return known | learnt | spec | {"weights": weights_told(detector)}


def corpus_card(plan: Plan) -> dict[str, str]:
    """What is to be known of the corpus before its numbers are trusted."""
    card = corpora.get(plan.corpus).card
    return {
        "family": card.family,
        "summary": card.summary,
        "source": card.source,
        "licence": card.licence,
        "pitfalls": card.pitfalls,
    }


def stored_documents(store: Store, plan: Plan) -> list[Document]:
    """The study's documents: read from the run folder where they are whole, made and written otherwise."""
    if not (plan.store_texts and provenance.complete(store)):
        made = list(plan.documents())
        if not provenance.complete(store):
            store.clear("documents")
            for batch in batches(made, 500):
                store.append("documents", [row_of(d, text=plan.store_texts) for d in batch])
        provenance.seal(store, made)
        if not plan.store_texts:
            return made
    return [document_of(row) for row in store.read("documents").to_pylist()]


def measure(store: Store, plan: Plan, documents: Sequence[Document]) -> None:
    """Writes what the plan's measures tell of every document outside the training split, and of its source."""
    texts = {d.id: d.text for d in documents}
    kept = [d for d in documents if d.split not in SET_ASIDE]
    for spec in plan.measures:
        done = set(store.read("measures").filter(pc.field("measure") == spec)["id"].to_pylist())
        todo = [d for d in kept if d.id not in done]
        for batch in batches(todo, 500):
            pairs = [(d.text, texts.get(d.source_id or "")) for d in batch]
            store.append(
                "measures", [measure_row(d, spec, m) for d, m in zip(batch, measures.get(spec)(pairs), strict=True)]
            )


def measure_row(document: Document, spec: str, found: Measured) -> dict[str, Any]:
    value = None if math.isnan(found.value) else found.value
    return {"id": document.id, "measure": spec, "value": value, "reason": found.reason}


def fit(detector: Any, documents: Sequence[Document], plan: Plan) -> Any:
    """A detector that learns is fitted on the clean texts of the split 'train'; others come back as they are."""
    if not getattr(detector, "learns", False):
        return detector
    refuse_shared_clusters(documents)
    clean = [d for d in documents if d.split == "train" and d.attack == "none" and d.sanitizer == "none"]
    known = [(d, y) for d in clean if (y := plan.policy.positive(d.label, d.level)) is not None]
    told = {kind: [LEARNT_FROM[kind](d) for d, _ in known] for kind in getattr(detector, "learns_from", ())}
    return detector.fit([d.text for d, _ in known], [y for _, y in known], **told)


def fitted(store: Store, spec: str) -> Any:
    """The detector ``spec`` of a run folder, fitted on the run's texts as it was there, and as its scores' key says.

    Raises DataError where the run has no such detector, keeps no texts to learn from, or the fit comes out another."""
    keys = store.read_json("environment.json").get("detectors", {})
    if spec not in keys:
        raise DataError(f"{store.folder} has no detector {spec!r}; it has: {', '.join(keys)}")
    plan = Plan.read(store.folder / "plan.toml")
    detector = detectors.get(spec, model=plan.model)
    if getattr(detector, "learns", False) and not plan.store_texts:
        raise DataError(
            f"{store.folder} keeps no texts, so {spec} cannot learn again; detectors.save it, and give saved(path=...)"
        )
    documents = [document_of(row) for row in store.read("documents").to_pylist()] if plan.store_texts else []
    found = fit(detector, documents, plan)
    if key(found) != keys[spec]:
        raise DataError(
            f"{spec} comes out as {key(found)} here, and {store.folder} was scored by {keys[spec]}: score it anew"
        )
    return found


def held_out(store: Store, most: int = 500) -> tuple[list[str], list[bool]]:
    """Texts that no detector of the run learnt from, and whether the policy calls them machine; unedited, at most so many."""
    plan = Plan.read(store.folder / "plan.toml")
    documents = [document_of(row) for row in store.read("documents").to_pylist() if row["split"] not in SET_ASIDE]
    clean = [d for d in documents if d.attack == "none" and d.sanitizer == "none" and plan.store_texts]
    known = [(d.text, y) for d in clean if (y := plan.policy.positive(d.label, d.level)) is not None]
    chosen = sorted(known, key=lambda pair: digest(pair[0]))[:most]
    return [text for text, _ in chosen], [y for _, y in chosen]


def refuse_shared_clusters(documents: Sequence[Document]) -> None:
    """What is learnt must not be tested on itself."""
    train = {d.cluster for d in documents if d.split == "train" and d.cluster}
    shared = sorted({d.cluster for d in documents if d.split not in SET_ASIDE} & train)
    if shared:
        raise DataError(
            f"{len(shared)} clusters stand in the split 'train' and outside it (one: {shared[0]!r}), so what is learnt would be "
            "tested on itself; `evenhand split` places whole clusters"
        )


def run_chunks(store: Store, fitted: list[Any], documents: Sequence[Document], options: Options) -> None:
    keys = [key(detector) for detector in fitted]
    chunks = list(unfinished(documents, [store.done(k) for k in keys], options.batch))
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


def unfinished(documents: Sequence[Document], done: list[set[str]], size: int) -> Iterator[Chunk]:
    texts = {d.digest: d.text for d in documents if d.split not in SET_ASIDE}
    for pairs in batches(sorted(texts.items()), size):
        missing = frozenset((name, i) for name, _ in pairs for i, have in enumerate(done) if name not in have)
        if missing:
            yield Chunk(dict(pairs), tuple(sorted({i for _, i in missing})), missing)


def score_chunk(fitted: list[Any], keys: list[str], chunk: Chunk) -> list[dict[str, Any]]:
    answers = judge(list(chunk.texts.values()), [fitted[i] for i in chunk.detectors])
    return [
        {"digest": name, "detector": keys[i], **told(answer)}
        for i, column in zip(chunk.detectors, answers, strict=True)
        for name, answer in zip(chunk.texts, column, strict=True)
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
