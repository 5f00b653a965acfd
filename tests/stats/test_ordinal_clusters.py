"""Tau-b and kappa of texts that share clusters: against the bootstrap written out, and against independent texts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evenhand import stats


def drafts(k: int = 60, each: int = 4, alike: float = 1.0, seed: int = 1):
    """Clusters of ``each`` texts at four levels; a cluster's texts share a part of their score."""
    draw = np.random.default_rng(seed)
    clusters, levels = np.repeat(np.arange(k), each), np.tile(np.arange(each), k)
    scores = 0.6 * levels + alike * np.repeat(draw.normal(size=k), each) + draw.normal(size=k * each)
    return scores, levels, clusters


def test_tau_b_keeps_its_value_and_its_interval_is_near_the_bootstrap():
    scores, levels, clusters = drafts()
    ours = stats.kendall_tau_b(scores, levels, clusters=clusters)
    assert ours.value == stats.kendall_tau_b(scores, levels).value
    drawn = stats.cluster_bootstrap(
        lambda s, y: stats.kendall_tau_b(s, y).value, clusters, scores, levels, replicates=800
    )
    assert ours.low == pytest.approx(drawn.low, abs=0.02)
    assert ours.high == pytest.approx(drawn.high, abs=0.02)
    assert ours.n == 60
    assert "multiple of Somers' D" in ours.method


def test_tau_b_of_texts_that_stand_alone_is_near_the_jackknife():
    scores, levels, _ = drafts(alike=0)
    alone = stats.kendall_tau_b(scores, levels)
    same = stats.kendall_tau_b(scores, levels, clusters=np.arange(len(scores)))
    assert (same.low, same.high) == pytest.approx((alone.low, alone.high), abs=0.01)


def test_tau_b_is_the_multiple_of_somers_d_also_with_ties():
    scores, levels, clusters = drafts()
    for s in (scores, scores.round()):
        tau, d = stats.kendall_tau_b(s, levels, clusters=clusters), stats.somers_d(s, levels, clusters=clusters)
        assert tau.low / d.low == pytest.approx(tau.value / d.value)
        assert tau.high / d.high == pytest.approx(tau.value / d.value)


def test_kappa_by_cluster_equals_the_bootstrap_written_out():
    scores, levels, clusters = drafts(k=30)
    predicted = stats.cut_levels(scores, [0.0, 0.8, 1.6])
    ours = stats.quadratic_weighted_kappa(levels, predicted, 4, clusters=clusters, replicates=4000)
    plain = stats.quadratic_weighted_kappa(levels, predicted, 4, replicates=4000)
    assert ours.value == plain.value
    assert (ours.n, plain.n) == (30, 120)
    drawn = stats.cluster_bootstrap(
        lambda y, z: stats.quadratic_weighted_kappa(y, z, 4, replicates=1).value, clusters, levels, predicted,
        replicates=1500,
    )  # fmt: skip
    assert (ours.low, ours.high) == pytest.approx((drawn.low, drawn.high), abs=0.02)
    whole = stats.quadratic_weighted_kappa(levels, predicted, 4, clusters=np.zeros(120), replicates=50)
    assert math.isnan(whole.low), "one cluster has no spread"


def test_clusters_of_another_length_are_refused():
    scores, levels, clusters = drafts(k=5)
    for refused in (
        lambda: stats.kendall_tau_b(scores, levels, clusters=clusters[1:]),
        lambda: stats.quadratic_weighted_kappa(levels, levels, 4, clusters=clusters[1:]),
    ):
        with pytest.raises(ValueError, match="clusters"):
            refused()
