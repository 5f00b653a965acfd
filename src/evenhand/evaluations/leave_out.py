"""Learn from all groups but one, and be tested on that one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..documents import Document
from ..registry import Card
from .base import Evaluation, by_group, groups_of, reader, told_by


@dataclass(frozen=True)
class LeaveOut(Evaluation):
    """``by``: domain, corpus, author, task, title, generator or generator_family. By generator, people's texts are dealt out
    over the folds, so that each is tested by detectors that have not seen it."""

    name: ClassVar[str] = "leave_out"
    card: ClassVar[Card] = Card(
        "For each group (domain, generator, ...) a detector that learnt from all others; one column of scores.",
        family="evaluation",
        follows="no publication; the field says out-of-domain and unseen generator",
        pitfalls="the scores of several detectors stand in one column, and their scales may differ: judge each group by itself "
        "(transfer, by_corpus)",
    )

    by: str = "domain"

    def __post_init__(self) -> None:
        reader(self.name, self.by)

    def placed(self, documents: Sequence[Document], seed: int) -> list[Document]:
        return by_group(documents, self.by, groups_of(self.name, self.by, documents), seed)

    def trains(self, fold: str, document: Document) -> bool:
        own, group = told_by(document)
        return own not in ("", fold) and group != fold
