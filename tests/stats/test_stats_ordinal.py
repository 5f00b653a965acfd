"""Ordinal measures against scipy, scikit-learn and loops over pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as sp
from scipy.special import logit
from sklearn.metrics import cohen_kappa_score

from evenhand import stats
from evenhand.errors import DataError

TEXTS = st.lists(st.tuples(st.integers(-3, 3).map(float), st.integers(0, 3)), min_size=3, max_size=20)


def graded(seed=0, sizes=(20, 30, 10, 25), step=0.6):
    g = np.random.default_rng(seed)
    levels = np.repeat(np.arange(len(sizes)), sizes)
    return (step * levels + g.normal(size=len(levels))).round(1), levels


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_any_texts(texts):
    scores, levels = (np.array(column) for column in zip(*texts, strict=True))
    if len(set(levels)) < 2 or len(set(scores)) < 2:
        return
    d = sp.somersd(levels, scores).statistic
    assert stats.somers_d(scores, levels).value == pytest.approx(d)
    assert stats.c_index(scores, levels).value == pytest.approx((1 + d) / 2)
    tau = sp.kendalltau(scores, levels).statistic
    assert stats.kendall_tau_b(scores, levels).value == pytest.approx(tau, nan_ok=True)


def test_c_index_counts_pairs_of_different_levels():
    s, y = graded()
    pairs = [(i, j) for i in range(len(s)) for j in range(len(s)) if y[i] < y[j]]
    assert stats.c_index(s, y).value == pytest.approx(np.mean([(s[j] > s[i]) + 0.5 * (s[j] == s[i]) for i, j in pairs]))


def test_somers_d_is_scipys():
    s, y = graded(1)
    assert stats.somers_d(s, y).value == pytest.approx(sp.somersd(y, s).statistic)
    assert stats.somers_d(s, y).high == pytest.approx(2 * stats.c_index(s, y).high - 1)


def test_tau_b_is_scipys_and_its_error_a_jackknife():
    s, y = graded(2)
    estimate = stats.kendall_tau_b(s, y)
    assert estimate.value == pytest.approx(sp.kendalltau(s, y).statistic)
    n = len(s)
    left_out = [sp.kendalltau(np.delete(s, i), np.delete(y, i)).statistic for i in range(n)]
    error = np.sqrt((n - 1) / n * np.sum((left_out - np.mean(left_out)) ** 2))
    assert (estimate.high - estimate.low) / 2 == pytest.approx(1.959964 * error, rel=1e-6)


def test_two_levels_are_delong():
    s, y = graded(3, sizes=(30, 40))
    x, z = s[y == 1], s[y == 0]
    w = (x[:, None] > z) + 0.5 * (x[:, None] == z)
    error = np.sqrt(w.mean(1).var(ddof=1) / 40 + w.mean(0).var(ddof=1) / 30)
    c, two = stats.c_index(s, y), stats.auroc(x, z)
    assert (logit(c.high) - logit(c.low)) / 2 == pytest.approx(1.959964 * error / c.value / (1 - c.value), rel=1e-6)
    assert (c.value, c.low, c.high) == pytest.approx((two.value, two.low, two.high), abs=1e-12)


def test_c_index_error_is_that_of_the_stratified_bootstrap():
    s, y = graded(4)
    g, draws = np.random.default_rng(0), []
    for _ in range(600):
        rows = np.concatenate([g.choice(np.flatnonzero(y == k), (y == k).sum()) for k in range(4)])
        draws.append(stats.c_index(s[rows], y[rows]).value)
    c = stats.c_index(s, y)
    assert (logit(c.high) - logit(c.low)) / 2 / 1.96 == pytest.approx(np.std(logit(draws)), rel=0.12)


def test_c_index_of_doubled_texts_in_clusters():
    """Eight levels of one essay are one cluster: doubling every text within its cluster adds nothing."""
    s, y = graded(5)
    cluster = np.arange(len(s)) % 17
    once = stats.c_index(s, y, clusters=cluster)
    twice = stats.c_index(np.repeat(s, 2), np.repeat(y, 2), clusters=np.repeat(cluster, 2))
    assert [twice.value, twice.low, twice.high] == pytest.approx([once.value, once.low, once.high])
    assert once.n == 17


def test_matrix_cells_are_aurocs_and_average_to_the_c_index():
    s, y = graded(6)
    matrix = stats.auroc_matrix(s, y)
    assert len(matrix) == 6
    assert matrix[0.0, 2.0] == stats.auroc(s[y == 2], s[y == 0])
    sizes = np.bincount(y)
    weights = {pair: sizes[int(pair[0])] * sizes[int(pair[1])] for pair in matrix}
    mean = sum(weights[p] * matrix[p].value for p in matrix) / sum(weights.values())
    assert stats.c_index(s, y).value == pytest.approx(mean)
    clustered = stats.auroc_matrix(s, y, clusters=np.arange(len(s)) % 9)
    assert clustered[0.0, 1.0].n == 9


def test_cuts_split_separated_levels():
    cuts = stats.isotonic_cuts([0.0, 0.1, 1.0, 1.1, 2.0, 2.2], [0, 0, 1, 1, 2, 2], 3)
    assert cuts == pytest.approx([0.55, 1.55])
    assert stats.cut_levels([-5.0, 0.55, 1.0, 9.0], cuts).tolist() == [0, 1, 1, 2]


def test_cuts_follow_the_isotonic_fit():
    from sklearn.isotonic import IsotonicRegression

    s, y = graded(7)
    cuts = stats.isotonic_cuts(s, y, 4)
    fitted = IsotonicRegression().fit(s, y).predict(s)
    assert stats.cut_levels(s, cuts).tolist() == np.floor(fitted + 0.5).astype(int).tolist()


def test_cuts_that_no_score_reaches():
    cuts = stats.isotonic_cuts([1.0, 2.0], [0, 0], 3)
    assert np.isnan(cuts).all()
    assert stats.cut_levels([np.inf], cuts).tolist() == [0]
    assert stats.isotonic_cuts([-np.inf, np.inf], [0, 1], 2).tolist() == [np.inf]


def test_quadratic_kappa_is_sklearns():
    g = np.random.default_rng(8)
    y = g.integers(0, 8, 200)
    z = np.clip(y + g.integers(-2, 3, 200), 0, 7)
    q = stats.quadratic_weighted_kappa(y, z, 8)
    assert q.value == pytest.approx(cohen_kappa_score(y, z, weights="quadratic", labels=range(8)))
    assert q.low < q.value < q.high


def test_balanced_kappa_repeats_rare_levels():
    y, z = np.array([0] * 6 + [1] * 2), np.array([0, 0, 0, 1, 1, 0, 1, 0])
    even_y, even_z = np.r_[y, [1, 1, 1, 1]], np.r_[z, [1, 0, 1, 0]]
    balanced = stats.quadratic_weighted_kappa(y, z, 2, balanced=True).value
    assert balanced == pytest.approx(stats.quadratic_weighted_kappa(even_y, even_z, 2).value)


def test_mean_level_error_by_hand():
    e = stats.mean_level_error([0, 1, 2, 3], [0, 3, 2, 2], 4)
    assert e.value == pytest.approx(3 / 4)
    assert (e.high - e.low) / 2 == pytest.approx(min(1.959964 * np.std([0, 2, 0, 1], ddof=1) / 2, 9) / 1, abs=0.2)


def test_no_interval_and_bad_input():
    assert np.isnan(stats.c_index([1.0, 2.0], [0, 1]).low)
    assert np.isnan(stats.c_index([1.0] * 6, [0, 0, 0, 1, 1, 1]).low)
    assert np.isnan(stats.kendall_tau_b([1.0] * 6, [0, 0, 0, 1, 1, 1]).value)
    assert np.isnan(stats.quadratic_weighted_kappa([1, 1], [1, 1], 3).value)
    with pytest.raises(DataError, match="at least two"):
        stats.c_index([1.0, 2.0], [1, 1])
    with pytest.raises(DataError, match="whole numbers from 0 to 2"):
        stats.quadratic_weighted_kappa([3], [0], 3)
    with pytest.raises(DataError, match="same texts"):
        stats.c_index([1.0], [1, 2])
    with pytest.raises(DataError, match="NaN"):
        stats.auroc_matrix([np.nan], [1])
