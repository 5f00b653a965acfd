"""Which levels of contribution does a detector tell from human text, or from a wholly generated one? GEDE, table 3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..documents import Level, Policy
from ..registry import Card
from ..stats import Estimate
from .base import Audit, area, by_detector, cell, counts, finding, fixed, none, percent
from .boundary import absent
from .changes import Drawn
from .finding import Answer, Finding, Layout, Result
from .linear import implied, pooled
from .pairs import shared_resample
from .rows import Rows, Settings
from .sides import Sides, curves, measured, of_level

TABLE, CHECKS = "levels", "levels_checks"
REVISED = (Level.IMPROVE_HUMAN, Level.REWRITE_HUMAN)
EXACT = 1e-9


@dataclass(frozen=True)
class Levels(Audit):
    name: ClassVar[str] = "levels"
    title: ClassVar[str] = "Level by level"
    question: ClassVar[str] = "Which acceptable texts look generated, and which generated texts look human?"
    card: ClassVar[Card] = Card(
        "AUROC and TPR of each level: acceptable ones against Task, the others against Human",
        source="GEDE, table 3, figure 9 and section 4.2",
        follows="the paper's pairing, under the run's policy; its two self-checks (AUROC is linear in the positives) each time",
        pitfalls="columns have other negatives, so they do not compare with each other; Human and Task are one comparison",
    )

    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        pairs = list(of_levels(rows, settings))
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        found = measured(TABLE, pairs, rows, settings, drawn)
        checks = [one for short, spec in by_detector(rows) for one in check(rows, short, spec)]
        return Result(
            self.spec,
            self.title,
            self.question,
            (*found, *checks),
            layouts(settings),
            tuple(curves("roc-levels", "level", pairs, rows)),
            (*said(found, settings), *warned(checks)),
            absent(rows),
        )


def of_levels(rows: Rows, settings: Settings) -> Iterator[Sides]:
    """The levels that occur: those that the policy accepts as negatives of Task, the others as positives against Human."""
    for level in Level:
        mine = of_level(rows, level)
        if not mine.any():
            continue
        where = {"level": level.value}
        if level <= settings.policy.boundary and level != Level.TASK:
            yield Sides({**where, "against": Level.TASK.value}, of_level(rows, Level.TASK), mine)
        else:
            yield Sides({**where, "against": Level.HUMAN.value}, mine, of_level(rows, Level.HUMAN))


def check(rows: Rows, short: str, spec: str) -> Iterator[Finding]:
    """What must hold whatever the scores: the AUROC of all texts with a machine's part is the mean over their levels, and
    what is left for the two revised levels lies in [0, 1]."""
    where = {"detector": short}
    human = cell(rows, spec, of_level(rows, Level.HUMAN))
    above = rows.clean & (rows.positive(Policy(Level.HUMAN)) == 1)
    every = cell(rows, spec, above)
    levels = [level for level in Level if level != Level.HUMAN and of_level(rows, level).any()]
    if not human.n or not every.n or not levels:
        yield finding(CHECKS, where, "difference", none("no check: human texts or levels above them are missing"), {})
        return
    cells = {level: cell(rows, spec, of_level(rows, level)) for level in levels}
    parts = {level: (area(c, human).value, c.n) for level, c in cells.items() if c.n}
    told = counts(positive=every, human=human)
    difference = area(every, human).value - pooled(parts.values())[0]
    exact = "the AUROC of all positives less the mean over their levels: no estimate, and zero if the cells are whole"
    yield fixed(CHECKS, where, "difference", difference, every.n, exact, told)
    revised = cell(rows, spec, above & np.isin(rows["level"], [level.value for level in REVISED]))
    if not revised.n:
        return
    others = [part for level, part in parts.items() if level not in REVISED]
    left, _ = implied((area(every, human).value, every.n), others)
    direct = area(revised, human)
    mean = Estimate(
        left, direct.low, direct.high, direct.n, f"implied by the other cells; {direct.method}", direct.level
    )
    yield Finding(CHECKS, where, "implied AUROC of the revised levels", mean, counts(positive=revised, human=human))


def layouts(settings: Settings) -> tuple[Layout, ...]:
    return (
        Layout(
            TABLE,
            "Levels",
            f"Policy: the last acceptable level is {settings.policy.boundary}. Acceptable levels stand against Task (that is "
            f"positive), the others against Human. In sample: the threshold holds {percent(settings.policy.fpr)} of the "
            "negatives of the cell.",
            ("detector", "metric"),
            ("level", "against"),
        ),
        Layout(
            CHECKS,
            "Self-checks",
            "AUROC against the same human texts is a mean over the positives, so the parts must add up, and what is left for "
            "improve-human and rewrite-human must lie between 0 and 1.",
            ("detector",),
            ("metric",),
        ),
    )


def said(found: Sequence[Finding], settings: Settings) -> Iterator[Answer]:
    """For each detector the acceptable level that is hardest to tell from a generated text."""
    accepted = {level.value for level in Level if level <= settings.policy.boundary}
    for detector in dict.fromkeys(f.where["detector"] for f in found):
        mine = [
            f
            for f in found
            if f.where["detector"] == detector
            and f.metric == "AUROC"
            and f.where["level"] in accepted
            and not np.isnan(f.estimate.value)
        ]
        if len(mine) < 2:
            continue
        worst = min(mine, key=lambda f: f.estimate.value)
        e = worst.estimate
        sure = not np.isnan(e.low)
        bounds = f"95% interval {e.low:.2f} to {e.high:.2f}" if sure else "no interval"
        yield Answer(
            "shown" if sure else "missing",
            f"{detector}: of the acceptable levels, {worst.where['level']} is the hardest to tell from wholly generated text "
            f"(AUROC {e.value:.2f}, {bounds}, {e.n} clusters).",
        )


def warned(checks: Sequence[Finding]) -> Iterator[Answer]:
    for one in checks:
        value, name = one.estimate.value, one.where["detector"]
        if one.metric == "difference" and abs(value) > EXACT:
            yield Answer(
                "warning",
                f"{name}: the levels do not add up to all texts above human (AUROC differs by {value:+.4f}): some of those "
                "texts have no level.",
            )
        if one.metric != "difference" and not -EXACT <= value <= 1 + EXACT:
            yield Answer("warning", f"{name}: the implied AUROC of the revised levels is {value:.3f}, which cannot be.")
