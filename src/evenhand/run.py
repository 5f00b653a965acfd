"""The one place where plan, engine, detectors and store meet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from os import PathLike
from typing import Any

import pyarrow.compute as pc

from . import audits, corpora, detectors, measures, provenance, pseudonyms
from .chunks import Options, run_chunks
from .documents import SET_ASIDE, Document
from .environment import environment
from .folds import Column
from .measures import Measured
from .plan import Plan
from .readings import reading_rows
from .store import Store, batches, document_of, row_of
from .training import columns_of

__all__ = ["Options", "score"]


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


def stored_documents(store: Store, plan: Plan) -> list[Document]:
    """The study's documents: read from the run folder where they are whole, made and written otherwise."""
    content = corpora.content(corpora.get(plan.corpus), store.folder)
    whole = provenance.complete(store)
    if whole and plan.store_texts and provenance.untouched(store, content):
        return read_documents(store)
    made = named(plan)
    provenance.refuse_changed(store, made)
    if not whole:
        store.clear("documents")
        for batch in batches(made, 500):
            store.append("documents", [row_of(d, text=plan.store_texts) for d in batch])
    provenance.seal(store, made, content)
    if plan.store_texts:
        return read_documents(store)
    kept = {*store.read("documents", ["id"])["id"].to_pylist()}  # who was forgotten stays so
    return [document for document in made if document.id in kept]


def read_documents(store: Store) -> list[Document]:
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
