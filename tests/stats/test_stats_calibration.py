"""Calibration measures against scikit-learn and loops over the bins."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from evenhand import stats
from evenhand.errors import DataError, SpecError


def calibrated(n, seed=0):
    g = np.random.default_rng(seed)
    p = g.random(n)
    return p, g.random(n) < p


def test_brier_is_sklearns_with_a_normal_interval():
    p, y = calibrated(200)
    b = stats.brier(p, y)
    assert b.value == pytest.approx(brier_score_loss(y, p))
    assert (b.high - b.low) / 2 == pytest.approx(1.959964 * ((p - y) ** 2).std(ddof=1) / np.sqrt(200), abs=1e-6)


def brute_ece(p, y, bins):
    total = 0.0
    for i in range(bins):
        inside = (p > i / bins) & (p <= (i + 1) / bins) if i else p <= 1 / bins
        if inside.any():
            total += inside.mean() * abs(p[inside].mean() - y[inside].mean())
    return total


def test_ece_is_the_weighted_gap_of_the_bins():
    p, y = calibrated(300, 1)
    for bins in (1, 5, 15):
        assert stats.ece(p, y, bins=bins, replicates=0).value == pytest.approx(brute_ece(p, y, bins))


def test_ece_of_equal_mass_bins():
    p, y = calibrated(100, 2)
    order = np.argsort(p)
    parts = np.array_split(order, 5)
    by_hand = sum(len(i) / 100 * abs(p[i].mean() - y[i].mean()) for i in parts)
    assert stats.ece(p, y, bins=5, binning="mass", replicates=0).value == pytest.approx(by_hand)


def test_debiased_ece_takes_off_the_expected_excess():
    """Folded normal by Monte-Carlo, as the authors' code does it."""
    p, y = calibrated(120, 3)
    g, excess, plain = np.random.default_rng(0), 0.0, stats.ece(p, y, bins=5, replicates=0).value
    for i in range(5):
        inside = (p > i / 5) & (p <= (i + 1) / 5) if i else p <= 0.2
        gap, seen = p[inside].mean() - y[inside].mean(), y[inside].mean()
        draws = np.abs(g.normal(gap, np.sqrt(seen * (1 - seen) / inside.sum()), 400_000))
        excess += inside.mean() * (draws.mean() - abs(gap))
    debiased = stats.ece(p, y, bins=5, debiased=True, replicates=0).value
    assert debiased == pytest.approx(max(0, plain - excess), abs=2e-3)


def test_debiased_ece_of_a_calibrated_detector_is_nearer_to_zero():
    plain, debiased = [], []
    for seed in range(60):
        p, y = calibrated(200, seed)
        plain.append(stats.ece(p, y, replicates=0).value)
        debiased.append(stats.ece(p, y, debiased=True, replicates=0).value)
    assert np.mean(plain) > 0.07
    assert np.mean(debiased) < 0.7 * np.mean(plain)


def test_reliability_bins_are_sklearns():
    p, y = calibrated(300, 4)
    bins = stats.reliability(p, y)
    observed, said = calibration_curve(y, p, n_bins=10)
    assert [b.observed.value for b in bins] == pytest.approx(list(observed))
    assert [b.said for b in bins] == pytest.approx(list(said))
    assert sum(b.observed.n for b in bins) == 300
    assert (bins[0].low, bins[-1].high) == (0, 1)
    assert (bins[3].observed.low, bins[3].observed.high) == stats.clopper_pearson(
        round(bins[3].observed.value * bins[3].observed.n), bins[3].observed.n
    )


def test_intervals_of_the_error_hold_its_truth():
    """Probabilities that are ``shift`` too high: that is the error. The interval is conservative."""
    for n, bins, shift in [(200, 15, 0.03), (1000, 15, 0.03), (400, 5, 0.1), (200, 15, 0.0)]:
        covered = 0
        for seed in range(100):
            g = np.random.default_rng(seed)
            p = g.uniform(0.05, 0.75, n)
            e = stats.ece(p + shift, g.random(n) < p, bins=bins, debiased=True, seed=seed, replicates=500)
            covered += e.low <= shift <= e.high
            assert e.low <= e.value <= e.high
        assert covered >= 95


def test_ends_and_bad_input():
    assert stats.ece([0.0, 1.0], [0, 1], replicates=0).value == 0
    one = stats.ece([0.4], [1])
    assert one.value == pytest.approx(0.6)
    assert np.isnan(one.low)
    assert stats.ece([0.3] * 10, [1, 0] * 5, binning="mass", replicates=0).value == pytest.approx(0.2)
    assert np.isnan(stats.brier([0.5, 0.5], [0, 1]).low)
    with pytest.raises(DataError, match="probabilities from 0 to 1"):
        stats.brier([1.2], [1])
    with pytest.raises(DataError, match="0 and 1"):
        stats.ece([0.2], [0.5])
    with pytest.raises(DataError, match="same texts"):
        stats.reliability([0.2], [1, 0])
    with pytest.raises(SpecError, match="at least one bin"):
        stats.ece([0.2], [1], bins=0)
