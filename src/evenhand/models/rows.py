"""The statistics of one position on a processor: a row of logits, read while it lies in the cache.

numpy's exponential of a float32 row takes half the time of torch's, and one row at a time fits the second-level cache.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .statistics import Floats

CHUNK = 8192
"""Terms of one dot product: short enough that no BLAS splits it over threads, whose number would move the last digits."""


class Moments(NamedTuple):
    """Of one position; ``rank`` is counted, not sorted: 1 + the number of larger logits, so that ties count as better."""

    log_prob: float
    rank: int
    entropy: float
    variance: float
    top1: float


class Scratch(NamedTuple):
    """Written over by every row of a block, since fresh pages cost more than the sums; in chunks of CHUNK, zero beyond the
    vocabulary. Each block has its own, so that threads do not meet in it."""

    shifted: Floats
    weight: Floats
    larger: NDArray[np.bool_]


def scratch(width: int) -> Scratch:
    chunks = -(-width // CHUNK)
    shifted, weight = np.zeros((2, chunks, CHUNK), np.float32)
    return Scratch(shifted, weight, np.empty(width, bool))


def moments_of_row(logits: Floats, token: int, space: Scratch) -> Moments:
    """One exponential a logit; the mean is taken off before the second moment, so that nothing cancels. A logit of -inf has
    weight 0. ``logits`` [V] are only read; ``space`` is scratch(V)."""
    width = len(logits)
    shifted, weight = space.shifted.ravel()[:width], space.weight.ravel()[:width]
    own, top = logits[token], logits.max()
    rank = int(np.count_nonzero(np.greater(logits, own, out=space.larger))) + 1
    np.exp(np.subtract(logits, top, out=shifted), out=weight)
    total = float(weight.sum())
    mean = dot(space) / total
    if not math.isfinite(mean):
        shifted[weight == 0] = 0
        mean = dot(space) / total
    np.multiply(weight, np.subtract(shifted, np.float32(mean), out=shifted), out=weight)
    log_total = math.log(total)
    return Moments(float(own) - float(top) - log_total, rank, log_total - mean, dot(space) / total, -log_total)


def dot(space: Scratch) -> float:
    return float(np.vecdot(space.weight, space.shifted).sum())
