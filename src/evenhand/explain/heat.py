"""The text coloured by weights: runs of characters of one weight, in eight shades, four a direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .parts import Part

SHADES = 4


@dataclass(frozen=True, slots=True)
class Run:
    """Characters ``start`` to ``end`` with the parts that cover them and the sum of their weights, unsettled ones left out."""

    start: int
    end: int
    weight: float
    parts: tuple[Part, ...]


def runs(text: str, parts: Sequence[Part]) -> Iterator[Run]:
    """The whole text in order, cut wherever a part begins or ends."""
    edges = sorted({0, len(text), *(edge for part in parts for span in part.spans for edge in span)})
    opened: dict[int, list[int]] = {}
    closed: dict[int, list[int]] = {}
    for i, part in enumerate(parts):
        for start, end in part.spans:
            opened.setdefault(start, []).append(i)
            closed.setdefault(end, []).append(i)
    live: list[int] = []
    for start, end in pairwise(edges):
        for i in closed.get(start, ()):
            live.remove(i)
        live += opened.get(start, [])
        covering = tuple(parts[i] for i in dict.fromkeys(live))
        settled = [part.weight for part in covering if part.direction != "unsettled"]
        yield Run(start, end, float(np.nansum(settled)), covering)


def shade(weight: float, largest: float) -> str:
    """'m1' to 'm4' towards machine, 'h1' to 'h4' towards human, '' below a twentieth of the largest weight."""
    share = abs(weight) / largest if largest > 0 else 0.0
    if not share >= 0.05:
        return ""
    return ("m" if weight > 0 else "h") + str(min(SHADES, 1 + int(share * SHADES)))


def largest(found: Sequence[Run]) -> float:
    return max((abs(run.weight) for run in found), default=0.0)
