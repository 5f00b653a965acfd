"""AUROC against fixed negatives is a mean over the positives: what that says of numbers that are printed side by side."""

from __future__ import annotations

from collections.abc import Iterable

Part = tuple[float, int]
"""(AUROC, number of positives)"""


def pooled(parts: Iterable[Part]) -> Part:
    """The AUROC of all positives together; raises ZeroDivisionError without a positive."""
    kept = [(area, n) for area, n in parts if n]
    n = sum(n for _, n in kept)
    return sum(area * n for area, n in kept) / n, n


def implied(whole: Part, parts: Iterable[Part]) -> Part:
    """The mean AUROC of the positives of ``whole`` that are in none of ``parts``; it must lie in [0, 1]."""
    kept = list(parts)
    left = whole[1] - sum(n for _, n in kept)
    return (whole[0] * whole[1] - sum(area * n for area, n in kept)) / left, left
