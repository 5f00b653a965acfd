"""What a run folder tells of its computation (environment.json), since the reading half can ask neither detector nor corpus."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from . import corpora, provenance
from .detectors.trained.weights import told as weights_told
from .detectors.trained.weights import unwrapped
from .documents import SET_ASIDE, Document
from .folds import Column, keys_of
from .plan import Plan
from .store import Store


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
