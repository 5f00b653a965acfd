"""The intrinsic dimension: spanning trees against scipy's, clouds of known dimension, seeds that hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree

from evenhand import detectors
from evenhand.detectors.zero_shot import phd as module
from evenhand.errors import Abstain, MissingError, SpecError


def test_tree_length_is_scipys():
    draw = np.random.default_rng(1)
    for n in (2, 5, 60):
        points = draw.normal(size=(n, 7))
        between = module.distances(points)
        plain = np.linalg.norm(points[:, None] - points[None], axis=-1)
        assert between == pytest.approx(plain, abs=1e-6)
        assert module.tree_length(plain) == pytest.approx(minimum_spanning_tree(plain).sum())


def test_sizes_are_those_of_the_code():
    assert module.sizes(47, 40) == [40, 41, 42, 43, 44, 45]
    assert module.sizes(300, 40) == [40, 77, 114, 151, 188, 225, 262]


def test_a_cloud_of_more_dimensions_has_a_larger_one():
    draw = np.random.default_rng(2)
    found = []
    for dimension in (1, 2, 4, 8):
        points = np.zeros((400, 20))
        points[:, :dimension] = draw.uniform(size=(400, dimension))
        found.append(module.phd(points, 40, np.random.default_rng(0)))
    assert found == sorted(found)
    assert found[0] == pytest.approx(1, abs=0.25)
    assert found[1] == pytest.approx(2, abs=0.5)


def test_what_has_no_dimension():
    with pytest.raises(Abstain, match="46 tokens: subsets from 40 in 7 steps need 47"):
        module.phd(np.zeros((46, 3)), 40, np.random.default_rng(0))
    with pytest.raises(Abstain, match="one point has no dimension"):
        module.phd(np.ones((60, 3)), 40, np.random.default_rng(0))
    with pytest.raises(SpecError, match="min_points"):
        detectors.get("phd(min_points=1)")


def test_gede_takes_off_fives_until_a_short_text_will_do():
    assert detectors.get("phd(lower=True)").smallest(30) == 20
    assert detectors.get("phd(lower=True)").smallest(100) == 40
    assert detectors.get("phd").smallest(30) == 40


@pytest.fixture(scope="module")
def minilm():
    pytest.importorskip("torch")
    from evenhand.models import minilm

    try:
        minilm.folder()
    except MissingError as error:
        pytest.skip(f"the embedded encoder cannot be had: {error}")


@pytest.mark.model
def test_seeds_hold_and_no_neighbour_matters(minilm):
    text = " ".join(
        f"On day {i} we walked along the shore, found {word}, and carried it home before the tide came in again."
        for i, word in enumerate(("a bottle", "two shells", "an oar", "rope", "a boot", "driftwood"))
    )
    found = detectors.get("phd")
    together = found([text, text[:-60], "short"])
    assert found([text])[0] == together[0] == detectors.get("phd")([text])[0]
    assert np.isnan(together[2])
    assert together[0] < 0
    other = detectors.get("phd(seed=1)")([text])[0]
    assert other != together[0]
    assert other == pytest.approx(together[0], rel=0.5)
    long = found.judge([text * 8])[0]
    assert (long.truncated, long.n_tokens) == (True, 510)
