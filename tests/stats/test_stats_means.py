"""Means and ratios over resampled clusters, against resamples written out."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand import stats
from evenhand.errors import DataError
from evenhand.stats.means import bootstrap_means, ratio


@pytest.fixture
def drawn():
    draw = np.random.default_rng(4)
    clusters = draw.integers(0, 12, 40)
    resample = stats.resample_clusters(np.arange(12), replicates=60, seed=1)
    return clusters, draw.normal(1, 1, 40), draw.normal(3, 1, 40), resample


def written_out(values, clusters, resample):
    return np.array([np.repeat(values, resample.counts[clusters, b]).mean() for b in range(resample.replicates)])


def test_means_are_those_of_resamples_written_out(drawn):
    clusters, a, _, resample = drawn
    draws = bootstrap_means([stats.rows(resample, a, clusters)], resample)
    assert draws.values[0] == pytest.approx(a.mean())
    assert draws.replicates[0] == pytest.approx(written_out(a, clusters, resample))
    assert draws.n[0] == len(set(clusters))


def test_a_ratio_takes_both_terms_from_one_resample(drawn):
    clusters, a, b, resample = drawn
    one, two = (bootstrap_means([stats.rows(resample, x, clusters)], resample) for x in (a, b))
    share = ratio(one, two, "share")
    assert share.values[0] == pytest.approx(a.mean() / b.mean())
    assert share.replicates[0] == pytest.approx(written_out(a, clusters, resample) / written_out(b, clusters, resample))


def test_a_resample_without_a_row_of_the_cell_is_undefined():
    resample = stats.resample_clusters(np.arange(3), replicates=200, seed=0)
    draws = bootstrap_means([stats.rows(resample, [2.0], [1])], resample)
    absent = resample.counts[1] == 0
    assert absent.any()
    assert np.isnan(draws.replicates[0][absent]).all()
    assert (draws.replicates[0][~absent] == 2).all()


def test_nothing_over_nothing_is_nothing(drawn):
    clusters, _, _, resample = drawn
    zero = bootstrap_means([stats.rows(resample, np.zeros(40), clusters)], resample)
    assert np.isnan(ratio(zero, zero, "share").values[0])


def test_what_has_no_mean_is_refused(drawn):
    clusters, a, _, resample = drawn
    a[0] = np.inf
    with pytest.raises(DataError, match="infinite"):
        bootstrap_means([stats.rows(resample, a, clusters)], resample)
    with pytest.raises(DataError, match="no cells"):
        bootstrap_means([], resample)
