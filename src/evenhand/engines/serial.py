"""One batch after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from ..registry import Card, Component

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True)
class Serial(Component):
    name: ClassVar[str] = "serial"
    card: ClassVar[Card] = Card("One batch after the other, in this process.", family="engine")

    def map(self, work: Callable[[A], B], batches: Iterable[A]) -> Iterator[B]:
        return map(work, batches)
