"""The ROC curve and what is read off it: partial AUROC, average precision, TPR at a tolerated FPR."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import SpecError
from ..seeds import numpy_rng
from .bootstrap import summarize_draws
from .estimate import Estimate
from .inputs import FloatArray, IntArray, allowed_errors, as_scores, check_closed, check_open, check_whole
from .proportions import clopper_pearson

AtFprMethod = Literal["step", "interpolated"]
PrecisionMethod = Literal["step", "trapezoid"]
_BLOCK = 4_000_000
"""Numbers in one block of replicates: bounds the memory at about 100 MB."""


@dataclass(frozen=True, eq=False)
class RocCurve:
    """Points from (0, 0) to (1, 1): flagging every score above ``threshold[i]`` gives ``fpr[i]`` and ``tpr[i]``.

    The last threshold, which flags all, is -inf, or NaN where a score is -inf and no threshold lies below it.
    """

    fpr: FloatArray
    tpr: FloatArray
    threshold: FloatArray


def _counts(positive: FloatArray, negative: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Distinct scores, descending, and how many positives and negatives lie on each."""
    values, codes = np.unique(np.concatenate([positive, negative]), return_inverse=True)
    hits = np.bincount(codes[: len(positive)], minlength=len(values))
    alarms = np.bincount(codes[len(positive) :], minlength=len(values))
    return values[::-1], hits[::-1].astype(np.int64), alarms[::-1].astype(np.int64)


def roc_curve(positive: ArrayLike, negative: ArrayLike) -> RocCurve:
    """One point for each distinct score, none dropped; a text is flagged when its score is *above* the threshold."""
    x, y = as_scores(positive, "positive"), as_scores(negative, "negative")
    values, hits, alarms = _counts(x, y)
    last = nan if np.isneginf(values[-1]) else -np.inf
    return RocCurve(_cumulated(alarms) / len(y), _cumulated(hits) / len(x), np.append(values, last))


def _cumulated(counts: IntArray) -> IntArray:
    """Cumulative counts along the last axis, with the leading 0 of 'nothing flagged'."""
    cumulated: IntArray = np.concatenate([np.zeros_like(counts[..., :1]), np.cumsum(counts, axis=-1)], axis=-1)
    return cumulated


def _last_within(alarms: IntArray, fpr: float) -> IntArray:
    """Index of the last point whose FPR is within ``fpr``; ``alarms`` is cumulated, shape (..., points)."""
    allowed = np.floor(fpr * alarms[..., -1:] + 1e-9)
    last: IntArray = (alarms <= allowed).sum(axis=-1) - 1
    return last


def _at(points: IntArray, index: IntArray) -> IntArray:
    return np.take_along_axis(points, index[..., None], axis=-1)[..., 0]


def _tpr_at(hits: IntArray, alarms: IntArray, fpr: float, method: AtFprMethod) -> FloatArray:
    h, a = _cumulated(hits), _cumulated(alarms)
    last = _last_within(a, fpr)
    tpr: FloatArray = _at(h, last) / h[..., -1]
    if method == "step":
        return tpr
    after = np.minimum(last + 1, h.shape[-1] - 1)
    rise, run = _at(h, after) / h[..., -1] - tpr, (_at(a, after) - _at(a, last)) / a[..., -1]
    gap = fpr - _at(a, last) / a[..., -1]
    interpolated: FloatArray = tpr + np.where(run > 0, rise * gap / np.where(run > 0, run, 1), 0)
    return interpolated


def _partial(hits: IntArray, alarms: IntArray, max_fpr: float) -> FloatArray:
    h, a = _cumulated(hits) / hits.sum(-1, keepdims=True), _cumulated(alarms) / alarms.sum(-1, keepdims=True)
    x = np.minimum(a, max_fpr)
    end = _tpr_at(hits, alarms, max_fpr, "interpolated")[..., None]
    y = np.where(a <= max_fpr + 1e-12, h, end)
    area = (np.diff(x) * (y[..., 1:] + y[..., :-1]) / 2).sum(-1)
    least = max_fpr**2 / 2
    standardised: FloatArray = 0.5 * (1 + (area - least) / (max_fpr - least))
    return standardised


def _average_precision(hits: IntArray, alarms: IntArray, method: PrecisionMethod) -> FloatArray:
    h, a = np.cumsum(hits, -1), np.cumsum(alarms, -1)
    flagged = h + a
    precision = np.where(flagged > 0, h / np.maximum(flagged, 1), 1.0)
    gained = hits / h[..., -1:]
    if method == "trapezoid":
        before = np.concatenate([np.ones_like(precision[..., :1]), precision[..., :-1]], axis=-1)
        precision = (precision + before) / 2
    area: FloatArray = (gained * precision).sum(-1)
    return area


