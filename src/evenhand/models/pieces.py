"""Moments of the log-probability by pieces of its range: all that the mean of a piecewise polynomial of it needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .statistics import Pieces
from .weights import import_torch

POWERS = 5
"""Powers 0 to 4: the square of a quadratic has degree 4."""


def piece_moments(q: Any, log_p: Any, pieces: Pieces) -> np.ndarray:
    """sum q f^j over the tokens whose log-probability lies in each piece, float32 [B, pieces.n, 5].

    ``q`` and ``log_p`` are [B, V]; f is the place in the piece, -1/2 to 1/2; what lies outside the range is moved to its end.
    """
    torch = import_torch()
    powers, inside = q.new_empty(POWERS, q.shape[-1]), q.new_empty(pieces.n, q.shape[-1])
    found = np.empty((len(q), pieces.n, POWERS), np.float32)
    scale = pieces.n / (pieces.high - pieces.low)
    for row, (weight, values) in enumerate(zip(q, log_p, strict=True)):
        place = values.clamp(pieces.lowest, pieces.high).sub_(pieces.low).mul_(scale)
        piece = place.floor().clamp_(max=pieces.n - 1)
        within = place.sub_(piece).sub_(0.5)
        powers[0] = weight
        for j in range(1, POWERS):
            torch.mul(powers[j - 1], within, out=powers[j])
        for i in range(pieces.n):
            torch.eq(piece, i, out=inside[i])
        found[row] = (inside @ powers.T).cpu().numpy()
    return found
