"""Intervals of a share: exact (Clopper & Pearson 1934) and Wilson (1927)."""

from __future__ import annotations

from math import nan, sqrt
from typing import Literal

from scipy import stats as sp

from .estimate import Estimate
from .inputs import check_counts, check_open

IntervalMethod = Literal["exact", "wilson"]
_NAMES = {"exact": "Clopper-Pearson", "wilson": "Wilson"}


def clopper_pearson(successes: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """The exact two-sided interval: covers the true share at least ``level`` of the time, whatever n."""
    check_counts(successes, n, "successes")
    tail = (1 - check_open("level", level)) / 2
    low = float(sp.beta.ppf(tail, successes, n - successes + 1)) if successes else 0.0
    high = float(sp.beta.ppf(1 - tail, successes + 1, n - successes)) if successes < n else 1.0
    return low, high


def wilson(successes: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """The score interval: shorter than the exact one, covers ``level`` only on average."""
    check_counts(successes, n, "successes")
    z = float(sp.norm.ppf((1 + check_open("level", level)) / 2))
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (max(0.0, centre - half) if successes else 0.0), (min(1.0, centre + half) if successes < n else 1.0)


def proportion(
    successes: int, n: int, *, level: float = 0.95, interval: IntervalMethod = "exact", what: str = "share"
) -> Estimate:
    """``successes`` of ``n`` independent draws, with its interval; ``what`` opens the method's description."""
    bounds = wilson if interval == "wilson" else clopper_pearson
    low, high = bounds(successes, n, level)
    return Estimate(successes / n, low, high, int(n), f"{what}, {_NAMES[interval]}", level)


def undefined(n: int, why: str, level: float = 0.95) -> Estimate:
    """A value that does not exist, and why."""
    return Estimate(nan, nan, nan, n, why, level)