def tpr_at_fpr(
    positive: ArrayLike,
    negative: ArrayLike,
    fpr: float,
    *,
    method: AtFprMethod = "step",
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
) -> Estimate:
    """The largest TPR whose FPR on these negatives is within ``fpr``: what a deployed threshold gives.

    ``"interpolated"`` draws a straight line over the next jump instead, as ``np.interp`` on a ROC curve does; no
    threshold reaches it. The interval re-estimates the threshold in every bootstrap replicate (texts drawn within each
    class). For a threshold set elsewhere use ``true_positive_rate``; for texts that share a source ``bootstrap_tprs``.
    """
    if method not in ("step", "interpolated"):
        raise SpecError(f"tpr_at_fpr: no method {method!r}; it is 'step' or 'interpolated'")
    check_closed("fpr", fpr)
    few = (
        " (the threshold is the highest negative: too few for this FPR)"
        if allowed_errors(fpr, np.size(negative)) < 1
        else ""
    )
    name = f"TPR at FPR {fpr:g}, {method} rule{few}"
    return _estimate(
        positive,
        negative,
        lambda h, a: _tpr_at(h, a, fpr, method),
        name=name,
        level=level,
        replicates=replicates,
        seed=seed,
    )


def partial_auroc(
    positive: ArrayLike,
    negative: ArrayLike,
    max_fpr: float,
    *,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Area under the ROC curve up to ``max_fpr``, standardised to .5 for chance and 1 for perfect (McClish 1989).

    The value of scikit-learn's ``roc_auc_score(max_fpr=...)``. Interval: bootstrap of the texts within each class.
    """
    if check_closed("max_fpr", max_fpr) == 0:
        raise SpecError("partial_auroc: max_fpr must be above 0, e.g. 0.05")
    return _estimate(
        positive,
        negative,
        lambda h, a: _partial(h, a, max_fpr),
        name=f"partial AUROC to FPR {max_fpr:g}, standardised (McClish)",
        level=level,
        replicates=replicates,
        seed=seed,
    )


def average_precision(
    positive: ArrayLike,
    negative: ArrayLike,
    *,
    method: PrecisionMethod = "step",
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Mean precision over the recall gained, at this mix of classes: chance is the share of positives, not .5.

    ``"step"`` is scikit-learn's ``average_precision_score``. ``"trapezoid"`` is the area under the joined-up
    precision-recall points, which several published evaluations print under the same name; it is too high or low
    where points are far apart. Interval: bootstrap of the texts within each class.
    """
    if method not in ("step", "trapezoid"):
        raise SpecError(f"average_precision: no method {method!r}; it is 'step' or 'trapezoid'")
    return _estimate(
        positive,
        negative,
        lambda h, a: _average_precision(h, a, method),
        name=f"average precision, {method}",
        level=level,
        replicates=replicates,
        seed=seed,
    )


def _estimate(
    positive: ArrayLike,
    negative: ArrayLike,
    metric: Callable[[IntArray, IntArray], FloatArray],
    *,
    name: str,
    level: float,
    replicates: int,
    seed: int,
) -> Estimate:
    x, y = as_scores(positive, "positive"), as_scores(negative, "negative")
    check_open("level", level)
    check_whole("replicates", replicates, least=0)
    _, hits, alarms = _counts(x, y)
    value, n = float(metric(hits, alarms)), len(x) + len(y)
    if min(len(x), len(y)) < 2 or replicates < 1:
        why = "no replicates asked for" if replicates < 1 else "a class holds one text"
        return Estimate(value, nan, nan, n, f"{name}; no interval: {why}", level)
    draws = np.concatenate([metric(h, a) for h, a in _resampled(hits, alarms, replicates, seed)])
    if draws.min() == draws.max() and value in (0.0, 1.0):
        smaller = min(len(x), len(y))
        low, high = clopper_pearson(smaller if value else 0, smaller, level)
        return Estimate(value, low, high, n, f"{name}, exact bound on the smaller class (no spread)", level)
    return summarize_draws(value, draws, n=n, level=level, what=name, of="texts")


def _resampled(hits: IntArray, alarms: IntArray, replicates: int, seed: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Blocks of resampled counts, (block, distinct scores): texts drawn with replacement within each class."""
    generator = numpy_rng("stats.roc", seed)
    block = max(1, _BLOCK // int(hits.sum() + alarms.sum()))
    for start in range(0, replicates, block):
        size = min(block, replicates - start)
        yield _redrawn(generator, hits, size), _redrawn(generator, alarms, size)


def _redrawn(generator: np.random.Generator, counts: IntArray, size: int) -> IntArray:
    """``size`` resamples of the texts behind ``counts``; several times as fast as a multinomial of many rare scores."""
    places, k = np.repeat(np.arange(len(counts)), counts), len(counts)
    drawn = places[generator.integers(0, len(places), (size, len(places)))] + k * np.arange(size)[:, None]
    return np.bincount(drawn.ravel(), minlength=size * k).reshape(size, k).astype(np.int64)


def tpr_at_fpr_scorer(fpr: float) -> Any:
    """A scikit-learn scorer (``scoring=tpr_at_fpr_scorer(0.01)``): step-rule TPR of the larger label at this FPR."""
    from sklearn.metrics import make_scorer

    check_closed("fpr", fpr)
    return make_scorer(_scored_tpr, response_method=("decision_function", "predict_proba"), fpr=fpr)


def _scored_tpr(y_true: ArrayLike, y_score: ArrayLike, *, fpr: float) -> float:
    truth, scores = np.asarray(y_true), np.asarray(y_score, dtype=np.float64)
    labels = np.unique(truth)
    if len(labels) != 2:
        raise SpecError(f"tpr_at_fpr_scorer: needs two classes, found {len(labels)}; use a stratified split")
    return tpr_at_fpr(scores[truth == labels[1]], scores[truth == labels[0]], fpr, replicates=0).value
