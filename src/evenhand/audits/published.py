"""The numbers that the papers print, and those of the two-sided paper as one list of cells with the tolerance of each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

TOLERANCES = {"AUROC": 0.01, "TPR": 0.02, "FPR": 0.005}
"""How far a rerun may lie from a number printed with two digits; an AUROC with three digits gets half of it."""


@dataclass(frozen=True)
class Published:
    """One printed number of the two-sided paper.

    ``quantity``: 'AUROC clean', 'AUROC one-sided', 'AUROC two-sided', 'TPR' or 'FPR'; ``condition``: the attack ('none' for
    unedited texts); ``mark``: 'up', 'down' or None.
    """

    table: str
    corpus: str
    detector: str
    condition: str
    quantity: str
    value: float
    mark: str | None
    tolerance: float


@cache
def tables() -> Mapping[str, Any]:
    """The shipped tables, by id; ``{v, mark}`` is a marked number, null one that is not published."""
    text = (files("evenhand") / "data" / "published_tables.json").read_text("utf-8")
    found: Mapping[str, Any] = json.loads(text)["tables"]
    return found


@cache
def cells() -> tuple[Published, ...]:
    """Every printed AUROC, TPR and FPR of the two-sided paper."""
    every = (published(*flat) for flat in (*auroc_cells(), *rate_cells(), *wide_cells()))
    return tuple(made for made in every if made is not None)


def published(table: str, corpus: str, detector: str, condition: str, quantity: str, cell: Any) -> Published | None:
    value, mark = (cell["v"], cell["mark"]) if isinstance(cell, dict) else (cell, None)
    if value is None:
        return None
    kind = quantity.partition(" ")[0]
    tolerance = TOLERANCES[kind] / (2 if kind == "AUROC" and round(value, 2) != value else 1)
    return Published(table, corpus, detector, condition, quantity, value, mark, tolerance)


Flat = tuple[str, str, str, str, str, Any]


def auroc_cells() -> Iterator[Flat]:
    """Tables 7 and 14."""
    for table, corpus in (("two.T7", "raid"), ("two.T14", "detectrl")):
        for detector, row in tables()[table]["values"].items():
            yield table, corpus, detector, "none", "AUROC clean", row["clean"]
            for protocol, quantity in (("1-sided", "AUROC one-sided"), ("2-sided", "AUROC two-sided")):
                for attack, cell in row.get(protocol, {}).items():
                    yield table, corpus, detector, attack, quantity, cell


def rate_cells() -> Iterator[Flat]:
    """Tables 8, 9, 12 and 13."""
    layouts = (
        ("two.T8", "raid", "TPR"),
        ("two.T9", "raid", "FPR"),
        ("two.T12", "detectrl", "TPR"),
        ("two.T13", "detectrl", "FPR"),
    )
    for table, corpus, quantity in layouts:
        for detector, row in tables()[table]["values"].items():
            for attack, cell in row.items():
                yield table, corpus, detector, attack, quantity, cell


def wide_cells() -> Iterator[Flat]:
    """Tables 1 and 2, whose columns name attack and quantity."""
    one = (("none", "AUROC clean"), ("paraphrase", "AUROC one-sided"), ("none", "TPR"), ("paraphrase", "TPR"))
    for detector, row in tables()["two.T1"]["values"].items():
        for (attack, quantity), cell in zip(one, row, strict=True):
            yield "two.T1", "raid", detector, attack, quantity, cell
    quantities = ("AUROC one-sided", "AUROC two-sided", "FPR")
    two = [("none", "AUROC clean"), *((a, q) for a in ("zero-width", "homoglyph") for q in quantities)]
    for corpus, rows in tables()["two.T2"]["values"].items():
        for backbone, row in rows.items():
            for (attack, quantity), cell in zip(two, row, strict=True):
                yield "two.T2", corpus.lower(), f"Fast-DetectGPT, {backbone}", attack, quantity, cell
