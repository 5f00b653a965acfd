"""Rates at a threshold that was set elsewhere; a text is flagged when its score is above it."""

from __future__ import annotations

from typing import SupportsFloat

import numpy as np
from numpy.typing import ArrayLike

from ..errors import DataError, SpecError
from .estimate import Estimate
from .inputs import as_scores
from .proportions import IntervalMethod, proportion, undefined


def flagged(scores: ArrayLike, threshold: SupportsFloat, name: str = "scores") -> tuple[int, int]:
    """(flagged, all): how many scores lie above the threshold, a number or a ``Threshold``."""
    array = as_scores(scores, name)
    try:
        tau = float(threshold)
    except (TypeError, ValueError):
        raise SpecError(f"the threshold is a number or what stats.threshold gives, got {threshold!r}") from None
    if np.isnan(tau):
        raise DataError(
            f"the threshold is NaN: {getattr(threshold, 'reason', None) or 'none was set'}; "
            "set one from more human texts, or a nominal one"
        )
    return int((array > tau).sum()), len(array)


def false_positive_rate(
    negative: ArrayLike, threshold: SupportsFloat, *, level: float = 0.95, interval: IntervalMethod = "exact"
) -> Estimate:
    """The share of human texts above the threshold. Clopper-Pearson covers at least ``level``; 'wilson' is shorter."""
    return proportion(*flagged(negative, threshold, "negative"), level=level, interval=interval, what="FPR")


def true_positive_rate(
    positive: ArrayLike, threshold: SupportsFloat, *, level: float = 0.95, interval: IntervalMethod = "exact"
) -> Estimate:
    """The share of machine texts above a threshold fixed on other texts."""
    return proportion(*flagged(positive, threshold, "positive"), level=level, interval=interval, what="TPR")


def recall(
    positive: ArrayLike, threshold: SupportsFloat, *, level: float = 0.95, interval: IntervalMethod = "exact"
) -> Estimate:
    """The same number as ``true_positive_rate``, under the name of information retrieval."""
    return proportion(*flagged(positive, threshold, "positive"), level=level, interval=interval, what="recall")


def precision(
    positive: ArrayLike,
    negative: ArrayLike,
    threshold: SupportsFloat,
    *,
    level: float = 0.95,
    interval: IntervalMethod = "exact",
) -> Estimate:
    """The share of flagged texts that are positive, *at this mix of classes*; ``ppv`` gives it at another prevalence.

    The interval is that of a share of the flagged texts; NaN where nothing is flagged.
    """
    (hits, _), (alarms, _) = flagged(positive, threshold, "positive"), flagged(negative, threshold, "negative")
    if hits + alarms == 0:
        return undefined(0, "precision does not exist: no text is flagged", level)
    return proportion(hits, hits + alarms, level=level, interval=interval, what="precision")


def accuracy(
    positive: ArrayLike,
    negative: ArrayLike,
    threshold: SupportsFloat,
    *,
    level: float = 0.95,
    interval: IntervalMethod = "exact",
) -> Estimate:
    """The share of texts judged rightly, at this mix of classes.

    One of the classes may be empty (a test set of one class): accuracy is then specificity or recall, and says so.
    """
    hits, m = flagged(positive, threshold, "positive") if np.size(positive) else (0, 0)
    alarms, n = flagged(negative, threshold, "negative") if np.size(negative) else (0, 0)
    if m + n == 0:
        raise DataError("accuracy: both classes are empty; pass the scores of at least one text")
    what = (
        "accuracy"
        if m and n
        else "accuracy, positives only (recall)"
        if m
        else "accuracy, negatives only (specificity)"
    )
    return proportion(hits + n - alarms, m + n, level=level, interval=interval, what=what)


def f1(
    positive: ArrayLike,
    negative: ArrayLike,
    threshold: SupportsFloat,
    *,
    level: float = 0.95,
    interval: IntervalMethod = "exact",
) -> Estimate:
    """Harmonic mean of precision and recall, at this mix of classes.

    F1 = 2 J / (1 + J) with J = hits / (hits + misses + false alarms), a share, whose interval is carried over.
    """
    (hits, m), (alarms, _) = flagged(positive, threshold, "positive"), flagged(negative, threshold, "negative")
    share = proportion(
        hits, m + alarms, level=level, interval=interval, what="F1 from the interval of the Jaccard share"
    )
    value, low, high = (2 * j / (1 + j) for j in (share.value, share.low, share.high))
    return Estimate(value, low, high, share.n, share.method, level)
