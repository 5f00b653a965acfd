"""How does a detector fare on each corpus, and what if it was trained on another one? GEDE, table 5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..errors import SpecError
from ..evaluations import FOLD
from ..registry import Card, parse_spec
from .base import Audit, by_detector, percent
from .changes import Drawn
from .finding import Answer, Finding, Layout, Result
from .keyed import Words, spread, told, word
from .learnt import told_by_evaluation
from .pairs import shared_resample
from .rows import Rows, Settings
from .sides import Sides, curves, measured, of_policy

TABLE = "by_corpus"
TRAINED = ("train_corpus", "trained_on", "corpus")
"""Parameters of a detector that name what it was trained on."""


@dataclass(frozen=True)
class ByCorpus(Audit):
    """``by``: the column or meta key that tells the corpora apart ('domain' for the GEDE database)."""

    name: ClassVar[str] = "by_corpus"
    title: ClassVar[str] = "Corpora"
    question: ClassVar[str] = "Does a detector fare alike on other corpora, those it was not trained on above all?"
    card: ClassVar[Card] = Card(
        "AUROC and TPR on each corpus, beside the corpus that a trained detector learnt from",
        source="GEDE, table 5, figure 11 and section 4.4",
        follows="the run's policy within each corpus; texts of the split 'train' never count, where the paper's diagonal "
        "cells hold 80% of the texts that the model was trained on",
        pitfalls="corpora differ in length, genre and mix of levels: a difference is one of all these together",
    )

    by: str = "corpus"
    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        corpora = spread(rows, told(rows, self.by))
        sides = list(within(rows, settings, self.by, corpora))
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        folds = {one.where[self.by]: fold_of(rows, one) for one in sides}
        trained = {short: learnt_from(spec, settings, folds) for short, spec in by_detector(rows)}
        found = [beside(f, trained, self.by) for f in measured(TABLE, sides, rows, settings, drawn)]
        layout = Layout(
            TABLE,
            "Corpora",
            f"Policy: the last acceptable level is {settings.policy.boundary}. In sample: the threshold holds "
            f"{percent(settings.policy.fpr)} of the cell's negatives. Trained on: as the detector's spec tells, or the run's "
            "evaluation.",
            ("detector", "trained on", "metric"),
            (self.by,),
        )
        left = int((rows.clean & (corpora == "")).sum())
        notes = (f"{left} texts are told no {self.by} and are left out.",) if left else ()
        notes = notes if sides else (*notes, f"This run holds no unedited text that is told its {self.by}.")
        figures = tuple(curves("roc-corpora", self.by, sides, rows))
        answers = tuple(said(found, self.by))
        return Result(self.spec, self.title, self.question, tuple(found), (layout,), figures, answers, notes)


def within(rows: Rows, settings: Settings, key: str, words: Words) -> Iterator[Sides]:
    """The run's policy on the texts of each word of ``words``."""
    whole = of_policy(rows, settings.policy.boundary)
    for name in sorted({*words[rows.clean]} - {""}):
        yield Sides({key: name}, whole.positive & (words == name), whole.negative & (words == name))


def trained_on(spec: str) -> str:
    """What the detector's spec says that it was trained on; '' where it says nothing."""
    try:
        parameters = parse_spec(spec)[1]
    except SpecError:
        return ""
    return next((str(parameters[key]) for key in TRAINED if parameters.get(key)), "")


def learnt_from(spec: str, settings: Settings, folds: Mapping[str, str]) -> dict[str, str]:
    """Corpus -> what the detector that scored it was trained on, where its spec says so, or one fold alone tests the corpus."""
    told, own = told_by_evaluation(spec, settings), trained_on(spec)
    return {corpus: told(fold) if told and fold else own for corpus, fold in folds.items()}


def fold_of(rows: Rows, cell: Sides) -> str:
    """The fold that tests all texts of a cell; '' where there are several, or none."""
    found = {word(rows.meta[i], FOLD) for i in np.flatnonzero(cell.positive | cell.negative)}
    return found.pop() if len(found) == 1 else ""


def beside(one: Finding, trained: Mapping[str, Mapping[str, str]], key: str) -> Finding:
    corpus = trained[one.where["detector"]][one.where[key]]
    where = {**one.where, "trained on": corpus}
    own = corpus and corpus.lower() == one.where[key].lower()
    return replace(one, where=where, note=one.note or ("the corpus it was trained on" if own else None))


def said(found: Sequence[Finding], key: str) -> Iterator[Answer]:
    for detector in dict.fromkeys(f.where["detector"] for f in found):
        mine = [
            f for f in found if f.metric == "AUROC" and f.where["detector"] == detector and not np.isnan(f.estimate.low)
        ]
        if len(mine) < 2:
            continue
        best, worst = max(mine, key=lambda f: f.estimate.value), min(mine, key=lambda f: f.estimate.value)
        if best.estimate.low > worst.estimate.high:
            yield Answer(
                "shown",
                f"{detector}: AUROC {best.estimate.value:.2f} on {best.where[key]} and {worst.estimate.value:.2f} on "
                f"{worst.where[key]}; the 95% intervals do not overlap.",
            )
