"""TOCSIN: another detector's score, scaled by how well an encoder-decoder restores the text after a few words are deleted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import ClassVar, Literal

import numpy as np

from ...documents import digest
from ...errors import Abstain, SpecError
from ...models.causal import Job
from ...models.seq2seq import log_likelihoods
from ...models.statistics import TokenStatistics
from ...models.weights import resolve
from ...registry import Card, check_rate
from ...seeds import rng
from ..base import TokenDetector
from .fast_detect_gpt import curvature
from .means import LRR, LogLikelihood, LogRank

BASES: dict[str, tuple[Callable[[TokenStatistics], float], int]] = {
    "fast_detect_gpt": (lambda stats: curvature(stats.log_prob, stats.mean, stats.variance), -1),
    "lrr": (LRR().of, -1),
    "log_likelihood": (LogLikelihood().of, 1),
    "log_rank": (LogRank().of, 1),
    "none": (lambda stats: 1.0, 0),
}
"""Of each base detector its score S, and the sign of b in S exp(sign b)."""


@dataclass(frozen=True)
class Tocsin(TokenDetector):
    """``scorer`` is a BART's spec, ``k`` the number of copies, ``rho`` the share of words that is deleted in each."""

    name: ClassVar[str] = "tocsin"
    card: ClassVar[Card] = Card(
        "A base detector's score times exp(-b) or exp(b); b: mean log-probability of the text given copies that lack words.",
        source="Ma & Wang 2024 (EMNLP), sec. 3; as in TrustMedia-zju/Lastde_Detector, BARTScore of Yuan et al. 2021",
        licence="MIT (TOCSIN's code)",
        family="perturbation",
        needs="one causal language model, one pass; a BART (hub:facebook/bart-base), k passes",
        follows="the code: words split at single spaces, int(.015 n) deletions with replacement, 10 copies; base='none' is -b. "
        "Their base is the sampled Fast-DetectGPT, here its analytic form; their +2 for one of their data sets is left out",
        pitfalls="below 67 words nothing is deleted, so it abstains; where the base is negative the factor turns round; "
        "a text that BART cannot hold whole (1,024 tokens) is refused, the code cuts it",
    )
    model_fields: ClassVar[tuple[str, ...]] = ("model", "scorer")
    scorer: str = "hub:facebook/bart-base"
    base: Literal["fast_detect_gpt", "lrr", "log_likelihood", "log_rank", "none"] = "fast_detect_gpt"
    k: int = 10
    rho: float = 0.015
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_rate(self.name, rho=self.rho)
        if not isinstance(self.k, int) or self.k < 1:
            raise SpecError(f"tocsin: k must be a whole number from 1 on, got {self.k!r}")

    def of_text(self, text: str, stats: TokenStatistics, job: Job) -> float:
        score, sign = BASES[self.base]
        own = score(stats)
        copies = [deleted(text, self.rho, rng(digest(text), "tocsin", self.seed, copy)) for copy in range(self.k)]
        b = float(np.mean(log_likelihoods(text, copies, resolve(self.scorer))))
        return own * math.exp(sign * b) if sign else -b


def deleted(text: str, rho: float, generator: Random) -> str:
    """The text with int(rho n) of its n words taken out, drawn with replacement; their spaces stay, as in the code."""
    words = text.split(" ")
    n = int(rho * len(words))
    if n < 1:
        raise Abstain(
            f"{len(words)} words: with rho={rho:g} none is deleted below {math.ceil(1 / rho) if rho else 'any'}"
        )
    for _ in range(n):
        words[generator.randrange(len(words))] = ""
    return " ".join(words)
