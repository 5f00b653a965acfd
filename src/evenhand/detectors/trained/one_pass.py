"""Classifiers on statistics of one pass of a causal model: trained in seconds, and free beside the zero-shot scores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import Abstain, SpecError
from ...models.statistics import TokenStatistics, constant
from ...registry import Card
from .base import TokenLearner

Series = NDArray[np.float64]
NEEDS = "one causal language model, one pass; a split 'train' with both classes"
BUCKETS = (0.5, 10.5, 100.5, 1000.5, np.inf)
RANKS = ("rank 1-10", "rank 11-100", "rank 101-1,000", "rank above 1,000")
_SERIES = ("log-probability", "log-rank", "expected log-probability", "z-discrepancy")
ONE_PASS_NAMES = (
    *(f"{series}, {value}" for series in _SERIES for value in ("mean", "deviation", "p10", "p50", "p90")),
    *("mean change", "deviation of changes", "autocorrelation", "top-1 log-probability", *RANKS),
    *("Fast-DetectGPT", "LRR", "characters a word", "words a sentence", "different words of the first 100"),
)
"""The 33 numbers of ``one_pass_features``, in their order."""


@dataclass(frozen=True, eq=False)
class GLTRLR(TokenLearner):
    """``decision_function`` is the log-odds of 'machine'."""

    name: ClassVar[str] = "gltr_lr"
    card: ClassVar[Card] = Card(
        "Shares of tokens of rank 1-10, 11-100, 101-1000 and beyond; logistic regression on the split 'train'.",
        source="Gehrmann et al. 2019 (GLTR); the trained form: MGTBench's code",
        licence="method free; MGTBench MIT",
        family="trained",
        needs=NEEDS,
        follows="MGTBench's code (ranks counted from 1 here, so the same four buckets)",
        pitfalls="trained on one model's ranks and one corpus; the original model is GPT-2 small",
    )

    feature_names: ClassVar[tuple[str, ...]] = RANKS

    def features(self, text: str, stats: TokenStatistics) -> Sequence[float]:
        return rank_shares(stats)

    def head(self) -> Any:
        return logistic()


@dataclass(frozen=True, eq=False)
class DivEye(TokenLearner):
    """Ten features of how surprisal varies; ``bins`` of the histogram whose entropy is one of them."""

    name: ClassVar[str] = "diveye"
    card: ClassVar[Card] = Card(
        "Ten moments and differences of surprisal; boosted trees on the split 'train'.",
        source="DivEye (ICML workshop 2025), the authors' code",
        licence="CC BY-NC-SA 4.0 (their code); written anew here from the formulas",
        family="trained",
        needs=NEEDS,
        follows="the code's ten features; its XGBoost (200 trees, depth 12) is scikit-learn's histogram boosting here, with "
        "5 texts a leaf, .8 of the features a split and balanced classes, without subsampling and gamma: other numbers",
        pitfalls="the authors cut texts at 1,024 tokens of GPT-2 (truncate=1024), and their code never ends on fewer than 10",
    )
    seed: int = 42
    bins: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.bins, int) or self.bins < 2:
            raise SpecError(f"diveye: bins must be a whole number from 2 on, got {self.bins!r}")

    def features(self, text: str, stats: TokenStatistics) -> Sequence[float]:
        return diversity_features(stats.surprisal.astype(np.float64), self.bins)

    def head(self) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(
            max_iter=200,
            max_depth=12,
            max_leaf_nodes=None,
            min_samples_leaf=5,
            max_features=0.8,
            class_weight="balanced",
            early_stopping=False,
            random_state=self.seed,
        )


ONE_PASS = Card(
    "33 statistics of the tokens and the surface",
    source="ours",
    family="trained",
    needs=NEEDS,
    follows="no publication",
    pitfalls="learns the corpus's shortcuts too (sentence and word lengths are among the features): lint the corpus first",
)


@dataclass(frozen=True, eq=False)
class OnePassLR(TokenLearner):
    """``decision_function`` is the log-odds; the features are standardised by the training texts."""

    name: ClassVar[str] = "one_pass_lr"
    card: ClassVar[Card] = Card(
        "33 statistics of one pass (log-probability, log-rank, entropy, z-discrepancy, their spread and changes, rank shares, "
        "Fast-DetectGPT, LRR, three of the surface); logistic regression on the split 'train'.",
        **{key: getattr(ONE_PASS, key) for key in ("source", "family", "needs", "follows", "pitfalls")},
    )

    feature_names: ClassVar[tuple[str, ...]] = ONE_PASS_NAMES

    def features(self, text: str, stats: TokenStatistics) -> Sequence[float]:
        return one_pass_features(text, stats)

    def reader(self) -> Any:
        from sklearn.preprocessing import StandardScaler

        return StandardScaler()

    def head(self) -> Any:
        return logistic()


@dataclass(frozen=True, eq=False)
class OnePassBoosted(TokenLearner):
    """``decision_function`` is the boosted log-odds. ``leaf``: fewest texts a leaf; below twice so many nothing is learnt."""

    name: ClassVar[str] = "one_pass_boosted"
    card: ClassVar[Card] = Card(
        "The 33 statistics of one_pass_lr; histogram boosting on the split 'train'.",
        **{key: getattr(ONE_PASS, key) for key in ("source", "family", "needs", "follows", "pitfalls")},
    )
    seed: int = 0
    leaf: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.leaf, int) or self.leaf < 1:
            raise SpecError(f"one_pass_boosted: leaf is a whole number of texts from 1 on, got {self.leaf!r}")

    def features(self, text: str, stats: TokenStatistics) -> Sequence[float]:
        return one_pass_features(text, stats)

    def head(self) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(min_samples_leaf=self.leaf, early_stopping=False, random_state=self.seed)


def logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def rank_shares(stats: TokenStatistics) -> list[float]:
    counts, _ = np.histogram(stats.rank, BUCKETS)
    return [float(count) / stats.n_scored for count in counts]


def diversity_features(s: Series, bins: int) -> list[float]:
    """DivEye's ten: of surprisal mean, deviation, variance, skew, excess kurtosis; of its first differences mean and deviation;
    of the second differences of log p variance, entropy of the histogram, autocorrelation at lag 1. Needs 4 tokens or more.

    A constant series has no skew, kurtosis or autocorrelation: Abstain.
    """
    first, second = np.diff(s), np.diff(-s, 2)
    if constant(s) or second.std() == 0:
        raise Abstain("surprisal is constant over the text: its shape has no numbers")
    z = (s - s.mean()) / s.std()
    own = [s.mean(), s.std(), s.var(), (z**3).mean(), (z**4).mean() - 3]
    changes = [first.mean(), first.std()]
    return [float(v) for v in (*own, *changes, second.var(), histogram_entropy(second, bins), autocorrelation(second))]


def histogram_entropy(values: Series, bins: int) -> float:
    """In nats, of the shares of the values in equal bins between their extremes."""
    counts, _ = np.histogram(values, bins)
    shares = counts[counts > 0] / len(values)
    return float(-(shares * np.log(shares)).sum())


def autocorrelation(values: Series) -> float:
    """Pearson's, of the series with itself one step on."""
    return float(np.corrcoef(values[:-1], values[1:])[0, 1])


