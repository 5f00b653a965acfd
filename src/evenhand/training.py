"""What a run's detectors learn from: the split 'train', or the folds of an evaluation; and the same again, from a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from . import detectors
from .detectors.judging import key
from .documents import SET_ASIDE, Document, digest
from .errors import DataError
from .folds import Column, of_folds, on_both_sides, unedited
from .plan import Plan
from .store import Store, document_of

LEARNT_FROM: dict[str, Callable[[Document], Any]] = {
    "levels": lambda d: d.level,
    "corpora": lambda d: d.corpus,
    "clusters": lambda d: d.cluster or d.source_id or d.id,
    "generators": lambda d: d.generator,
}
"""What a detector's ``fit`` may take beside texts and labels: one value a text, named in its ``learns_from``."""


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


def fit(detector: Any, documents: Sequence[Document], plan: Plan) -> Any:
    """A detector that learns is fitted on the clean texts of the split 'train'; others come back as they are."""
    if not getattr(detector, "learns", False):
        return detector
    refuse_shared(documents)
    return learn(plan, detector, [d for d in documents if d.split == "train" and unedited(d)])


def learn(plan: Plan, detector: Any, documents: Sequence[Document]) -> Any:
    """Fits the detector on these documents, as far as the policy knows their side."""
    known = [(d, y) for d in documents if (y := plan.policy.positive(d.label, d.level)) is not None]
    told = {kind: [LEARNT_FROM[kind](d) for d, _ in known] for kind in getattr(detector, "learns_from", ())}
    return detector.fit([d.text for d, _ in known], [y for _, y in known], **told)


def refuse_shared(documents: Sequence[Document]) -> None:
    """What is learnt must not be tested on itself."""
    clusters, copies = on_both_sides(
        [d for d in documents if d.split == "train"], [d for d in documents if d.split not in SET_ASIDE]
    )
    if clusters or copies:
        raise DataError(
            f"{len(clusters)} clusters stand in the split 'train' and outside it, and {len(copies)} texts (one: "
            f"{min(clusters or copies)!r}), so what is learnt would be tested on itself; `evenhand split` places whole clusters "
            "and all copies of a text"
        )


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
