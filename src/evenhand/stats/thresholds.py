"""Thresholds from human texts: the nominal quantile, and the certified one of Tong, Feng & Li (2018)."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats as sp

from ..errors import SpecError
from .certificates import texts_needed
from .inputs import FloatArray, allowed_errors, as_codes, as_scores, check_closed, check_open, check_whole


@dataclass(frozen=True, slots=True)
class Threshold:
    """Flag a text when its score is above ``value``, the ``k``-th smallest of ``n`` human scores.

    ``confidence`` is None for a nominal threshold. Where no threshold can be certified ``value`` is NaN and ``reason``
    says how many texts are missing. Over all calibration samples the true FPR follows Beta(n - k + 1, k), or less where
    scores tie: ``mean_fpr``, ``exceed_probability`` and ``fpr_range`` read it off.
    """

    value: float
    k: int
    n: int
    fpr: float
    confidence: float | None = None
    reason: str | None = None

    def __float__(self) -> float:
        return self.value

    @property
    def errors_allowed(self) -> int:
        """How many of the calibration texts lie above it, ties aside."""
        return self.n - self.k

    @property
    def mean_fpr(self) -> float:
        return (self.n - self.k + 1) / (self.n + 1) if self.k else nan

    @property
    def exceed_probability(self) -> float:
        """P(true FPR > fpr) over calibration samples: .42 to .74 for a nominal 1 % of 100 to 5,000 texts."""
        return float(sp.beta.sf(self.fpr, self.n - self.k + 1, self.k)) if self.k else nan

    def fpr_range(self, level: float = 0.9) -> tuple[float, float]:
        """The central range that holds the true FPR in a share ``level`` of calibration samples."""
        if not self.k:
            return nan, nan
        tail = (1 - check_open("level", level)) / 2
        low, high = sp.beta.ppf([tail, 1 - tail], self.n - self.k + 1, self.k)
        return float(low), float(high)


def threshold(
    human: ArrayLike, fpr: float, confidence: float | None = None, *, clusters: ArrayLike | None = None
) -> Threshold:
    """The lowest threshold that keeps the FPR within ``fpr`` on these human scores; flag ``score > threshold``.

    Nominal (``confidence=None``): at most floor(fpr * n) of the n scores lie above it; the true FPR is above ``fpr``
    about half of the time. Certified (``confidence=0.95``): the smallest order statistic whose true FPR exceeds ``fpr``
    with probability at most .05 (Neyman-Pearson umbrella: smallest k with P(Bin(n, 1 - fpr) >= k) <= 1 - confidence).
    It needs ``texts_needed(fpr)`` independent texts; with fewer, ``value`` is NaN and ``reason`` says why. Where texts
    share an author or task pass ``clusters``: each cluster then counts once, by its highest score.
    """
    scores = as_scores(human, "human")
    check_closed("fpr", fpr)
    if confidence is None:
        if clusters is not None:
            raise SpecError(
                "threshold: clusters matter to certified thresholds only; pass confidence=0.95 or no clusters"
            )
        return _at_rank(scores, len(scores) - allowed_errors(fpr, len(scores)), fpr, None)
    check_open("confidence", confidence)
    drawn = scores if clusters is None else _cluster_maxima(scores, clusters)
    what, scores = "clusters of human texts" if len(drawn) < len(scores) else "human texts", drawn
    errors = certified_errors(len(scores), fpr, confidence)
    if errors is None:
        return Threshold(nan, 0, len(scores), fpr, confidence, _why_not(len(scores), fpr, confidence, what))
    return _at_rank(scores, len(scores) - errors, fpr, confidence)


def certified_errors(n: int, fpr: float, confidence: float) -> int | None:
    """How many of n human scores may lie above a threshold that is certified; None where even zero are too many."""
    if check_closed("fpr", fpr) == 1:
        return check_whole("n", n)
    errors = int(sp.binom.ppf(1 - confidence, n, fpr)) + 1
    while errors >= 0 and sp.binom.cdf(errors, n, fpr) > 1 - confidence:
        errors -= 1
    return errors if errors >= 0 else None


def _at_rank(scores: FloatArray, k: int, fpr: float, confidence: float | None) -> Threshold:
    value = float(np.partition(scores, k - 1)[k - 1]) if k else -np.inf
    return Threshold(value, k, len(scores), fpr, confidence)


def _cluster_maxima(scores: FloatArray, clusters: ArrayLike) -> FloatArray:
    codes, k = as_codes(clusters, len(scores), "clusters")
    maxima = np.full(k, -np.inf)
    np.maximum.at(maxima, codes, scores)
    return maxima


def _why_not(n: int, fpr: float, confidence: float, what: str) -> str:
    if fpr <= 0:
        return "no number of texts certifies an FPR of 0; tolerate a positive rate, e.g. 0.001"
    needed = texts_needed(fpr, 0, confidence)
    return (
        f"{n} {what} cannot certify an FPR of {fpr:.4g} at {confidence:.4g} confidence, even with none above the "
        f"threshold: {needed} are needed, {needed - n} are missing"
    )
