"""ROC readings against scikit-learn and against brute force over thresholds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score
from sklearn.metrics import roc_curve as sklearn_roc
from sklearn.model_selection import cross_val_score

from evenhand import stats
from evenhand.errors import DataError, SpecError

FINITE = st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=15)
RATES = st.sampled_from([0.01, 0.05, 0.1, 0.29, 0.5, 0.77, 1.0])


def labelled(x, y):
    return np.r_[np.ones(len(x)), np.zeros(len(y))], np.r_[x, y]


def brute_tpr(x, y, fpr):
    """The largest TPR over every threshold whose FPR is within ``fpr``."""
    x, y = np.asarray(x), np.asarray(y)
    cuts = [*np.r_[x, y], -np.inf]
    return max((np.mean(x > c) for c in cuts if np.sum(y > c) <= fpr * len(y) + 1e-9), default=0.0)


@settings(max_examples=80, deadline=None)
@given(FINITE, FINITE, RATES)
def test_values_are_those_of_scikit_learn(x, y, rate):
    labels, scores = labelled(x, y)
    assert stats.partial_auroc(x, y, rate, replicates=0).value == pytest.approx(
        roc_auc_score(labels, scores, max_fpr=rate), abs=1e-12
    )
    assert stats.average_precision(x, y, replicates=0).value == pytest.approx(
        average_precision_score(labels, scores), abs=1e-12
    )
    precision, recall, _ = precision_recall_curve(labels, scores)
    trapezoid = stats.average_precision(x, y, method="trapezoid", replicates=0).value
    assert trapezoid == pytest.approx(auc(recall, precision), abs=1e-12)
    fpr, tpr, _ = sklearn_roc(labels, scores)
    interpolated = stats.tpr_at_fpr(x, y, rate, method="interpolated", replicates=0).value
    assert interpolated == pytest.approx(np.interp(rate, fpr, tpr), abs=1e-12)
    assert stats.tpr_at_fpr(x, y, rate, replicates=0).value == pytest.approx(brute_tpr(x, y, rate))


def test_partial_auroc_is_sklearns():
    labels, scores = labelled([1.0, 2, 3, 3, 5], [0.0, 2, 2, 4])
    assert stats.partial_auroc([1.0, 2, 3, 3, 5], [0.0, 2, 2, 4], 0.3).value == pytest.approx(
        roc_auc_score(labels, scores, max_fpr=0.3), abs=1e-12
    )


def test_average_precision_both_ways():
    labels, scores = labelled([1.0, 2, 3, 3, 5], [0.0, 2, 2, 4])
    step = stats.average_precision([1.0, 2, 3, 3, 5], [0.0, 2, 2, 4]).value
    assert step == pytest.approx(average_precision_score(labels, scores), abs=1e-12)


def test_step_rule_is_what_the_threshold_gives():
    g = np.random.default_rng(0)
    for n in (3, 20, 99, 100, 101, 250):
        x, y = g.normal(1, 1, 80).round(1), g.normal(0, 1, n).round(1)
        for fpr in (0.01, 0.05, 0.29):
            tau = stats.threshold(y, fpr)
            assert stats.tpr_at_fpr(x, y, fpr, replicates=0).value == pytest.approx(np.mean(x > tau.value))
            assert np.mean(y > tau.value) <= fpr


def test_step_and_interpolated_differ_over_a_jump():
    x, y = [1.0] * 10, [0.0] * 5 + [1.0] * 5
    assert stats.tpr_at_fpr(x, y, 0.25, replicates=0).value == 0
    assert stats.tpr_at_fpr(x, y, 0.25, method="interpolated", replicates=0).value == pytest.approx(0.5)


def test_float_rates_lose_no_text():
    """0.29 * 100 is 28.999999999999996: 29 false alarms are within 29 %."""
    y = np.arange(100.0)
    assert stats.tpr_at_fpr([70.5], y, 0.29, replicates=0).value == 1


def test_roc_curve_points():
    x, y = [1.0, 1, 3, np.inf], [0.0, 1, -np.inf]
    curve = stats.roc_curve(x, y)
    for f, t, c in list(zip(curve.fpr, curve.tpr, curve.threshold, strict=True))[:-1]:
        assert (f, t) == (np.mean(np.array(y) > c), np.mean(np.array(x) > c))
    assert (curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]) == (0, 0, 1, 1)
    assert np.isnan(curve.threshold[-1])  # no threshold lies below -inf
    assert stats.roc_curve([1.0], [0.0]).threshold[-1] == -np.inf
    assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(stats.auroc(x, y).value)


def test_intervals_are_reproducible_and_hold_the_value():
    g = np.random.default_rng(1)
    x, y = g.normal(1, 1, 100), g.normal(0, 1, 150)
    for f in (
        lambda s: stats.tpr_at_fpr(x, y, 0.1, seed=s),
        lambda s: stats.partial_auroc(x, y, 0.1, seed=s),
        lambda s: stats.average_precision(x, y, seed=s),
    ):
        a = f(0)
        assert a == f(0)
        assert a != f(1)
        assert 0 <= a.low < a.value < a.high <= 1
        assert a.n == 250


def test_partial_auroc_interval_is_the_bootstrap_of_rows():
    g = np.random.default_rng(2)
    x, y = g.normal(1, 1, 60), g.normal(0, 1, 80)
    ours = stats.partial_auroc(x, y, 0.2)
    draws = [
        roc_auc_score(*labelled(x[g.integers(0, 60, 60)], y[g.integers(0, 80, 80)]), max_fpr=0.2) for _ in range(400)
    ]
    assert [ours.low, ours.high] == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=0.03)


def test_ends_get_exact_bounds_and_constants_none():
    perfect = stats.tpr_at_fpr([5.0] * 10, [0.0] * 200, 0.01)
    assert (perfect.value, perfect.high) == (1, 1)
    assert perfect.low == pytest.approx(0.025 ** (1 / 10))
    tied = stats.partial_auroc([1.0] * 5, [1.0] * 5, 0.1)
    assert tied.value == pytest.approx(0.5)
    assert np.isnan(tied.low)
    assert np.isnan(stats.average_precision([1.0], [0.0, 2.0]).low)
    assert "too few" in stats.tpr_at_fpr([1.0, 2], [0.0, 1], 0.01).method


def test_scorer_works_inside_cross_validation():
    g = np.random.default_rng(3)
    y = np.array(["human", "machine"] * 60)
    X = (y == "machine")[:, None] * 1.5 + g.normal(size=(120, 1))
    scores = cross_val_score(LogisticRegression(), X, y, scoring=stats.tpr_at_fpr_scorer(0.1), cv=3)
    assert scores.shape == (3,)
    fitted = LogisticRegression().fit(X, y)
    direct = stats.tpr_at_fpr(X[y == "machine", 0], X[y == "human", 0], 0.1, replicates=0).value
    assert stats.tpr_at_fpr_scorer(0.1)(fitted, X, y) == pytest.approx(direct)
    with pytest.raises(SpecError, match="two classes"):
        stats.tpr_at_fpr_scorer(0.1)(fitted, X[:1], y[:1])


def test_bad_input():
    with pytest.raises(SpecError, match="'step' or 'interpolated'"):
        stats.tpr_at_fpr([1.0], [0.0], 0.1, method="linear")
    with pytest.raises(SpecError, match="above 0"):
        stats.partial_auroc([1.0], [0.0], 0)
    with pytest.raises(SpecError, match="'step' or 'trapezoid'"):
        stats.average_precision([1.0], [0.0], method="area")
    with pytest.raises(DataError, match="NaN"):
        stats.roc_curve([1.0], [np.nan])
    with pytest.raises(SpecError, match="from 0 to 1"):
        stats.tpr_at_fpr([1.0], [0.0], 5)
