"""Every text tested by a detector that learnt from the other parts; parts are whole clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..documents import Document
from ..errors import DataError, SpecError
from ..hygiene.splits import deal, hanging_together
from ..registry import Card
from .base import FOLD, NEAR, Evaluation, noted


@dataclass(frozen=True)
class CrossValidation(Evaluation):
    name: ClassVar[str] = "cross_validation"
    card: ClassVar[Card] = Card(
        "n parts of whole clusters; each part is tested by a detector that learnt from the others; one column of scores.",
        family="evaluation",
        pitfalls="the texts of one corpus resemble each other: a good score here says little about another corpus",
    )

    n: int = 5

    def __post_init__(self) -> None:
        if not isinstance(self.n, int) or self.n < 2:
            raise SpecError(f"cross_validation: n must be a whole number from 2 on, got {self.n!r}")

    def placed(self, documents: Sequence[Document], seed: int) -> list[Document]:
        units = hanging_together(documents, None, NEAR)
        if len(units) < self.n:
            raise DataError(
                f"cross_validation: the texts hang together in {len(units)} groups, fewer than n={self.n}; set n to at most that"
            )
        parts = deal(units, {str(i + 1): 1 / self.n for i in range(self.n)}, seed)
        fold = {d.id: part for unit, part in zip(units, parts, strict=True) for d in unit}
        return [noted(d, fold[d.id], "") for d in documents]

    def trains(self, fold: str, document: Document) -> bool:
        return document.meta.get(FOLD) not in (None, "", fold)
