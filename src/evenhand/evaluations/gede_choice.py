"""GEDE's choice of the training corpus for each tested corpus, which stands in its code and not in its paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..documents import Document
from ..errors import DataError
from ..hygiene.splits import VALUES
from ..registry import Card
from .base import Evaluation, by_group, groups_of, noted, reader, told_by

CHOICE = {"aae": "persuade", "bawe": "aae", "persuade": "aae"}
"""Tested corpus -> the corpus that its detector learnt from."""


@dataclass(frozen=True)
class GedeChoice(Evaluation):
    """``by``: what tells the corpora apart, corpus or domain; their names hold 'aae', 'bawe' and 'persuade'."""

    name: ClassVar[str] = "gede_choice"
    card: ClassVar[Card] = Card(
        "AAE's texts by the detector of PERSUADE, BAWE's and PERSUADE's by that of AAE; one column of scores.",
        source="GEDE, the authors' code (select_best_roberta_checkpoint)",
        family="evaluation",
        follows="the code; the paper's rule, each corpus to all others, is train_on(by='corpus')",
        pitfalls="by all signs the choice was made by test result (its table 5: .702 against .560 on AAE), and BAWE's is "
        "never used; scores of two detectors stand in one column",
    )

    by: str = "corpus"

    def __post_init__(self) -> None:
        reader(self.name, self.by)

    def placed(self, documents: Sequence[Document], seed: int) -> list[Document]:
        known = {name: corpus_of(name) for name in groups_of(self.name, self.by, documents, 1)}
        chosen = [d for d in documents if known.get(VALUES[self.by](d) or "")]
        if missing := set(CHOICE) - set(known.values()):
            raise DataError(
                f"gede_choice: no text of {', '.join(sorted(missing))}; by {self.by} there is {', '.join(known)}. In GEDE's own "
                "files the domain names the corpus: gede_choice(by='domain')"
            )
        placed = {d.id: d for d in by_group(chosen, self.by, [name for name, own in known.items() if own], seed)}
        return [placed.get(d.id) or noted(d, "", "") for d in documents]

    def trains(self, fold: str, document: Document) -> bool:
        own, group = told_by(document)
        return own not in ("", fold) and corpus_of(group) == CHOICE[corpus_of(fold)]

    def learnt_from(self, fold: str) -> str:
        return CHOICE[corpus_of(fold)]


def corpus_of(name: str) -> str:
    """Which of GEDE's corpora a name says; '' where none."""
    return next((corpus for corpus in CHOICE if corpus in name.lower()), "")
