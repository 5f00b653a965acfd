"""Conformal p-values: counts by hand, and the promise over many deployments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand import stats
from evenhand.errors import DataError

NUMBERS = st.lists(st.integers(-3, 3).map(float) | st.sampled_from([np.inf, -np.inf]), min_size=1, max_size=15)


@settings(max_examples=60, deadline=None)
@given(NUMBERS, NUMBERS)
def test_any_scores(new, human):
    expected = [(1 + sum(h >= s for h in human)) / (len(human) + 1) for s in new]
    assert stats.conformal_p_values(new, human) == pytest.approx(expected)


def test_p_counts_calibration_scores_at_or_above():
    p = stats.conformal_p_values([0.0, 1, 2, 5], [1.0, 2, 2, 3])
    assert p == pytest.approx([1, 1, 4 / 5, 1 / 5])


def test_smallest_p_needs_99_texts_for_one_percent():
    assert stats.conformal_p_values([1e9], np.arange(99)) == pytest.approx(0.01)
    assert stats.conformal_p_values([1e9], np.arange(98)) > 0.01


def test_groups_are_compared_to_their_own():
    p = stats.conformal_p_values(
        [5.0, 5.0, 5.0], [1.0, 9, 9, 9], groups=["a", "b", "c"], calibration_groups=["a", "b", "b", "b"]
    )
    assert p == pytest.approx([1 / 2, 1, 1])


def test_flags_at_one_in_ten_are_one_in_ten_in_every_group():
    g, flagged = np.random.default_rng(0), []
    for _ in range(1000):
        group = np.repeat([0, 1], [30, 19])
        human, new = g.normal(5 * group, 1), g.normal(5 * np.array([0, 1]), 1)
        flagged.append(stats.conformal_p_values(new, human, groups=[0, 1], calibration_groups=group) <= 0.1)
    assert np.mean(flagged, axis=0) == pytest.approx([3 / 31, 0.1], abs=0.03)


def test_bad_input():
    with pytest.raises(DataError, match="pass both groups"):
        stats.conformal_p_values([1.0], [1.0], groups=["a"])
    with pytest.raises(DataError, match="one group for each"):
        stats.conformal_p_values([1.0], [1.0], groups=["a"], calibration_groups=["a", "b"])
    with pytest.raises(DataError, match="calibration: holds no score"):
        stats.conformal_p_values([1.0], [])
    with pytest.raises(DataError, match="NaN"):
        stats.conformal_p_values([np.nan], [1.0])
