"""The one record that every statistic returns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its uncertainty.

    ``low`` and ``high`` bound it at ``level``; NaN where there is none, and ``method`` says why. ``n`` is the number of
    independent draws that it stands on (clusters, where rows are clustered).
    """

    value: float
    low: float
    high: float
    n: int
    method: str
    level: float = 0.95

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}] (n={self.n}, {self.method})"

    def __float__(self) -> float:
        return self.value
