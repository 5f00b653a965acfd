"""Binoculars and DNA-DetectLLM: a text's perplexity against how surprising one model finds the other's guesses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ...errors import Abstain, SpecError
from ...models.statistics import Cross, TokenStatistics
from ...models.weights import name_and_options
from ...registry import Card
from ..base import TokenDetector

FALCONS = ("hub:tiiuae/falcon-7b", "hub:tiiuae/falcon-7b-instruct")
"""The authors' observer and performer, in bfloat16 on the first 512 tokens."""
PUBLISHED = {"accuracy": -0.9015310749276843, "low_fpr": -0.8536432310785527}
"""The authors' thresholds with our sign (above: machine). Good for FALCONS, bfloat16, 512 tokens and variant 'code' only."""
ALONE = "observer and performer are one model: perplexity over entropy, not the two-model score"


@dataclass(frozen=True)
class Paired(TokenDetector):
    """``model`` is the performer; without an ``observer`` it stands on both sides, and a note says so."""

    model_fields: ClassVar[tuple[str, ...]] = ("model", "observer")
    observer: str | None = None

    @property
    def second_model(self) -> str | None:
        return self.observer or self.model

    def note(self, stats: TokenStatistics) -> str | None:
        alone = ALONE if self.observer in (None, self.model) else None
        return "; ".join(filter(None, (super().note(stats), alone))) or None


@dataclass(frozen=True)
class Binoculars(Paired):
    name: ClassVar[str] = "binoculars"
    card: ClassVar[Card] = Card(
        "Minus the ratio of log-perplexity and cross-perplexity.",
        source="Hans et al. 2024 (ICML), sec. 3; code ahans30/Binoculars",
        licence="BSD-3-Clause",
        family="two models",
        needs="two causal language models of one tokenizer (observer and performer), one pass each",
        follows="variant='code' (default): perplexity of the performer over T tokens, cross entropy of the performer under the "
        "observer averaged over all N positions; variant='paper': perplexity of the observer, both over the T scored tokens",
        pitfalls="the published thresholds belong to the falcon pair in bfloat16 on 512 tokens and to the code's "
        "form; memorised text and rare languages are flagged; the authors' mask also drops tokens that equal the padding",
    )
    variant: Literal["code", "paper"] = "code"

    def of(self, stats: TokenStatistics) -> float:
        cross = crossed(stats)
        if self.variant == "paper":
            own, across = cross.log_prob, float(cross.cross_entropy_back.mean(dtype=np.float64))
        else:
            own, across = stats.log_prob, mean_over_all(cross)
        return float(own.mean(dtype=np.float64)) / positive(across)

    @property
    def published_thresholds(self) -> dict[str, float]:
        """The authors' thresholds, if this is the set-up that they were found with; else SpecError says what differs."""
        pair = [named(spec) for spec in (self.observer, self.model)]
        if pair != list(FALCONS) or (self.truncate, self.variant) != (512, "code"):
            raise SpecError(
                f"the published thresholds belong to observer={FALCONS[0]}[dtype=bfloat16], model={FALCONS[1]}[dtype=bfloat16], "
                f"truncate=512, variant='code', not to {self.spec}; calibrate your own"
            )
        return dict(PUBLISHED)


@dataclass(frozen=True)
class DNADetectLLM(Paired):
    name: ClassVar[str] = "dna_detectllm"
    card: ClassVar[Card] = Card(
        "Minus the mean of the text's and the repaired text's log-perplexity, over twice the cross-perplexity.",
        source="DNA-DetectLLM (NeurIPS 2025); the repaired text is the likeliest token at each position, logits kept",
        licence="no licence file; built from the formulas",
        family="two models",
        needs="two causal language models of one tokenizer (observer and performer), one pass each",
        follows="the code's form -(PPL(x) + PPL(x*)) / (2 XPPL)",
        pitfalls="the authors keep Binoculars' thresholds although the scale is half of it: never use them",
    )

    def of(self, stats: TokenStatistics) -> float:
        repaired = stats.log_prob.mean(dtype=np.float64) + stats.top1.mean(dtype=np.float64)
        return float(repaired) / (2 * positive(mean_over_all(crossed(stats))))


def crossed(stats: TokenStatistics) -> Cross:
    if stats.cross is None:
        raise SpecError("a two-model detector was given the statistics of one model")
    return stats.cross


def mean_over_all(cross: Cross) -> float:
    """The cross entropy averaged over all N positions, that after the last token included, as the code does."""
    return float(np.append(cross.cross_entropy, np.float32(cross.final_cross_entropy)).mean(dtype=np.float64))


def positive(cross_entropy: float) -> float:
    if not cross_entropy > 0:
        raise Abstain("the cross entropy is zero: nothing to divide by")
    return cross_entropy


def named(spec: str | None) -> str | None:
    """The model's name, if it runs in bfloat16: on whatever device, at whatever revision (the authors pin none)."""
    name, options = name_and_options(spec or "embedded")
    plain = (options.get("dtype"), options.get("quantization", "none")) == ("bfloat16", "none")
    return name if plain else None