def one_pass_features(text: str, stats: TokenStatistics) -> list[float]:
    """33 numbers; see the card. Raises Abstain where the model is certain of every token."""
    log_p, log_rank = stats.log_prob.astype(np.float64), np.log(stats.rank.astype(np.float64))
    expected, variance = -stats.entropy.astype(np.float64), stats.variance.astype(np.float64)
    if variance.sum() == 0 or log_rank.mean() == 0:
        raise Abstain("the model is certain of every token: its ratios divide by zero")
    z = (log_p - expected) / np.sqrt(np.maximum(variance, 1e-6))
    described = [value for series in (log_p, log_rank, expected, z) for value in describe(series)]
    changes = np.diff(log_p)
    shape = [np.abs(changes).mean(), changes.std(), lag_one(log_p), stats.top1.mean(dtype=np.float64)]
    curvature = (log_p - expected).sum() / np.sqrt(variance.sum())
    ratios = [curvature, -log_p.mean() / log_rank.mean()]
    return [float(v) for v in (*described, *shape, *rank_shares(stats), *ratios, *surface(text))]


def describe(series: Series) -> list[float]:
    return [series.mean(), series.std(), *np.percentile(series, (10, 50, 90))]


def lag_one(series: Series) -> float:
    return 0.0 if constant(series[:-1]) or constant(series[1:]) else autocorrelation(series)


def surface(text: str) -> list[float]:
    """Characters a word, words a sentence (by its end mark), different words per word of the first 100."""
    words = text.split()
    sentences = max(1, len(re.findall(r"[.!?]+(?=\s|$)", text)))
    early = [word.lower() for word in words[:100]]
    return [sum(map(len, words)) / max(1, len(words)), len(words) / sentences, len(set(early)) / max(1, len(early))]
