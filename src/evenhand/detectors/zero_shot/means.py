"""Detectors that are means over the tokens of a text: likelihood, rank and entropy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...errors import Abstain, SpecError
from ...models.statistics import TokenStatistics
from ...registry import Card
from ..base import TokenDetector

MODEL = "one causal language model, one pass"


@dataclass(frozen=True)
class LogLikelihood(TokenDetector):
    name: ClassVar[str] = "log_likelihood"
    card: ClassVar[Card] = Card(
        "Mean log-probability of the tokens: (1/T) sum l_t.",
        source="the baseline of Gehrmann et al. 2019 and Mitchell et al. 2023 (DetectGPT), sec. 5",
        licence="method free",
        family="likelihood",
        needs=MODEL,
        follows="paper and code agree; no truncation",
        pitfalls="moves with topic, genre, repetition and length; invisible characters can make human text look likely",
    )

    def of(self, stats: TokenStatistics) -> float:
        return float(stats.log_prob.mean(dtype=np.float64))


@dataclass(frozen=True)
class Rank(TokenDetector):
    name: ClassVar[str] = "rank"
    card: ClassVar[Card] = Card(
        "Minus the mean rank of the tokens: -(1/T) sum r_t.",
        source="Gehrmann et al. 2019 (GLTR); Mitchell et al. 2023, sec. 5",
        licence="method free",
        family="rank",
        needs=MODEL,
        follows="ranks are counted, ties count as better; the authors sort, so their ties fall by chance",
        pitfalls="a few rare tokens decide the mean; log_rank is steadier",
    )

    def of(self, stats: TokenStatistics) -> float:
        return -float(stats.rank.mean(dtype=np.float64))


@dataclass(frozen=True)
class LogRank(TokenDetector):
    name: ClassVar[str] = "log_rank"
    card: ClassVar[Card] = Card(
        "Minus the mean log rank of the tokens: -(1/T) sum ln r_t.",
        source="Mitchell et al. 2023 (DetectGPT), sec. 5; Solaiman et al. 2019",
        licence="method free",
        family="rank",
        needs=MODEL,
        follows="ranks are counted, ties count as better",
        pitfalls="moves with topic and length",
    )

    def of(self, stats: TokenStatistics) -> float:
        return -mean_log_rank(stats)


@dataclass(frozen=True)
class Entropy(TokenDetector):
    name: ClassVar[str] = "entropy"
    card: ClassVar[Card] = Card(
        "Minus the mean entropy of the model's next-token distribution: -(1/T) sum H_t.",
        source="Gehrmann et al. 2019 (GLTR); Mitchell et al. 2023, sec. 5",
        licence="method free",
        family="entropy",
        needs=MODEL,
        follows="the sign is ours: authors' code takes +H as machine-like, which falls below .5 AUROC on modern text",
        pitfalls="says how sure the model is, not how well it was right; scores of other code have the other sign",
    )

    def of(self, stats: TokenStatistics) -> float:
        return -float(stats.entropy.mean(dtype=np.float64))


@dataclass(frozen=True)
class LRR(TokenDetector):
    name: ClassVar[str] = "lrr"
    card: ClassVar[Card] = Card(
        "Log-likelihood log-rank ratio: |mean l_t| / mean ln r_t.",
        source="Su et al. 2023 (DetectLLM), sec. 3",
        licence="method free",
        family="likelihood and rank",
        needs=MODEL,
        follows="paper; where every token is the likeliest the ratio has no value, and it abstains",
        pitfalls="blows up when nearly all tokens are the likeliest (memorised or repeated text)",
    )

    def of(self, stats: TokenStatistics) -> float:
        below = mean_log_rank(stats)
        if below == 0:
            raise Abstain("every token is the model's likeliest: the log-rank ratio divides by zero")
        return -float(stats.log_prob.mean(dtype=np.float64)) / below


@dataclass(frozen=True)
class GLTR(TokenDetector):
    name: ClassVar[str] = "gltr"
    card: ClassVar[Card] = Card(
        "Share of the tokens among the model's likeliest ``top``.",
        source="Gehrmann et al. 2019 (GLTR); as a score: RAID's code",
        licence="method free; GLTR's code Apache-2.0",
        family="rank",
        needs=MODEL,
        follows="RAID's zero-shot form (rank <= 10); the four-bucket form of MGTBench is a trained classifier on top",
        pitfalls="takes few values on short text, so ties are common; the original model is GPT-2 small",
    )
    top: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.top, int) or self.top < 1:
            raise SpecError(f"gltr: top must be a whole number from 1 on, got {self.top!r}")

    def of(self, stats: TokenStatistics) -> float:
        return float((stats.rank <= self.top).mean())

    def buckets(self, stats: TokenStatistics) -> tuple[float, float, float, float]:
        """Shares of rank 1-10, 11-100, 101-1000 and beyond: the colours of GLTR, the features of MGTBench."""
        edges = [0, 10, 100, 1000, np.inf]
        counts, _ = np.histogram(stats.rank - 0.5, edges)
        first, second, third, rest = (counts / max(1, stats.n_scored)).tolist()
        return first, second, third, rest


def mean_log_rank(stats: TokenStatistics) -> float:
    return float(np.log(stats.rank.astype(np.float64)).mean())
