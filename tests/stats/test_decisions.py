"""Rates carried over to people: against the functions on counts, brute force, and one-way analysis of variance."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as sp

from evenhand import stats
from evenhand.stats.decisions import at_least_once, family_level, gap, intraclass_correlation, per_texts, share_right
from evenhand.stats.means import mean_over_cells


def test_on_exact_rates_they_are_the_functions_on_counts():
    rate = stats.proportion(3, 80)
    for ours, theirs in (
        (per_texts(rate), stats.accusations(3, 80)),
        (at_least_once(rate, 40), stats.flagged_at_least_once(3, 80, 40)),
        (at_least_once(rate, 40, correlation=0.3), stats.flagged_at_least_once(3, 80, 40, correlation=0.3)),
    ):
        assert (ours.value, ours.low, ours.high) == pytest.approx((theirs.value, theirs.low, theirs.high))
        assert (ours.n, ours.level) == (80, 0.95)


def test_independence_is_the_most_that_any_correlation_gives():
    rate = stats.proportion(4, 90)
    chances = [at_least_once(rate, 20, correlation=r).value for r in (0.0, 0.05, 0.2, 0.6, 1.0)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] == pytest.approx(1 - (1 - 4 / 90) ** 20)
    assert chances[-1] == pytest.approx(4 / 90)


def test_share_right_is_bounded_by_the_corners_of_both_intervals():
    level = family_level(0.95, 2)
    tpr, fpr = stats.proportion(40, 60, level=level), stats.proportion(2, 50, level=level)
    found = share_right(tpr, fpr, 0.1)
    inside = [
        t * 0.1 / (t * 0.1 + f * 0.9)
        for t in np.linspace(tpr.low, tpr.high, 30)
        for f in np.linspace(fpr.low, fpr.high, 30)
    ]
    assert found.value == pytest.approx(stats.ppv(40, 60, 2, 50, 0.1).value)
    assert (found.low, found.high) == pytest.approx((min(inside), max(inside)))
    assert found.level == pytest.approx(0.95)
    assert found.n == 50
    exact = stats.ppv(40, 60, 2, 50, 0.1)
    assert found.low < exact.low, "wider than the Monte-Carlo interval of independent texts"
    assert found.high > exact.high


def test_nothing_flagged_has_no_share():
    none = stats.proportion(0, 20)
    found = share_right(none, none, 0.1)
    assert math.isnan(found.value)
    assert (found.low, found.high) == (0.0, 1.0)


def test_the_gap_of_groups_holds_for_any_true_rates_in_their_intervals():
    level = family_level(0.95, 3)
    rates = {
        name: stats.proportion(x, n, level=level) for name, (x, n) in {"a": (9, 30), "b": (1, 40), "c": (4, 35)}.items()
    }
    found = gap(rates)
    assert found.value == pytest.approx(9 / 30 - 1 / 40)
    generator = np.random.default_rng(1)
    drawn = np.array([generator.uniform(r.low, r.high, 4000) for r in rates.values()])
    gaps = np.ptp(drawn, axis=0)
    assert found.low <= gaps.min()
    assert found.high >= gaps.max()
    assert found.low == pytest.approx(max(0, rates["a"].low - min(r.high for r in rates.values())))
    assert found.level == pytest.approx(0.95)
    assert found.n == 105
    assert math.isnan(gap({"a": rates["a"]}).value)
    assert "fewer than two" in gap({}).method


@pytest.mark.long
def test_simultaneous_intervals_cover_the_gap():
    generator, truth, held = np.random.default_rng(2), np.array([0.05, 0.05, 0.2]), 0
    for _ in range(1000):
        counts = generator.binomial(40, truth)
        found = gap({str(i): stats.proportion(int(x), 40, level=family_level(0.95, 3)) for i, x in enumerate(counts)})
        held += found.low <= np.ptp(truth) <= found.high
    assert held >= 950


def test_correlation_is_that_of_one_way_analysis_of_variance():
    generator = np.random.default_rng(3)
    sizes = generator.integers(1, 7, 40)
    clusters = np.repeat(np.arange(40), sizes)
    flags = generator.random(len(clusters)) < np.repeat(generator.beta(0.4, 1.2, 40), sizes)
    f = sp.f_oneway(*(flags[clusters == c].astype(float) for c in range(40))).statistic
    typical = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / 39
    found = intraclass_correlation(flags, clusters)
    assert found.value == pytest.approx((f - 1) / (f + typical - 1))
    assert found.n == 40


def test_correlation_at_its_ends():
    assert intraclass_correlation([1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]).value == 1.0
    assert intraclass_correlation([1, 0, 1, 0, 1, 0], [0, 0, 1, 1, 2, 2]).value == 0.0, "never below 0"
    for flags, clusters in (([1, 0, 1], [0, 1, 2]), ([0, 0, 0, 0], [0, 0, 1, 1]), ([1, 0], [0, 0])):
        found = intraclass_correlation(flags, clusters)
        assert math.isnan(found.value)
        assert "no correlation" in found.method


def test_the_mean_of_cells_comes_from_their_joint_replicates():
    generator = np.random.default_rng(4)
    clusters = np.arange(30)
    resample = stats.resample_clusters(np.arange(60), strata=np.repeat([0, 1], 30), replicates=50)
    cells = []
    for shift in (0.5, 1.5):
        positive = stats.rows(resample, generator.normal(shift, 1, 30), clusters + 30)
        cells.append((positive, stats.rows(resample, generator.normal(0, 1, 30), clusters)))
    draws = stats.bootstrap_aurocs(cells, resample)
    mean = mean_over_cells(draws, "mean AUROC")
    assert mean.values[0] == pytest.approx(draws.values.mean())
    assert mean.replicates[0] == pytest.approx(draws.replicates.mean(axis=0))
    with pytest.raises(ValueError, match="no cells"):
        mean_over_cells(draws.take([]), "mean")


@pytest.mark.parametrize("texts", [0, 1.5, -2])
def test_wrong_numbers_are_refused(texts):
    with pytest.raises(ValueError, match="whole number"):
        at_least_once(stats.proportion(1, 9), texts)
    with pytest.raises(ValueError):
        at_least_once(stats.proportion(1, 9), 3, correlation=2)
    with pytest.raises(ValueError):
        share_right(stats.proportion(1, 9), stats.proportion(1, 9), 1.5)
    with pytest.raises(ValueError, match="members"):
        family_level(0.95, 0)
