"""What it costs, what could not be scored, and whether it comes out the same again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

from ..pages import Lines, Tables
from ..results import kept
from .domain_tables import choices, study
from .folds import SIDES, positive
from .forms import NOT_RUN
from .learners import labels_of


def found_of(name: str, data: Path, results: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(study, what one job left) of a learner."""
    for studied in SIDES:
        one = study(studied, data, results)
        for fold in one.folds:
            for labels in labels_of(name, studied):
                if found := one.found(fold, (name, labels)):
                    yield studied, found


def sizes(data: Path, results: Path) -> Lines:
    """How many texts and clusters stand behind each study."""
    heads = ("texts", "clusters", "parts", "models", "texts learnt by one", "tested below the boundary", "above it")
    made: Lines = [("study", *heads)]
    for name, n_parts in SIDES.items():
        one = study(name, data, results)
        learnt = sorted(len(fold.train) for fold in one.folds)
        tested = {d.id: positive(name, d) for fold in one.folds for d in fold.test}
        clusters = {d.cluster for fold in one.folds for d in fold.test}
        counts = (len(tested), len(clusters), n_parts, len(learnt), f"{learnt[0]} to {learnt[-1]}")
        made.append((name, *map(str, counts), str(sum(not up for up in tested.values())), str(sum(tested.values()))))
    return made


def costs(data: Path, results: Path) -> Lines:
    """Of all jobs that were run."""
    made: Lines = [
        ("learner", "fits", "texts a fit", "CPU s a fit", "CPU s a fit, longest", "CPU ms a text scored", "peak MB")
    ]
    for name, _ in choices():
        jobs = [found for _, found in found_of(name, data, results)]
        made.append((name, *(cost(jobs) if jobs else [NOT_RUN] * 6)))
    return made


def cost(jobs: list[dict[str, Any]]) -> list[str]:
    fits = [job["fit"]["cpu_s"] for job in jobs]
    scored = sum(len(job["scores"]) for job in jobs)
    return [
        str(len(jobs)),
        f"{mean(job['learnt_from'] for job in jobs):.0f}",
        f"{mean(fits):.2g}",
        f"{max(fits):.2g}",
        f"{1000 * sum(job['score']['cpu_s'] for job in jobs) / scored:.2g}",
        f"{max(job['peak_mb'] for job in jobs):.0f}",
    ]


def missing(data: Path, results: Path) -> Lines:
    """Texts without a score, of all that were asked for, by study."""
    made: Lines = [("learner", *SIDES)]
    for name, _ in choices():
        asked, lost = Counter[str](), Counter[str]()
        for studied, job in found_of(name, data, results):
            asked[studied] += len(job["scores"])
            lost[studied] += len(job["missing"])
        made.append((name, *(f"{lost[s]} of {asked[s]}" if asked[s] else NOT_RUN for s in SIDES)))
    return made


def repeated(data: Path, results: Path) -> Lines:
    made: Lines = [("learner", "scores", "learnt state", "weights")]
    for name, _ in choices():
        if told := kept(results / "repeat" / f"{name}.json"):
            made.append((name, *(same(told.get(what)) for what in ("scores", "state", "weights"))))
    return made


def same(told: bool | None) -> str:
    return "–" if told is None else "same to the bit" if told else "**differ**"


TABLES: Tables = {
    "sizes": sizes,
    "costs": costs,
    "missing": missing,
    "repeated": repeated,
}
