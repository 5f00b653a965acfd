"""A row of logits reduced in float32 against the same in float64, and against the block form of a card."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.models.rows import CHUNK, Moments, moments_of_row, scratch

torch = pytest.importorskip("torch")


def found(logits: np.ndarray, token: int) -> Moments:
    return moments_of_row(logits, token, scratch(len(logits)))


def exact(logits: np.ndarray, token: int) -> tuple[float, int, float, float, float]:
    """By the definitions, in float64, over the logits that are finite."""
    finite = logits[np.isfinite(logits)].astype(np.float64)
    log_total = np.logaddexp.reduce(finite)
    log_p = finite - log_total
    p = np.exp(log_p)
    mean = (p * log_p).sum()
    rank = 1 + sum(value > logits[token] for value in logits.tolist())
    return float(logits[token]) - log_total, rank, -mean, (p * (log_p - mean) ** 2).sum(), log_p.max()


@pytest.mark.parametrize("width", [4, 100, CHUNK - 1, CHUNK, CHUNK + 1, 49_152, 50_257])
@pytest.mark.parametrize("spread", [0.1, 3, 30])
def test_against_float64(width: int, spread: float) -> None:
    random = np.random.default_rng(width)
    for _ in range(3):
        logits = random.normal(-2, spread, width).astype(np.float32)
        token = int(random.integers(width))
        np.testing.assert_allclose(found(logits, token), exact(logits, token), rtol=2e-5, atol=1e-5)


def test_a_row_sees_nothing_of_the_one_before_it() -> None:
    space, random = scratch(CHUNK + 5), np.random.default_rng(4)
    for spread in (30, 0.1, 3):
        logits = random.normal(0, spread, CHUNK + 5).astype(np.float32)
        assert moments_of_row(logits, 7, space) == found(logits, 7)


@pytest.mark.filterwarnings("error")
def test_logits_of_minus_infinity_count_for_nothing() -> None:
    logits = np.array([1.0, -np.inf, 0.5, 2.0], np.float32)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(found(logits, 0), exact(logits, 0), rtol=1e-6)


def test_ties_count_as_better_and_a_sure_model_has_no_spread() -> None:
    assert found(np.array([1, 1, 1, 0], np.float32), 2).rank == 1
    sure = found(np.array([0, 500, 0], np.float32), 1)
    assert (sure.log_prob, sure.rank, sure.entropy, sure.variance, sure.top1) == (0, 1, 0, 0, 0)


def test_the_row_is_only_read() -> None:
    logits = np.random.default_rng(0).normal(size=300).astype(np.float32)
    before = logits.copy()
    found(logits, 5)
    np.testing.assert_array_equal(logits, before)


def test_the_number_of_threads_moves_no_digit() -> None:
    threadpoolctl = pytest.importorskip("threadpoolctl")
    logits = np.random.default_rng(1).normal(0, 3, 49_152).astype(np.float32)
    by_threads = []
    for threads in (1, 2, 4):
        with threadpoolctl.threadpool_limits(threads):
            by_threads.append(found(logits, 7))
    assert by_threads[0] == by_threads[1] == by_threads[2]


def test_the_block_form_of_a_card_says_the_same() -> None:
    from evenhand.models.positions import moments

    rows = np.random.default_rng(2).normal(0, 4, (6, 999)).astype(np.float32)
    rows[0, 3] = rows[4, 100:900] = -np.inf
    tokens = [0, 5, 99, 998, 7, 3]
    block = moments(torch.from_numpy(rows), torch.tensor(tokens))
    with np.errstate(invalid="ignore"):
        for place, token in enumerate(tokens):
            one = found(rows[place], token)
            for name, value in one._asdict().items():
                assert block[name][place].item() == pytest.approx(value, rel=2e-5, abs=1e-5), name
