"""FourierGPT: the low frequencies of a text's surprisal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...errors import Abstain, SpecError
from ...models.statistics import TokenStatistics, constant
from ...registry import Card
from ..base import TokenDetector


@dataclass(frozen=True)
class FourierGPT(TokenDetector):
    name: ClassVar[str] = "fourier_gpt"
    card: ClassVar[Card] = Card(
        "Mean magnitude of the first k frequencies of the standardised surprisal series.",
        source="Xu et al. 2024 (EMNLP), sec. 3; code CLCS-SUSTech/FourierGPT",
        licence="MIT",
        family="series",
        needs="one causal language model, one pass",
        follows="the magnitudes of the code (z-score with eps 1e-6, |FFT|, from frequency 0); the authors choose k and the sign "
        "on the test pairs, here both are parameters fixed beforehand",
        pitfalls="their accuracies are of pairs and of the best k: expect far less; magnitudes grow with the length of the text",
    )
    k: int = 10
    sign: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k < 2 or self.sign not in (1, -1):
            raise SpecError(f"fourier_gpt: k must be at least 2 and sign 1 or -1, got {self.k!r} and {self.sign!r}")

    def of(self, stats: TokenStatistics) -> float:
        return self.sign * low_frequencies(stats.surprisal, self.k)


def low_frequencies(surprisal: np.ndarray, k: int) -> float:
    """Mean of |FFT| at the frequencies 0 to k-1 of the z-scored series."""
    series = surprisal.astype(np.float64)
    if len(series) < 2 * k:
        raise Abstain(f"{len(series)} scored tokens have fewer than k={k} frequencies")
    if constant(series):
        raise Abstain("the surprisal is constant: what is left of it is rounding")
    standard = (series - series.mean()) / (series.std() + 1e-6)
    return float(np.abs(np.fft.fft(standard)[:k]).mean())
