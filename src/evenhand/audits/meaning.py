"""How much of the meaning and of the wording do edits keep? Table 15 of the two-sided paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import Abstain
from ..measures.positions import WordsChanged
from ..registry import Card
from ..stats import Estimate
from ..stats.means import bootstrap_means
from .base import Audit, Cell, finding, none
from .changes import Drawn
from .finding import Finding, Layout, Result
from .pairs import attacks_of, shared_resample
from .rows import Floats, Mask, Rows, Settings

TABLE = "meaning"


@dataclass(frozen=True)
class Meaning(Audit):
    name: ClassVar[str] = "meaning"
    title: ClassVar[str] = "What edits keep"
    question: ClassVar[str] = (
        "How far do edited texts keep the meaning and the words of their sources, human and machine alike?"
    )
    card: ClassVar[Card] = Card(
        "Mean of every measure of the run over edited texts, by attack and class; share of word positions changed",
        source="'Attacking Only Half the Data', table 15",
        follows="positions: word i against word i, as the paper's 81.6% for a few deleted articles shows; computed from the "
        "texts where the run holds no such measure",
        pitfalls="one deleted word shifts all behind it; similarities hang on the embedding model that their spec names",
    )

    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        measures = dict(rows.measures)
        if not any(spec.startswith("words_changed") for spec in measures) and all(t is not None for t in rows.texts):
            measures[WordsChanged().spec] = positions(rows)
        positive = rows.positive(settings.policy) == 1
        found = [
            f
            for attack in attacks_of(rows)
            for f in of_attack(attack, rows, rows.where(attack=attack, sanitizer="none"), positive, measures, drawn)
        ]
        notes = [] if measures else ["This run holds no measure, and no texts to take one from."]
        if not any("mean" in spec or "embed" in spec or "cosine" in spec for spec in measures):
            notes.append("No measure of meaning was taken in this run: the similarity column of table 15 is missing.")
        layout = Layout(
            TABLE,
            "Measures of edited texts",
            "Means over edited texts, against their sources.",
            ("attack", "texts"),
            ("measure",),
        )
        return Result(self.spec, self.title, self.question, tuple(found), (layout,), notes=tuple(notes))


def positions(rows: Rows) -> Floats:
    measure, values = WordsChanged(), np.full(len(rows), np.nan)
    for i in np.flatnonzero((rows.origin >= 0) & (rows["sanitizer"] == "none")):
        try:
            values[i] = measure.of(rows.texts[i] or "", rows.texts[rows.origin[i]] or "")
        except Abstain:
            continue
    return values


def of_attack(
    attack: str, rows: Rows, texts: Mask, positive: Mask, measures: dict[str, Floats], drawn: Drawn
) -> Iterator[Finding]:
    for spec, values in measures.items():
        for label, some in (("all", texts), ("human", texts & rows.human), ("machine", texts & positive)):
            known = some & np.isfinite(values)
            where = {"attack": attack, "texts": label, "measure": spec}
            estimate = mean(Cell(values[known], rows.clusters[known], 0), drawn)
            missing = int(some.sum() - known.sum())
            yield finding(
                TABLE,
                where,
                "mean",
                estimate,
                {"texts": int(known.sum())} | ({"abstained": missing} if missing else {}),
            )


def mean(values: Cell, drawn: Drawn) -> Estimate:
    if not values.n:
        return none("no mean: the measure was taken of none of these texts")
    return bootstrap_means([drawn.rows(values)], drawn.resample).estimates()[0]
