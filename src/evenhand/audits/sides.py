"""Texts on two sides of a line: AUROC and TPR as GEDE prints them (tables 2 to 5), for many cells and all detectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import stats
from ..documents import Level, Policy
from ..stats import Estimate
from .base import Cell, area, by_detector, cell, counts, finding, nominal, none, percent, rate
from .changes import Drawn
from .finding import Figure, Finding, Series
from .rows import Mask, Rows, Settings

CURVE_POINTS = 200
"""Points kept of a ROC curve in a figure."""
TIED_REPLICATES = 500


@dataclass(frozen=True)
class Sides:
    """``where`` names the cell; texts of ``positive`` should score higher than those of ``negative``."""

    where: Mapping[str, str]
    positive: Mask
    negative: Mask


def of_policy(rows: Rows, boundary: Level) -> Sides:
    verdict = rows.positive(Policy(boundary))
    return Sides({"boundary": boundary.value}, rows.clean & (verdict == 1), rows.clean & (verdict == 0))


def of_level(rows: Rows, level: Level) -> Mask:
    """Unedited texts of a level; human texts of corpora without levels count as human."""
    return rows.clean & (rows.human if level == Level.HUMAN else rows.where(level=level.value))


def sample_names(fpr: float) -> tuple[str, str]:
    """The names of the two metrics that are read off the ROC curve of the very texts they judge."""
    name = f"TPR at {percent(fpr)} FPR, in sample"
    return name, f"{name}, interpolated"


def measured(
    table: str, sides: Sequence[Sides], rows: Rows, settings: Settings, drawn: Drawn, *, held_out: bool = True
) -> list[Finding]:
    """The findings of every detector on every cell, detector by detector.

    In sample, as the paper: AUROC, and the TPR at the policy's FPR by step rule and interpolated. ``held_out`` adds the TPR
    at a threshold from the negatives of the calibration half, and the FPR of those of the other half.
    """
    return [
        one
        for short, spec in by_detector(rows)
        for one in of_detector(table, short, spec, sides, rows, settings, drawn, held_out)
    ]


def of_detector(
    table: str,
    short: str,
    spec: str,
    sides: Sequence[Sides],
    rows: Rows,
    settings: Settings,
    drawn: Drawn,
    held_out: bool,
) -> Iterator[Finding]:
    cells = [(cell(rows, spec, one.positive), cell(rows, spec, one.negative)) for one in sides]
    steps = in_sample(cells, settings.policy.fpr, drawn)
    for one, (positive, negative), step in zip(sides, cells, steps, strict=True):
        where, told = {"detector": short, **one.where}, counts(positive=positive, negative=negative)
        by_step, interpolated = sample_names(settings.policy.fpr)
        yield finding(table, where, "AUROC", area(positive, negative), told)
        yield finding(table, where, by_step, step, told)
        yield finding(table, where, interpolated, joined(positive, negative, step, settings, drawn), told)
        if held_out:
            yield from at_threshold(table, where, one, (spec, positive), rows, settings, drawn)


def at_threshold(
    table: str,
    where: Mapping[str, str],
    sides: Sides,
    judged: tuple[str, Cell],
    rows: Rows,
    settings: Settings,
    drawn: Drawn,
) -> Iterator[Finding]:
    spec, positive = judged
    calibration = rows.half(settings.seed) == "calibration"
    tau = nominal(cell(rows, spec, sides.negative & calibration), settings.policy.fpr).value
    verify = cell(rows, spec, sides.negative & ~calibration)
    yield finding(table, where, "TPR", rate(positive, tau, "TPR", drawn.resample), counts(positive=positive))
    fpr = rate(verify, tau, "FPR", drawn.resample)
    yield finding(table, where, "FPR, verification half", fpr, counts(negative=verify))


def in_sample(cells: Sequence[tuple[Cell, Cell]], fpr: float, drawn: Drawn) -> list[Estimate]:
    """TPR at the threshold that holds ``fpr`` on the cell's own negatives, found anew in every resample."""
    found = [none("no TPR: " + ("no positive" if not p.n else "no negative") + " text was scored") for p, _ in cells]
    whole = [i for i, (positive, negative) in enumerate(cells) if positive.n and negative.n]
    if whole:
        units = [(drawn.rows(cells[i][0]), drawn.rows(cells[i][1])) for i in whole]
        draws = stats.bootstrap_tprs(units, drawn.resample, fpr)
        for i, estimate in zip(whole, draws.estimates(), strict=True):
            found[i] = estimate
    return found


def joined(positive: Cell, negative: Cell, step: Estimate, settings: Settings, drawn: Drawn) -> Estimate:
    """The TPR on the straight line between two points of the ROC curve, as the authors' code reads it.

    Where no positive ties with a negative the curve is flat there, and both rules give one number on every resample.
    """
    if np.isnan(step.value):
        return step
    if not np.intersect1d(positive.scores, negative.scores).size:
        return replace(step, method=f"{step.method}; interpolated alike: no positive ties with a negative")
    fpr = settings.policy.fpr
    return stats.cluster_bootstrap(
        lambda s, y: stats.tpr_at_fpr(s[y == 1], s[y == 0], fpr, method="interpolated", replicates=0).value,
        np.concatenate([positive.clusters, negative.clusters]),
        np.concatenate([positive.scores, negative.scores]),
        np.concatenate([np.ones(positive.n), np.zeros(negative.n)]),
        replicates=min(TIED_REPLICATES, drawn.resample.replicates),
        seed=settings.seed,
    )


def curves(name: str, title: str, sides: Sequence[Sides], rows: Rows) -> Iterator[Figure]:
    """For each detector a figure with the ROC curve of every cell that has both classes."""
    for short, spec in by_detector(rows):
        series = tuple(
            one
            for part in sides
            if (one := curve(part, cell(rows, spec, part.positive), cell(rows, spec, part.negative)))
        )
        if series:
            axes = ("false-positive rate", "true-positive rate")
            yield Figure(f"{name}-{short}", "line", f"ROC by {title}: {short}", *axes, series)


def curve(sides: Sides, positive: Cell, negative: Cell) -> Series | None:
    if not positive.n or not negative.n:
        return None
    roc = stats.roc_curve(positive.scores, negative.scores)
    kept = np.unique(np.linspace(0, len(roc.fpr) - 1, CURVE_POINTS).round().astype(int))
    return Series(", ".join(sides.where.values()), tuple(map(float, roc.fpr[kept])), tuple(map(float, roc.tpr[kept])))
