"""What error rates mean for people, against the printed numbers, exact sums and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import betabinom
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef

from evenhand import stats
from evenhand.errors import DataError, SpecError


def test_ppv_at_the_specified_prevalences():
    for tpr, fpr, rows in [
        (740, 10, {0.01: 0.43, 0.05: 0.80, 0.1: 0.89}),
        (550, 50, {0.05: 0.37, 0.1: 0.55, 0.2: 0.733}),
    ]:
        for prevalence, value in rows.items():
            assert stats.ppv(tpr, 1000, fpr, 1000, prevalence).value == pytest.approx(value, abs=0.006)


def test_ppv_interval_is_that_of_the_rates():
    """With a TPR known to be near 1 the PPV is a function of the FPR alone: the quantiles carry over."""
    from scipy.stats import beta

    e = stats.ppv(10**7, 10**7, 30, 1000, 0.1)
    low, high = beta.ppf([0.025, 0.975], 30.5, 970.5)
    assert [e.low, e.high] == pytest.approx([0.1 / (0.1 + 0.9 * high), 0.1 / (0.1 + 0.9 * low)], abs=2e-3)
    assert e == stats.ppv(10**7, 10**7, 30, 1000, 0.1)


def test_ppv_without_errors_or_flags():
    none = stats.ppv(50, 100, 0, 100, 0.05)
    assert none.value == 1
    assert none.low < 0.9
    assert none.high == 1, "the interval holds the value"
    missed = stats.ppv(0, 100, 5, 100, 0.05)
    assert missed.value == missed.low == 0 < missed.high
    nothing = stats.ppv(0, 100, 0, 100, 0.05)
    assert np.isnan(nothing.value)
    assert "nothing was flagged" in nothing.method
    assert stats.ppv(50, 100, 5, 100, 0).value == 0
    assert stats.ppv(50, 100, 5, 100, 1).value == 1


def test_accusations_are_the_scaled_rate():
    a = stats.accusations(4, 400)
    low, high = stats.clopper_pearson(4, 400)
    assert (a.value, a.low, a.high) == pytest.approx((10, 1000 * low, 1000 * high))
    assert stats.accusations(4, 400, prevalence=0.2, texts=500).value == pytest.approx(4)
    assert a.n == 400


def test_chance_to_be_flagged_at_least_once():
    e = stats.flagged_at_least_once(10, 1000, 20)
    low, high = stats.clopper_pearson(10, 1000)
    assert (e.value, e.low, e.high) == pytest.approx(tuple(1 - (1 - p) ** 20 for p in (0.01, low, high)))


def test_correlated_flags_follow_the_beta_binomial():
    for r in (0.05, 0.3, 0.9):
        a, b = 0.1 * (1 / r - 1), 0.9 * (1 / r - 1)
        e = stats.flagged_at_least_once(10, 100, 6, correlation=r)
        assert e.value == pytest.approx(1 - betabinom.pmf(0, 6, a, b))
    assert stats.flagged_at_least_once(10, 100, 6, correlation=1).value == pytest.approx(0.1)
    assert stats.flagged_at_least_once(100, 100, 3).value == 1
    with pytest.raises(SpecError, match="whole number"):
        stats.flagged_at_least_once(1, 10, 0)


def test_agreement_is_sklearns():
    g = np.random.default_rng(0)
    a = g.random(300) < 0.1
    b = np.where(g.random(300) < 0.5, a, g.random(300) < 0.1)
    found = stats.agreement(a, b)
    assert found.kappa.value == pytest.approx(cohen_kappa_score(a, b))
    assert found.phi.value == pytest.approx(matthews_corrcoef(a, b))
    assert found.both.value == pytest.approx((a & b).mean())
    assert found.expected == pytest.approx(a.mean() * b.mean())
    assert (found.only_a, found.only_b) == ((a & ~b).sum(), (b & ~a).sum())
    assert found.kappa.low < found.kappa.value < found.kappa.high
    rows = [g.integers(0, 300, 300) for _ in range(800)]
    draws = [cohen_kappa_score(a[i], b[i]) for i in rows]
    assert [found.kappa.low, found.kappa.high] == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=0.04)


def test_agreement_of_constant_flags():
    none = stats.agreement([0, 0, 0], [0, 0, 0])
    assert np.isnan(none.kappa.value)
    assert "does not exist" in none.kappa.method
    assert np.isnan(none.phi.value)
    half = stats.agreement([1, 1, 1], [0, 1, 0])
    assert half.kappa.value == 0
    assert np.isnan(half.phi.value)
    with pytest.raises(DataError, match="same texts"):
        stats.agreement([1], [1, 0])
    with pytest.raises(DataError, match="hits"):
        stats.ppv(5, 4, 0, 10, 0.1)
    with pytest.raises(SpecError, match="prevalence"):
        stats.ppv(1, 4, 0, 10, 5)
