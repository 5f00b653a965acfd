"""AdaDetectGPT: Fast-DetectGPT on a transform w of the log-probability, a quadratic spline whose weights are learnt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...documents import Judgement
from ...errors import Abstain, DataError, SpecError
from ...models.causal import Job, token_statistics
from ...models.statistics import Draw, Request, TokenStatistics
from ...registry import Card
from ..base import TokenDetector, best_threshold
from .base import Trained, lesson

Floats = NDArray[np.float64]
LOW, BASES, DEGREE = -32.0, 7, 2
RELEASED = (-0.011333, -0.037667, -0.056667, -0.281667, -0.592, 0.157833, 0.727333)
"""The authors' weights of the seven bases (their eighth number, the intercept, is 0 and cancels)."""
SOURCE = "Zhou, Zhu et al. 2025 (NeurIPS), AdaDetectGPT, and the authors' code"
SAMPLED = (
    "the code sums over the vocabulary; here the expectations are means over ``n_samples`` draws a position, whose error of a "
    "score is 1/sqrt(n_samples): .1 at 100"
)


@dataclass(frozen=True, eq=False)
class Curvature(TokenDetector):
    """sum (w(l_t) - E w) / sqrt(sum Var w), expectations by draws, which seeds hold."""

    n_samples: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.n_samples, int) or self.n_samples < 2:
            raise SpecError(f"{self.name}: n_samples must be a whole number from 2 on, got {self.n_samples!r}")

    @property
    def draw(self) -> Draw:
        return Draw(self.n_samples, self.seed, "path")

    @property
    def request(self) -> Request:
        return Request(draws=frozenset([self.draw]))

    @property
    def spline(self) -> Floats:
        """Weights of the bases, shape (7,)."""
        raise NotImplementedError

    def of(self, stats: TokenStatistics) -> float:
        beta = self.spline
        drawn = bases(stats.draws[self.draw]) @ beta
        spread = np.sqrt(drawn.var(axis=0, ddof=1).sum())
        if spread == 0:
            raise Abstain("the transform is constant over all that the model would write: nothing to divide by")
        return float(((bases(stats.log_prob) @ beta) - drawn.mean(axis=0)).sum() / spread)


@dataclass(frozen=True, eq=False)
class AdaDetectReleased(Curvature):
    name: ClassVar[str] = "adadetect_gpt_released"
    card: ClassVar[Card] = Card(
        "Fast-DetectGPT on a learnt spline of log p, with the weights that the authors released.",
        source=SOURCE,
        licence="MIT by the files' headers, no licence file",
        family="curvature",
        needs="one causal language model, one pass",
        follows=SAMPLED,
        pitfalls="the weights were fitted on another model (gemma-9b); on others they are a guess",
    )
    beta: tuple[float, ...] = RELEASED

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.beta) != BASES or not np.isfinite(self.beta).all() or not np.any(self.beta):
            raise SpecError(f"{self.name}: beta needs {BASES} finite weights, not all 0; got {self.beta!r}")

    @property
    def spline(self) -> Floats:
        return np.asarray(self.beta, np.float64)


@dataclass(frozen=True, eq=False)
class AdaDetectGPT(Trained, Curvature):
    """``form``: 'inverse' (Sigma^-1 delta, which maximises the separation) or 'root' (Sigma^-1/2 delta, the authors' code)."""

    name: ClassVar[str] = "adadetect_gpt"
    card: ClassVar[Card] = Card(
        "Fast-DetectGPT on a spline of log p whose seven weights are learnt on the split 'train'.",
        source=SOURCE,
        licence="MIT by the files' headers, no licence file",
        family="trained",
        needs="one causal language model, one pass; a split 'train' with both classes",
        follows="the code's knots and covariances. The code takes Sigma^-1/2 delta (form='root') where its comment and the "
        "optimum have Sigma^-1 delta (form='inverse', the default), and sums over texts, so that classes of two sizes leave "
        f"their difference in delta; here means are taken (alike for equal sizes). {SAMPLED}",
        pitfalls="learns two classes only; weights belong to the model and the corpus that they were fitted on",
    )
    kept_state: ClassVar[tuple[str, ...]] = ("beta_",)
    form: str = "inverse"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form not in ("inverse", "root"):
            raise SpecError(f"adadetect_gpt: form is 'inverse' or 'root', got {self.form!r}")
        if self.labels == "ordinal":
            raise SpecError("adadetect_gpt learns one transform for two classes: labels is 'policy' or 'usual'")

    @property
    def spline(self) -> Floats:
        return np.asarray(self.fitted("beta_"), np.float64)

    def fit(
        self,
        X: Sequence[str],
        y: Sequence[Any] | None = None,
        *,
        levels: Sequence[Any] | None = None,
        corpora: Sequence[str] | None = None,
    ) -> Self:
        taught = lesson(self, X, y, {"levels": levels, "corpora": corpora})
        found = token_statistics(taught.texts, self.model, truncate=self.truncate, request=self.request)
        reasons = [s.refusal or (None if s.n_scored >= self.min_tokens else "too few tokens") for s in found]
        taught = taught.without(self.name, reasons)
        known = [s for s, reason in zip(found, reasons, strict=True) if reason is None]
        self.beta_ = weights(self.form, [bases(s.log_prob) for s in known], taught.machine).tolist()
        self.note_training(taught)
        self.threshold_ = best_threshold(np.array([self.of(s) for s in known]), taught.machine)
        return self

    def judge_statistics(self, text: str, stats: TokenStatistics, job: Job) -> Judgement:
        self.fitted("beta_")
        return super().judge_statistics(text, stats, job)


@lru_cache(maxsize=1)
def knots() -> Floats:
    """Equidistant, a thousandth of the range beyond [-32, 0] and two more steps on each side, as in the code."""
    low, high = LOW + LOW * 0.001, -LOW * 0.001
    step = (high - low) / (BASES - DEGREE)
    return np.linspace(low - DEGREE * step, high + DEGREE * step, BASES + DEGREE + 1)


def bases(log_prob: NDArray[Any]) -> Floats:
    """The seven quadratic B-splines at each log-probability (clipped to [-32, 0]); one axis more than the input."""
    from scipy.interpolate import BSpline

    values = np.clip(np.asarray(log_prob, np.float64), LOW, 0.0)
    return np.asarray(BSpline(knots(), np.eye(BASES), DEGREE)(values))


def weights(form: str, features: Sequence[Floats], machine: NDArray[np.bool_]) -> Floats:
    """beta of unit length, shape (7,); ``features`` are the bases of each text's tokens, shape (T, 7).

    The bases sum to 1, so one direction has no variance and changes no score: it is left out of the inverse.
    Raises DataError where the classes do not differ.
    """
    means = np.array([f.mean(axis=0) for f in features])
    delta = means[machine].mean(axis=0) - means[~machine].mean(axis=0)
    sigma = np.sum([np.cov(f.T) / len(f) for f in features], axis=0) / len(features)
    values, vectors = np.linalg.eigh(sigma)
    kept = values > 1e-9 * values.max()
    inverse = np.where(kept, np.where(kept, values, 1.0) ** (-1.0 if form == "inverse" else -0.5), 0.0)
    beta = vectors @ (inverse * (vectors.T @ delta))
    if not (length := float(np.linalg.norm(beta))):
        raise DataError("adadetect_gpt learnt nothing: the log-probabilities of the two classes are alike")
    return np.asarray(beta / length)
