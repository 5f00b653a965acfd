"""What an audit says: findings (one cell each), how to lay them out, figures, notes, and the answer in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Finding:
    """One cell: ``where`` names it (detector, attack, sanitizer, boundary, protocol, ...), ``metric`` says what was
    measured, ``counts`` what it stands on (human, machine, clusters, abstained, failed, truncated, ...).

    ``marks``: 'up' or 'down' for a significant change, 'up-corrected'/'down-corrected' when it survives the correction
    for the number of cells. ``note`` says why a value is NaN or what it cannot show.
    """

    table: str
    where: Mapping[str, str]
    metric: str
    estimate: Estimate
    counts: Mapping[str, int] = field(default_factory=dict)
    marks: tuple[str, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """How the findings of one table are laid out: ``rows`` and ``columns`` are keys of ``where`` or 'metric'."""

    table: str
    title: str
    caption: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Series:
    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """``kind``: 'line' (ROC curves, curves over length), 'density' (x are raw values, y empty), 'scatter', 'bars', 'heatmap'
    (each series one row, x positions of columns, y values; ``ticks`` names the columns)."""

    name: str
    kind: Literal["line", "density", "scatter", "bars", "heatmap"]
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    ticks: tuple[str, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """One sentence for a reader in a hurry. ``kind``: 'shown' (n supports it), 'missing' (n does not; it says how many
    texts are missing), 'warning'."""

    kind: Literal["shown", "missing", "warning"]
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """All that one audit says. ``audit`` is its canonical spec, ``question`` what it answers, in one sentence."""

    audit: str
    title: str
    question: str
    findings: tuple[Finding, ...]
    layouts: tuple[Layout, ...]
    figures: tuple[Figure, ...] = ()
    answers: tuple[Answer, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """The results of a run's audits, with the ledger (what was not scored, per class) and the provenance."""

    results: tuple[Result, ...]
    ledger: tuple[Mapping[str, Any], ...] = ()
    """One row per (detector, class, status, reason): count; and per (detector, class): truncated, of how many."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
