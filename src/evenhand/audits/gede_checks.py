"""Do numbers that follow from each other agree? The laws of GEDE's tables, on this run and on what was published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import Card
from ..stats import Estimate
from .base import Audit, Cell, area, by_detector, cell, counts, finding, fixed, none
from .by_generator import ALL, of_generators, pools
from .finding import Answer, Finding, Layout, Result
from .levels import EXACT, REVISED, check
from .linear import implied
from .published import tables
from .rows import Rows, Settings
from .sides import Sides, of_policy

TABLE = "gede_checks"
BOTH = "all generators less the policy's row"
ONE = "Task less Human"
LEFT = "implied AUROC of the revised levels"
SUM = "all positives less the mean of their levels"
ROUNDING = 0.0005
"""Half of the last printed digit."""


@dataclass(frozen=True)
class GedeChecks(Audit):
    name: ClassVar[str] = "gede_checks"
    title: ClassVar[str] = "Numbers that follow from each other"
    question: ClassVar[str] = "Do the tables of this run agree with each other, and those that GEDE printed?"
    card: ClassVar[Card] = Card(
        "All generators (table 4) are the policy's row (table 2); Human and Task (table 3) are one comparison; what tables 2 and "
        "3 leave for improve-human and rewrite-human lies between 0 and 1",
        source="GEDE, tables 1 to 4; that AUROC against fixed negatives is a mean over the positives",
        follows="published numbers have three digits, so what is implied by them has bounds of rounding, not of sampling",
        pitfalls="a law that holds proves no number right; one that does not proves some number wrong",
    )

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        own = [f for short, spec in by_detector(rows) for f in ours(rows, settings, short, spec)]
        found = (*published(), *own)
        layout = Layout(
            TABLE,
            "Self-checks",
            "AUROC, where no other is named. Differences must be zero, and what is implied must lie between 0 and 1.",
            ("numbers", "detector"),
            ("metric",),
        )
        return Result(self.spec, self.title, self.question, found, (layout,), answers=tuple(said(found)))


def published() -> Iterator[Finding]:
    """The laws on the printed AUCs; the implied one between the bounds that their rounding leaves."""
    counted, boundaries, levels, generators = (tables()[f"gede.T{i}"]["values"] for i in (1, 2, 3, 4))
    n = {level: sum(row[level] for row in counted.values()) for level in next(iter(counted.values()))}
    above = [level for level in n if level.lower() not in ("human", *(one.value for one in REVISED))]
    for detector, row in levels.items():
        where = {"numbers": "published", "detector": detector}
        whole = (boundaries["Human"][detector]["AUC"], sum(n.values()) - n["Human"])
        left, texts = implied(whole, [(row[level]["AUC"], n[level]) for level in above])
        both, policy = generators[detector]["Both"], boundaries["Rewrite-Human"][detector]
        told = {"positive": sum(n[level] for level in above), "negative": n["Human"] + texts}
        yield exact(where, BOTH, both["AUC"] - policy["AUC"], told)
        yield exact(where, f"{BOTH}, TPR", both["TPR@5%FPR"] - policy["TPR@5%FPR"], told)
        two = {"positive": n["Task"], "negative": n["Human"]}
        yield exact(where, ONE, row["Task"]["AUC"] - row["Human"]["AUC"], two)
        slack = ROUNDING * (2 * whole[1] - texts) / texts
        estimate = Estimate(left, left - slack, left + slack, texts, "implied; bounds of rounding to three digits")
        yield Finding(TABLE, where, LEFT, estimate, {"positive": texts, "human": n["Human"]})


def ours(rows: Rows, settings: Settings, short: str, spec: str) -> Iterator[Finding]:
    """The same of one detector of this run, and that its levels add up."""
    where = {"numbers": "this run", "detector": short}
    everyone = next(one for one in of_generators(rows, settings, pools(rows)) if one.where["generator"] == ALL)
    yield apart(where, BOTH, sided(rows, spec, everyone), sided(rows, spec, of_policy(rows, settings.policy.boundary)))
    names = {"difference": SUM, LEFT: LEFT}
    for one in check(rows, short, spec):
        yield Finding(TABLE, where, names[one.metric], one.estimate, one.counts, note=one.note)


def sided(rows: Rows, spec: str, sides: Sides) -> tuple[Cell, Cell]:
    return cell(rows, spec, sides.positive), cell(rows, spec, sides.negative)


def apart(where: dict[str, str], law: str, one: tuple[Cell, Cell], other: tuple[Cell, Cell]) -> Finding:
    if not all(side.n for side in (*one, *other)):
        return finding(TABLE, where, law, none("no check: a class is missing"), {})
    value = area(*one).value - area(*other).value
    return exact(where, law, value, counts(positive=one[0], negative=one[1]))


def exact(where: dict[str, str], law: str, value: float, told: dict[str, int]) -> Finding:
    why = "no estimate: zero if the numbers agree"
    return fixed(TABLE, where, law, value, told["positive"], why, told)


def said(found: Sequence[Finding]) -> Iterator[Answer]:
    for numbers in dict.fromkeys(one.where["numbers"] for one in found):
        mine = [one for one in found if one.where["numbers"] == numbers and not np.isnan(one.estimate.value)]
        broken = [one for one in mine if not holds(one)]
        for one in broken:
            yield Answer("warning", f"{numbers}, {one.where['detector']}: {one.metric} is {one.estimate.value:.4f}.")
        if mine and not broken:
            yield Answer("shown", f"{numbers}: all {len(mine)} checks hold.")


def holds(one: Finding) -> bool:
    value = one.estimate.value
    return bool(-EXACT <= value <= 1 + EXACT if one.metric == LEFT else abs(value) <= EXACT)
