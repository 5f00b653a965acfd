"""The columns of scores of a run: one a detector, or, of what learns under an evaluation, one fitted detector a fold.

Where no text is tested twice, all folds of a detector stand in one column, and a text's fold says which of them scored it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from .detectors.judging import key
from .documents import SET_ASIDE, Document
from .errors import DataError
from .evaluations import Evaluation, column_of

Learn = Callable[[Any, Sequence[Document]], Any]
LEARNT = "not judged: this detector learnt from the text, or from the text that it was made from"


@dataclass(frozen=True)
class Column:
    """A fitted detector. ``source``: the plan's spec; ``spec``: that under which audits see the scores. ``fold``: '' where there
    is none. ``elsewhere``: digests of texts that another fold judges; ``learnt``: of those that nothing judges in this column."""

    source: str
    spec: str
    detector: Any
    fold: str = ""
    elsewhere: frozenset[str] = frozenset()
    learnt: frozenset[str] = frozenset()

    @property
    def left_out(self) -> frozenset[str]:
        return self.elsewhere | self.learnt

    @property
    def shared(self) -> bool:
        """Whether other folds stand in the same column."""
        return bool(self.fold) and self.spec == self.source


def of_folds(
    spec: str, detector: Any, documents: Sequence[Document], evaluation: Evaluation, learn: Learn
) -> list[Column]:
    """One part a fold. Raises DataError, which names the fold, where its texts cannot be learnt from."""
    from sklearn.base import clone

    every = frozenset(d.digest for d in documents if d.split not in SET_ASIDE)
    found = []
    for fold in evaluation.folds(documents):
        train = [d for d in documents if unedited(d) and evaluation.trains(fold, d)]
        test = [d for d in documents if evaluation.tests(fold, d)]
        check_apart(fold, train, test)
        try:
            fitted = learn(clone(detector, safe=False), train)
        except DataError as error:
            raise DataError(f"{evaluation.spec}, fold {fold!r}: {error}") from error
        others = every - {d.digest for d in test}
        if evaluation.apart:
            found.append(Column(spec, column_of(spec, fold), fitted, fold, learnt=others))
        else:
            found.append(Column(spec, spec, fitted, fold, elsewhere=others))
    return found


def unedited(document: Document) -> bool:
    return document.attack == "none" and document.sanitizer == "none"


def check_apart(fold: str, train: Iterable[Document], test: Iterable[Document]) -> None:
    """Whatever an evaluation says: no cluster and no text on both sides."""
    clusters, copies = on_both_sides(train, test)
    if clusters or copies:
        raise DataError(
            f"fold {fold!r} learns from {len(clusters)} clusters and {len(copies)} texts that it is tested on (one: "
            f"{min(clusters or copies)!r}); give texts that hang together one cluster"
        )


def on_both_sides(train: Iterable[Document], test: Iterable[Document]) -> tuple[set[str], set[str]]:
    """Clusters, and ids of tested texts that are copies; blank texts, of which nothing is learnt and which nothing judges, are
    none."""
    seen, judged = list(train), list(test)
    clusters = {d.cluster for d in seen if d.cluster} & {d.cluster for d in judged}
    learnt = {d.digest for d in seen if d.text.strip()}
    return clusters, {*{d.digest: d.id for d in judged if d.digest in learnt}.values()}


def keys_of(columns: Sequence[Column], evaluation: Evaluation | None) -> dict[str, Any]:
    """What environment.json tells: 'detectors', spec -> key of its scores; 'folds', spec -> fold -> key, of columns that folds
    share; 'columns', spec -> detector and fold, of those that are one fold's."""
    shared: dict[str, dict[str, str]] = {}
    for one in columns:
        if one.shared:
            shared.setdefault(one.spec, {})[one.fold] = key(one.detector)
    keys = {one.spec: key(one.detector) for one in columns if not one.shared}
    keys |= {spec: joined(evaluation, own) for spec, own in shared.items()}
    alone = {one.spec: {"detector": one.source, "fold": one.fold} for one in columns if one.fold and not one.shared}
    return {"detectors": keys, "folds": shared, "columns": alone}


def joined(evaluation: Evaluation | None, keys: Mapping[str, str]) -> str:
    """The key of a column that folds share: it changes with each of them."""
    name = evaluation.spec if evaluation else ""
    return f"{name}@{blake2b(json.dumps([name, keys], sort_keys=True).encode(), digest_size=8).hexdigest()}"


def learnt_rows(column: Column, done: set[str]) -> list[dict[str, Any]]:
    """The rows that say why a column has no score of the texts that it learnt from, less those that are there."""
    empty = {"score": None, "status": "abstained", "reason": LEARNT, "n_tokens": None, "truncated": False}
    return [{"digest": digest, "detector": key(column.detector), **empty} for digest in sorted(column.learnt - done)]
