"""The rows that every audit reads: documents and their scores, side by side as columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..documents import DROPPED, SET_ASIDE, Level, Policy
from ..errors import StoreError
from ..evaluations import FOLD
from ..seeds import seed_of
from ..store import Store

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

TEXTUAL = (
    "id digest label level level_after generator decoding corpus domain task source_id cluster attack sanitizer split"
).split()

UNSCORED = ("abstained", "failed")

WHOLE = tuple(map(str, (Level.SUMMARY, Level.TASK_SUMMARY, Level.TASK, Level.REWRITE_LLM)))
"""Levels whose texts a machine wrote from first to last."""


@dataclass(frozen=True)
class Settings:
    """What a run's plan says to its audits."""

    policy: Policy
    seed: int
    plan: Mapping[str, Any]
    environment: Mapping[str, Any] = field(default_factory=dict)
    """What the run folder tells of its computation: packages, and the key (weights, training set) of each detector."""

    @classmethod
    def of(cls, plan: Mapping[str, Any]) -> Settings:
        told = plan.get("policy", {})
        policy = Policy(Level.read(told.get("boundary", "rewrite-human")), told.get("fpr", 0.05))
        return cls(policy, int(plan.get("seed", 0)), plan)

    def about(self, spec: str) -> Mapping[str, Any]:
        """What the run folder tells of a detector (source, training, threshold, weights); empty where it tells nothing."""
        found: Mapping[str, Any] = self.environment.get("about", {}).get(spec) or {}
        return found


