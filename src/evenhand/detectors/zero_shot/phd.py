"""Persistent-homology dimension: how many dimensions the cloud of a text's token vectors fills; people's texts fill more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...documents import Judgement, digest
from ...errors import Abstain, SpecError
from ...models.encoder import fetched, resolve_encoder, token_vectors
from ...registry import Card, format_spec
from ...seeds import numpy_rng
from ..base import Detector, check_texts

Floats = NDArray[np.float64]
SIZES, SUBSETS, FEW, RERUNS = 7, 9, 3, 3
"""Steps of the sizes, subsets a size, subsets where a size is half of all points or more, and reruns of the whole."""


@dataclass(frozen=True)
class PHD(Detector):
    """Score: minus the dimension. ``min_points``: the smallest subset; a text needs 7 tokens more. ``lower``: as in GEDE's code,
    take 5 off it until a short text will do. ``seed`` holds: every text has a generator of its own."""

    name: ClassVar[str] = "phd"
    own_models: ClassVar[bool] = True
    card: ClassVar[Card] = Card(
        "Minus the persistent-homology dimension of the token vectors of an encoder.",
        source="Tulchinskii et al. 2023 (NeurIPS), GPTID; the authors' code",
        licence="MIT",
        family="intrinsic dimension",
        needs="an encoder: the embedded one, or the authors' 'hub:FacebookAI/roberta-base'",
        follows="the code: sizes from 40 in 7 steps, the median of 9 (3) spanning trees, 3 reruns; its draws come from one "
        "global generator over threads, ours from one a text. GEDE's code leaves the minus out and relies on flipped AUROCs",
        pitfalls="an estimate by random subsets, rough on short texts; impossible below 47 tokens; the embedded encoder is not "
        "the authors', so their numbers (people about 9) do not carry over",
    )
    model: str = "embedded"
    min_points: int = 40
    max_tokens: int = 512
    lower: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for field, least in (("min_points", 5), ("max_tokens", 16)):
            value = getattr(self, field)
            if not isinstance(value, int) or value < least:
                raise SpecError(f"phd: {field} must be a whole number from {least} on, got {value!r}")

    @property
    def models(self) -> tuple[str, ...]:
        return () if self.model.startswith("embedded") else (self.model,)

    def fetch(self) -> str:
        """Brings the encoder into the cache; gives its folder."""
        return str(fetched(resolve_encoder(self.model)))

    @property
    def key(self) -> str:
        return format_spec(self.name, {**self.get_params(deep=False), "model": resolve_encoder(self.model).key})

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        return [self.judge_one(text) for text in check_texts(texts)]

    def judge_one(self, text: str) -> Judgement:
        points, truncated = token_vectors(text.replace("\n", " ").replace("  ", " "), self.model, self.max_tokens)
        n = len(points)
        try:
            dimension = phd(points.astype(np.float64), self.smallest(n), numpy_rng("phd", digest(text), self.seed))
        except Abstain as reason:
            return Judgement(math.nan, "abstained", str(reason), n, truncated)
        note = f"only the first {n} tokens were read" if truncated else None
        return Judgement(-dimension, "ok", note, n, truncated)

    def smallest(self, n: int) -> int:
        found = self.min_points
        while self.lower and found > 5 and n < found + SIZES:
            found -= 5
        return found


def phd(points: Floats, smallest: int, rng: np.random.Generator) -> float:
    """The dimension of a cloud [n, d]: 1 / (1 - m), m the slope of log length of the minimum spanning tree on log size.

    Raises Abstain where there are too few points, or the slope is 1 or more.
    """
    n = len(points)
    if n < smallest + SIZES:
        raise Abstain(f"{n} tokens: subsets from {smallest} in {SIZES} steps need {smallest + SIZES}")
    between = distances(points)
    slope = float(np.mean([growth(between, sizes(n, smallest), rng) for _ in range(RERUNS)]))
    if not slope < 1:
        raise Abstain(f"the spanning trees grow with the power {slope:.3f} of the points: no dimension follows")
    return 1 / (1 - slope)


def sizes(n: int, smallest: int) -> list[int]:
    step = (n - smallest) // SIZES
    return list(range(smallest, n - step, step))


def growth(between: Floats, counts: Sequence[int], rng: np.random.Generator) -> float:
    """Slope of log (median tree length of subsets) on log size."""
    n = len(between)
    lengths = []
    for count in counts:
        draws = (rng.choice(n, count, replace=False) for _ in range(SUBSETS if n > 2 * count else FEW))
        lengths.append(np.median([tree_length(between[np.ix_(rows, rows)]) for rows in draws]))
    if not min(lengths) > 0:
        raise Abstain("all token vectors of a subset are equal: a cloud of one point has no dimension")
    return float(np.polyfit(np.log(counts), np.log(lengths), 1)[0])


def distances(points: Floats) -> Floats:
    """Euclidean, shape (n, n)."""
    squares = (points**2).sum(1)
    found = np.maximum(squares[:, None] + squares[None] - 2 * points @ points.T, 0)
    np.fill_diagonal(found, 0)
    return np.asarray(np.sqrt(found))


def tree_length(between: Floats) -> float:
    """Of the minimum spanning tree of a complete graph (Prim)."""
    nearest, total = between[0].copy(), 0.0
    nearest[0] = np.inf
    for _ in range(len(between) - 1):
        chosen = int(nearest.argmin())
        total += float(nearest[chosen])
        nearest = np.where(np.isinf(nearest), np.inf, np.minimum(nearest, between[chosen]))
        nearest[chosen] = np.inf
    return total
