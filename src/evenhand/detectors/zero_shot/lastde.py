"""Lastde and Lastde++: likelihood over the multiscale diversity entropy of its series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ...errors import Abstain, SpecError
from ...models.statistics import Draw, Request, TokenStatistics
from ...registry import Card
from ..base import TokenDetector

SOURCE = "Xu et al. 2025 (ICLR), sec. 3; code TrustMedia-zju/Lastde_Detector"
PITFALLS = (
    "the bins of its histogram depend on the length, so scores of unlike lengths do not compare; a last digit can move a "
    "value over a bin's edge; the divisor nears zero on short or repeated text"
)


@dataclass(frozen=True)
class Lastde(TokenDetector):
    name: ClassVar[str] = "lastde"
    card: ClassVar[Card] = Card(
        "Mean log-probability over the spread of its diversity entropy at scales 1 to tau.",
        source=SOURCE,
        licence="no licence file; built from the formulas",
        family="series",
        needs="one causal language model, one pass",
        follows="the README's setting for open models: s=3, eps=10 n, tau=5 (closed models: eps_per_token=1, tau=15)",
        pitfalls=PITFALLS,
    )
    s: int = 3
    eps_per_token: float = 10
    tau: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        check_shape(self.name, self.s, self.eps_per_token, self.tau)

    def of(self, stats: TokenStatistics) -> float:
        return float(lastde(stats.log_prob[None], self.s, self.eps_per_token, self.tau)[0])


@dataclass(frozen=True)
class LastdePlus(TokenDetector):
    name: ClassVar[str] = "lastde_plus"
    card: ClassVar[Card] = Card(
        "Lastde against Lastde of sequences that are sampled position by position, in their standard deviations.",
        source=SOURCE,
        licence="no licence file; built from the formulas",
        family="series",
        needs="one causal language model, or two of one tokenizer (reference -> model); one pass each, 100 draws a position",
        follows="the script's default tau=15; README and paper say tau=10: write tau=10 for theirs. s=4, eps=8 n, 100 samples, "
        "the generator seeded anew for each text",
        pitfalls=PITFALLS + "; another seed moves a score by up to .4",
    )
    model_fields: ClassVar[tuple[str, ...]] = ("model", "reference")
    reference: str | None = None
    s: int = 4
    eps_per_token: float = 8
    tau: int = 15
    n_samples: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_shape(self.name, self.s, self.eps_per_token, self.tau)
        if self.n_samples < 2:
            raise SpecError(f"lastde_plus: n_samples must be at least 2, got {self.n_samples!r}")

    @property
    def second_model(self) -> str | None:
        return self.reference

    @property
    def draw(self) -> Draw:
        return Draw(self.n_samples, self.seed, "path")

    @property
    def request(self) -> Request:
        return Request(draws=frozenset([self.draw]))

    def of(self, stats: TokenStatistics) -> float:
        own = lastde(stats.log_prob[None], self.s, self.eps_per_token, self.tau)[0]
        sampled = lastde(stats.draws[self.draw], self.s, self.eps_per_token, self.tau)
        spread = sampled.std(ddof=1)
        if not np.isfinite(spread) or spread == 0:
            raise Abstain("the sampled sequences have no spread of Lastde")
        return float((own - sampled.mean()) / spread)


def check_shape(name: str, s: int, eps_per_token: float, tau: int) -> None:
    if s < 2 or tau < 2 or eps_per_token <= 0:
        raise SpecError(
            f"{name}: s and tau must be at least 2 and eps_per_token positive, got {s}, {tau}, {eps_per_token}"
        )


def lastde(series: np.ndarray, s: int, eps_per_token: float, tau: int) -> np.ndarray:
    """mean(x) / MDE(x) of each row of log-probabilities [S, n]; raises Abstain where there is no MDE."""
    series = series.astype(np.float64)
    n = series.shape[1]
    if n < tau + s:
        raise Abstain(f"{n} scored tokens: scale {tau} with orbits of {s} needs {tau + s}")
    mde = multiscale_diversity(series, s, int(eps_per_token * n), tau)
    if (mde == 0).any():
        raise Abstain("the diversity entropy is the same at every scale (a constant series?): nothing to divide by")
    return np.asarray(series.mean(1) / mde)


def multiscale_diversity(series: np.ndarray, s: int, bins: int, tau: int) -> np.ndarray:
    """Standard deviation (ddof 1) over the scales 1 to tau of the diversity entropy, for each row [S, n]."""
    scales = [diversity(sliding_window_view(series, scale, axis=1).mean(-1), s, bins) for scale in range(1, tau + 1)]
    return np.asarray(np.std(scales, axis=0, ddof=1))


def diversity(series: np.ndarray, s: int, bins: int) -> np.ndarray:
    """Entropy, over ln(bins), of the histogram on [-1, 1] of the cosines of neighbouring orbits of length s."""
    share = histograms(neighbour_cosines(series, s), bins)
    logs = np.log(share, where=share > 0, out=np.zeros_like(share))
    return np.asarray(-(share * logs).sum(1) / np.log(bins))


def neighbour_cosines(series: np.ndarray, s: int) -> np.ndarray:
    orbits = sliding_window_view(series, s, axis=1)
    lengths = np.sqrt((orbits**2).sum(-1))
    products = (orbits[:, :-1] * orbits[:, 1:]).sum(-1)
    return np.asarray(products / np.maximum(lengths[:, :-1] * lengths[:, 1:], 1e-16))


def histograms(cosines: np.ndarray, bins: int) -> np.ndarray:
    """Shares per bin, [S, bins]; 1 belongs to the last bin, as does what rounding puts above it."""
    rows, n = cosines.shape
    place = np.clip(((cosines + 1) / 2 * bins).astype(np.int64), 0, bins - 1)
    flat = place + bins * np.arange(rows)[:, None]
    return np.asarray(np.bincount(flat.ravel(), minlength=rows * bins).reshape(rows, bins) / n)
