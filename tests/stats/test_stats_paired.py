"""Paired tests against scipy and full enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats as sp

from evenhand import stats
from evenhand.errors import DataError


def test_mcnemar_is_the_exact_binomial_test_of_the_discordant():
    a = np.r_[np.ones(9), np.zeros(2), np.ones(30), np.zeros(40)]
    b = np.r_[np.zeros(9), np.ones(2), np.ones(30), np.zeros(40)]
    d = stats.mcnemar(a, b)
    assert d.value == pytest.approx(a.mean() - b.mean())
    assert d.p == pytest.approx(sp.binomtest(9, 11).pvalue)
    assert d.low < d.value < d.high
    assert d.n == 81


def test_mcnemar_interval_is_wald_with_half_a_text_added_to_each_cell():
    a = np.r_[np.ones(9), np.zeros(2), np.ones(30), np.zeros(40)]
    b = np.r_[np.zeros(9), np.ones(2), np.ones(30), np.zeros(40)]
    n, x, y = 83, 9.5, 2.5
    error = np.sqrt(x / n * (1 - x / n) / n + y / n * (1 - y / n) / n + 2 * x * y / n**3)
    d = stats.mcnemar(a, b)
    assert [d.low, d.high] == pytest.approx([(x - y) / n - 1.959964 * error, (x - y) / n + 1.959964 * error], abs=1e-6)


def test_mcnemar_of_equal_flags():
    d = stats.mcnemar([1, 0, 1], [1, 0, 1])
    assert (d.value, d.p) == (0, 1)
    assert d.low < 0 < d.high
    with pytest.raises(DataError, match="0 and 1"):
        stats.mcnemar([0.3], [1])


def test_paired_shift_is_the_t_test_where_texts_stand_alone():
    g = np.random.default_rng(0)
    before, after = g.normal(size=30), g.normal(0.4, 1, 30)
    d = stats.paired_shift(before, after)
    reference = sp.ttest_rel(after, before)
    interval = reference.confidence_interval()
    assert [d.low, d.high] == pytest.approx([interval.low, interval.high])
    assert d.value == pytest.approx((after - before).mean())
    assert d.p == pytest.approx(reference.pvalue, abs=0.03)


def test_paired_shift_flips_whole_clusters():
    g = np.random.default_rng(1)
    clusters, change = np.repeat(np.arange(8), 3), g.normal(0.5, 1, 24)
    d = stats.paired_shift(np.zeros(24), change, clusters)
    sums = change.reshape(8, 3).sum(1)
    flips = [abs(np.dot(signs, sums)) for signs in product([-1, 1], repeat=8)]
    assert d.p == pytest.approx(np.mean(np.array(flips) >= abs(sums.sum()) - 1e-9))
    assert d.n == 8


def test_drawn_sign_patterns_agree_with_scipy():
    g = np.random.default_rng(2)
    change = g.normal(0.35, 1, 40)
    ours = stats.paired_shift(np.zeros(40), change, seed=3).p
    reference = sp.permutation_test((change,), np.mean, permutation_type="samples", n_resamples=9999, rng=g).pvalue
    assert ours == pytest.approx(reference, abs=0.015)


def test_clusters_widen_the_interval_by_the_design_effect():
    g = np.random.default_rng(3)
    change = np.repeat(g.normal(size=50), 4)
    alone, together = (
        stats.paired_shift(np.zeros(200), change),
        stats.paired_shift(np.zeros(200), change, np.repeat(np.arange(50), 4)),
    )
    assert (together.high - together.low) / (alone.high - alone.low) == pytest.approx(2, rel=0.05)


def test_no_mean_and_no_interval():
    with pytest.raises(DataError, match="1 of 2 scores are infinite"):
        stats.paired_shift([0.0, np.inf], [0.0, 1.0])
    one = stats.paired_shift([0.0, 1.0], [1.0, 1.0], ["a", "a"])
    assert one.value == 0.5
    assert np.isnan(one.low)
    assert np.isnan(one.p)
    with pytest.raises(DataError, match="same texts"):
        stats.paired_shift([0.0], [0.0, 1.0])
