"""The detectors that are compared, and one job: fit on a fold, score its test texts, with seconds and memory."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evenhand import detectors
from evenhand.documents import Document
from evenhand.registry import format_spec

from ..results import keep, kept
from .folds import LABELS, Fold, positive

Parameters = dict[str, Any]
LEARNERS: dict[str, Parameters] = {
    "tfidf_lr": {},
    "tfidf_rf": {},
    "gltr_lr": {},
    "diveye": {},
    "one_pass_lr": {},
    "one_pass_boosted": {"leaf": 5},
    "ghostbuster": {},
    "encoder": {"batch": 8, "epochs": 2, "lr": 1e-4, "max_tokens": 128, "patience": 2},
}
"""Parameters were fixed before any test text was scored. Leaves of 5 texts, because a domain has 100 to learn from."""
LONGER: dict[str, dict[str, Parameters]] = {study: {"encoder": {"epochs": 4}} for study in ("domains", "unglued")}
"""A quarter of the texts, so more epochs; the weights of the lowest validation loss are kept."""
UNTRAINED = ("log_rank", "fast_detect_gpt")
"""Beside them, on the same pass: detectors that learn nothing."""


def spec_of(name: str, study: str, labels: str) -> str:
    if name in UNTRAINED:
        return name
    given = {**LEARNERS[name], **LONGER.get(study, {}).get(name, {})}
    return format_spec(name, given if labels == "policy" else {**given, "labels": labels})


def labels_of(name: str, study: str) -> Sequence[str]:
    return LABELS.get(study, ("policy",)) if name in LEARNERS else ("policy",)


def result_file(results: Path, fold: Fold, name: str, labels: str) -> Path:
    return results / fold.study / fold.name / f"{name}.{labels}.json"


def run(fold: Fold, name: str, labels: str, results: Path) -> bool:
    """Whether there was anything to do: what is on disk under the same spec is not done again."""
    file, spec = result_file(results, fold, name, labels), spec_of(name, fold.study, labels)
    if (done := kept(file)) and done["spec"] == spec:
        return False
    keep(file, {"spec": spec, **measured(fold, spec, labels)})
    return True


def measured(fold: Fold, spec: str, labels: str) -> Parameters:
    """Scores by id (null where abstained, with the reason), processor and wall seconds, the process's peak memory."""
    detector, clock = detectors.get(spec, "embedded"), Clock()
    learnt = fit(detector, fold, labels) if detector.learns else ()
    fitted = clock.lap()
    answers = detector.judge([d.text for d in fold.test])
    scored = clock.lap()
    pairs = list(zip(fold.test, answers, strict=True))
    return {
        "scores": {d.id: answer.score if answer.status == "ok" else None for d, answer in pairs},
        "missing": {d.id: answer.reason for d, answer in pairs if answer.status != "ok"},
        "learnt_from": len(learnt),
        "training": getattr(detector, "training_", {}),
        "fit": fitted,
        "score": scored,
        "peak_mb": peak_mb(),
    }


def fit(detector: Any, fold: Fold, labels: str) -> Sequence[Document]:
    """On the texts of the fold; texts without a level teach no level."""
    learnt = [d for d in fold.train if labels != "ordinal" or d.level is not None]
    told = {"levels": [d.level for d in learnt], "clusters": [d.cluster for d in learnt]}
    given = {kind: told[kind] for kind in detector.learns_from if kind in told}
    detector.fit([d.text for d in learnt], [positive(fold.study, d) for d in learnt], **given)
    return learnt


class Clock:
    """Processor seconds (all threads) and wall seconds since the last lap."""

    def __init__(self) -> None:
        self.at = time.process_time(), time.perf_counter()

    def lap(self) -> dict[str, float]:
        now = time.process_time(), time.perf_counter()
        found = {"cpu_s": round(now[0] - self.at[0], 3), "wall_s": round(now[1] - self.at[1], 3)}
        self.at = now
        return found


def peak_mb() -> float:
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(kilobytes / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)
