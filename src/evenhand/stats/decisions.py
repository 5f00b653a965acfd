"""From rates with an interval to what they mean for people, where texts share a writer and counts are no binomial.

The functions of ``consequences`` take counts of independent texts; these take an Estimate of the rate, whatever its interval
was made from (clusters, say), and carry it over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isnan, nan

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats as sp

from ..errors import SpecError
from .consequences import _once
from .estimate import Estimate
from .inputs import as_codes, as_flags, check_closed, check_open, check_whole
from .proportions import proportion, undefined

FEWEST_PAIRED = 10
"""Fewer clusters of several texts tell nothing of how alike the texts of a cluster are."""


def per_texts(rate: Estimate, texts: int = 1000) -> Estimate:
    """How many of ``texts`` texts are flagged, where the rate is ``rate``."""
    method = f"per {texts} texts; {rate.method}"
    return replace(rate, value=rate.value * texts, low=rate.low * texts, high=rate.high * texts, method=method)


def at_least_once(rate: Estimate, texts: int, *, correlation: float = 0.0) -> Estimate:
    """The chance that a writer of ``texts`` texts is flagged at least once; ``flagged_at_least_once`` on a rate.

    0 for ``correlation``: independent texts, which is the most that any correlation from 0 on can give.
    """
    check_whole("texts", texts)
    r = check_closed("correlation", correlation)
    value, low, high = (nan if isnan(p) else _once(p, int(texts), r) for p in (rate.value, rate.low, rate.high))
    method = f"at least once in {texts} texts, correlation {r:g}; {rate.method}"
    return replace(rate, value=value, low=low, high=high, method=method)


def share_right(tpr: Estimate, fpr: Estimate, prevalence: float) -> Estimate:
    """PPV from two rates with intervals; ``ppv`` on rates instead of counts.

    PPV rises with the TPR and falls with the FPR, so the corners of their intervals bound it at the chance that both hold:
    give both at ``family_level(.95, 2)`` to have .95. NaN where nothing is flagged.
    """
    p = check_closed("prevalence", prevalence)
    value, low, high = (_ppv(*rates, p) for rates in ((tpr.value, fpr.value), (tpr.low, fpr.high), (tpr.high, fpr.low)))
    method = f"PPV at prevalence {p:g}, from the bounds of both rates ({tpr.method}; {fpr.method})"
    return Estimate(value, low, high, min(tpr.n, fpr.n), method, tpr.level * fpr.level)


def _ppv(tpr: float, fpr: float, prevalence: float) -> float:
    right, wrong = tpr * prevalence, fpr * (1 - prevalence)
    return right / (right + wrong) if right + wrong > 0 else nan


def clustered_share(flags: ArrayLike, clusters: ArrayLike, *, level: float = 0.95, what: str = "share") -> Estimate:
    """The share of flagged texts, with exact bounds on the effective number of draws (Korn & Graubard 1998).

    As if the texts of a cluster were copies of each other, which is the worst that they can be: Clopper-Pearson's bounds,
    by the beta distribution, on (sum m)^2 / sum m^2 draws for clusters of m texts (Kish 1965), rounded down. Clusters of one
    size are as many draws as there are clusters; so are all where no text is flagged, or every one. Where every text stands
    alone, Clopper-Pearson's interval itself. For rare flags, where the bootstrap's bounds are too narrow. ``n`` counts clusters.
    """
    y = as_flags(flags, "flags")
    codes, k = as_codes(clusters, len(y), "clusters")
    if k == len(y):
        return proportion(int(y.sum()), k, level=level, what=what)
    sizes, value = np.bincount(codes).astype(np.float64), float(y.mean())
    draws = k if value in (0.0, 1.0) else int(sizes.sum() ** 2 / (sizes**2).sum() + 1e-9)
    tail, flagged = (1 - check_open("level", level)) / 2, value * draws
    low = 0.0 if value == 0 else float(sp.beta.ppf(tail, flagged, draws - flagged + 1))
    high = 1.0 if value == 1 else float(sp.beta.ppf(1 - tail, flagged + 1, draws - flagged))
    return Estimate(value, low, high, k, f"{what}, Clopper-Pearson on {draws:,} effective draws", level)


def family_level(level: float, members: int) -> float:
    """The level of each of ``members`` intervals that hold together at ``level`` (Sidak 1967), for groups that share no
    text."""
    if members < 1:
        raise SpecError(f"family_level: members must be at least 1, got {members}")
    return float(check_open("level", level) ** (1 / members))


def gap(rates: Mapping[str, Estimate]) -> Estimate:
    """Largest less smallest of rates whose intervals hold together (see ``family_level``).

    If each true rate lies in its interval, the true gap lies between (largest low - smallest high), at least 0, and
    (largest high - smallest low); so the bounds need no allowance for having picked the two.
    """
    known = [rate for rate in rates.values() if not isnan(rate.value)]
    n = sum(rate.n for rate in known)
    if len(known) < 2:
        return undefined(n, "no gap: fewer than two groups with a rate")
    value = max(r.value for r in known) - min(r.value for r in known)
    if any(isnan(r.low) for r in known):
        return Estimate(value, nan, nan, n, "gap; no interval: a group has none")
    low = max(0.0, max(r.low for r in known) - min(r.high for r in known))
    high = max(r.high for r in known) - min(r.low for r in known)
    level = float(np.prod([r.level for r in known]))
    return Estimate(value, low, high, n, "largest less smallest, bounds from the simultaneous intervals", level)


def intraclass_correlation(flags: ArrayLike, clusters: ArrayLike) -> Estimate:
    """How alike the flags of one writer are: the ANOVA estimator for shares (Fleiss 1981; Ridout et al. 1999).

    Value only, cut to [0, 1]. NaN where fewer than ``FEWEST_PAIRED`` clusters hold two texts, or where no such cluster has a
    flagged text or none an unflagged one: the value would hang on what was not seen. ``n`` counts those clusters.
    """
    y = as_flags(flags, "flags").astype(np.float64)
    codes, k = as_codes(clusters, len(y), "clusters")
    size, total = np.bincount(codes, minlength=k).astype(np.float64), len(y)
    several, paired = int((size > 1).sum()), y[size[codes] > 1]
    if several < FEWEST_PAIRED or paired.min() == paired.max():
        why = f"{several} clusters of two texts or more, {FEWEST_PAIRED} are needed, with flagged and unflagged texts"
        return undefined(several, f"no correlation: {why}")
    means = np.bincount(codes, y, k) / size
    between = float((size * (means - y.mean()) ** 2).sum()) / (k - 1)
    within = float(((y - means[codes]) ** 2).sum()) / (total - k)
    typical = (total - float((size**2).sum()) / total) / (k - 1)
    value = (between - within) / (between + (typical - 1) * within)
    return Estimate(float(np.clip(value, 0, 1)), nan, nan, several, "intraclass correlation, ANOVA; no interval")
