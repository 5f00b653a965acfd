"""Figures 1, 2 and 6 of the two-sided paper, from any run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .base import percent
from .finding import Figure, Series
from .two_sided_claims import Changes, Study


def figures(study: Study, tolerated: float) -> tuple[Figure, ...]:
    fpr = [e.value for e in study.fpr]
    above = f"share of human texts above the threshold; {percent(tolerated)} are tolerated"
    return (
        heat(study, "two_sided-fpr", "FPR on edited human text", fpr, above),
        heat(study, "two_sided-one", "Change of AUROC, one-sided", values(study.one_sided), "edited less unedited"),
        heat(study, "two_sided-two", "Change of AUROC, two-sided", values(study.two_sided), "edited less unedited"),
        quadrants(study),
    )


def values(changes: Changes) -> list[float]:
    return [float("nan") if c is None else c.estimate.value for c in changes]


def heat(study: Study, name: str, title: str, cells: Sequence[float], note: str) -> Figure:
    """One row a detector, one column an attack."""
    attacks = list(dict.fromkeys(c.attack for c in study.conditions))
    rows: dict[str, dict[str, float]] = {}
    for c, value in zip(study.conditions, cells, strict=True):
        rows.setdefault(c.short, {})[c.attack] = value
    series = tuple(
        Series(short, tuple(map(float, range(len(attacks)))), tuple(found.get(a, float("nan")) for a in attacks))
        for short, found in rows.items()
    )
    return Figure(name, "heatmap", title, "attack", "", series, tuple(attacks), note)


def quadrants(study: Study) -> Figure:
    """Figure 6: below and to the right of (0, 0) AUROC reports improvement while fewer machine texts are detected."""
    points: dict[str, list[tuple[float, float]]] = {}
    for c, one, _, tpr, _ in study.cells():
        if one is not None and tpr is not None and np.isfinite([one.estimate.value, tpr.estimate.value]).all():
            points.setdefault(c.short, []).append((one.estimate.value, tpr.estimate.value))
    series = tuple(
        Series(short, *(tuple(axis) for axis in zip(*found, strict=True))) for short, found in points.items()
    )
    return Figure(
        "two_sided-quadrants",
        "scatter",
        "Change of AUROC against change of TPR",
        "change of AUROC, one-sided",
        "change of TPR",
        series,
        note="One point an attack. Below zero on the right: AUROC reports improvement while fewer machine texts are detected.",
    )
