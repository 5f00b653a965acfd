"""Thresholds and certificates against the table of their law, exact sums and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as sp

from evenhand import stats
from evenhand.errors import DataError, SpecError

LAW = [
    # n, certified (k, errors allowed, mean FPR %), nominal (k, errors allowed, P(FPR > 1 %), 90 % range in %)
    (100, None, (99, 1, 0.74, (0.4, 4.7))),
    (299, (299, 0, 0.33), (297, 2, 0.42, (0.3, 2.1))),
    (360, (360, 0, 0.28), (357, 3, 0.515, (0.4, 2.1))),
    (720, (718, 2, 0.42), (713, 7, 0.57, (0.6, 1.8))),
    (1000, (996, 4, 0.50), (990, 10, 0.58, (0.6, 1.7))),
    (1440, (1433, 7, 0.56), (1426, 14, 0.53, (0.6, 1.5))),
    (5000, (4962, 38, 0.78), (4950, 50, 0.54, (0.8, 1.3))),
]


def test_law_of_thresholds_at_one_percent():
    for n, certified, (k, errors, exceed, spread) in LAW:
        nominal = stats.threshold(np.arange(n), 0.01)
        assert (nominal.k, nominal.errors_allowed, nominal.value) == (k, errors, k - 1)
        assert nominal.exceed_probability == pytest.approx(exceed, abs=0.0055)
        assert [100 * v for v in nominal.fpr_range()] == pytest.approx(spread, abs=0.051)
        sure = stats.threshold(np.arange(n), 0.01, 0.95)
        if certified is None:
            assert np.isnan(sure.value)
            assert "299 are needed, 199 are missing" in (sure.reason or "")
        else:
            assert (sure.k, sure.errors_allowed) == certified[:2]
            assert 100 * sure.mean_fpr == pytest.approx(certified[2], abs=0.006)
            assert sure.exceed_probability <= 0.05


def test_certified_at_five_percent():
    assert [stats.certified_errors(n, 0.05, 0.95) for n in (58, 59, 299, 458, 916)] == [None, 0, 8, 15, 34]
    assert stats.certified_errors(916, 0.01, 0.95) == 4


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 400), st.sampled_from([0.01, 0.05, 0.1, 0.5]), st.sampled_from([0.8, 0.95, 0.99]))
def test_umbrella_is_the_smallest_k(n, fpr, confidence):
    def violation(k):
        return sp.binom.sf(k - 1, n, 1 - fpr)

    passing = [k for k in range(1, n + 1) if violation(k) <= 1 - confidence + 1e-12]
    found = stats.certified_errors(n, fpr, confidence)
    assert found == (n - passing[0] if passing else None)


def test_law_is_the_beta():
    """Uniform scores: the true FPR of threshold t is 1 - t, so its law can be counted."""
    g = np.random.default_rng(0)
    true = np.array([1 - stats.threshold(g.random(50), 0.1).value for _ in range(4000)])
    law = stats.threshold(np.arange(50), 0.1)
    assert true.mean() == pytest.approx(law.mean_fpr, abs=0.004)
    assert (true > 0.1).mean() == pytest.approx(law.exceed_probability, abs=0.03)
    assert np.quantile(true, [0.05, 0.95]) == pytest.approx(law.fpr_range(0.9), abs=0.01)


def test_clusters_count_once_by_their_highest_score():
    g = np.random.default_rng(1)
    writers = g.permutation(np.repeat(np.arange(60), 5))
    scores = g.normal(size=300)
    sure = stats.threshold(scores, 0.05, 0.95, clusters=writers)
    highest = sorted(scores[writers == w].max() for w in range(60))
    assert (sure.n, sure.value) == (60, highest[-1])
    assert stats.threshold(scores, 0.05, 0.95).n == 300
    with pytest.raises(SpecError, match="certified thresholds only"):
        stats.threshold(scores, 0.05, clusters=writers)


def test_ends_ties_and_infinities():
    assert stats.threshold([1.0, 2, 3], 0).value == 3
    everything = stats.threshold([1.0, 2, 3], 1)
    assert everything.value == -np.inf
    assert np.isnan(everything.mean_fpr)
    assert stats.threshold([1.0] * 100, 0.05).value == 1
    assert stats.threshold([0.0, np.inf], 0.4).value == np.inf
    assert "no number of texts" in (stats.threshold([1.0], 0, 0.95).reason or "")
    assert float(stats.threshold([1.0], 0.01)) == 1
    with pytest.raises(DataError, match="NaN"):
        stats.threshold([np.nan], 0.01)


def test_texts_needed():
    needed = {
        0.01: {0: 299, 1: 473, 2: 628, 3: 773, 5: 1049, 10: 1693},
        0.05: {0: 59, 1: 93, 2: 124, 3: 153, 5: 208, 10: 336},
        0.005: {0: 598, 1: 947, 2: 1258},
        0.001: {0: 2995, 1: 4742},
        0.0001: {0: 29956},
    }
    for fpr, row in needed.items():
        for errors, n in row.items():
            assert stats.texts_needed(fpr, errors) == n
            assert stats.certificate(errors, n, fpr).certified
            assert not stats.certificate(errors, n - 1, fpr).certified


def test_certificate_says_what_is_missing():
    short = stats.certificate(1, 400)
    assert (short.certified, short.missing) == (False, 73)
    assert stats.certificate(1, 473).missing == 0
    assert short.upper == pytest.approx(sp.beta.ppf(0.95, 2, 399))
    assert "73 more human texts, all without error, would certify 0.01" in short.reason
    assert stats.certificate(300, 300, 0.01).upper == 1


def test_a_cluster_counts_once_and_is_called_so():
    alone = stats.cluster_certificate([False] * 300, list(range(300)))
    shared = stats.cluster_certificate([False] * 300, [i // 2 for i in range(300)])
    assert (alone.certified, alone.n) == (True, 300)
    assert "0 of 300 human texts flagged" in alone.reason
    assert (shared.certified, shared.n) == (False, 150)
    assert "0 of 150 clusters of human texts flagged" in shared.reason


def test_certifiable_fpr_is_the_bound_where_the_tail_is_five_percent():
    for errors, n in [(0, 299), (3, 500), (7, 20)]:
        bound = stats.certifiable_fpr(n, errors)
        assert sp.binom.cdf(errors, n, bound) == pytest.approx(0.05)
    assert stats.certifiable_fpr(299) < 0.01 < stats.certifiable_fpr(298)


def test_groups_hold_together():
    """Sidak: with three groups at their limit the chance that all three bounds hold is the confidence, not less."""
    together = stats.group_certificates({"a": (0, 300), "b": (1, 900), "c": (0, 59)}, 0.01)
    assert [c.groups for c in together.values()] == [3, 3, 3]
    tail = [sp.binom.cdf(c.errors, c.n, c.upper) for c in together.values()]
    assert np.prod([1 - t for t in tail]) == pytest.approx(0.95)
    assert not together["a"].certified
    assert stats.certificate(0, 300).certified
    with pytest.raises(DataError, match="no group"):
        stats.group_certificates({})


def test_certification_power_sums_the_binomial():
    n, fpr, true = 700, 0.01, 0.004
    by_hand = sum(sp.binom.pmf(x, n, true) for x in range(10) if sp.binom.cdf(x, n, fpr) <= 0.05)
    assert stats.certification_power(n, fpr, true) == pytest.approx(by_hand)
    assert stats.certification_power(298, fpr, 0.0) == 0
    assert stats.certification_power(299, fpr, 0.0) == 1


def test_cluster_errors_count_clusters_with_any_flag():
    assert stats.cluster_errors([1, 0, 0, 1, 1], ["a", "a", "b", "c", "c"]) == (2, 3)


def test_bad_input():
    with pytest.raises(DataError, match="is no count"):
        stats.certificate(-1, 10)
    with pytest.raises(SpecError, match="between 0 and 1"):
        stats.certificate(0, 10, fpr=0)
    with pytest.raises(SpecError, match="whole number"):
        stats.certificate(0, 10, groups=0)
    with pytest.raises(SpecError, match="whole number"):
        stats.texts_needed(0.01, -1)
    with pytest.raises(DataError, match="0 and 1"):
        stats.cluster_errors([0.4], ["a"])
    with pytest.raises(SpecError, match="confidence"):
        stats.threshold([1.0], 0.01, 95)


def test_too_few_writers_are_counted_as_writers():
    alone = stats.threshold(np.arange(8), 0.05, 0.95, clusters=np.arange(8))
    shared = stats.threshold(np.arange(8), 0.05, 0.95, clusters=np.arange(8) // 2)
    assert alone.reason.startswith("8 human texts cannot certify")
    assert shared.reason.startswith("4 clusters of human texts cannot certify")
    assert "59 are needed, 55 are missing" in shared.reason
