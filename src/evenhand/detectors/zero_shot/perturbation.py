"""DetectGPT and NPR: how the model's likelihood and ranks move when some words of the text are replaced."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import ClassVar

import numpy as np

from ...documents import digest
from ...errors import Abstain, SpecError
from ...models.causal import Job, one
from ...models.loading import tokenizer
from ...models.proposals import propose
from ...models.seq2seq import fill_gaps
from ...models.statistics import Request, TokenStatistics
from ...models.weights import Weights, resolve
from ...registry import Card, check_rate, format_spec
from ...seeds import rng, seed_of
from ..base import TokenDetector
from .means import mean_log_rank

Span = tuple[int, int]

SPANS_AT_MOST = 27
"""As in GEDE's code; T5 knows 100 gap marks."""
T5_TOKENS = 512
SOURCE = "Mitchell et al. 2023 (ICML), sec. 4; code eric-mitchell/detect-gpt"
NEEDS = "one causal language model, 1 + k passes; a filler: T5 by hub id, or 'own'"
FOLLOWS = (
    "the code: spans of 2 words with 1 word between, pct .3 of the words in spans and buffers (15% replaced); filler='own' is "
    "ours: the scoring model's next-token proposals in place of T5, k=10 instead of 100; tries are bounded, then it abstains"
)
PITFALLS = (
    "slow; another filler is another detector; below about 14 words nothing is masked; weak on text that T5 fills badly"
)


@dataclass(frozen=True)
class Perturbed(TokenDetector):
    """``filler`` is 'own' (the scoring model's next-token proposals) or a T5's spec; ``k`` the number of perturbed copies."""

    model_fields: ClassVar[tuple[str, ...]] = ("model", "filler")
    filler: str = "own"
    k: int = 10
    pct: float = 0.3
    span: int = 2
    buffer: int = 1
    seed: int = 0
    max_tries: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        check_rate(self.name, pct=self.pct)
        if self.k < 2 or self.span < 1 or self.buffer < 0 or self.max_tries < 1:
            raise SpecError(f"{self.name}: k >= 2, span >= 1, buffer >= 0 and max_tries >= 1 are needed: {self.spec}")

    @property
    def models(self) -> tuple[str, ...]:
        return (self.model,) if self.filler == "own" else (self.model, self.filler)

    @property
    def key(self) -> str:
        filler = "own" if self.filler == "own" else resolve(self.filler).key
        return format_spec(
            self.name, {**self.get_params(deep=False), "model": resolve(self.model).key, "filler": filler}
        )

    def of_text(self, text: str, stats: TokenStatistics, job: Job) -> float:
        plan = Masking(self.filler, self.k, self.pct, self.span, self.buffer, self.seed, self.max_tries)
        found = [one(copy, plain(job)) for copy in perturbed(text, plan, job.weights)]
        if refused := next((copy.refusal for copy in found if copy.refusal), None):
            raise Abstain(f"a perturbed copy could not be scored: {refused}")
        return self.of_copies(stats, found)

    def of_copies(self, stats: TokenStatistics, copies: list[TokenStatistics]) -> float:
        raise NotImplementedError


@dataclass(frozen=True)
class DetectGPT(Perturbed):
    name: ClassVar[str] = "detect_gpt"
    card: ClassVar[Card] = Card(
        "Log-likelihood minus its mean over perturbed copies, in their standard deviations (normalised=False: not divided).",
        source=SOURCE,
        licence="MIT",
        family="perturbation",
        needs=NEEDS,
        follows=FOLLOWS + "; the standard deviation has ddof 0, as numpy's default in the code",
        pitfalls=PITFALLS,
    )
    normalised: bool = True

    def of_copies(self, stats: TokenStatistics, copies: list[TokenStatistics]) -> float:
        values = np.array([copy.log_prob.mean(dtype=np.float64) for copy in copies])
        difference = stats.log_prob.mean(dtype=np.float64) - values.mean()
        spread = float(values.std()) if self.normalised else 1.0
        if spread == 0:
            raise Abstain("all perturbed copies are equally likely")
        return float(difference / spread)


