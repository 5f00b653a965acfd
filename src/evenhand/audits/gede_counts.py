"""How many texts of each level does each corpus hold? GEDE, table 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..documents import Level
from ..registry import Card
from .base import Audit, counted
from .finding import Answer, Finding, Layout, Result
from .keyed import spread, told
from .published import tables
from .rows import Rows, Settings
from .sides import of_level

TABLE = "gede_counts"
SPELLING = {"Task+Summary": "task-summary"}


@dataclass(frozen=True)
class GedeCounts(Audit):
    """``by``: the column or meta key that tells the corpora apart ('domain' for the GEDE database)."""

    name: ClassVar[str] = "gede_counts"
    title: ClassVar[str] = "Texts by corpus and level"
    question: ClassVar[str] = (
        "How many unedited texts of each level does each corpus hold, and as many as were published?"
    )
    card: ClassVar[Card] = Card(
        "Unedited texts of each level in each corpus, beside GEDE's counts where a corpus is one of its three",
        source="GEDE, table 1",
        follows="its counts sum to 5,440 texts for each model, where its text says 5,460",
    )

    by: str = "corpus"

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        corpora = spread(rows, told(rows, self.by))
        found = [
            f for name in sorted({*corpora[rows.clean]} - {""}) for f in self.of_corpus(rows, name, corpora == name)
        ]
        layout = Layout(TABLE, "Texts", "Unedited texts outside the training split.", (self.by, "metric"), ("level",))
        notes = () if found else (f"This run holds no unedited text that is told its {self.by}.",)
        answers = tuple(said(found, self.by))
        return Result(self.spec, self.title, self.question, tuple(found), (layout,), answers=answers, notes=notes)

    def of_corpus(self, rows: Rows, name: str, mine: np.ndarray) -> Iterator[Finding]:
        printed = counts_of(name)
        for level in Level:
            where = {self.by: name, "level": level.value}
            n = int((mine & of_level(rows, level)).sum())
            yield counted(TABLE, where, "texts", n)
            if level.value in printed:
                yield counted(TABLE, where, "published", printed[level.value])


def counts_of(corpus: str) -> dict[str, int]:
    """The published counts of a corpus by level; empty for corpora that are not GEDE's."""
    values = tables()["gede.T1"]["values"]
    row: Mapping[str, int] = next((row for name, row in values.items() if name.lower() == corpus.lower()), {})
    return {SPELLING.get(level, level.lower()): int(n) for level, n in row.items()}


def said(found: list[Finding], by: str) -> Iterator[Answer]:
    pairs: dict[tuple[str, str], dict[str, float]] = {}
    for one in found:
        pairs.setdefault((one.where[by], one.where["level"]), {})[one.metric] = one.estimate.value
    both = {key: both for key, both in pairs.items() if len(both) == 2}
    if both:
        same = sum(one["texts"] == one["published"] for one in both.values())
        text = f"{same} of {len(both)} counts are those of GEDE's table 1."
        yield Answer("shown" if same == len(both) else "warning", text)
