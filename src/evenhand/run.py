"""The one place where plan, engine, detectors and store meet."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any

import pyarrow.compute as pc

from . import audits, corpora, detectors, engines, measures, provenance, pseudonyms
from .detectors.judging import judge, key
from .detectors.trained.weights import told as weights_told
from .detectors.trained.weights import unwrapped
from .documents import SET_ASIDE, Document, Judgement, digest
from .errors import DataError
from .folds import Column, keys_of, learnt_rows, of_folds, unedited
from .measures import Measured
from .models.weights import resolve
from .plan import Plan
from .readings import reading_rows
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
    """Texts by digest, the columns that still have to answer, with the texts that each may judge, and the (digest, column)
    pairs that are missing."""

    texts: dict[str, str]
    judged: dict[int, tuple[str, ...]]
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
    columns = columns_of(plan, chosen, documents)
    store.write_text("environment.json", environment(store, plan, columns, documents))
    if options.retry_failed:
        store.drop_failed()
    measure(store, plan, documents)
    run_chunks(store, columns, documents, options)
    note_readings(store, columns, documents)
    return store


def columns_of(plan: Plan, chosen: Sequence[Any], documents: Sequence[Document]) -> list[Column]:
    """The plan's detectors, fitted; what learns, once for each fold of the plan's evaluation."""
    evaluation = plan.folded()
    found: list[Column] = []
    for spec, detector in zip(plan.detectors, chosen, strict=True):
        if evaluation is None or not getattr(detector, "learns", False):
            found.append(Column(spec, spec, fit(detector, documents, plan)))
        else:
            found += of_folds(spec, detector, documents, evaluation, partial(learn, plan))
    return found


def environment(store: Store, plan: Plan, columns: Sequence[Column], documents: Sequence[Document]) -> str:
    """The text of environment.json; what earlier runs of the folder wrote of other detectors stays."""
    before, evaluation = store.read_json("environment.json"), plan.folded()
    keys = keys_of(columns, evaluation)
    about: dict[str, dict[str, Any]] = {}
    for one in columns:
        own = told_of(one.detector)
        if not plan.store_texts:
            own["weights"] = None  # their names are words of the texts
        about[one.spec] = told_of_folds(plan, about.get(one.spec), one.fold, own) if one.shared else own
    found = {**before, **provenance.environment({**before.get("detectors", {}), **keys["detectors"]})}
    found["corpus"], found["set_aside"] = corpus_card(plan), set_aside(documents)
    found["about"] = {**before.get("about", {}), **about}
    if evaluation is not None:
        found["folds"] = {**before.get("folds", {}), **keys["folds"]}
        found["columns"] = {**before.get("columns", {}), **keys["columns"]}
    return json.dumps(found, indent=1, sort_keys=True, default=str)


def told_of_folds(plan: Plan, before: dict[str, Any] | None, fold: str, own: dict[str, Any]) -> dict[str, Any]:
    """Of a column that folds share: each fold's training; a threshold only where all have the same, and no one's weights."""
    folds = {**(before["training"]["folds"] if before else {}), fold: own["training"]}
    same = before is None or before["threshold"] == own["threshold"]
    training = {"evaluation": plan.evaluation, "folds": folds}
    return {**own, "training": training, "threshold": own["threshold"] if same else None, "weights": None}


def told_of(detector: Any) -> dict[str, Any]:
    """Of a detector's card, and of its training, weights and own threshold where it learnt: the reading half can't ask it."""
    inner, card = unwrapped(detector), getattr(detector, "card", None)
    known = {name: getattr(card, name) for name in ("source", "licence") if card is not None}
    learnt = {"training": getattr(inner, "training_", None), "threshold": getattr(inner, "threshold_", None)}
    spec = {"saved": inner.spec} if inner is not detector else {}
    return known | learnt | spec | {"weights": weights_told(detector)}


def set_aside(documents: Sequence[Document]) -> list[list[Any]]:
    """[split, label, generator, count] of what is neither scored nor audited: all that the reading half is told of it."""
    counts = Counter((d.split, d.label, d.generator) for d in documents if d.split in SET_ASIDE)
    return [[*key, n] for key, n in sorted(counts.items(), key=str)]


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
        made = named(plan)
        if not provenance.complete(store):
            store.clear("documents")
            for batch in batches(made, 500):
                store.append("documents", [row_of(d, text=plan.store_texts) for d in batch])
        provenance.seal(store, made)
        if not plan.store_texts:
            return made
    return [document_of(row) for row in store.read("documents").to_pylist()]


def named(plan: Plan) -> list[Document]:
    """The plan's documents, under the names that the run folder is to hold."""
    made = plan.documents()
    if not plan.pseudonyms:
        return list(made)
    secret, evaluation = pseudonyms.key(), plan.folded()
    naming = evaluation.naming if evaluation else ()
    return [pseudonyms.pseudonymous(document, secret, naming) for document in made]


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