@dataclass(frozen=True)
class NPR(Perturbed):
    name: ClassVar[str] = "npr"
    card: ClassVar[Card] = Card(
        "Mean log-rank of the perturbed copies over that of the text.",
        source="Su et al. 2023 (DetectLLM), sec. 3; perturbations as DetectGPT",
        licence="method free",
        family="perturbation",
        needs=NEEDS,
        follows=FOLLOWS,
        pitfalls=PITFALLS,
    )

    def of_copies(self, stats: TokenStatistics, copies: list[TokenStatistics]) -> float:
        own = mean_log_rank(stats)
        if own == 0:
            raise Abstain("every token is the model's likeliest: the log-rank ratio divides by zero")
        return float(np.mean([mean_log_rank(copy) for copy in copies])) / own


def plain(job: Job) -> Job:
    """The scoring model alone, with nothing asked beyond the plain statistics."""
    return Job(job.weights, None, job.truncate, Request())


@dataclass(frozen=True)
class Masking:
    """How copies are made of a text."""

    filler: str
    k: int
    pct: float
    span: int
    buffer: int
    seed: int
    max_tries: int


@lru_cache(maxsize=8)
def perturbed(text: str, plan: Masking, weights: Weights) -> tuple[str, ...]:
    """``plan.k`` copies; raises Abstain where a text is too short to mask, or its gaps cannot be filled in the tries allowed."""
    words = word_spans(text)
    n_spans = min(int(plan.pct * len(words) / (plan.span + 2 * plan.buffer)), SPANS_AT_MOST)
    if n_spans < 1 or len(words) <= plan.span:
        raise Abstain(f"{len(words)} words are too few to mask a span of {plan.span}")
    made: dict[int, str] = {}
    for attempt in range(plan.max_tries):
        todo = [copy for copy in range(plan.k) if copy not in made]
        if not todo:
            break
        seeds = [seed_of(digest(text), "perturb", plan.seed, copy, attempt) for copy in todo]
        gaps = [choose_spans(words, n_spans, plan, rng(seed)) for seed in seeds]
        copies = fill_own(text, gaps, weights, seeds) if plan.filler == "own" else fill_t5(text, gaps, plan, seeds)
        made.update({copy: filled for copy, filled in zip(todo, copies, strict=True) if filled is not None})
    if len(made) < plan.k:
        raise Abstain(f"only {len(made)} of {plan.k} perturbed copies could be filled in {plan.max_tries} tries")
    return tuple(made[copy] for copy in range(plan.k))


def word_spans(text: str) -> list[Span]:
    """Characters of the words, split at single spaces as the code does (so that no two words are joined)."""
    return [match.span() for match in re.finditer(r"[^ ]+", text)]


def choose_spans(words: list[Span], n: int, plan: Masking, generator: Random) -> list[Span]:
    """Characters of ``n`` gaps of ``plan.span`` words that keep ``plan.buffer`` words apart; fewer where no room is left."""
    taken: set[int] = set()
    starts: list[int] = []
    for _ in range(200 * n):
        start = generator.randrange(len(words) - plan.span)
        near = range(start - plan.buffer, start + plan.span + plan.buffer)
        if taken.isdisjoint(near):
            taken.update(range(start, start + plan.span))
            starts.append(start)
        if len(starts) == n:
            break
    return [(words[start][0], words[start + plan.span - 1][1]) for start in sorted(starts)]


def fill_own(text: str, gaps: list[list[Span]], weights: Weights, seeds: list[int]) -> list[str | None]:
    return [insert(text, spans, propose(text, spans, weights, seed)) for spans, seed in zip(gaps, seeds, strict=True)]


def fill_t5(text: str, gaps: list[list[Span]], plan: Masking, seeds: list[int]) -> list[str | None]:
    weights = resolve(plan.filler)
    masked = [insert(text, spans, [f"<extra_id_{i}>" for i in range(len(spans))]) or "" for spans in gaps]
    longest = max(len(tokenizer(weights)(copy)["input_ids"]) for copy in masked)
    if longest > T5_TOKENS:
        raise Abstain(f"{longest} tokens of the filler, more than the {T5_TOKENS} that it was trained on")
    found = fill_gaps(masked, weights, seeds=seeds)
    return [insert(text, spans, fillings) for spans, fillings in zip(gaps, found, strict=True)]


def insert(text: str, spans: list[Span], fillings: Sequence[str | None]) -> str | None:
    """The text with each span replaced; None where a filling is missing."""
    if len(fillings) < len(spans) or any(filling is None for filling in fillings):
        return None
    pieces, last = [], 0
    for (start, end), filling in zip(spans, fillings, strict=False):
        pieces += [text[last:start], str(filling)]
        last = end
    return "".join([*pieces, text[last:]])
