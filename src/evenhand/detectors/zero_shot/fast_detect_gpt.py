"""Fast-DetectGPT: how much likelier the text is than what the reference model would write, token for token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ...errors import Abstain, SpecError
from ...models.statistics import Draw, Request, TokenStatistics
from ...registry import Card
from ..base import TokenDetector


@dataclass(frozen=True)
class FastDetectGPT(TokenDetector):
    name: ClassVar[str] = "fast_detect_gpt"
    card: ClassVar[Card] = Card(
        "Conditional probability curvature: sum (l_t - mu_t) / sqrt(sum s2_t).",
        source="Bao et al. 2024 (ICLR), sec. 2 and eq. 6; code baoguangsheng/fast-detect-gpt",
        licence="MIT",
        family="curvature",
        needs="one causal language model, or two of one tokenizer (reference -> model); one pass each",
        follows="the code: no truncation; vocabularies of two widths are cut to the smaller before the softmax",
        pitfalls="the published probability map is not monotone, so it is not built: rank by the score; settings (models, "
        "sampling) move it more than they look; the sampled form at 10,000 draws errs by .01 plus .7% of the score",
    )
    model_fields: ClassVar[tuple[str, ...]] = ("model", "reference")
    reference: str | None = None
    form: Literal["analytic", "sampled"] = "analytic"
    n_samples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_samples < 2:
            raise SpecError(f"fast_detect_gpt: n_samples must be at least 2, got {self.n_samples!r}")

    @property
    def second_model(self) -> str | None:
        return self.reference

    @property
    def draw(self) -> Draw:
        return Draw(self.n_samples, self.seed, "sum")

    @property
    def request(self) -> Request:
        return Request(draws=frozenset([self.draw])) if self.form == "sampled" else Request()

    def of(self, stats: TokenStatistics) -> float:
        if self.form == "sampled":
            return sampled_curvature(stats.log_prob, stats.draws[self.draw])
        mean, variance = (
            (stats.mean, stats.variance) if stats.cross is None else (-stats.cross.cross_entropy, stats.cross.variance)
        )
        return curvature(stats.log_prob, mean, variance)


def curvature(log_prob: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> float:
    """sum (l - mu) / sqrt(sum s2), in float64; raises Abstain where the model left no choice anywhere."""
    spread = variance.sum(dtype=np.float64)
    if not spread > 0:
        raise Abstain("the model's distribution has no variance at any position")
    return float((log_prob.astype(np.float64) - mean).sum() / np.sqrt(spread))


def sampled_curvature(log_prob: np.ndarray, sums: np.ndarray) -> float:
    """(mean l - mean m_i) / std m_i with m_i the mean of one sampled sequence: the length cancels."""
    spread = sums.std(ddof=1)
    if not spread > 0:
        raise Abstain("all sampled sequences are equally likely")
    return float((log_prob.sum(dtype=np.float64) - sums.mean()) / spread)
