"""What matters more, who wrote the machine texts or how they were edited? Table 11 of the two-sided paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import Card
from ..stats import Estimate
from .base import Audit, Cell, area, by_detector, cell, counts, finding, none
from .changes import Drawn, area_changes
from .finding import Answer, Finding, Layout, Result
from .pairs import conditions, shared_resample
from .rows import Rows, Settings

CELLS, GAP = "generators_auroc", "generators_gap"


@dataclass(frozen=True)
class Generators(Audit):
    name: ClassVar[str] = "generators"
    title: ClassVar[str] = "Generators and decoding"
    question: ClassVar[str] = "Does the choice of the generator move a detector's AUROC more than the worst edit does?"
    card: ClassVar[Card] = Card(
        "Clean AUROC of each generator and decoding against all human text; its gap beside the loss of the worst edit",
        source="'Attacking Only Half the Data', table 11",
        follows="loss: the largest fall of the one-sided AUROC, as the printed values are; the two-sided one beside it",
        pitfalls="best, worst and worst attack are picked on the same texts, so gap and loss are too large on average, the gap "
        "the more so (it is picked twice, from smaller cells); the intervals hold for the picked cells",
    )

    replicates: int = 2000
    fewest: int = 10
    """Generators with fewer scored texts take no part in best and worst."""

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        makers = makers_of(rows, settings)
        if not makers:
            note = "No unedited machine text of this run names its generator."
            return Result(self.spec, self.title, self.question, (), (), notes=(note,))
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        found: list[Finding] = []
        for short, spec in by_detector(rows):
            human = cell(rows, spec, rows.clean & rows.human)
            cells = {name: cell(rows, spec, mask) for name, mask in makers.items()}
            for name, machine in cells.items():
                where = {"detector": short, "generator": name}
                found.append(finding(CELLS, where, "AUROC", area(machine, human), counts(machine=machine, human=human)))
            found += self.gap(short, human, cells, drawn)
        found += losses(rows, settings, drawn)
        return Result(
            self.spec, self.title, self.question, tuple(found), layouts(), answers=tuple(said(found)), notes=()
        )

    def gap(self, short: str, human: Cell, cells: dict[str, Cell], drawn: Drawn) -> list[Finding]:
        where = {"detector": short}
        large = {name: one for name, one in cells.items() if one.n >= self.fewest}
        if len(large) < 2 or not human.n:
            return [
                finding(GAP, where, "gap", none(f"no gap: fewer than two generators of {self.fewest} scored texts"), {})
            ]
        draws = drawn.areas([(one, human) for one in large.values()])
        best, worst = int(np.argmax(draws.values)), int(np.argmin(draws.values))
        gap = (draws.take([best]) - draws.take([worst])).estimates()[0]
        names = list(large)
        return [
            named(short, f"best: {names[best]}", draws.take([best]).estimates()[0], large[names[best]]),
            named(short, f"worst: {names[worst]}", draws.take([worst]).estimates()[0], large[names[worst]]),
            finding(GAP, where, "gap", gap, {}),
        ]


def named(short: str, pick: str, estimate: Estimate, machine: Cell) -> Finding:
    metric, _, name = pick.partition(": ")
    return Finding(GAP, {"detector": short}, f"{metric} generator", estimate, counts(machine=machine), note=name)


def makers_of(rows: Rows, settings: Settings) -> dict[str, np.ndarray]:
    """Masks of the unedited machine texts of each generator, with its decoding where that is told."""
    machine = rows.clean & (rows.positive(settings.policy) == 1) & (rows["generator"] != "")
    pairs = sorted(set(zip(rows["generator"][machine], rows["decoding"][machine], strict=True)))
    return {", ".join(filter(None, pair)): machine & rows.where(generator=pair[0], decoding=pair[1]) for pair in pairs}


def losses(rows: Rows, settings: Settings, drawn: Drawn) -> Iterator[Finding]:
    """For each detector the edit that costs most AUROC, one-sided as in the paper and two-sided."""
    every = list(conditions(rows, settings, list(by_detector(rows))))
    one = area_changes(drawn, [(c.machine.edited, c.sources, c.machine.source, c.sources) for c in every])
    two = area_changes(drawn, [(c.machine.edited, c.human.edited, c.machine.source, c.human.source) for c in every])
    for metric, changes in (("loss, one-sided", one), ("loss, two-sided", two)):
        for short, _ in by_detector(rows):
            mine = [
                (c.attack, change.estimate)
                for c, change in zip(every, changes, strict=True)
                if c.short == short and change is not None
            ]
            if mine:
                attack, worst = min(mine, key=lambda pair: pair[1].value)
                loss = Estimate(-worst.value, -worst.high, -worst.low, worst.n, worst.method, worst.level)
                yield Finding(GAP, {"detector": short}, metric, loss, note=attack)


def layouts() -> tuple[Layout, ...]:
    return (
        Layout(
            GAP,
            "Generator gap and worst edit",
            "Gap: AUROC of the best less that of the worst generator. Loss: the largest fall of AUROC that an edit causes. "
            "The footnotes name what was picked.",
            ("detector",),
            ("metric",),
        ),
        Layout(
            CELLS,
            "AUROC by generator",
            "Unedited texts of each against all human texts.",
            ("generator",),
            ("detector",),
        ),
    )


def said(found: Sequence[Finding]) -> Iterator[Answer]:
    told = {(f.where["detector"], f.metric): f for f in found if f.table == GAP and not np.isnan(f.estimate.value)}
    for detector in dict.fromkeys(d for d, _ in told):
        gap, loss = told.get((detector, "gap")), told.get((detector, "loss, one-sided"))
        if gap is None or loss is None:
            continue
        larger = (
            "more"
            if gap.estimate.low > loss.estimate.high
            else "less"
            if gap.estimate.high < loss.estimate.low
            else None
        )
        verdict = f"moves it {larger} than" if larger else "cannot be told apart (the intervals overlap) from"
        yield Answer(
            "shown" if larger else "missing",
            f"{detector}: the choice of the generator (gap {gap.estimate.value:.2f} of AUROC) {verdict} the worst edit "
            f"({loss.note}, {loss.estimate.value:.2f}).",
        )
