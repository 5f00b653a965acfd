"""What every measure is: (text, source) pairs in, one number a text out, which tells of the text and judges nothing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import ClassVar

from ..errors import Abstain, DataError
from ..registry import Component

Pair = tuple[str, str | None]
"""A text, and the text that it was made from (None where there is none, or where the measure asks for none)."""


@dataclass(frozen=True, slots=True)
class Measured:
    """``value`` is finite, or NaN with a ``reason``."""

    value: float
    reason: str | None = None


@dataclass(frozen=True)
class Measure(Component):
    """Base of every measure. ``needs_source``: does it compare a text with its source? ``unit``: of its number."""

    needs_source: ClassVar[bool] = False
    unit: ClassVar[str] = ""

    def __call__(self, pairs: Sequence[Pair]) -> list[Measured]:
        """One ``Measured`` per pair, in order. A text never depends on the texts beside it."""
        return [self._one(text, source) for text, source in check_pairs(self.spec, pairs)]

    @abstractmethod
    def of(self, text: str, source: str) -> float:
        """The number of one text; ``source`` is empty unless ``needs_source``. Raises Abstain where there is none."""

    def _one(self, text: str, source: str | None) -> Measured:
        if self.needs_source and source is None:
            return NO_SOURCE
        try:
            value = float(self.of(text, source or ""))
        except Abstain as why:
            return Measured(nan, str(why))
        return Measured(value) if isfinite(value) else Measured(nan, f"not a finite number: {value}")


NO_SOURCE = Measured(nan, "no source text to compare with")


def check_pairs(spec: str, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs as a list; raises DataError unless each is a text and a text or None."""
    kept = list(pairs)
    for pair in kept:
        if not (isinstance(pair, tuple | list) and len(pair) == 2):
            raise DataError(
                f"{spec}: a measure takes (text, source) pairs, got {type(pair).__name__}; source may be None"
            )
        text, source = pair
        if not isinstance(text, str) or not (source is None or isinstance(source, str)):
            raise DataError(f"{spec}: text and source must be str, got {type(text).__name__}, {type(source).__name__}")
    return kept
