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
from ...models.statistics import Pieces, Request, TokenStatistics
from ...registry import Card
from ..base import TokenDetector, best_threshold
from .base import Trained, lesson
from .panel import direction

Floats = NDArray[np.float64]
LOW, BASES, DEGREE = -32.0, 7, 2
RELEASED = (-0.011333, -0.037667, -0.056667, -0.281667, -0.592, 0.157833, 0.727333)
"""The authors' weights of the seven bases (their eighth number, the intercept, is 0 and cancels)."""
PIECES = Pieces(LOW + LOW * 0.001, -LOW * 0.001, BASES - DEGREE, LOW)
"""Between the inner knots: equidistant, a thousandth of the range beyond [-32, 0], as in the code."""
SOURCE = "Zhou, Zhu et al. 2025 (NeurIPS), AdaDetectGPT, and the authors' code"


@dataclass(frozen=True, eq=False)
class Curvature(TokenDetector):
    """sum (w(l_t) - E w) / sqrt(sum Var w), expectations over the whole vocabulary."""

    @property
    def request(self) -> Request:
        return Request(pieces=frozenset([PIECES]))

    @property
    def spline(self) -> Floats:
        """Weights of the bases, shape (7,)."""
        raise NotImplementedError

    def of(self, stats: TokenStatistics) -> float:
        beta = self.spline
        mean, variance = expectations(stats.pieces[PIECES], beta)
        if not variance.sum() > 0:
            raise Abstain("the transform is constant over all that the model would write: nothing to divide by")
        return float(((bases(stats.log_prob) @ beta) - mean).sum() / np.sqrt(variance.sum()))


@dataclass(frozen=True, eq=False)
class AdaDetectReleased(Curvature):
    name: ClassVar[str] = "adadetect_gpt_released"
    card: ClassVar[Card] = Card(
        "Fast-DetectGPT on a learnt spline of log p, with the weights that the authors released.",
        source=SOURCE,
        licence="MIT by the files' headers, no licence file",
        family="curvature",
        needs="one causal language model, one pass",
        follows="the code's knots, its sums over the vocabulary and its weights",
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
        "their difference in delta; here means are taken (alike for equal sizes)",
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
        reasons = [self.refusal(s) for s in found]
        taught = taught.without(self.name, reasons)
        known = [s for s, reason in zip(found, reasons, strict=True) if reason is None]
        self.beta_ = weights(self.form, [bases(s.log_prob) for s in known], taught.machine).tolist()
        self.note_training(taught)
        self.threshold_ = best_threshold(np.array([self.of(s) for s in known]), taught.machine)
        self.training_ |= direction(self)
        return self

    def judge_statistics(self, text: str, stats: TokenStatistics, job: Job) -> Judgement:
        self.fitted("beta_")
        return super().judge_statistics(text, stats, job)


@lru_cache(maxsize=1)
def knots() -> Floats:
    """Those of PIECES and two more steps on each side, as in the code."""
    step = (PIECES.high - PIECES.low) / PIECES.n
    return np.linspace(PIECES.low - DEGREE * step, PIECES.high + DEGREE * step, BASES + DEGREE + 1)


def expectations(moments: NDArray[Any], beta: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of the spline at each position, [T], from the moments by piece [T, 5, 5] (of Pieces PIECES)."""
    whole = moments.astype(np.float64)
    w = piecewise(beta)
    mean = (whole[:, :, :3] * w).sum((1, 2)) / whole[:, :, 0].sum(1)
    centred = np.repeat(w[None], len(whole), axis=0)
    centred[:, :, 0] -= mean[:, None]
    squared = np.zeros_like(whole)
    for i in range(3):
        for j in range(3):
            squared[:, :, i + j] += centred[:, :, i] * centred[:, :, j]
    return mean, np.maximum((whole * squared).sum((1, 2)), 0.0)


def piecewise(beta: Floats) -> Floats:
    """The spline on each piece as a quadratic in the place f from -1/2 to 1/2: coefficients of 1, f, f^2, [5, 3].

    Three bases reach into a piece: (1/2 - f)^2 / 2, 3/4 - f^2 and (1/2 + f)^2 / 2.
    """
    shapes = np.array([[1 / 8, -1 / 2, 1 / 2], [3 / 4, 0, -1], [1 / 8, 1 / 2, 1 / 2]])
    return np.array([beta[i : i + 3] @ shapes for i in range(BASES - DEGREE)])


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
