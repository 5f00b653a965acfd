"""What is fitted and scored: one job a file of results, margins above the learner's own threshold under the texts' ids."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from evenhand import detectors
from evenhand.documents import Document
from evenhand.sections import SECTIONS, join_sections

from ..results import keep, kept
from .texts import FOLDS, STATES, chosen, documents_of, fold_of, in_sections, kind_of

ROWS = {"LR": "tfidf_lr", "RF": "tfidf_rf"}
GRAMS = {"1": (1, 1), "2": (2, 2), "(1,2)": (1, 2)}
PEOPLE = ("arxiv", "acl")
SETS = {
    "TRAIN": (*PEOPLE, "gpt2", "scigen"),
    "TRAIN + Falcon": (*PEOPLE, "gpt2", "scigen", "falcon"),
    "TRAIN - GPT-2": (*PEOPLE, "scigen"),
}
"""As IDMGSP's TRAIN, TRAIN + GPT3 and TRAIN-CG: all, with a generator that is foreign otherwise, and without one."""
PEOPLE_OF = {"gpt2": "arxiv", "scigen": "acl", "falcon": "pubmed", "hybrid": "abstract"}
"""Generator -> the people's texts of the same source."""
HELD_OUT = ("LR-1gram", "LR-(1,2)gram", "RF-1gram")
Margins = dict[str, float]


def bow(model: str, grams: str) -> str:
    return f"{ROWS[model]}(ngrams={GRAMS[grams]}, preprocessing='idmgsp')"


def named(row: str) -> str:
    model, grams = row.removesuffix("gram").split("-", 1)
    return bow(model, grams)


def margins(spec: str, train: Sequence[Document], test: Sequence[Document]) -> Margins:
    fitted = detectors.get(spec).fit([d.text for d in train], [int(d.label == "machine") for d in train])
    found = fitted([d.text for d in test]) - fitted.threshold_
    return {d.id: float(value) for d, value in zip(test, found, strict=True)}


def by_fold(spec: str, train: Sequence[Document], test: Sequence[Document], folds: Mapping[str, int]) -> Margins:
    """Every text of ``test`` scored by a learner that saw no text of its cluster."""
    found: Margins = {}
    for k in range(FOLDS):
        learnt = [d for d in train if folds[d.cluster] != k]
        found |= margins(spec, learnt, [d for d in test if folds[d.cluster] == k])
    return found


def bow_row(path: Path, state: str, row: str, training: str) -> dict[str, Any]:
    documents = documents_of(path, state)
    return {"margins": by_fold(named(row), chosen(documents, SETS[training]), documents, fold_of(documents))}


def held_out(path: Path, state: str, row: str, generator: str, seen: bool) -> dict[str, Any]:
    """Learnt from all kinds, without this generator unless it is ``seen``; tested on it and on people's texts of its source."""
    documents = documents_of(path, state)
    machines = [kind for kind in PEOPLE_OF if seen or kind != generator]
    train = chosen(documents, [*PEOPLE_OF.values(), *machines])
    test = chosen(documents, [generator, PEOPLE_OF[generator]])
    return {"margins": by_fold(named(row), train, test, fold_of(documents))}


def section_vote(path: Path, state: str, row: str) -> dict[str, Any]:
    """A model a section. 'vote': each reads its own section; 'notebook': all three read the abstract, as the authors' cell does;
    'whole': one model on the three joined, on the same papers; 'sections': each section's model alone."""
    papers, folds = in_sections(path, state), fold_of(documents_of(path, "raw"))
    parts = {name: [_as(d, own[name]) for d, own in papers] for name in SECTIONS}
    joined = [_as(d, join_sections(own)) for d, own in papers]
    three = f"section_vote(base={named(row)!r}, fault="
    return {
        "vote": by_fold(f"{three}'none')", joined, joined, folds),
        "notebook": by_fold(f"{three}'abstracts')", joined, joined, folds),
        "whole": by_fold(named(row), joined, joined, folds),
        "sections": {name: by_fold(named(row), parts[name], parts[name], folds) for name in SECTIONS},
    }


