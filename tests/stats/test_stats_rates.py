"""Shares, their intervals, and rates at a threshold set elsewhere, against scipy and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as sp
from sklearn import metrics

from evenhand import stats
from evenhand.errors import DataError, SpecError

X = np.array([0.1, 0.4, 0.6, 0.9, 0.9, np.inf])
Y = np.array([-np.inf, 0.2, 0.5, 0.5, 0.7])
LABELS = np.r_[np.ones(6), np.zeros(5)]


def predicted(tau):
    return (np.r_[X, Y] > tau).astype(float)


def test_clopper_pearson_is_scipys():
    for x, n in [(0, 1), (1, 1), (0, 300), (3, 10), (299, 300)]:
        for level in (0.9, 0.95):
            expected = sp.binomtest(x, n).proportion_ci(level, method="exact")
            assert stats.clopper_pearson(x, n, level) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_is_scipys():
    for x, n in [(0, 1), (1, 1), (0, 300), (3, 10), (299, 300)]:
        expected = sp.binomtest(x, n).proportion_ci(0.95, method="wilson")
        assert stats.wilson(x, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_exact_coverage_is_never_below_the_level():
    """Summed over all outcomes, not simulated."""
    for n in (5, 30, 100):
        bounds = np.array([stats.clopper_pearson(x, n) for x in range(n + 1)])
        for p in (0.01, 0.05, 0.3, 0.5, 0.93):
            covered = (bounds[:, 0] <= p) & (p <= bounds[:, 1])
            assert sp.binom.pmf(np.arange(n + 1), n, p)[covered].sum() >= 0.95


def test_proportion_names_its_interval():
    assert "Wilson" in stats.proportion(1, 3, interval="wilson").method
    share = stats.proportion(1, 4, what="FPR")
    assert (share.value, share.n) == (0.25, 4)
    assert share.method == "FPR, Clopper-Pearson"
    assert (share.low, share.high) == stats.clopper_pearson(1, 4)


def test_true_and_false_positive_rates_flag_above_only():
    assert stats.true_positive_rate(X, 0.9).value == pytest.approx(1 / 6)
    assert stats.recall(X, 0.4).value == pytest.approx(4 / 6)
    assert stats.false_positive_rate(Y, 0.5).value == pytest.approx(1 / 5)
    assert stats.false_positive_rate(Y, stats.threshold(Y, 0.2)).value == pytest.approx(1 / 5)


def test_accuracy_precision_f1_are_scikit_learns():
    for tau in (0.0, 0.3, 0.5, 0.65):
        guess = predicted(tau)
        assert stats.accuracy(X, Y, tau).value == pytest.approx(metrics.accuracy_score(LABELS, guess))
        assert stats.precision(X, Y, tau).value == pytest.approx(metrics.precision_score(LABELS, guess))
        assert stats.recall(X, tau).value == pytest.approx(metrics.recall_score(LABELS, guess))
        assert stats.f1(X, Y, tau).value == pytest.approx(metrics.f1_score(LABELS, guess))


def test_f1_interval_is_that_of_the_jaccard_share():
    estimate = stats.f1(X, Y, 0.5)
    low, high = stats.clopper_pearson(4, 7)
    assert (estimate.low, estimate.high, estimate.n) == (
        pytest.approx(2 * low / (1 + low)),
        pytest.approx(2 * high / (1 + high)),
        7,
    )


def test_no_text_flagged_and_one_class_only():
    nothing = stats.precision(X[:-1], Y, 5.0)
    assert np.isnan(nothing.value)
    assert "no text is flagged" in nothing.method
    assert stats.f1(X[:-1], Y, 5.0).value == 0
    assert "recall" in stats.accuracy(X, [], 0.5).method
    assert stats.accuracy([], Y, 0.5).value == pytest.approx(4 / 5)
    with pytest.raises(DataError, match="both classes are empty"):
        stats.accuracy([], [], 0.5)


def test_bad_input():
    with pytest.raises(DataError, match="threshold is NaN: 5 human texts cannot certify"):
        stats.false_positive_rate(Y, stats.threshold(Y, 0.01, 0.95))
    with pytest.raises(DataError, match="0 <= successes <= n"):
        stats.clopper_pearson(5, 4)
    with pytest.raises(DataError, match="is no count"):
        stats.proportion(0, 0)
    with pytest.raises(DataError, match="is no count"):
        stats.wilson(0.5, 4)
    with pytest.raises(SpecError, match="between 0 and 1"):
        stats.proportion(1, 4, level=1.0)
