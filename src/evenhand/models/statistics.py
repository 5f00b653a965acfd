"""What one forward pass keeps of every token. Plain arrays: nothing here needs torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]


def constant(series: NDArray[np.floating]) -> bool:
    """Is it one value, to the rounding of float32? The log-probabilities of a repeated token differ in their last digits."""
    return bool(np.ptp(series) <= 1e-5 * max(1.0, float(np.abs(series).max())))


@dataclass(frozen=True, slots=True, order=True)
class Draw:
    """``n`` independent samples per position from the reference model's distribution, as log-probabilities of the
    scoring model: each sampled sequence whole ('path', [n, T]) or its sum only ('sum', [n])."""

    n: int
    seed: int = 0
    keep: Literal["path", "sum"] = "path"


@dataclass(frozen=True, slots=True, order=True)
class Pieces:
    """The range ``low`` to ``high`` of the scoring model's log-probability in ``n`` equal pieces; values below ``lowest``
    count as ``lowest``. Kept are the moments 0 to 4 of the place in each piece under the reference model [T, n, 5]."""

    low: float
    high: float
    n: int
    lowest: float


@dataclass(frozen=True, slots=True)
class Request:
    """What is kept beyond the plain statistics."""

    top_k: int = 0
    draws: frozenset[Draw] = frozenset()
    pieces: frozenset[Pieces] = frozenset()

    def __or__(self, other: Request) -> Request:
        return Request(max(self.top_k, other.top_k), self.draws | other.draws, self.pieces | other.pieces)

    @property
    def weighted(self) -> bool:
        """Is something of it weighted by the reference model, where there is one, in place of the scoring model?"""
        return bool(self.draws or self.pieces)


@dataclass(frozen=True, slots=True)
class Cross:
    """What a reference (observer) model adds, at the same T positions; o and L are the reference's probabilities and the
    scoring model's log-probabilities, so that ``cross_entropy`` = -sum o L and ``variance`` = sum o (L + cross_entropy)²."""

    cross_entropy: Floats
    variance: Floats
    cross_entropy_back: Floats
    """-sum p log o, the other way."""
    log_prob: Floats
    """Of the text's tokens under the reference model."""
    final_cross_entropy: float
    """At the position after the last token, which Binoculars' code averages in."""


@dataclass(frozen=True, slots=True)
class TokenStatistics:
    """Per scored token, under the scoring model (float32; T = number of scored tokens).

    The first token of a text is context only where the tokenizer adds no token of its own before it (``bos`` is false).
    ``offsets`` [T, 2] are the characters of the text that a token stands for; ``rank`` is 1 for the likeliest, ties count
    as better; ``variance`` is that of the log-probability under the model's own distribution; ``top1`` is the largest
    log-probability. ``refusal`` says why a text has no statistics at all.
    """

    token_ids: Integers
    offsets: Integers
    log_prob: Floats
    rank: Integers
    entropy: Floats
    variance: Floats
    top1: Floats
    n_tokens: int
    truncated: bool = False
    bos: bool = False
    windows: int = 1
    final_entropy: float = float("nan")
    top_k: Floats | None = None
    draws: Mapping[Draw, Floats] = field(default_factory=dict)
    pieces: Mapping[Pieces, Floats] = field(default_factory=dict)
    cross: Cross | None = None
    refusal: str | None = None

    @property
    def mean(self) -> Floats:
        """Of the log-probability under the model's own distribution: minus the entropy."""
        return -self.entropy

    @property
    def surprisal(self) -> Floats:
        return -self.log_prob

    @property
    def n_scored(self) -> int:
        return len(self.log_prob)

    @classmethod
    def refused(cls, reason: str, n_tokens: int = 0) -> TokenStatistics:
        none, whole = np.zeros(0, np.float32), np.zeros(0, np.int32)
        return cls(whole, np.zeros((0, 2), np.int32), none, whole, none, none, none, n_tokens, refusal=reason)

    def read(self, text: str) -> str:
        """What of the text was read: all of it, unless it was truncated."""
        return text[: int(self.offsets[:, 1].max())] if self.truncated else text

    def against_itself(self) -> TokenStatistics:
        """As if a second, equal model stood beside: every cross entropy is the entropy."""
        same = Cross(self.entropy, self.variance, self.entropy, self.log_prob, self.final_entropy)
        return replace(self, cross=same)
