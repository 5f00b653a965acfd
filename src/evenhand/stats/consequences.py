"""What the error rates mean for people: PPV, false accusations, repeated checks, two detectors in agreement."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from ..seeds import numpy_rng
from .bootstrap import summarize_draws
from .estimate import Estimate
from .inputs import FloatArray, as_flags, check_closed, check_counts, check_open, check_same_length, check_whole, ratio
from .proportions import proportion, undefined


def ppv(
    hits: int,
    machine: int,
    errors: int,
    human: int,
    prevalence: float,
    *,
    level: float = 0.95,
    draws: int = 100_000,
    seed: int = 0,
) -> Estimate:
    """P(machine | flagged) where a share ``prevalence`` of texts is machine: TPR p / (TPR p + FPR (1 - p)).

    TPR = hits / machine, FPR = errors / human. Interval: Monte-Carlo over both rates, each Beta with Jeffreys' prior, so it
    exists even where no error was seen; it is drawn out to hold the value (1 there, 0 where no machine text was flagged).
    ``n`` counts texts.
    """
    check_counts(hits, machine, "hits")
    check_counts(errors, human)
    p, n = check_closed("prevalence", prevalence), machine + human
    check_open("level", level)
    right, wrong = hits / machine * p, errors / human * (1 - p)
    value = right / (right + wrong) if right + wrong > 0 else nan
    generator = numpy_rng("stats.ppv", seed)
    tpr = generator.beta(hits + 0.5, machine - hits + 0.5, draws)
    fpr = generator.beta(errors + 0.5, human - errors + 0.5, draws)
    low, high = np.quantile(_ppv(tpr, fpr, p), [(1 - level) / 2, (1 + level) / 2])
    method = f"PPV at prevalence {p:g}, Monte-Carlo over both rates (Jeffreys)"
    note = "" if right + wrong > 0 else "; no value: nothing was flagged"
    return Estimate(value, float(np.fmin(low, value)), float(np.fmax(high, value)), n, method + note, level)


def _ppv(tpr: FloatArray, fpr: FloatArray, prevalence: float) -> FloatArray:
    right = tpr * prevalence
    return right / np.maximum(right + fpr * (1 - prevalence), np.finfo(np.float64).tiny)


def accusations(
    errors: int, human: int, *, texts: int = 1000, prevalence: float = 0.0, level: float = 0.95
) -> Estimate:
    """Expected false accusations among ``texts`` texts, of which a share ``prevalence`` is machine (0: all honest).

    The exact interval of the FPR, scaled. ``n`` counts the human texts that it stands on.
    """
    rate, honest = proportion(errors, human, level=level), texts * (1 - check_closed("prevalence", prevalence))
    method = f"false accusations per {texts} texts ({honest:g} honest), Clopper-Pearson"
    return Estimate(rate.value * honest, rate.low * honest, rate.high * honest, human, method, level)


def flagged_at_least_once(
    errors: int, human: int, texts: int, *, correlation: float = 0.0, level: float = 0.95
) -> Estimate:
    """The chance that an honest writer of ``texts`` texts is flagged at least once.

    Independent texts: 1 - (1 - FPR) ** texts. With an intra-writer ``correlation`` r of the flags (0 to 1) writers differ,
    each with a rate from a Beta of mean FPR and a + b = 1 / r - 1 (beta-binomial); the chance is then lower on average, as
    some writers bear more of it. Carries the exact interval of the FPR over; ``correlation`` is taken as known.
    """
    check_whole("texts", texts)
    rate, r = proportion(errors, human, level=level), check_closed("correlation", correlation)
    value, low, high = (_once(p, int(texts), r) for p in (rate.value, rate.low, rate.high))
    method = f"flagged at least once in {texts} texts, correlation {r:g}, from Clopper-Pearson"
    return Estimate(value, low, high, human, method, level)


def _once(rate: float, texts: int, correlation: float) -> float:
    """1 - prod over i < texts of (b + i) / (a + b + i), with a, b in units that stay finite at correlation 0."""
    i = np.arange(texts) * correlation
    spared = ((1 - rate) * (1 - correlation) + i) / (1 - correlation + i) if correlation < 1 else np.array([1 - rate])
    return float(1 - np.prod(spared))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How two detectors flag the same texts. On honest texts ``both`` is the rate of joint false accusations and
    ``expected`` what it would be if they erred independently; ``kappa`` (Cohen 1960) and ``phi`` tell how far they do not.
    """

    kappa: Estimate
    phi: Estimate
    both: Estimate
    only_a: int
    only_b: int
    expected: float


def agreement(
    flags_a: ArrayLike, flags_b: ArrayLike, *, level: float = 0.95, replicates: int = 10_000, seed: int = 0
) -> Agreement:
    """Agreement of two detectors on the same independent texts; bootstrap intervals of kappa and phi.

    phi is NaN where a detector flags all texts or none, kappa where both do alike; ``method`` says so.
    """
    a, b = as_flags(flags_a, "flags_a"), as_flags(flags_b, "flags_b")
    check_same_length(a, b, "flags_a and flags_b")
    check_open("level", level)
    n, table = len(a), np.bincount(2 * a.astype(np.int64) + b, minlength=4)
    drawn = numpy_rng("stats.agreement", seed).multinomial(n, table / n, size=replicates)
    kappa = _bounded(_kappa(table), _kappa(drawn), n, "Cohen's kappa", level)
    phi = _bounded(_phi(table), _phi(drawn), n, "phi", level)
    both = proportion(int(table[3]), n, level=level, what="share flagged by both")
    return Agreement(kappa, phi, both, int(table[2]), int(table[1]), float(a.mean() * b.mean()))


def _kappa(table: ArrayLike) -> FloatArray:
    """Cohen's kappa of 2 x 2 counts; the last axis is neither, only b, only a, both."""
    neither, only_b, only_a, both = np.moveaxis(np.asarray(table, dtype=np.float64), -1, 0)
    chance = (both + only_a) * (only_a + neither) + (both + only_b) * (only_b + neither)
    return ratio(2 * (both * neither - only_a * only_b), chance)


def _phi(table: ArrayLike) -> FloatArray:
    neither, only_b, only_a, both = np.moveaxis(np.asarray(table, dtype=np.float64), -1, 0)
    margins = (both + only_a) * (both + only_b) * (neither + only_a) * (neither + only_b)
    return ratio(both * neither - only_a * only_b, np.sqrt(margins))


def _bounded(value: FloatArray, draws: FloatArray, n: int, name: str, level: float) -> Estimate:
    if np.isnan(value):
        return undefined(n, f"{name} does not exist: a detector flags all texts or none", level)
    return summarize_draws(float(value), draws, n=n, level=level, what=name, of="texts")
