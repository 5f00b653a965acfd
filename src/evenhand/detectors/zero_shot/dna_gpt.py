"""DNA-GPT: is the second half of a text likelier than what the model itself writes after the first?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from ...documents import digest
from ...errors import Abstain, SpecError
from ...models.causal import Job, context_length, encode, one
from ...models.generation import Sampling, continue_ids
from ...models.statistics import TokenStatistics
from ...models.weights import Weights
from ...registry import Card
from ...seeds import seed_of
from ..base import TokenDetector
from .perturbation import plain


@dataclass(frozen=True)
class DNAGPT(TokenDetector):
    name: ClassVar[str] = "dna_gpt"
    card: ClassVar[Card] = Card(
        "Mean log-probability of the text minus the mean over k texts whose second half the model wrote anew.",
        source="Yang et al. 2024 (ICLR), sec. 3 (white box); the form of baoguangsheng/fast-detect-gpt",
        licence="MIT",
        family="regeneration",
        needs="one causal language model, 1 + k passes and k continuations",
        follows="the white-box form on whole texts: cut after half of the words, temperature 1, at most 200 new tokens, both "
        "cut to the shorter word count; continuations that end early are kept (the code asks for 150 tokens at least)",
        pitfalls="slow (k continuations a text); the n-gram score for models behind an interface is not built",
    )
    k: int = 10
    share: float = 0.5
    max_new_tokens: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k < 1 or not 0 < self.share < 1 or self.max_new_tokens < 1:
            raise SpecError(f"dna_gpt: k >= 1, 0 < share < 1 and max_new_tokens >= 1 are needed: {self.spec}")

    def of_text(self, text: str, stats: TokenStatistics, job: Job) -> float:
        values = []
        for copy in rewritten(text, self, job.weights):
            n_words = min(len(text.split()), len(copy.split()))
            if n_words <= int(self.share * len(text.split())):
                raise Abstain("the model wrote nothing after the first part")
            pair = [one(first_words(part, n_words), plain(job)) for part in (text, copy)]
            if refused := next((part.refusal for part in pair if part.refusal), None):
                raise Abstain(f"a rewritten copy could not be scored: {refused}")
            values.append([part.log_prob.mean(dtype=np.float64) for part in pair])
        own, again = np.mean(values, axis=0)
        return float(own - again)


@lru_cache(maxsize=4)
def rewritten(text: str, detector: DNAGPT, weights: Weights) -> tuple[str, ...]:
    """The first part of the text, each time with another end by the model."""
    n_words = int(detector.share * len(text.split()))
    if n_words < 2:
        raise Abstain(f"{len(text.split())} words are too few to cut in two")
    kept = first_words(text, n_words)
    encoded = encode(kept, weights)
    if isinstance(encoded, str):
        raise Abstain(encoded)
    if len(encoded.ids) + detector.max_new_tokens > (room := context_length(weights)):
        told = f"{len(encoded.ids)} tokens to go on from and {detector.max_new_tokens} new ones"
        raise Abstain(f"{told} are more than the model's context of {room}; cut the text beforehand")
    seeds = [seed_of(digest(text), "dna_gpt", detector.seed, copy) for copy in range(detector.k)]
    sampling = Sampling(max_new_tokens=detector.max_new_tokens)
    ends = continue_ids([encoded.ids.tolist()] * detector.k, weights, seeds=seeds, sampling=sampling)
    return tuple(f"{kept} {end.text}".strip() for end in ends)


def first_words(text: str, n: int) -> str:
    """The text up to its n-th word, its spacing kept."""
    ends = [match.end() for match in re.finditer(r"\S+", text)]
    return text[: ends[n - 1]] if n <= len(ends) else text
