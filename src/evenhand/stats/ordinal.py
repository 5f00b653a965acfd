"""Does the score rise with the machine's part in the text? Levels are numbers, 0 = human, in the order of ``Level``."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats as sp
from scipy.special import expit, logit

from ..errors import DataError
from ..seeds import numpy_rng
from .bootstrap import summarize_draws
from .delong import auroc
from .estimate import Estimate
from .inputs import (
    FloatArray,
    IntArray,
    as_codes,
    as_finite,
    as_scores,
    check_open,
    check_same_length,
    check_whole,
    group_sums,
    ratio,
)
from .proportions import undefined


@dataclass(frozen=True, eq=False)
class _Concordance:
    """For each text: how many texts of other levels it ranks rightly (ties half), and ranks rightly minus wrongly."""

    codes: IntArray
    sizes: IntArray
    right: FloatArray
    net: FloatArray

    @property
    def pairs(self) -> float:
        """Pairs of texts of different levels."""
        return float(self.sizes.sum() ** 2 - (self.sizes**2).sum()) / 2


def _concordance(scores: ArrayLike, levels: ArrayLike) -> tuple[FloatArray, _Concordance]:
    s, raw = as_scores(scores, "scores"), as_finite(levels, "levels", "a level is a finite number")
    check_same_length(s, raw, "scores and levels")
    codes, k = as_codes(raw, len(s), "levels")
    if k < 2:
        raise DataError("levels: all texts have one level; ordinal statistics need at least two")
    right, net = np.zeros(len(s)), np.zeros(len(s))
    for level in range(k):
        members = np.sort(s[codes == level])
        lower = np.searchsorted(members, s, "left")
        higher = len(members) - np.searchsorted(members, s, "right")
        side = np.sign(codes - level)
        net += side * (lower - higher)
        right += np.abs(side) * (len(members) + side * (lower - higher)) / 2
    return s, _Concordance(codes, np.bincount(codes), right, net)


def c_index(
    scores: ArrayLike, levels: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> Estimate:
    """P(score of i < score of j | level of i < level of j) + half of the ties; .5 is chance.

    The mean of all pairwise AUROCs weighted by their pairs, so it depends on how many texts each level has (see
    ``auroc_matrix``). Interval: on the logit scale, from the placements of each text, levels held at their sizes (DeLong's
    variance for more than two classes); with ``clusters`` summed within each (Obuchowski's) and by Student's t of k - 1
    degrees, without which 8 clusters of several levels cover 87% for 95%. With two levels: the AUROC.
    """
    _, c = _concordance(scores, levels)
    check_open("level", level)
    value, n = float(c.right.sum() / (2 * c.pairs)), len(c.codes)
    if clusters is not None:
        codes, n = as_codes(clusters, n, "clusters")
    if n < 2 or c.sizes.min() < 2:
        return Estimate(
            value, nan, nan, n, "C-index; no interval: a level holds one text, or all share a cluster", level
        )
    centred = (c.right - (np.bincount(c.codes, c.right) / c.sizes)[c.codes]) / c.pairs
    if clusters is None:
        law, variance = sp.norm, float((centred**2 * (c.sizes / (c.sizes - 1))[c.codes]).sum())
    else:
        law, variance = sp.t(n - 1), n / (n - 1) * float((group_sums(codes, centred, n) ** 2).sum())
    if variance == 0:
        return Estimate(value, nan, nan, n, "C-index; no interval: it does not vary over texts", level)
    half = float(law.ppf((1 + level) / 2)) * sqrt(variance) / (value * (1 - value))
    low, high = (float(expit(logit(value) + side * half)) for side in (-1, 1))
    how = "" if clusters is None else " summed within clusters, Student's t"
    name = f"C-index, placements{how}, logit scale"
    return Estimate(value, low, high, n, name, level)


def somers_d(
    scores: ArrayLike, levels: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> Estimate:
    """Somers' D of the score given the level: 2 C - 1, from -1 to 1; ties between levels do not count."""
    c = c_index(scores, levels, clusters=clusters, level=level)
    method = c.method.replace("C-index", "Somers' D (score given level)")
    return Estimate(2 * c.value - 1, 2 * c.low - 1, 2 * c.high - 1, c.n, method, level)


def kendall_tau_b(
    scores: ArrayLike, levels: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> Estimate:
    """Kendall's tau-b of score and level (1945): concordant minus discordant pairs, corrected for ties in both.

    Cannot reach 1 where levels have many texts. Interval: exact jackknife over independent texts; with ``clusters`` that of
    Somers' D, of which tau-b is a multiple (the ties being what they are). NaN for constants.
    """
    s, c = _concordance(scores, levels)
    check_open("level", level)
    n = len(s)
    untied_score, untied_level = n - _value_sizes(s), n - c.sizes[c.codes]
    value = float(_tau(c.net.sum(), untied_score.sum(), untied_level.sum()))
    if np.isnan(value):
        return Estimate(nan, nan, nan, n, "tau-b does not exist: all scores are equal", level)
    if clusters is not None:
        d = somers_d(scores, levels, clusters=clusters, level=level)
        factor = sqrt(float(untied_level.sum() / untied_score.sum()))
        name = d.method.replace("Somers' D (score given level)", "Kendall's tau-b as a multiple of Somers' D")
        return Estimate(value, max(-1.0, d.low * factor), min(1.0, d.high * factor), d.n, name, level)
    left_out = _tau(*(x.sum() - 2 * x for x in (c.net, untied_score, untied_level)))
    error = sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))
    if np.isnan(error) or error == 0:
        return Estimate(value, nan, nan, n, "tau-b; no interval: too few texts, or it does not vary", level)
    half = float(sp.norm.ppf((1 + level) / 2)) * error
    low, high = max(-1.0, value - half), min(1.0, value + half)
    return Estimate(value, low, high, n, "Kendall's tau-b, jackknife", level)


