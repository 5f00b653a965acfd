"""Texts and detectors whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand import detectors

PLACES = ("harbour", "market", "school", "station", "bridge", "mill")


def human(i: int) -> str:
    return f"Number {i} again: we got off at the {PLACES[i % 6]}, lost the dog twice, found it and ate plums till dark."


def machine(i: int) -> str:
    return (
        f"The {PLACES[i % 6]} is an important place that offers {i + 2} benefits to the community and to its visitors."
    )


@pytest.fixture(scope="session")
def lessons() -> tuple[list[str], list[int]]:
    return [human(i) for i in range(20)] + [machine(i) for i in range(20)], [0] * 20 + [1] * 20


@pytest.fixture(scope="session")
def linear(lessons):
    return detectors.get("tfidf_lr(ngrams=(1, 2))").fit(*lessons)


@pytest.fixture(scope="session")
def forest(lessons):
    return detectors.get("tfidf_rf(trees=30)").fit(*lessons)


WEIGHTS = {"alpha": 2.0, "beta": -1.0, "gamma": 0.5}


@pytest.fixture
def additive():
    """A detector that is linear in the presence of words: their weights are the truth."""

    def score(texts):
        return np.array([0.25 + sum(WEIGHTS.get(word, 0.0) for word in set(text.split())) for text in texts])

    return score


@pytest.fixture
def joint():
    """A detector with an interaction: 'alpha' counts only where 'beta' stands too."""
    return lambda texts: np.array(
        [float("alpha" in text and "beta" in text) + 0.5 * ("gamma" in text) for text in texts]
    )
