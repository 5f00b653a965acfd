"""Greedy forward selection of features by cross-validated logistic regression, thousands of candidates at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from ...errors import DataError

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
RIDGE = 0.1
"""1/C with the authors' C = 10; the intercept is free of it."""
BLOCK = 1 << 21
"""Values of the designs that are in memory at once."""
STEPS = 12
LEAST = 0.001
"""By so much a feature must better the criterion (the authors round theirs to three digits)."""


def folds(clusters: Sequence[str], machine: Mask, n: int, seed: int) -> list[Mask]:
    """The held-out texts of each fold, whole clusters; raises DataError where one would leave a side with one class."""
    from sklearn.model_selection import StratifiedGroupKFold

    groups = np.unique(np.asarray(clusters), return_inverse=True)[1]
    n = min(n, int(groups.max()) + 1)
    if n >= 2:
        cut = StratifiedGroupKFold(n, shuffle=True, random_state=seed).split(np.zeros(len(groups)), machine, groups)
        held = [np.isin(np.arange(len(groups)), rows) for _, rows in cut]
        if all(len(set(machine[~rows])) == 2 and rows.any() for rows in held):
            return held
    raise DataError(
        f"cross-validation by cluster: {len(groups)} texts in {int(groups.max()) + 1} clusters leave a side with one class; give "
        "more clusters of both classes"
    )


def log_loss(z: Floats, y: Floats) -> Floats:
    """Minus the mean cross entropy (larger is better), over the last axis; ``z`` are log-odds."""
    return np.asarray(np.mean(log_expit(np.where(y == 1, z, -z)), axis=-1))


def accuracy(z: Floats, y: Floats) -> Floats:
    return np.asarray(np.mean((z > 0) == (y == 1), axis=-1))


CRITERIA: dict[str, Callable[[Floats, Floats], Floats]] = {"log_loss": log_loss, "accuracy": accuracy}


def forward(columns: Floats, machine: Mask, held: Sequence[Mask], most: int, criterion: str) -> list[int]:
    """Which ``columns`` (shape (n_texts, n_candidates)) are taken, in this order, until the cross-validated criterion gains
    less than ``LEAST``; of equals the first. Columns are z-scored here; constant ones are never taken."""
    spread = columns.std(axis=0)
    usable = np.flatnonzero(np.isfinite(spread) & (spread > 0))
    if not len(usable):
        raise DataError("no feature varies over the training texts: give more, or other, texts")
    z = (columns[:, usable] - columns[:, usable].mean(axis=0)) / spread[usable]
    y, chosen = machine.astype(np.float64), []  # type: tuple[Floats, list[int]]
    best = scored(np.ones((len(z), 1)), None, y, held, criterion)[0]
    while len(chosen) < min(most, z.shape[1]):
        base = np.column_stack([np.ones(len(z)), z[:, chosen]])
        found = scored(base, z, y, held, criterion)
        found[chosen] = -np.inf
        if found.max() < best + LEAST:
            break
        best = float(found.max())
        chosen.append(int(found.argmax()))
    return [int(usable[i]) for i in chosen]


def scored(base: Floats, more: Floats | None, y: Floats, held: Sequence[Mask], criterion: str) -> Floats:
    """The mean over the folds of the held-out criterion, of ``base`` with each column of ``more`` (of ``base`` alone)."""
    n_candidates = 1 if more is None else more.shape[1]
    total = np.zeros(n_candidates)
    for out in held:
        start = fitted(base[None, ~out], y[~out], None)[0]
        size = max(1, BLOCK // (len(y) * (base.shape[1] + 1)))
        for first in range(0, n_candidates, size):
            block = slice(first, min(n_candidates, first + size))
            designs = base[None] if more is None else joined(base, more[:, block])
            weights = fitted(designs[:, ~out], y[~out], np.append(start, [0.0] * (more is not None)))
            odds = (designs[:, out] @ weights[:, :, None])[..., 0]
            total[block] += CRITERIA[criterion](odds, y[out])
    return total / len(held)


def joined(base: Floats, more: Floats) -> Floats:
    """Shape (n_more, n_texts, n_base + 1)."""
    shared = np.broadcast_to(base, (more.shape[1], *base.shape))
    return np.concatenate([shared, more.T[:, :, None]], axis=2)


def fitted(designs: Floats, y: Floats, start: Floats | None) -> Floats:
    """Ridge logistic regression by Newton's steps, shape (n_designs, n_columns); column 0 is the intercept."""
    n, _, k = designs.shape
    weights = np.zeros((n, k)) if start is None else np.tile(start, (n, 1))
    ridge = np.full(k, RIDGE)
    ridge[0] = 1e-6
    turned = np.swapaxes(designs, 1, 2)
    for _ in range(STEPS):
        p = expit((designs @ weights[:, :, None])[..., 0])
        slope = (turned @ (p - y)[:, :, None])[..., 0] + ridge * weights
        bend = (turned * (p * (1 - p))[:, None, :]) @ designs + np.diag(ridge)
        step = np.linalg.solve(bend, slope[:, :, None])[..., 0]
        weights = weights - step
        if np.abs(step).max() < 1e-4:
            break
    return weights
