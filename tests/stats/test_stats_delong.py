"""AUROC and its DeLong forms against brute force over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from evenhand import stats
from evenhand.errors import DataError, SpecError

LISTS = st.lists(st.integers(-3, 3).map(float) | st.sampled_from([np.inf, -np.inf]), min_size=2, max_size=12)


def wins(x, y):
    """The win matrix: 1 where a positive scores higher, 1/2 where it ties."""
    x, y = np.asarray(x, float)[:, None], np.asarray(y, float)[None, :]
    return (x > y) + 0.5 * (x == y)


def brute_variance(w):
    return w.mean(1).var(ddof=1) / w.shape[0] + w.mean(0).var(ddof=1) / w.shape[1]


def scores(seed, m, n, shift=1.0, digits=1):
    g = np.random.default_rng(seed)
    return g.normal(shift, 1, m).round(digits), g.normal(0, 1, n).round(digits)


@settings(max_examples=60, deadline=None)
@given(LISTS, LISTS)
def test_any_scores_ties_and_infinities(x, y):
    estimate = stats.auroc(x, y)
    assert estimate.value == pytest.approx(wins(x, y).mean(), abs=1e-12)
    assert estimate.n == len(x) + len(y)
    assert np.isnan(estimate.low) or estimate.low <= estimate.value <= estimate.high


def test_interval_is_delong_on_the_logit_scale():
    x, y = scores(1, 40, 60)
    value, error = wins(x, y).mean(), np.sqrt(brute_variance(wins(x, y)))
    z = 1.959963984540054 * error / (value * (1 - value))
    expected = [1 / (1 + np.exp(-(np.log(value / (1 - value)) + s * z))) for s in (-1, 1)]
    estimate = stats.auroc(x, y)
    assert [estimate.low, estimate.high] == pytest.approx(expected, abs=1e-9)
    assert estimate.value == pytest.approx(roc_auc_score([1] * 40 + [0] * 60, np.r_[x, y]), abs=1e-12)


def test_auroc_is_linear_in_the_positives():
    """Negatives fixed, the AUROC of all positives is the mean over their levels, weighted by size."""
    x, y = scores(2, 90, 50)
    parts = [x[:20], x[20:50], x[50:]]
    mean = sum(len(p) * stats.auroc(p, y).value for p in parts) / 90
    assert stats.auroc(x, y).value == pytest.approx(mean, abs=1e-12)


def test_no_overlap_gets_the_exact_bound_of_the_smaller_class():
    perfect = stats.auroc([2.0, 3, 4], [0.0] * 10)
    assert (perfect.value, perfect.high) == (1, 1)
    assert perfect.low == pytest.approx(0.025 ** (1 / 3))
    reversed_ = stats.auroc([0.0] * 10, [2.0, 3, 4])
    assert (reversed_.value, reversed_.low) == (0, 0)
    assert reversed_.high == pytest.approx(1 - 0.025 ** (1 / 3))


def test_clusters_of_one_change_nothing_and_doubled_texts_widen():
    x, y = scores(3, 40, 60)
    plain = stats.auroc(x, y)
    alone = stats.auroc(x, y, positive_clusters=np.arange(40), negative_clusters=np.arange(40, 100))
    assert (alone.low, alone.high, alone.n) == (pytest.approx(plain.low), pytest.approx(plain.high), 100)
    twice = stats.auroc(
        np.repeat(x, 2),
        np.repeat(y, 2),
        positive_clusters=np.arange(80) // 2,
        negative_clusters=40 + np.arange(120) // 2,
    )
    assert (twice.low, twice.high, twice.n) == (pytest.approx(plain.low), pytest.approx(plain.high), 100)


def test_clusters_across_classes_are_obuchowski():
    """The clustered variance, written out with loops over the clusters."""
    x, y = scores(4, 30, 40)
    g = np.random.default_rng(0)
    cx, cy = g.integers(0, 12, 30), g.integers(0, 12, 40)
    w, value = wins(x, y), wins(x, y).mean()
    k, kx, ky = len(set(cx) | set(cy)), len(set(cx)), len(set(cy))
    s10 = s01 = s11 = 0.0
    for c in set(cx) | set(cy):
        a, b = (w.mean(1) - value)[cx == c].sum(), (w.mean(0) - value)[cy == c].sum()
        s10, s01, s11 = s10 + a * a, s01 + b * b, s11 + a * b
    s10, s01, s11 = s10 * kx / (kx - 1) / 30, s01 * ky / (ky - 1) / 40, s11 * k / (k - 1)
    error = np.sqrt(s10 / 30 + s01 / 40 + 2 * s11 / (30 * 40))
    estimate = stats.auroc(x, y, positive_clusters=cx, negative_clusters=cy)
    logit = np.log(estimate.high / (1 - estimate.high)) - np.log(value / (1 - value))
    assert logit == pytest.approx(1.959963984540054 * error / (value * (1 - value)), abs=1e-9)
    assert estimate.n == k


def test_paired_difference_is_delong():
    (xa, ya), (xb, yb) = scores(5, 40, 60), scores(6, 40, 60, shift=0.5)
    w = wins(xa, ya) - wins(xb, yb)
    s = np.sqrt(brute_variance(w))
    d = stats.compare_auroc(xa, ya, xb, yb)
    assert d.value == pytest.approx(w.mean(), abs=1e-12)
    assert (d.high - d.low) / 2 == pytest.approx(1.959963984540054 * s, abs=1e-12)
    from scipy.stats import norm

    assert d.p == pytest.approx(2 * norm.sf(abs(w.mean()) / s))


def test_paired_difference_covariance_formula():
    """var(A1 - A2) = s11 + s22 - 2 s12, with covariances of the placements."""
    (xa, ya), (xb, yb) = scores(7, 30, 30), scores(8, 30, 30)
    a, b = wins(xa, ya), wins(xb, yb)
    cov = np.cov(a.mean(1), b.mean(1)) / 30 + np.cov(a.mean(0), b.mean(0)) / 30
    d = stats.compare_auroc(xa, ya, xb, yb)
    assert ((d.high - d.low) / 2 / 1.959963984540054) ** 2 == pytest.approx(cov[0, 0] + cov[1, 1] - 2 * cov[0, 1])


def test_no_interval_where_none_exists():
    one = stats.auroc([1.0], [0.0, 2.0])
    assert one.value == 0.5
    assert np.isnan(one.low)
    assert "one text" in one.method
    tied = stats.auroc([1.0] * 5, [1.0] * 5)
    assert tied.value == 0.5
    assert np.isnan(tied.high)
    assert "do not vary" in tied.method
    x, y = scores(9, 5, 5)
    same = stats.compare_auroc(x, y, 2 * x, 2 * y)
    assert same.value == 0
    assert np.isnan(same.p)
    assert "does not vary" in same.method
    rounded = stats.compare_auroc([0.3, 0.6, 2], [0.1, 0.4], [0.3, 0.6, 2], [0.1, 0.4])
    assert np.isnan(rounded.p)
    together = stats.auroc(x, y, positive_clusters=[0] * 5, negative_clusters=range(5))
    assert np.isnan(together.low)


def test_bad_input_names_the_cure():
    with pytest.raises(DataError, match=r"2 of 3 scores are NaN.*isnan"):
        stats.auroc([np.nan, 1, np.nan], [0.0])
    with pytest.raises(DataError, match="negative: holds no score"):
        stats.auroc([1.0], [])
    with pytest.raises(DataError, match="flat list"):
        stats.auroc([[1.0]], [0.0])
    with pytest.raises(DataError, match="same texts in the same order"):
        stats.compare_auroc([1.0, 2], [0.0], [1.0], [0.0])
    with pytest.raises(DataError, match="both positive_clusters and negative_clusters"):
        stats.auroc([1.0, 2], [0.0, 1], positive_clusters=[1, 2])
    with pytest.raises(SpecError, match="between 0 and 1"):
        stats.auroc([1.0, 2], [0.0, 1], level=95)
