"""Rates carried over to people: against the functions on counts, brute force, and one-way analysis of variance."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as sp

from evenhand import stats
from evenhand.stats.decisions import (
    at_least_once,
    clustered_share,
    family_level,
    gap,
    intraclass_correlation,
    per_texts,
    share_right,
)
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
    assert found.n == (sizes > 1).sum()


def test_correlation_at_its_ends():
    pairs = np.repeat(np.arange(12), 2)
    assert intraclass_correlation(np.repeat([1, 0], 12), pairs).value == 1.0
    assert intraclass_correlation(np.tile([1, 0], 12), pairs).value == 0.0, "never below 0"


def test_correlation_is_not_guessed_from_a_handful_of_pairs():
    """Five unflagged pairs among a hundred writers of one text would give a correlation of 1, and a false comfort."""
    alone, pairs = np.arange(100), np.repeat(np.arange(100, 105), 2)
    flags = np.concatenate([np.arange(100) < 3, np.zeros(10, bool)])
    for some, clusters in (
        (flags, np.concatenate([alone, pairs])),
        (np.repeat([1, 0], 10), np.repeat(np.arange(4), 5)),
        (np.concatenate([[1], np.zeros(40)]), np.concatenate([[99], np.repeat(np.arange(20), 2)])),
        (np.zeros(40), np.repeat(np.arange(20), 2)),
        ([1, 0], [0, 0]),
    ):
        found = intraclass_correlation(some, clusters)
        assert math.isnan(found.value)
        assert "10 are needed" in found.method


def test_a_clustered_share_is_exact_where_texts_stand_alone_and_where_they_are_copies():
    flags = np.array([1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    alone = clustered_share(flags, np.arange(10))
    assert alone == stats.proportion(2, 10)
    copied = clustered_share(np.repeat(flags, 3), np.repeat(np.arange(10), 3))
    assert (copied.value, copied.n) == (alone.value, 10)
    assert (copied.low, copied.high) == pytest.approx((alone.low, alone.high), abs=1e-12)
    mixed = clustered_share([1, 0, 0, 0, 0], [0, 0, 1, 2, 3], level=0.9)
    assert (mixed.value, mixed.n) == (0.2, 4)
    of_three = sp.beta.ppf(0.05, 0.6, 3.4), sp.beta.ppf(0.95, 1.6, 2.4)
    assert (mixed.low, mixed.high) == pytest.approx(of_three), "25 / 7 draws are 3"


def test_one_large_cluster_does_not_count_as_many():
    """Of 20 writers one wrote 40 of 59 texts: on 20 draws the bounds held the rate in 68% of studies, not 95%."""
    clusters = np.repeat(np.arange(20), [40] + [1] * 19)
    found = clustered_share(clusters == 0, clusters)
    assert (found.n, found.value) == (20, pytest.approx(40 / 59))
    assert found.low < 0.1
    assert found.high > 0.99


@pytest.mark.long
@pytest.mark.parametrize("largest", [3, 20])
@pytest.mark.parametrize(("rate", "alike"), [(0.03, 0.0), (0.03, 1.0), (0.2, 0.5), (0.3, 1.0), (0.5, 0.3)])
def test_a_clustered_share_covers(rate, alike, largest):
    generator, held = np.random.default_rng(5), 0
    for _ in range(1500):
        sizes = np.append(generator.integers(1, 4, 24), largest)
        clusters = np.repeat(np.arange(25), sizes)
        shared = np.repeat(generator.random(25) < rate, sizes)
        own = generator.random(len(clusters)) < rate
        flags = np.where(np.repeat(generator.random(25) < alike, sizes), shared, own)
        found = clustered_share(flags, clusters)
        held += found.low <= rate <= found.high
    assert held >= 0.95 * 1500


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
