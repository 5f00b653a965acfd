"""Made-up rows for the audits: no text of anybody, every number known."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from evenhand.audits.rows import TEXTUAL, Rows, Settings
from evenhand.documents import Level, Policy

Record = Mapping[str, Any]


def make_rows(records: Sequence[Record]) -> Rows:
    """Rows from dictionaries: document fields by name, ``scores`` by detector (None: not scored), ``text``, ``measures``."""
    columns = {name: np.array([str(r.get(name, "")) for r in records], object) for name in TEXTUAL}
    for name in ("attack", "sanitizer"):
        columns[name] = np.array([r.get(name, "none") for r in records], object)
    detectors = list(dict.fromkeys(d for r in records for d in r["scores"]))
    scores = {d: np.array([nan_for(r["scores"].get(d)) for r in records]) for d in detectors}
    status = {d: np.array(["failed" if np.isnan(s) else "ok" for s in scores[d]], object) for d in detectors}
    measures = list(dict.fromkeys(m for r in records for m in r.get("measures", {})))
    return Rows(
        columns,
        scores,
        status,
        reason={d: np.array(["made to fail" if s == "failed" else "" for s in status[d]], object) for d in detectors},
        truncated={d: np.zeros(len(records), bool) for d in detectors},
        meta=tuple(r.get("meta", {}) for r in records),
        texts=tuple(r.get("text") for r in records),
        measures={m: np.array([nan_for(r.get("measures", {}).get(m)) for r in records]) for m in measures},
    )


def nan_for(value: float | None) -> float:
    return np.nan if value is None else float(value)


def make_study(
    human: int = 40,
    machine: int = 30,
    detectors: Sequence[str] = ("log_rank", "lrr"),
    attacks: Sequence[str] = ("homoglyph", "polish"),
    seed: int = 3,
) -> list[dict[str, Any]]:
    """Clean texts of both classes and every attack on each, with random scores: machine texts 1.5 higher."""
    generator = np.random.default_rng(seed)
    records: list[dict[str, Any]] = []
    for label, count in (("human", human), ("machine", machine)):
        for i in range(count):
            source = {"id": f"{label}{i}", "label": label, "cluster": f"{label}{i}", "domain": ("news", "mail")[i % 2]}
            if label == "machine":
                source |= {"generator": ("a", "b", "c")[i % 3], "decoding": ("greedy", "sampling")[i % 2]}
            base = {d: generator.normal(1.5 * (label == "machine")) for d in detectors}
            records.append({**source, "scores": base})
            for k, attack in enumerate(attacks):
                moved = {d: s + generator.normal(0.8 * k, 0.3) for d, s in base.items()}
                records.append(
                    {
                        **source,
                        "id": f"{label}{i}|{attack}",
                        "source_id": source["id"],
                        "attack": attack,
                        "scores": moved,
                    }
                )
    return records


@pytest.fixture(scope="session")
def rows_of() -> Callable[[Sequence[Record]], Rows]:
    return make_rows


@pytest.fixture
def study_of() -> Callable[..., list[dict[str, Any]]]:
    return make_study


def make_essays(
    essays: int = 24,
    detectors: Sequence[str] = ("log_rank", "lrr"),
    attacks: Sequence[str] = ("homoglyph", "polish", "truncate(words=50)", "truncate(words=100)"),
    seed: int = 5,
) -> list[dict[str, Any]]:
    """Every essay by its writer, at all seven levels by two generators, and every edit of it; scores rise with the level."""
    generator = np.random.default_rng(seed)
    records: list[dict[str, Any]] = []
    for i in range(essays):
        for level in Level:
            for model in ("",) if level == Level.HUMAN else ("alpha", "beta"):
                human = level == Level.HUMAN
                base = {
                    "id": f"essay{i}" if human else f"essay{i}/{level}@{model}",
                    "label": "human" if human else "machine",
                    "level": str(level),
                    "generator": model,
                    "corpus": ("aae", "bawe")[i % 2],
                    "cluster": f"essay{i}",
                    "source_id": "" if human else f"essay{i}",
                    "text": " ".join(f"w{j}" if human or j % 3 else f"v{j}" for j in range(90 + 5 * (i % 5))),
                    "measures": {"words()": 90.0 + 5 * (i % 5) + level.order, "gunning_fog()": generator.normal(9)},
                    "meta": essay_meta(i, level, human),
                }
                scores = {d: generator.normal(0.5 * level.order + 0.2 * (model == "beta")) for d in detectors}
                records.append({**base, "scores": scores})
                for k, attack in enumerate(attacks):
                    moved = {d: s + generator.normal(0.3 * k, 0.3) for d, s in scores.items()}
                    after = "improve-human" if attack == "polish" and human else ""
                    edit = {"id": f"{base['id']}|{attack}", "source_id": base["id"], "attack": attack}
                    records.append({**base, **edit, "level_after": after, "scores": moved})
    return records


def essay_meta(i: int, level: Level, human: bool) -> dict[str, str]:
    """Entries as a run folder holds them: JSON texts."""
    told = {"group": ("native", "second language")[i % 3 == 0], "discipline": ("law", "physics", "history")[i % 3]}
    if human:
        return {key: json.dumps(value) for key, value in told.items()}
    how = {
        "system": "",
        "prompt": f"Write of {{{level}}}.",
        "profile": "gede",
        "provider": "local",
        "quantization": "4bit",
    }
    made = {**how, "finish_reason": ("stop", "length")[i % 8 == 0], "marks": ["loop"] * (i == 1)}
    return {key: json.dumps(value) for key, value in made.items()}


@pytest.fixture(scope="session")
def essays_of() -> Callable[..., list[dict[str, Any]]]:
    return make_essays


@pytest.fixture(scope="session")
def settings() -> Settings:
    return Settings(Policy(Level.REWRITE_HUMAN, 0.1), 7, {})
