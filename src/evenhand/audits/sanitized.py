"""What does cleaning the text before detection give back, and what does it cost?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import stats
from ..registry import Card
from ..stats import Estimate
from ..stats.means import ratio
from .base import Audit, area, by_detector, counts, finding, none, rate, thresholds
from .changes import Drawn, marked, rate_changes
from .finding import Answer, Figure, Finding, Layout, Result, Series
from .pairs import Pairs, pairs, shared_resample
from .rows import Rows, Settings

CELLS, SHARE, RANGE, COST = "sanitized", "sanitized_share", "sanitized_range", "sanitized_cost"


@dataclass(frozen=True, eq=False)
class Cleaned:
    """One detector on the texts of one attack ('none': unedited ones) after one sanitizer, beside their unedited origins."""

    sanitizer: str
    attack: str
    short: str
    machine: Pairs
    human: Pairs
    tau: float

    @property
    def where(self) -> dict[str, str]:
        return {"sanitizer": self.sanitizer, "attack": self.attack, "detector": self.short}


@dataclass(frozen=True)
class Sanitized(Audit):
    name: ClassVar[str] = "sanitized"
    title: ClassVar[str] = "Texts cleaned before detection"
    question: ClassVar[str] = "If texts are cleaned before they are scored, is detection restored, and who pays for it?"
    card: ClassVar[Card] = Card(
        "Two-sided AUROC, TPR and FPR of cleaned texts at the thresholds of uncleaned ones; detection as a share of the clean "
        "one; the cost on unedited human text",
        source="'Attacking Only Half the Data', figure 5, tables 6 and 17",
        follows="share of clean detection on the same sources; cost: the paired change of the FPR on unedited human text",
        pitfalls="the attack 'none' shows what cleaning does to unedited text: its FPR is the cost that honest writers bear",
    )

    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        every = list(cleaned_cells(rows, settings))
        if not every:
            note = ("This run holds no sanitized text; add sanitizers = [...] to its plan.",)
            return Result(self.spec, self.title, self.question, (), (), notes=note)
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        shares = {one: restored(one, drawn) for one in every if one.attack != "none"}
        unedited = [one for one in every if one.attack == "none"]
        costs = dict(zip(unedited, cost(unedited, drawn), strict=True))
        found = [
            *(f for one in every for f in findings(one, drawn)),
            *(
                finding(SHARE, o.where, "TPR / clean TPR", e, counts(machine=o.machine.edited))
                for o, e in shares.items()
            ),
            *ranges(shares, costs),
            *(f for one, change in costs.items() for f in cost_findings(one, change, drawn)),
        ]
        return Result(
            self.spec,
            self.title,
            self.question,
            tuple(found),
            layouts(),
            tuple(figures(found)),
            tuple(said(shares, costs)),
        )


def cleaned_cells(rows: Rows, settings: Settings) -> Iterator[Cleaned]:
    tau, positive = thresholds(rows, settings), rows.positive(settings.policy) == 1
    for sanitizer in (s for s in rows.values("sanitizer") if s != "none"):
        for attack in rows.values("attack", rows.where(sanitizer=sanitizer)):
            texts = rows.where(sanitizer=sanitizer, attack=attack)
            for short, spec in by_detector(rows):
                machine = pairs(rows, spec, texts & positive, positive)
                human = pairs(rows, spec, texts & rows.human, rows.human)
                yield Cleaned(sanitizer, attack, short, machine, human, tau[spec].value)


def findings(one: Cleaned, drawn: Drawn) -> Iterator[Finding]:
    m, h = one.machine.every, one.human.every
    yield finding(CELLS, one.where, "AUROC two-sided", area(m, h), counts(machine=m, human=h))
    for metric, some in (("TPR", m), ("FPR", h)):
        side = {"TPR": "machine", "FPR": "human"}[metric]
        yield finding(CELLS, one.where, metric, rate(some, one.tau, metric, drawn.resample), counts(**{side: some}))


def restored(one: Cleaned, drawn: Drawn) -> Estimate:
    """TPR of the cleaned attacked texts over that of their unedited, uncleaned sources."""
    if not one.machine.edited.n or not one.machine.known:
        return none("no share: no cleaned machine text has a scored source")
    if np.isnan(one.tau):
        return none("no share: there is no threshold")
    clean = drawn.rates([(one.machine.source, one.tau)])
    if clean.values[0] == 0:
        return none("no share: nothing is detected on unedited texts either")
    return ratio(drawn.rates([(one.machine.edited, one.tau)]), clean, "TPR / clean TPR").estimates()[0]


def cost(unedited: Sequence[Cleaned], drawn: Drawn) -> list[stats.Change | None]:
    """Change of the FPR on unedited human text that cleaning causes; corrected over detectors and sanitizers."""
    return rate_changes(drawn, [(one.human.edited, one.human.source, one.tau) for one in unedited])


def cost_findings(one: Cleaned, change: stats.Change | None, drawn: Drawn) -> Iterator[Finding]:
    where = {"sanitizer": one.sanitizer, "detector": one.short}
    for metric, some in (("FPR as it is", one.human.source), ("FPR cleaned", one.human.edited)):
        estimate = rate(some, one.tau, "FPR", drawn.resample)
        yield marked(
            finding(COST, where, metric, estimate, counts(human=some)), change if some is one.human.edited else None
        )
    estimate = none("no change: no unedited human text was scored both ways") if change is None else change.estimate
    yield marked(finding(COST, where, "change of FPR", estimate, counts(human=one.human.edited)), change)


def ranges(shares: dict[Cleaned, Estimate], costs: dict[Cleaned, stats.Change | None]) -> Iterator[Finding]:
    """Table 6: the range over the detectors, and how many wrongly flag more unedited human text."""
    for sanitizer in dict.fromkeys(one.sanitizer for one in (*shares, *costs)):
        mine = {one: e for one, e in shares.items() if one.sanitizer == sanitizer and not np.isnan(e.value)}
        for attack in dict.fromkeys(one.attack for one in mine):
            values = [e.value for one, e in mine.items() if one.attack == attack]
            for metric, pick in (("least", min), ("most", max)):
                where = {"sanitizer": sanitizer, "row": attack}
                yield finding(RANGE, where, metric, over(pick(values), len(values)), {"detectors": len(values)})
        tested = [change for one, change in tests_of(costs).items() if one.sanitizer == sanitizer]
        if tested:
            raised = sum("up" in change.marks for change in tested)
            where = {"sanitizer": sanitizer, "row": "cost: detectors that accuse more"}
            yield finding(RANGE, where, "most", over(raised, len(tested)), {"detectors": len(tested)})


def tests_of(costs: dict[Cleaned, stats.Change | None]) -> dict[Cleaned, stats.Change]:
    """The changes that were tested: not those of too few clusters, where no mark says nothing."""
    return {one: c for one, c in costs.items() if c is not None and not np.isnan(c.p_adjusted)}


def over(value: float, detectors: int) -> Estimate:
    return Estimate(float(value), np.nan, np.nan, detectors, "over the detectors, no interval")


def layouts() -> tuple[Layout, ...]:
    return (
        Layout(
            CELLS,
            "Cleaned texts",
            "Every text was cleaned before it was scored; thresholds come from uncleaned, unedited human texts.",
            ("sanitizer", "attack", "metric"),
            ("detector",),
        ),
        Layout(
            SHARE,
            "Detection given back",
            "TPR of edited and cleaned machine texts, divided by that of their sources as they were: 1 is all of it.",
            ("detector",),
            ("attack", "sanitizer"),
        ),
        Layout(
            RANGE,
            "Range over the detectors",
            "The table above in short, and the cost.",
            ("row",),
            ("sanitizer", "metric"),
        ),
        Layout(
            COST,
            "What cleaning costs honest writers",
            "FPR on unedited human texts before and after cleaning. Marks: the 95% interval of the change excludes zero, and "
            "the same after max-T over detectors and sanitizers.",
            ("detector",),
            ("sanitizer", "metric"),
        ),
    )


def figures(found: Sequence[Finding]) -> Iterator[Figure]:
    """Figure 5: TPR and FPR of cleaned texts, a heat map for each sanitizer."""
    for sanitizer in dict.fromkeys(f.where["sanitizer"] for f in found):
        for metric, what in (("TPR", "Machine texts detected"), ("FPR", "Human texts accused")):
            mine = [f for f in found if f.table == CELLS and f.metric == metric and f.where["sanitizer"] == sanitizer]
            attacks = list(dict.fromkeys(f.where["attack"] for f in mine))
            rows: dict[str, dict[str, float]] = {}
            for f in mine:
                rows.setdefault(f.where["detector"], {})[f.where["attack"]] = f.estimate.value
            series = tuple(
                Series(d, tuple(map(float, range(len(attacks)))), tuple(row.get(a, np.nan) for a in attacks))
                for d, row in rows.items()
            )
            title = f"{what} after {sanitizer}"
            yield Figure(
                f"sanitized-{metric}-{sanitizer}",
                "heatmap",
                title,
                "attack",
                "",
                series,
                tuple(attacks),
                "Thresholds unchanged.",
            )


def said(shares: dict[Cleaned, Estimate], costs: dict[Cleaned, stats.Change | None]) -> Iterator[Answer]:
    for sanitizer in dict.fromkeys(one.sanitizer for one in costs):
        tested = {o.short: c for o, c in tests_of(costs).items() if o.sanitizer == sanitizer}
        if not tested:
            yield Answer(
                "missing",
                f"Whether cleaning by {sanitizer} accuses more honest writers cannot be tested: that takes ten "
                "independent human texts, scored with and without it.",
            )
            continue
        raised = [short for short, change in tested.items() if "up" in change.marks]
        who = f": {', '.join(raised[:5])}" if raised else ""
        yield Answer(
            "warning" if raised else "shown",
            f"Cleaning by {sanitizer} raises the share of unedited human texts accused in {len(raised)} of {len(tested)} "
            f"detectors (one cell looked at alone){who}.",
        )
