"""Glimpse: white-box scores from the few log-probabilities that an interface shows, the rest of the distribution guessed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from ...errors import Abstain, SpecError
from ...models.statistics import Request, TokenStatistics
from ...registry import Card
from ..base import TokenDetector
from .fast_detect_gpt import curvature

BLOCK = 256
"""Positions whose guessed distributions are in memory at a time."""


@dataclass(frozen=True)
class Glimpse(TokenDetector):
    name: ClassVar[str] = "glimpse"
    card: ClassVar[Card] = Card(
        "Fast-DetectGPT or entropy on a distribution over ranks, made of the top k log-probabilities and a guessed tail.",
        source="Bao et al. 2025 (ICLR), sec. 3; code baoguangsheng/glimpse",
        licence="MIT",
        family="curvature",
        needs="one causal language model whose top k log-probabilities are known, one pass",
        follows="the geometric estimator (tail='geometric') or the Zipfian one, with 1,000 ranks; the code's Zipfian table sums "
        "one rank less than it fills, here both are alike. The neural estimator is not built (its weights are a pickle file). "
        "The model is a local one, so the prompt that the authors put before a text is left out",
        pitfalls="worth something for models behind an interface; of a local model fast_detect_gpt knows the whole distribution",
    )
    top_k: int = 5
    n_ranks: int = 1000
    criterion: Literal["fast_detect_gpt", "entropy"] = "fast_detect_gpt"
    tail: Literal["geometric", "zipf"] = "geometric"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.top_k < self.n_ranks:
            raise SpecError(f"glimpse: top_k lies from 1 to below n_ranks, got {self.top_k!r} and {self.n_ranks!r}")

    @property
    def request(self) -> Request:
        return Request(top_k=self.top_k)

    def of(self, stats: TokenStatistics) -> float:
        if stats.top_k is None:
            raise Abstain("the top k log-probabilities were not kept")
        top = np.exp(stats.top_k[:, : self.top_k].astype(np.float64))
        blocks = [top[start : start + BLOCK] for start in range(0, len(top), BLOCK)]
        mean, variance = np.concatenate([mean_and_variance(TAILS[self.tail](b, self.n_ranks)) for b in blocks], 1)
        return float(mean.mean()) if self.criterion == "entropy" else curvature(stats.log_prob, mean, variance)


def mean_and_variance(p: np.ndarray) -> np.ndarray:
    """Of log p under p itself, for each row of [T, n_ranks]: [2, T]."""
    logs = np.log(p, where=p > 0, out=np.zeros_like(p))
    mean = (p * logs).sum(1)
    return np.array([mean, (p * (logs - mean[:, None]) ** 2).sum(1)])


def with_geometric_tail(top: np.ndarray, n_ranks: int) -> np.ndarray:
    """Probabilities over ``n_ranks`` ranks [T, n_ranks]: the known ones [T, k], then p_k * ratio^j, summing to what is left."""
    rest = np.maximum(1 - top.sum(1), 0)
    ratio = tail_ratio(top[:, -1], rest, n_ranks - top.shape[1])
    steps = np.arange(1, n_ranks - top.shape[1] + 1)
    tail = top[:, -1:] * ratio[:, None] ** steps
    return np.concatenate([top, tail], 1)


def tail_ratio(last: np.ndarray, rest: np.ndarray, n: int) -> np.ndarray:
    """The ratio below 1 with last * (ratio + ... + ratio^n) = rest, by bisection; 1 where the tail cannot hold so much."""
    low, high = np.zeros_like(rest), np.ones_like(rest)
    for _ in range(60):
        middle = (low + high) / 2
        total = last * middle * (1 - middle**n) / np.maximum(1 - middle, 1e-300)
        low, high = np.where(total < rest, middle, low), np.where(total < rest, high, middle)
    return np.asarray((low + high) / 2)


def with_zipf_tail(top: np.ndarray, n_ranks: int) -> np.ndarray:
    """Probabilities over ``n_ranks`` ranks [T, n_ranks]: the known ones [T, k], then p_k * (b / (j + b))^a, scaled to a sum of 1.

    Of each position (a, b) is the pair of the authors' grid that is nearest in (tail - wanted)^2 + (a - 1)^2 + .001 (b - 2.7)^2.
    """
    n = n_ranks - top.shape[1]
    wanted = np.maximum(1 - top.sum(1), 0) / np.maximum(top[:, -1], 1e-300)
    a, b = np.array([zipf_shape(ratio, n) for ratio in wanted]).T
    tail = top[:, -1:] * (b[:, None] / (np.arange(1, n + 1) + b[:, None])) ** a[:, None]
    p = np.concatenate([top, tail], 1)
    return np.asarray(p / p.sum(1, keepdims=True))


def zipf_shape(ratio: float, n: int) -> tuple[float, float]:
    """(a, b) of the grid whose tail of ``n`` ranks is nearest to ``ratio`` times the last known probability."""
    a, b, sums = zipf_grid(n)
    with np.errstate(over="ignore"):  # a vanishing last probability: the longest tail is taken
        best = ((sums - ratio) ** 2 + (a - 1) ** 2 + 0.001 * (b - 2.7) ** 2).argmin()
    return float(a[best]), float(b[best])


@lru_cache(maxsize=4)
def zipf_grid(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """a in 0, .1, ... 9.9 and b in 0, .2, ... 19.8, as in the code, and sum over j = 1..n of (b / (j + b))^a: [10000] each."""
    a, b = (grid.ravel() for grid in np.meshgrid(np.arange(100) / 10, np.arange(100) / 5, indexing="ij"))
    sums = np.zeros(len(a))
    for j in range(1, n + 1):
        sums += (b / (j + b)) ** a
    return a, b, sums


TAILS = {"geometric": with_geometric_tail, "zipf": with_zipf_tail}