def note_readings(store: Store, columns: Sequence[Column], documents: Sequence[Document]) -> None:
    """Writes, as measures, what detectors that tell it read of the texts that they judged; their answers are kept by now."""
    for one in columns:
        mine = [d for d in documents if d.split not in SET_ASIDE and d.digest not in one.left_out]
        for batch in batches(mine, 500):
            store.append("measures", list(reading_rows(one.spec, one.detector, batch)))


def fit(detector: Any, documents: Sequence[Document], plan: Plan) -> Any:
    """A detector that learns is fitted on the clean texts of the split 'train'; others come back as they are."""
    if not getattr(detector, "learns", False):
        return detector
    refuse_shared_clusters(documents)
    return learn(plan, detector, [d for d in documents if d.split == "train" and unedited(d)])


def learn(plan: Plan, detector: Any, documents: Sequence[Document]) -> Any:
    """Fits the detector on these documents, as far as the policy knows their side."""
    known = [(d, y) for d in documents if (y := plan.policy.positive(d.label, d.level)) is not None]
    told = {kind: [LEARNT_FROM[kind](d) for d, _ in known] for kind in getattr(detector, "learns_from", ())}
    return detector.fit([d.text for d, _ in known], [y for _, y in known], **told)


def fitted(store: Store, spec: str) -> Any:
    """The detector ``spec`` of a run folder, fitted on the run's texts as it was there, and as its scores' key says.

    Raises DataError where the run has no such detector, keeps no texts to learn from, or the fit comes out another."""
    keys = store.read_json("environment.json").get("detectors", {})
    if spec not in keys:
        raise DataError(f"{store.folder} has no detector {spec!r}; it has: {', '.join(keys)}")
    plan = Plan.read(store.folder / "plan.toml")
    alone = store.read_json("environment.json").get("columns", {}).get(spec, {})
    detector = detectors.get(alone.get("detector", spec), model=plan.model)
    if getattr(detector, "learns", False) and not plan.store_texts:
        raise DataError(
            f"{store.folder} keeps no texts, so {spec} cannot learn again; detectors.save it, and give saved(path=...)"
        )
    documents = [document_of(row) for row in store.read("documents").to_pylist()] if plan.store_texts else []
    found = fitted_again(plan, detector, documents, alone.get("fold"))
    if key(found) != keys[spec]:
        raise DataError(
            f"{spec} comes out as {key(found)} here, and {store.folder} was scored by {keys[spec]}: score it anew"
        )
    return found


def fitted_again(plan: Plan, detector: Any, documents: Sequence[Document], fold: str | None) -> Any:
    evaluation = plan.folded()
    if evaluation is None or not getattr(detector, "learns", False):
        return fit(detector, documents, plan)
    if fold is None:
        raise DataError(
            f"{detector.spec} was fitted once a fold of {evaluation.spec}: there is no one detector to show; use train_on(...), "
            "whose columns are one detector each"
        )
    return learn(plan, detector, [d for d in documents if unedited(d) and evaluation.trains(fold, d)])


def held_out(store: Store, spec: str, most: int = 500) -> tuple[list[str], list[bool]]:
    """Unedited texts that the detector ``spec`` of the run scored, and so has not learnt from, and whether the policy calls them
    machine; at most so many, by their digests. None where the run keeps no texts."""
    plan = Plan.read(store.folder / "plan.toml")
    column = store.read_json("environment.json").get("detectors", {}).get(spec)
    scores = store.read("scores", ["digest", "detector", "status"]).to_pylist()
    scored = {row["digest"] for row in scores if row["detector"] == column and row["status"] == "ok"}
    rows = [row for row in store.read("documents").to_pylist() if plan.store_texts and row["digest"] in scored]
    documents = [d for d in map(document_of, rows) if d.split not in SET_ASIDE and unedited(d)]
    known = [(d.text, y) for d in documents if (y := plan.policy.positive(d.label, d.level)) is not None]
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


def run_chunks(store: Store, columns: Sequence[Column], documents: Sequence[Document], options: Options) -> None:
    fitted, keys = [one.detector for one in columns], [key(one.detector) for one in columns]
    for one, name in zip(columns, keys, strict=True):
        for rows in batches(learnt_rows(one, store.done(name)), 500):
            store.append("scores", rows)
    chunks = list(unfinished(documents, [store.done(k) for k in keys], [c.left_out for c in columns], options.batch))
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


def unfinished(
    documents: Sequence[Document], done: Sequence[set[str]], left_out: Sequence[frozenset[str]], size: int
) -> Iterator[Chunk]:
    texts = {d.digest: d.text for d in documents if d.split not in SET_ASIDE}
    for pairs in batches(sorted(texts.items()), size):
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
