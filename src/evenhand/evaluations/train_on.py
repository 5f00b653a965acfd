"""Learn from one group, and be tested on all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..documents import SET_ASIDE, Document
from ..errors import DataError, SpecError
from ..hygiene.splits import CROSSED, VALUES, deal, hanging_together
from ..registry import Card
from .base import FOLD, NEAR, Evaluation, groups_of, noted, reader, told_by, values


@dataclass(frozen=True)
class TrainOn(Evaluation):
    """``by``: domain, corpus, author, task or title. ``held``: part of the group's own texts, in whole clusters, that is not
    learnt from, so that the group can be tested too; 0: none."""

    name: ClassVar[str] = "train_on"
    apart: ClassVar[bool] = True
    card: ClassVar[Card] = Card(
        "For each group a detector that learnt from it alone, tested on all others; a column of scores a group.",
        source="GEDE, section 4.4 and table 5 (train on one corpus, test on the others)",
        family="evaluation",
        follows="the paper's rule for other corpora; on its own corpus the paper tests on the very texts that it trained on (80% "
        "of them), here on those held aside",
        pitfalls="as many trainings as groups; one group is little to learn from",
    )

    by: str = "corpus"
    held: float = 0.2

    def __post_init__(self) -> None:
        reader(self.name, self.by)
        if self.by in CROSSED:
            raise SpecError(
                f"train_on: by {self.by} people's texts have no side; leave_out(by={self.by!r}) deals them out"
            )
        if not 0 <= self.held < 1:
            raise SpecError(f"train_on: held must lie from 0 to below 1, got {self.held!r}")

    def placed(self, documents: Sequence[Document], seed: int) -> list[Document]:
        """The fold of a document is the group that learns from it; '' where none does. Texts that hang together with those of
        another group, or have no group, are not used."""
        groups_of(self.name, self.by, documents)
        read = VALUES[self.by]
        found: dict[str, tuple[str, str, bool]] = {}
        whole: dict[str, list[list[Document]]] = {}
        for unit in hanging_together(documents, None, NEAR):
            own = values(unit, read, False)
            name = next(iter(own)) if len(own) == 1 else None
            if name is None:
                found |= {d.id: ("", read(d) or "", False) for d in unit}
            else:
                whole.setdefault(name, []).append(unit)
        for name, units in whole.items():
            for unit, side in zip(units, self.sides(name, units, seed), strict=True):
                found |= {d.id: (name if side == "train" else "", name, True) for d in unit}
        return [noted(d, *found[d.id][:2], used=found[d.id][2]) for d in documents]

    def sides(self, name: str, units: list[list[Document]], seed: int) -> list[str]:
        if not self.held:
            return ["train"] * len(units)
        if len(units) < 2:
            raise DataError(
                f"train_on: all texts of {name!r} hang together, so none can be held aside; set held=0, or give clusters"
            )
        return deal(units, {"train": 1 - self.held, "test": self.held}, seed)

    def trains(self, fold: str, document: Document) -> bool:
        return bool(document.meta.get(FOLD) == fold)

    def tests(self, fold: str, document: Document) -> bool:
        return document.split not in SET_ASIDE and told_by(document)[0] != fold
