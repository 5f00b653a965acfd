"""How many different words a text has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..errors import Abstain, SpecError
from ..registry import Card
from .base import Measure
from .tokens import words


@dataclass(frozen=True)
class TypeTokenRatio(Measure):
    """``window``: None for the whole text, or a number of words for the mean over all windows of that many (MATTR)."""

    window: int | None = None
    name: ClassVar[str] = "type_token_ratio"
    unit: ClassVar[str] = "share"
    card: ClassVar[Card] = Card(
        "Different words among all words, letter case ignored.",
        source="moving window: Covington and McFall 2010, Journal of Quantitative Linguistics 17(2)",
        family="vocabulary",
        pitfalls="over the whole text it falls with length: compare texts of one length, or set window=100",
    )

    def __post_init__(self) -> None:
        if self.window is not None and (isinstance(self.window, bool) or self.window < 1):
            raise SpecError(f"{self.name}: window must be None or a number of words from 1, got {self.window!r}")

    def of(self, text: str, source: str) -> float:
        found = [word.casefold() for word in words(text)]
        if not found:
            raise Abstain("the text has no word")
        if self.window is None:
            return len(set(found)) / len(found)
        if len(found) < self.window:
            raise Abstain(f"{len(found)} words, fewer than the window of {self.window}")
        return moving_ratio(found, self.window)


def moving_ratio(found: Sequence[str], window: int) -> float:
    """The mean share of different words over all windows of ``window`` consecutive words."""
    inside = Counter(found[:window])
    total = len(inside)
    for new, old in zip(found[window:], found, strict=False):
        inside[new] += 1
        inside[old] -= 1
        if not inside[old]:
            del inside[old]
        total += len(inside)
    return total / (window * (len(found) - window + 1))
