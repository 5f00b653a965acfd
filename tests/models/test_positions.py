"""What is drawn at a position follows the distribution there: counts against exact probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

torch = pytest.importorskip("torch")

from evenhand.models.positions import Reducer  # noqa: E402
from evenhand.models.statistics import Draw, Request  # noqa: E402


def drawn(logits: np.ndarray, reference: np.ndarray | None, draw: Draw) -> np.ndarray:
    """Log-probabilities [n, positions] of what was drawn at each row of ``logits``."""
    reducer = Reducer(Request(draws=frozenset([draw])), len(logits))
    other = None if reference is None else torch.from_numpy(reference.copy())
    reducer.add(torch.from_numpy(logits.copy()), torch.zeros(len(logits), dtype=torch.long), other)
    return reducer.drawn()[draw]


def tokens(values: np.ndarray, logits: np.ndarray) -> np.ndarray:
    """Which token each log-probability is that of: they all differ."""
    log_p = torch.log_softmax(torch.from_numpy(logits), -1).numpy()
    order = np.argsort(log_p)
    assert np.diff(log_p[order]).min() > 1e-5
    place = np.searchsorted((log_p[order][1:] + log_p[order][:-1]) / 2, values)
    return order[place]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("two_models", [False, True])
def test_counts_follow_the_probabilities_and_positions_are_independent(seed: int, two_models: bool) -> None:
    random = np.random.default_rng(10 + seed)
    logits, reference = random.normal(0, 1, (2, 2, 12)).astype(np.float32)
    n = 60_000
    values = drawn(logits, reference if two_models else None, Draw(n, seed))
    q = torch.softmax(torch.from_numpy(reference if two_models else logits).double(), -1).numpy()
    first, second = (tokens(values[:, place], logits[place]) for place in (0, 1))
    counts = np.bincount(12 * first + second, minlength=144)
    assert chisquare(counts, n * np.outer(*q).ravel()).pvalue > 1e-3


def test_a_wide_vocabulary_loses_no_tail() -> None:
    """49,152 tokens, half of the mass on those below one in a thousand each: by deciles of the cumulative sum."""
    random = np.random.default_rng(1)
    logits = random.normal(0, 2, (1, 49_152)).astype(np.float32)
    values = drawn(logits, None, Draw(40_000, 3))[:, 0]
    log_p = torch.log_softmax(torch.from_numpy(logits[0]).double(), -1).numpy()
    ordered = np.sort(log_p)
    shares = np.exp(ordered).cumsum()
    edges = ordered[np.searchsorted(shares, np.linspace(0.001, 0.999, 30))]
    expected = np.diff([0, *(np.exp(log_p[log_p <= edge]).sum() for edge in edges), 1])
    counts = np.histogram(values, [-np.inf, *(edges + 1e-6), np.inf])[0]
    assert chisquare(counts, len(values) * expected).pvalue > 1e-3


def test_a_token_that_cannot_come_is_never_drawn() -> None:
    logits = np.array([[0.0, -np.inf, 1.0, -np.inf]], np.float32)
    assert np.isfinite(drawn(logits, None, Draw(20_000, 0))).all()