@dataclass(frozen=True)
class Rows:
    """N documents outside the training split: ``columns`` hold N texts ('' where there is none), ``scores`` N numbers a
    detector (NaN where there is none, ``status`` and ``reason`` say why), ``meta`` N dictionaries of JSON texts."""

    columns: Mapping[str, npt.NDArray[Any]]
    scores: Mapping[str, Floats]
    status: Mapping[str, npt.NDArray[Any]]
    reason: Mapping[str, npt.NDArray[Any]]
    truncated: Mapping[str, Mask]
    meta: tuple[Mapping[str, str], ...]
    texts: tuple[str | None, ...]
    measures: Mapping[str, Floats] = field(default_factory=dict)
    """N numbers a measure (NaN where it was not taken), of the runs that hold measures."""
    machine: Floats | None = None
    """N shares of characters that the spans say a machine wrote, NaN where there are no spans; None: none has spans."""

    def __len__(self) -> int:
        return len(self.columns["id"])

    def __getitem__(self, column: str) -> npt.NDArray[Any]:
        return self.columns[column]

    def where(self, **wanted: str) -> Mask:
        """Rows whose columns hold these values."""
        mask: Mask = np.ones(len(self), np.bool_)
        for column, value in wanted.items():
            mask &= self.columns[column] == value
        return mask

    def values(self, column: str, mask: Mask | None = None) -> list[str]:
        """The distinct values of a column, sorted, 'none' first."""
        found = set(self.columns[column][mask] if mask is not None else self.columns[column])
        return sorted(found, key=lambda v: (v != "none", v))

    @cached_property
    def clusters(self) -> npt.NDArray[np.int64]:
        """A number per cluster; a document without a cluster is one of its own."""
        named = np.where(self["cluster"] == "", self["id"], self["cluster"])
        return np.unique(named, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def parent(self) -> npt.NDArray[np.int64]:
        """The row of the text that each was made from; -1 where there is none, or where it is not among these rows."""
        place = {name: i for i, name in enumerate(self["id"])}
        return np.array([place.get(source, -1) if source else -1 for source in self["source_id"]], np.int64)

    @cached_property
    def origin(self) -> npt.NDArray[np.int64]:
        """The row of the unedited text behind each edited one (two steps back for cleaned attacked text); -1 without."""
        up = self.parent
        step = np.where((up >= 0) & ~self.clean[up], up[up], up)
        return np.where((step >= 0) & self.clean[step] & ~self.clean, step, -1)

    @cached_property
    def machine_share(self) -> Floats:
        """N shares of characters that a machine wrote: by the spans; without them 0 for human texts, 1 for machine texts whose
        level is none of editing, NaN for others."""
        told = np.full(len(self), np.nan) if self.machine is None else self.machine
        whole = self.where(label="machine") & np.isin(self["level"], ("", *WHOLE))
        return np.where(np.isnan(told), np.where(self.human, 0.0, np.where(whole, 1.0, np.nan)), told)

    @cached_property
    def clean(self) -> Mask:
        return self.where(attack="none", sanitizer="none")

    @cached_property
    def human(self) -> Mask:
        """Texts that a human alone wrote, attacked or not: label human, level human or unknown."""
        return np.asarray(self["label"] == "human") & np.isin(self["level"], ("", str(Level.HUMAN)))

    def positive(self, policy: Policy, *, after: bool = False) -> npt.NDArray[np.int8]:
        """1 above the policy's boundary, 0 at or below it, -1 where neither level nor label decides. ``after`` judges an
        edited text by the level that the edit left (level_after), not by its author's."""
        levels = self["level"]
        if after:
            levels = np.where(self["level_after"] != "", self["level_after"], levels)
        pairs = {
            pair: policy.positive(pair[0], pair[1] or None) for pair in set(zip(self["label"], levels, strict=True))
        }
        coded = {pair: -1 if verdict is None else int(verdict) for pair, verdict in pairs.items()}
        return np.array([coded[pair] for pair in zip(self["label"], levels, strict=True)], np.int8)

    def half(self, seed: int) -> npt.NDArray[np.str_]:
        """'calibration' or 'verification' for each row: clusters of clean human texts are dealt out in turn, in an order
        drawn by ``seed``, so that each half holds whole clusters."""
        clean_human = np.unique(self.clusters[self.clean & self.human])
        names = np.where(self["cluster"] == "", self["id"], self["cluster"])
        name_of = dict(zip(self.clusters, names, strict=True))
        order = sorted(clean_human, key=lambda c: seed_of(seed, "half", name_of[c]))
        calibration = np.array(order[0::2], np.int64)
        return np.where(np.isin(self.clusters, calibration), "calibration", "verification")


def read_rows(store: Store) -> Rows:
    """The rows of a run folder; raises StoreError where it holds no scores."""
    table = store.read("documents")
    table = table.filter(np.array([split not in SET_ASIDE for split in table["split"].to_pylist()], bool))
    columns = {name: np.array([v or "" for v in table[name].to_pylist()], object) for name in TEXTUAL}
    environment = store.read_json("environment.json")
    keys, folds = environment.get("detectors", {}), environment.get("folds", {})
    if not keys and store.parts("scores"):
        raise StoreError(
            f"{store.folder}: environment.json does not tell which detector each score is of; run the plan again with the "
            "same -o: it writes the file anew and scores nothing twice"
        )
    if not keys or not len(columns["id"]):
        raise StoreError(f"{store.folder} holds no scores yet; `evenhand score PLAN -o {store.folder}` makes them")
    meta = tuple(dict(pairs or ()) for pairs in table["meta"].to_pylist())
    unmade = [why_no_text(told) for told in meta]
    scores = store.read("scores")
    answered_by = {spec: keyed(key, folds.get(spec), meta) for spec, key in keys.items()}
    found: dict[str, dict[str, tuple[Any, ...]]] = {key: {} for some in answered_by.values() for key in some}
    for row in zip(*(scores[name].to_pylist() for name in scores.column_names), strict=True):
        digest, key, score, status, reason, _, truncated = row
        if key in found:
            found[key][digest] = (np.nan if score is None else score, status, reason or "", truncated)
    missing = (np.nan, "missing", "not scored yet", False)
    cells = {
        spec: [found[key].get(d, missing) for d, key in zip(columns["digest"], some, strict=True)]
        for spec, some in answered_by.items()
    }
    return Rows(
        columns,
        scores={spec: np.array([c[0] for c in cell], float) for spec, cell in cells.items()},
        status={spec: np.array([c[1] for c in cell], object) for spec, cell in cells.items()},
        reason={
            spec: np.array(
                [why if why and c[1] in UNSCORED else c[2] for c, why in zip(cell, unmade, strict=True)], object
            )
            for spec, cell in cells.items()
        },
        truncated={spec: np.array([bool(c[3]) for c in cell], bool) for spec, cell in cells.items()},
        meta=meta,
        texts=tuple(table["text"].to_pylist()),
        measures=read_measures(store, columns["id"]),
        machine=np.array([share_of(spans) for spans in table["spans"].to_pylist()], np.float64),
    )


def share_of(spans: list[dict[str, Any]] | None) -> float:
    """The characters of the machine's spans over those of all; NaN without any."""
    lengths = [(span["end"] - span["start"], span["author"] == "machine") for span in spans or ()]
    total = sum(length for length, _ in lengths)
    return sum(length for length, machine in lengths if machine) / total if total else np.nan


def why_no_text(meta: Mapping[str, str]) -> str:
    """Why there is nothing to judge: no model answered, or an edit left nothing; '' for all other texts."""
    if "error" in meta and "finish_reason" in meta:
        return f"no text came: {json.loads(meta['error'])}"
    note = str(json.loads(meta.get("edit.note", '""')))
    return note if note.startswith(DROPPED) else ""


def keyed(key: str, folds: Mapping[str, str] | None, meta: Sequence[Mapping[str, str]]) -> list[str]:
    """The key of each row's score; in a column that folds share, that of the row's own fold."""
    if not folds:
        return [key] * len(meta)
    return [folds.get(json.loads(told.get(FOLD, '""')), "") for told in meta]


def read_measures(store: Store, ids: npt.NDArray[Any]) -> dict[str, Floats]:
    """Every measure of the run as one column along ``ids``."""
    place = {name: i for i, name in enumerate(ids)}
    found: dict[str, Floats] = {}
    table = store.read("measures")
    for name, measure, value in zip(*(table[c].to_pylist() for c in ("id", "measure", "value")), strict=True):
        if name in place and value is not None:
            found.setdefault(measure, np.full(len(ids), np.nan))[place[name]] = value
    return found


def ledger(rows: Rows) -> tuple[dict[str, Any], ...]:
    """One row per (detector, class, status, reason) that is not 'ok', and per (detector, class) with truncated texts."""
    told: list[dict[str, Any]] = []
    classes = rows.values("label")
    for detector in rows.scores:
        for label in classes:
            members = rows["label"] == label
            n = int(members.sum())
            pairs = zip(rows.status[detector][members], rows.reason[detector][members], strict=True)
            counts: dict[tuple[str, str], int] = {}
            for pair in pairs:
                counts[pair] = counts.get(pair, 0) + 1
            told += [
                {"detector": detector, "class": label, "status": status, "reason": reason, "count": count, "of": n}
                for (status, reason), count in sorted(counts.items())
                if status != "ok"
            ]
            if cut := int(rows.truncated[detector][members].sum()):
                told.append(
                    {"detector": detector, "class": label, "status": "truncated", "reason": "", "count": cut, "of": n}
                )
    return tuple(told)