def _value_sizes(scores: FloatArray) -> IntArray:
    """For each text how many share its score, itself included."""
    _, codes, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    return sizes[codes]


def _tau(net: ArrayLike, untied_score: ArrayLike, untied_level: ArrayLike) -> FloatArray:
    return ratio(net, np.sqrt(np.multiply(untied_score, untied_level, dtype=np.float64)))


def auroc_matrix(
    scores: ArrayLike, levels: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> dict[tuple[float, float], Estimate]:
    """AUROC of every two levels, higher against lower: {(lower, higher): Estimate}; 28 cells for eight levels."""
    s, raw = as_scores(scores, "scores"), as_finite(levels, "levels", "a level is a finite number")
    check_same_length(s, raw, "scores and levels")
    labels, _ = as_codes(np.arange(len(s)) if clusters is None else clusters, len(s), "clusters")
    grouped = {float(v): (s[raw == v], labels[raw == v]) for v in np.unique(raw)}
    found = {}
    for (low, (y, cy)), (high, (x, cx)) in combinations(grouped.items(), 2):
        given = {} if clusters is None else {"positive_clusters": cx, "negative_clusters": cy}
        found[low, high] = auroc(x, y, level=level, **given)
    return found


def isotonic_cuts(scores: ArrayLike, levels: ArrayLike, k: int) -> FloatArray:
    """k - 1 ascending cuts that turn scores into levels 0..k-1, learnt on *these* texts: use them on other sources.

    Isotonic regression of level on score; the cut into level j lies midway between the last score fitted below j - 1/2
    and the first fitted at or above it. NaN where no score reaches j.
    """
    from sklearn.isotonic import IsotonicRegression

    s, y = as_scores(scores, "scores"), _levels(levels, k, "levels")
    check_same_length(s, y, "scores and levels")
    check_whole("k", k, least=2)
    values, codes = np.unique(s, return_inverse=True)
    fitted = IsotonicRegression().fit(codes, y).predict(np.arange(len(values)))
    first = np.searchsorted(fitted, np.arange(1, k) - 0.5, "left")
    return np.array([_midway(values, i) for i in first])


def _midway(values: FloatArray, i: int) -> float:
    """Half-way from the score before to score i; -inf before the first, NaN after the last, never between infinities."""
    if i == len(values):
        return nan
    if i == 0:
        return -np.inf
    return float((values[i - 1] + values[i]) / 2) if np.isfinite(values[i - 1 : i + 1]).all() else float(values[i])


def cut_levels(scores: ArrayLike, cuts: ArrayLike) -> IntArray:
    """The level of each score: how many cuts it reaches; a NaN cut is never reached."""
    reached: IntArray = (as_scores(scores, "scores")[:, None] >= np.asarray(cuts, dtype=np.float64)).sum(axis=1)
    return reached


def quadratic_weighted_kappa(
    levels: ArrayLike,
    predicted: ArrayLike,
    k: int,
    *,
    clusters: ArrayLike | None = None,
    balanced: bool = False,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Agreement of true and predicted levels 0..k-1 beyond chance, errors weighted by squared distance (Cohen 1968).

    It depends on the mix of levels; ``balanced=True`` gives every level that occurs the same weight. Interval: bootstrap
    of independent texts, or of ``clusters``. NaN where both are one and the same constant level.
    """
    y, z = _levels(levels, k, "levels"), _levels(predicted, k, "predicted")
    check_same_length(y, z, "levels and predicted")
    check_open("level", level)
    check_whole("replicates", replicates)
    codes, n = as_codes(np.arange(len(y)) if clusters is None else clusters, len(y), "clusters")
    table = np.bincount(k * y + z, minlength=k * k)
    name = "quadratic weighted kappa" + (", levels weighted alike" if balanced else "")
    value = float(_qwk(table.reshape(1, k, k), balanced)[0])
    if np.isnan(value):
        return undefined(n, f"{name} does not exist: all texts have and get one level", level)
    generator = numpy_rng("stats.qwk", seed)
    if clusters is None:
        drawn, of = generator.multinomial(n, table / n, size=replicates), "texts"
    else:
        tables = np.bincount(codes * k * k + k * y + z, minlength=n * k * k).reshape(n, k * k)
        drawn, of = generator.multinomial(n, np.full(n, 1 / n), size=replicates) @ tables, "clusters"
    return summarize_draws(value, _qwk(drawn.reshape(-1, k, k), balanced), n=n, level=level, what=name, of=of)


def _qwk(tables: NDArray[Any], balanced: bool) -> FloatArray:
    """1 - observed / expected squared distance; ``tables`` is (replicates, true level, predicted level)."""
    share = tables.astype(np.float64)
    if balanced:
        share = share / np.maximum(share.sum(-1, keepdims=True), 1)
    share = share / share.sum((-2, -1), keepdims=True)
    k = share.shape[-1]
    distance = (np.arange(k)[:, None] - np.arange(k)) ** 2
    expected = share.sum(-1)[..., :, None] * share.sum(-2)[..., None, :]
    seen, by_chance = (share * distance).sum((-2, -1)), (expected * distance).sum((-2, -1))
    return 1 - ratio(seen, by_chance)


def mean_level_error(levels: ArrayLike, predicted: ArrayLike, k: int, *, level: float = 0.95) -> Estimate:
    """Mean distance in levels between true and predicted, over independent texts; normal interval."""
    y, z = _levels(levels, k, "levels"), _levels(predicted, k, "predicted")
    check_same_length(y, z, "levels and predicted")
    distance, n = np.abs(y - z), len(y)
    value = float(distance.mean())
    if n < 2 or distance.min() == distance.max():
        return Estimate(value, nan, nan, n, "mean level error; no interval: it does not vary over texts", level)
    half = float(sp.norm.ppf((1 + check_open("level", level)) / 2)) * float(distance.std(ddof=1)) / sqrt(n)
    return Estimate(value, max(0.0, value - half), min(k - 1.0, value + half), n, "mean level error, normal", level)


def _levels(values: ArrayLike, k: int, name: str) -> IntArray:
    array = as_finite(values, name, "a level is a whole number")
    check_whole("k", k, least=2)
    if not (array == np.floor(array)).all() or array.min() < 0 or array.max() > k - 1:
        raise DataError(f"{name}: pass whole numbers from 0 to {k - 1} (k={k}), as Level.order gives them")
    return array.astype(np.int64)
