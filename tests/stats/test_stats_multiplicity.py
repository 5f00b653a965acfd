"""Corrections for many cells against scipy and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from evenhand import stats
from evenhand.errors import DataError

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@settings(max_examples=60, deadline=None)
@given(P_VALUES)
def test_adjusted_p_values_of_any_list(p):
    assert stats.benjamini_hochberg(p) == pytest.approx(false_discovery_control(p))
    adjusted = stats.holm(p)
    assert (adjusted >= np.array(p) - 1e-12).all()
    assert (adjusted <= np.minimum(1, len(p) * np.array(p)) + 1e-12).all()


def test_benjamini_hochberg_is_scipys():
    p = [0.01, 0.04, 0.03, 0.2, 0.9]
    assert stats.benjamini_hochberg(p) == pytest.approx(false_discovery_control(p))


def test_holm_by_hand():
    assert stats.holm([0.01, 0.04, 0.03, 0.2]) == pytest.approx([0.04, 0.09, 0.09, 0.2])


def test_cells_without_a_test_do_not_count():
    assert stats.holm([np.nan, 0.01, 0.02])[1:] == pytest.approx([0.02, 0.02])
    assert np.isnan(stats.benjamini_hochberg([np.nan, 0.01])[0])
    with pytest.raises(DataError, match="from 0 to 1"):
        stats.holm([1.5])


def brute_max_t(values, draws):
    """Step-down max-T, cell by cell (Westfall & Young 1993, algorithm 4.1)."""
    error = draws.std(axis=1, ddof=1)
    t, null = np.abs(values) / error, np.abs(draws - values[:, None]) / error[:, None]
    p, running, left = np.empty(len(values)), 0.0, list(np.argsort(-t))
    while left:
        cell = left[0]
        beyond = sum(max(null[c, b] for c in left) >= t[cell] for b in range(draws.shape[1]))
        running = max(running, (1 + beyond) / (1 + draws.shape[1]))
        p[cell] = running
        left.pop(0)
    return p


def test_max_t_is_the_step_down_algorithm():
    g = np.random.default_rng(0)
    shared = g.normal(size=60)
    values = np.array([0.1, 3.0, -2.2, 0.0, 1.0])
    draws = values[:, None] + shared + g.normal(size=(5, 60)) * np.array([1, 2, 0.2, 1, 1])[:, None]
    assert stats.max_t(values, draws) == pytest.approx(brute_max_t(values, draws))


def test_max_t_of_identical_cells_costs_nothing():
    """99 copies of one cell are one test; Holm would multiply by 99."""
    g = np.random.default_rng(1)
    one = 2.2 + g.normal(size=2000)
    values, draws = np.full(99, 2.2), np.tile(one, (99, 1))
    alone = (1 + np.sum(np.abs(one - 2.2) >= 2.2 * one.std(ddof=1) / one.std(ddof=1))) / 2001
    assert stats.max_t(values, draws)[0] == pytest.approx(stats.max_t(values[:1], draws[:1])[0])
    assert stats.max_t(values, draws)[0] == pytest.approx(alone, abs=0.01)


def test_max_t_family_wise_error_over_null_cells():
    """20 null cells that share half their noise: some mark in about 5 % of studies, not in 64 %."""
    g, false = np.random.default_rng(2), 0
    for _ in range(300):
        values = g.normal() + g.normal(size=20)
        draws = values[:, None] + g.normal(size=400) + g.normal(size=(20, 400))
        false += (stats.max_t(values, draws) <= 0.05).any()
    assert 0.02 <= false / 300 <= 0.09


def test_max_t_without_spread_or_value():
    draws = np.array([[1.0, 1, 1], [0, 0, 0], [np.nan, np.nan, np.nan]])
    p = stats.max_t([1.0, 0.0, np.nan], draws)
    assert p[:2] == pytest.approx([1 / 4, 1])
    assert np.isnan(p[2])
    with pytest.raises(DataError, match="cells"):
        stats.max_t([1.0], [1.0, 2.0])
