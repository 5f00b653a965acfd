"""How do the errors change with length, on the same texts? Figure 7 of the two-sided paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import SpecError
from ..registry import Card, parse_spec
from .base import Audit, area, by_detector, cell, counts, finding, percent, rate, thresholds
from .changes import Drawn
from .finding import Answer, Figure, Finding, Layout, Result, Series
from .pairs import attacks_of, shared_resample
from .rows import Mask, Rows, Settings

TABLE = "truncation"
FULL = "full"


@dataclass(frozen=True)
class Truncation(Audit):
    name: ClassVar[str] = "truncation"
    title: ClassVar[str] = "The same texts, cut short"
    question: ClassVar[str] = (
        "How often are short texts detected, and accused, at thresholds that were set on whole texts?"
    )
    card: ClassVar[Card] = Card(
        "TPR, FPR and AUROC of identical sources cut to word limits, at the thresholds of the uncut human texts",
        source="'Attacking Only Half the Data', figure 7 and section 4.5",
        follows="the attack truncate(words=N) on both classes; only sources that were cut to every limit are compared",
        pitfalls="texts shorter than the largest limit are left out of all limits, so that all points stand on the same texts",
    )

    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        limits = limits_of(rows)
        if not limits:
            note = "This run holds no text cut to a word limit; add attacks such as truncate(words=50) to its plan."
            return Result(self.spec, self.title, self.question, (), (), notes=(note,))
        masks = same_sources(rows, limits)
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        found = [f for words, mask in masks.items() for f in at_limit(words, mask, rows, settings, drawn)]
        layout = Layout(
            TABLE,
            "Word limits",
            "The same texts at every limit; the threshold is that of whole human texts of the calibration half.",
            ("detector", "metric"),
            ("words",),
        )
        kept = int(masks[FULL].sum())
        note = f"{kept} texts are longer than the largest limit and stand at every one; shorter ones are left out."
        return Result(
            self.spec,
            self.title,
            self.question,
            tuple(found),
            (layout,),
            tuple(figures(found)),
            tuple(said(found, settings.policy.fpr)),
            (note,),
        )


def limits_of(rows: Rows, profile: str = "default") -> dict[int, str]:
    """words -> attack, ascending; ``profile`` is that of the attack truncate."""
    found: dict[int, str] = {}
    for attack in attacks_of(rows):
        try:
            name, parameters = parse_spec(attack)
        except SpecError:
            continue
        same = parameters.get("profile", "default") == profile
        if name == "truncate" and same and isinstance(parameters.get("words"), int):
            found[parameters["words"]] = attack
    return dict(sorted(found.items()))


def same_sources(rows: Rows, limits: dict[int, str]) -> dict[str, Mask]:
    """For each limit, and for the whole texts, the rows of those sources that every limit shortened."""
    cut = {words: rows.where(attack=attack, sanitizer="none") & (rows.origin >= 0) for words, attack in limits.items()}
    shorter = {words: mask & (rows["digest"] != rows["digest"][rows.origin]) for words, mask in cut.items()}
    common = set.intersection(*(set(rows.origin[mask]) for mask in shorter.values()))
    masks: dict[str, Mask] = {str(w): mask & np.isin(rows.origin, list(common)) for w, mask in shorter.items()}
    whole: Mask = np.isin(np.arange(len(rows)), list(common))
    return masks | {FULL: whole}


def at_limit(words: str, mask: Mask, rows: Rows, settings: Settings, drawn: Drawn) -> Iterator[Finding]:
    tau, positive = thresholds(rows, settings), rows.positive(settings.policy) == 1
    for short, spec in by_detector(rows):
        h, m = cell(rows, spec, mask & rows.human), cell(rows, spec, mask & positive)
        where = {"detector": short, "words": words}
        yield finding(TABLE, where, "AUROC", area(m, h), counts(machine=m, human=h))
        yield finding(TABLE, where, "TPR", rate(m, tau[spec].value, "TPR", drawn.resample), counts(machine=m))
        yield finding(TABLE, where, "FPR", rate(h, tau[spec].value, "FPR", drawn.resample), counts(human=h))


def figures(found: Sequence[Finding]) -> Iterator[Figure]:
    ticks = tuple(dict.fromkeys(f.where["words"] for f in found))
    for metric, title in (("TPR", "Machine texts detected"), ("FPR", "Human texts accused")):
        series = []
        for detector in dict.fromkeys(f.where["detector"] for f in found):
            mine = [f for f in found if f.metric == metric and f.where["detector"] == detector]
            x = tuple(float(ticks.index(f.where["words"])) for f in mine)
            y, low, high = zip(*((f.estimate.value, f.estimate.low, f.estimate.high) for f in mine), strict=True)
            series.append(Series(detector, x, y, low, high))
        yield Figure(f"truncation-{metric}", "line", f"{title}, by word limit", "words", metric, tuple(series), ticks)


def said(found: Sequence[Finding], fpr: float) -> Iterator[Answer]:
    for f in found:
        if f.metric == "FPR" and f.where["words"] != FULL and f.estimate.low > fpr:
            yield Answer(
                "warning",
                f"Cut to {f.where['words']} words, human texts are accused by {f.where['detector']} in "
                f"{percent(f.estimate.value)} of cases (95% interval {percent(f.estimate.low)} to {percent(f.estimate.high)}, "
                f"n={f.estimate.n}), where {percent(fpr)} are tolerated.",
            )
