"""The scores of a study as cells: means over its folds of AUROC, TPR and FPR, on one resample of its clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from evenhand import stats
from evenhand.documents import Document
from evenhand.stats import Draws, Resample, Rows

from ..results import kept
from .folds import POLICY, Fold, documents_of, folds
from .learners import result_file

Wanted = Callable[[Document], bool]
Choice = tuple[str, str]
"""A learner and what it learnt: ('tfidf_lr', 'policy')."""
REPLICATES = 2000


@dataclass
class Study:
    """``draws`` of a learner are comparable with each other's: all stand on the same drawn clusters."""

    name: str
    data: Path
    results: Path
    seed: int = 0
    kept: dict[tuple[str, Choice], dict[str, Any] | None] = field(default_factory=dict)

    @cached_property
    def documents(self) -> list[Document]:
        return documents_of(self.name, self.data)

    @cached_property
    def folds(self) -> list[Fold]:
        return folds(self.name, self.documents)

    @cached_property
    def resample(self) -> Resample:
        return stats.resample_clusters([d.cluster for d in self.documents], replicates=REPLICATES, seed=self.seed)

    def found(self, fold: Fold, choice: Choice) -> dict[str, Any] | None:
        """What is on disk of one job; None where it was not run."""
        key = (fold.name, choice)
        if key not in self.kept:
            self.kept[key] = kept(result_file(self.results, fold, *choice))
        return self.kept[key]

    def parts(self, choice: Choice) -> list[str]:
        """The parts that are tested on by all models of a learner; [] where none is whole yet."""
        lost = {part_of(fold) for fold in self.folds if not self.found(fold, choice)}
        return sorted({part_of(fold) for fold in self.folds} - lost)

    def label(self, choice: Choice) -> str:
        """Of the learner, and how many parts its numbers stand on where it is not all."""
        run, every = len(self.parts(choice)), len({part_of(fold) for fold in self.folds})
        return choice[0] if run in (0, every) else f"{choice[0]} ({run} of {every} parts)"

    def of(self, choice: Choice, learnt: str = "") -> list[Fold]:
        """The folds that learnt from one thing (from anything, where none is named), of the parts that are whole."""
        run = self.parts(choice)
        return [f for f in self.folds if part_of(f) in run and learnt in ("", f.name.rpartition(".")[0])]

    def rows(self, fold: Fold, choice: Choice, wanted: Wanted) -> Rows:
        found = self.found(fold, choice)
        assert found is not None
        scores = found["scores"]
        kept = [d for d in fold.test if wanted(d) and scores[d.id] is not None]
        return stats.rows(self.resample, [scores[d.id] for d in kept], [d.cluster for d in kept])

    def pairs(self, choice: Choice, learnt: str, above: Wanted, below: Wanted) -> list[tuple[Rows, Rows]]:
        return [(self.rows(f, choice, above), self.rows(f, choice, below)) for f in self.of(choice, learnt)]

    def auroc(self, choice: Choice, above: Wanted, below: Wanted, learnt: str = "") -> Draws:
        return averaged(stats.bootstrap_aurocs(self.pairs(choice, learnt, above, below), self.resample))

    def rate(self, choice: Choice, judged: Wanted, calibration: Wanted, learnt: str = "") -> Draws:
        """The share of the judged texts above the threshold of the policy's FPR on the calibration texts, which is set anew
        in every fold and every resample."""
        return averaged(
            stats.bootstrap_tprs(self.pairs(choice, learnt, judged, calibration), self.resample, POLICY.fpr)
        )


def part_of(fold: Fold) -> str:
    return fold.name.rpartition(".")[2]


def averaged(draws: Draws, what: str = "mean of the folds") -> Draws:
    """Cells of folds or domains -> one cell, their unweighted mean, resample by resample."""
    return Draws(
        draws.values.mean(keepdims=True),
        draws.replicates.mean(axis=0, keepdims=True),
        draws.n.sum(keepdims=True),
        draws.smaller.sum(keepdims=True),
        f"{draws.what}, {what}",
    )


def joined(cells: Sequence[Draws]) -> Draws:
    """Many cells of one resample, for what is corrected over all of them or averaged."""
    return Draws(
        np.concatenate([c.values for c in cells]),
        np.concatenate([c.replicates for c in cells]),
        np.concatenate([c.n for c in cells]),
        np.concatenate([c.smaller for c in cells]),
        cells[0].what,
        all(c.exact_ends for c in cells),
    )
