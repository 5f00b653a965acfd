"""The run folders below a folder, and one text of a run among its others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..audits.base import by_detector, thresholds
from ..audits.rows import Mask, Rows, Settings, read_rows
from ..audits.standing import Standing, place
from ..documents import Judgement
from ..errors import SpecError, StoreError
from ..store import Store

FILTERS = ("label", "level", "attack", "sanitizer", "generator", "domain")
AT_ONCE = 50


def runs(folder: Path) -> dict[str, Store]:
    """The run folders: ``folder`` itself, else those up to two levels below it, by their path from there.

    A folder where somebody keeps a plan.toml of their own beside their runs is none.
    """
    if (folder / "plan.toml").is_file() and (folder / "documents").is_dir():
        return {folder.resolve().name: Store(folder)}
    found = sorted(path.parent for depth in ("*", "*/*") for path in folder.glob(f"{depth}/plan.toml"))
    return {path.relative_to(folder).as_posix(): Store(path) for path in found}


def one_run(folder: Path, name: str) -> Store:
    """Only what was listed can be opened, so that no address leads out of the folder."""
    known = runs(folder)
    if name not in known:
        raise StoreError(f"there is no run {name!r} here; these are: {', '.join(known) or 'none'}")
    return known[name]


@dataclass(frozen=True)
class Study:
    """The rows of a run and its settings, read once for one answer."""

    rows: Rows
    settings: Settings

    @classmethod
    def of(cls, store: Store) -> Study:
        return cls(read_rows(store), Settings.of(store.settings()))

    @property
    def detectors(self) -> dict[str, str]:
        """Short name -> spec."""
        return dict(by_detector(self.rows))


@dataclass(frozen=True)
class Judged:
    """One detector on one text: where its score stands, or why there is none."""

    detector: str
    standing: Standing
    reason: str = ""


def judged(study: Study, row: int) -> Iterator[Judged]:
    """Every detector on a text of the run, which is not compared with itself."""
    for short, spec in study.detectors.items():
        score, reason = float(study.rows.scores[spec][row]), str(study.rows.reason[spec][row])
        yield Judged(short, place(study.rows, study.settings, spec, score, without=row), reason)


def judged_anew(study: Study, answers: Mapping[str, Judgement]) -> Iterator[Judged]:
    """Every detector's answer, by its spec, on a text that is not of the run."""
    for short, spec in study.detectors.items():
        if one := answers.get(spec):
            yield Judged(short, place(study.rows, study.settings, spec, one.score), one.reason or "")


def chosen(rows: Rows, asked: Mapping[str, str]) -> Mask:
    """Rows that the filters of a page leave."""
    mask: Mask = np.ones(len(rows), np.bool_)
    for column in FILTERS:
        if value := asked.get(column):
            mask &= rows[column] == value
    return mask


def choices(rows: Rows) -> dict[str, list[str]]:
    """The values that each filter can take, of those that part the rows at all."""
    found = {column: [v for v in rows.values(column) if v] for column in FILTERS}
    return {column: values for column, values in found.items() if len(values) > 1}


def listed(study: Study, asked: Mapping[str, str]) -> tuple[list[dict[str, Any]], int]:
    """One page of texts, those of the highest score first where ``detector`` is asked for, and how many there are."""
    rows, mask = study.rows, chosen(study.rows, asked)
    places = np.flatnonzero(mask)
    if (short := asked.get("detector")) in study.detectors:
        scores = rows.scores[study.detectors[str(short)]][places]
        places = places[np.argsort(np.where(np.isnan(scores), np.inf, -scores), kind="stable")]
    start = AT_ONCE * (page_number(asked) - 1)
    tau = {spec: one.value for spec, one in thresholds(rows, study.settings).items()}
    return [row(study, int(place), tau) for place in places[start : start + AT_ONCE]], len(places)


def page_number(asked: Mapping[str, str]) -> int:
    told = asked.get("page", "1")
    if not told.isdecimal() or not 0 < int(told) < 10**9:
        raise SpecError(f"page is a whole number from 1, got {told[:40]!r}")
    return int(told)


def row(study: Study, place: int, tau: Mapping[str, float]) -> dict[str, Any]:
    rows = study.rows
    cells = {
        short: {
            "score": rows.scores[spec][place],
            "flagged": rows.scores[spec][place] > tau[spec],
            "reason": rows.reason[spec][place] or ("not scored yet" if rows.status[spec][place] == "missing" else ""),
        }
        for short, spec in study.detectors.items()
    }
    return {"place": place, **{name: rows[name][place] for name in ("id", *FILTERS)}, "cells": cells}


def text_of(study: Study, place: str) -> int:
    """The row number in an address; raises SpecError where there is none."""
    if not place.isdecimal() or int(place) >= len(study.rows):
        raise SpecError(f"this run has no text number {place[:40]!r}; it has {len(study.rows)}")
    return int(place)
