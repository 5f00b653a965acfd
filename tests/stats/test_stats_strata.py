"""AUROC within strata against loops over pairs."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand import stats
from evenhand.errors import DataError, SpecError


def test_matched_auroc_counts_pairs_of_one_stratum():
    g = np.random.default_rng(0)
    x, y = g.normal(1, 1, 40).round(1), g.normal(0, 1, 60).round(1)
    a, b = g.integers(0, 4, 40), g.integers(0, 4, 60)
    pairs = [(i, j) for i in range(40) for j in range(60) if a[i] == b[j]]
    expected = np.mean([(x[i] > y[j]) + 0.5 * (x[i] == y[j]) for i, j in pairs])
    assert stats.matched_auroc(x, y, a, b).value == pytest.approx(expected)


def test_one_stratum_is_the_plain_auroc():
    g = np.random.default_rng(1)
    x, y = g.normal(1, 1, 40), g.normal(0, 1, 60)
    plain, matched = stats.auroc(x, y), stats.matched_auroc(x, y, [0] * 40, [0] * 60)
    assert [matched.value, matched.low, matched.high] == pytest.approx([plain.value, plain.low, plain.high])


def test_length_alone_is_no_detection():
    """Score = length, machine texts shorter: .0 pooled, one half within lengths."""
    g = np.random.default_rng(2)
    human, machine = g.integers(0, 20, 2000), g.integers(0, 12, 2000)
    a, b = stats.quantile_strata(machine, human, strata=40)
    assert stats.auroc(-machine, -human).value > 0.65
    assert stats.matched_auroc(-machine, -human, a, b).value == pytest.approx(0.5, abs=0.02)


def test_variances_of_strata_add_up():
    g = np.random.default_rng(3)
    x, y = g.normal(1, 1, 30), g.normal(0, 1, 30)
    a, b = np.repeat([0, 1], 15), np.repeat([0, 1], [10, 20])
    matched = stats.matched_auroc(x, y, a, b)
    weights, variance = [1 / 3, 2 / 3], 0.0
    for s in (0, 1):
        w = x[a == s][:, None] > y[b == s]
        own = w.mean(1).var(ddof=1) / w.shape[0] + w.mean(0).var(ddof=1) / w.shape[1]
        variance += weights[s] ** 2 * own
    v = matched.value
    half = np.log(matched.high / (1 - matched.high)) - np.log(v / (1 - v))
    assert half == pytest.approx(1.959964 * np.sqrt(variance) / (v * (1 - v)), rel=1e-6)


def test_dropped_texts_are_counted():
    e = stats.matched_auroc([1.0, 2, 3], [0.0, 2, 1], ["a", "a", "b"], ["a", "a", "c"])
    assert "2 texts without a counterpart" in e.method
    assert e.n == 4
    with pytest.raises(DataError, match="no stratum holds both"):
        stats.matched_auroc([1.0], [0.0], ["a"], ["b"])
    with pytest.raises(DataError, match="one stratum for each"):
        stats.matched_auroc([1.0], [0.0], [], ["b"])
    lone = stats.matched_auroc([1.0, 3], [0.0, 2], [1, 2], [1, 2])
    assert np.isnan(lone.low)


def test_quantile_strata_split_evenly_and_keep_ties_together():
    a, b = stats.quantile_strata(np.arange(50), np.arange(50, 100), strata=4)
    assert np.bincount(np.r_[a, b]).tolist() == [25, 25, 25, 25]
    (tied,) = stats.quantile_strata([5.0] * 10, strata=3)
    assert len(set(tied)) == 1
    with pytest.raises(SpecError, match="at least 1"):
        stats.quantile_strata([1.0], strata=0)
    with pytest.raises(DataError, match="infinite"):
        stats.quantile_strata([np.inf])
