"""How far does an edit push the scores of each class? Table 4 of the two-sided paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from .. import stats
from ..registry import Card
from ..stats import Estimate
from ..stats.means import bootstrap_means, ratio
from .base import Audit, Cell, by_detector, cell, counts, finding, none, rate
from .changes import Drawn, area_changes, marked
from .families import family_of
from .finding import Answer, Finding, Layout, Result
from .pairs import Condition, Pairs, conditions, shared_resample
from .rows import Rows, Settings

TABLE = "score_shift"


@dataclass(frozen=True)
class ScoreShift(Audit):
    name: ClassVar[str] = "score_shift"
    title: ClassVar[str] = "How far edits move the scores"
    question: ClassVar[str] = (
        "Does an edit move human and machine scores alike, and by how much of what separates them?"
    )
    card: ClassVar[Card] = Card(
        "Paired shifts of the scores, in units of the distance between unedited machine and human means, by detector family",
        source="'Attacking Only Half the Data', table 4",
        follows="the paper gives points without intervals; here shift and unit come from the same resampled sources",
        pitfalls="a mean follows outliers: a detector whose scores are ratios may shift by one text alone",
    )

    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        every = list(conditions(rows, settings, list(by_detector(rows))))
        units = {spec: separation(rows, settings, spec, drawn) for _, spec in by_detector(rows)}
        areas = area_changes(drawn, [(c.machine.edited, c.sources, c.machine.source, c.sources) for c in every])
        found = [f for c, area in zip(every, areas, strict=True) for f in condition(c, area, units[c.spec], drawn)]
        layout = Layout(
            TABLE,
            "Score shifts",
            "Shift: mean of edited less source score, divided by the mean clean machine less the mean clean human score of "
            "that detector; below zero is towards human. Marks: the 95% interval excludes zero.",
            ("attack", "family", "detector"),
            ("metric",),
        )
        notes = () if every else ("This run holds no attacked text.",)
        return Result(
            self.spec, self.title, self.question, tuple(found), (layout,), answers=tuple(said(found)), notes=notes
        )


def separation(rows: Rows, settings: Settings, spec: str, drawn: Drawn) -> stats.Draws | Estimate:
    """Mean clean machine less mean clean human score, or why that is no unit."""
    machine = cell(rows, spec, rows.clean & (rows.positive(settings.policy) == 1))
    human = cell(rows, spec, rows.clean & rows.human)
    if not machine.n or not human.n:
        return none("no shift: a class has no scored unedited text, so there is no distance to measure it in")
    if not np.isfinite([*machine.scores, *human.scores]).all():
        return none("no shift: some scores are infinite, and have no mean")
    unit = bootstrap_means([drawn.rows(machine)], drawn.resample) - bootstrap_means([drawn.rows(human)], drawn.resample)
    if unit.values[0] <= 0:
        return none(f"no shift: unedited machine texts score no higher than human ones ({unit.values[0]:+.3g})")
    return unit


def condition(c: Condition, area: stats.Change | None, unit: stats.Draws | Estimate, drawn: Drawn) -> Iterator[Finding]:
    where = {**c.where, "family": family_of(c.spec)}
    change = none("no change: a class is empty, edited or not") if area is None else area.estimate
    yield marked(finding(TABLE, where, "change of AUROC, one-sided", change, {}), area)
    for metric, some in (("TPR clean", c.machine.source), ("TPR", c.machine.edited)):
        yield finding(TABLE, where, metric, rate(some, c.tau, "TPR", drawn.resample), counts(machine=some))
    machine, human = (shift(pairs, unit, drawn) for pairs in (c.machine, c.human))
    yield shifted(where, "shift, machine", machine, counts(machine=c.machine.edited))
    yield shifted(where, "shift, human", human, counts(human=c.human.edited))
    if isinstance(machine, stats.Draws) and isinstance(human, stats.Draws):
        yield shifted(where, "shift, machine less human", machine - human, {})


def shift(pairs: Pairs, unit: stats.Draws | Estimate, drawn: Drawn) -> stats.Draws | Estimate:
    if isinstance(unit, Estimate):
        return unit
    if not pairs.known or not pairs.edited.n:
        return none("no shift: no edited text of this class has a scored source")
    moved = pairs.edited.scores - pairs.source.scores
    if not np.isfinite(moved).all():
        return none("no shift: some scores are infinite, and have no mean")
    differences = drawn.rows(Cell(moved, pairs.edited.clusters, 0))
    return ratio(bootstrap_means([differences], drawn.resample), unit, "shift / separation")


def shifted(where: dict[str, str], metric: str, draws: stats.Draws | Estimate, told: dict[str, int]) -> Finding:
    if isinstance(draws, Estimate):
        return finding(TABLE, where, metric, draws, told)
    estimate = draws.estimates()[0]
    mark = ("up",) if estimate.low > 0 else ("down",) if estimate.high < 0 else ()
    return replace(finding(TABLE, where, metric, estimate, told), marks=mark)


def said(found: Sequence[Finding]) -> Iterator[Answer]:
    """For each attack: in how many detectors do both classes move the same way, and which moves further?"""
    for attack in dict.fromkeys(f.where["attack"] for f in found):
        by = {
            metric: {f.where["detector"]: f for f in found if f.where["attack"] == attack and f.metric == metric}
            for metric in ("shift, machine", "shift, human", "shift, machine less human")
        }
        both = [d for d in by["shift, machine less human"] if known(by["shift, machine"][d], by["shift, human"][d])]
        if both:
            down = [d for d in both if all(by[m][d].marks == ("down",) for m in ("shift, machine", "shift, human"))]
            further = [d for d in down if by["shift, machine less human"][d].marks == ("down",)]
            yield Answer(
                "shown",
                f"{attack.partition('(')[0].replace('_', ' ')} moves both classes towards human in {len(down)} of "
                f"{len(both)} detectors; machine text moves further in {len(further)} of them.",
            )


def known(*found: Finding) -> bool:
    return not any(np.isnan(f.estimate.value) for f in found)