def _as(document: Document, text: str) -> Document:
    return Document(document.id, text, document.label, cluster=document.cluster)


HEAD = {"train": 24, "test": 40, "max_tokens": 128, "epochs": 2}
"""What a shared processor can do in minutes; the paper's 14,000 papers of 2,048 tokens need a card."""
_BASE = f"base='embedded', max_tokens={HEAD['max_tokens']}"
PLAIN = f"causal_classifier({_BASE}, recipe='plain', batch=8, epochs={HEAD['epochs']})"
PRINTED = f"causal_classifier({_BASE}, recipe='idmgsp_galactica')"


def causal_head(path: Path, state: str, spec: str) -> dict[str, Any]:
    """Learnt from a few papers of TRAIN in the folds from 1, tested on fold 0; both classes and sources alike."""
    documents = documents_of(path, state)
    folds = fold_of(documents)
    train = few([d for d in chosen(documents, SETS["TRAIN"]) if folds[d.cluster] != 0], HEAD["train"])
    test = few([d for d in chosen(documents, SETS["TRAIN"]) if folds[d.cluster] == 0], HEAD["test"])
    fitted = detectors.get(spec).fit(
        [d.text for d in train], [int(d.label == "machine") for d in train], clusters=[d.cluster for d in train]
    )
    scores = fitted([d.text for d in test]) - fitted.threshold_
    found = {d.id: float(value) for d, value in zip(test, scores, strict=True)}
    return {"margins": found, "training": fitted.training_, "spec": fitted.spec}


def few(documents: Sequence[Document], n: int) -> list[Document]:
    """At most ``n``, the kinds in turn, each in the order of its ids."""
    groups: dict[str, list[Document]] = {}
    for document in sorted(documents, key=lambda d: d.id):
        groups.setdefault(kind_of(document), []).append(document)
    turns = [group[i] for i in range(max(map(len, groups.values()))) for group in groups.values() if i < len(group)]
    return turns[:n]


def jobs() -> Iterator[tuple[str, Callable[[Path], dict[str, Any]]]]:
    """(name, what it does), the quick ones first."""
    for state in STATES:
        for training in SETS:
            for model in ROWS:
                for grams in GRAMS:
                    row = f"{model}-{grams}gram"
                    yield f"{state}/bow/{row}/{training}", partial(bow_row, state=state, row=row, training=training)
        for row in HELD_OUT:
            for generator in PEOPLE_OF:
                for seen in (True, False):
                    name = f"{state}/generator/{row}/{generator}/{'seen' if seen else 'unseen'}"
                    yield name, partial(held_out, state=state, row=row, generator=generator, seen=seen)
        for row in HELD_OUT:
            yield f"{state}/sections/{row}", partial(section_vote, state=state, row=row)
    for state in STATES:
        yield f"{state}/head/plain", partial(causal_head, state=state, spec=PLAIN)
    yield "raw/head/printed", partial(causal_head, state="raw", spec=PRINTED)


def run(path: Path, results: Path, wanted: str = "", minutes: float = 1e9) -> tuple[int, int]:
    """(done now, left). Jobs whose results are there are not done again."""
    end, done, left = time.monotonic() + 60 * minutes, 0, 0
    for name, job in jobs():
        if wanted not in name or file_of(results, name).is_file():
            continue
        if time.monotonic() > end:
            left += 1
            continue
        started = time.monotonic()
        made = job(path)
        keep(file_of(results, name), made | {"seconds": round(time.monotonic() - started, 1)})
        done += 1
    return done, left


def result(results: Path, name: str) -> dict[str, Any] | None:
    return kept(file_of(results, name))


def file_of(results: Path, name: str) -> Path:
    return results / f"{name.replace('/', '__').replace(' ', '_')}.json"
