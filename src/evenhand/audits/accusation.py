"""An honest text, edited as everyone edits: how likely is an accusation? Level x attack x sanitizer x policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..documents import Level, Policy
from ..errors import SpecError
from ..registry import Card
from ..stats.decisions import family_level
from .base import Audit, Cell, by_detector, cell, counts, finding, nominal, percent, share
from .finding import Answer, Figure, Finding, Layout, Result, Series
from .rows import Mask, Rows, Settings

TABLE = "accusation"


@dataclass(frozen=True)
class Place:
    """Texts of one level under one edit and one cleaning, all accepted by ``policy``."""

    policy: Level
    level: str
    attack: str
    sanitizer: str
    mask: Mask
    name: str
    """In short: level + attack + sanitizer, parameters left out where the name alone tells them apart."""

    @property
    def where(self) -> dict[str, str]:
        return {
            "policy": self.policy.value,
            "level": self.level,
            "attack": self.attack,
            "sanitizer": self.sanitizer,
        }


@dataclass(frozen=True)
class Accusation(Audit):
    """``policies``: last acceptable levels (none: that of the run). ``threshold``: set on clean 'human' texts, or on all
    clean texts that the policy 'accepted'."""

    name: ClassVar[str] = "accusation"
    title: ClassVar[str] = "Accused all the same"
    question: ClassVar[str] = (
        "A text that the policy accepts, edited and pasted as texts are: what is the chance of an accusation?"
    )
    card: ClassVar[Card] = Card(
        "Chance of an accusation for every accepted (level, attack, sanitizer), by detector, at one fixed threshold",
        source="ours: GEDE evaluates levels without edits, the two-sided paper edits without levels",
        follows="a text counts as accepted by the level that its last edit left (level_after): polish makes an improved text "
        "of a human one. All rates are of texts whose sources did not set the threshold",
        pitfalls="the worst cell is picked among many; its interval in the answer allows for their number (Sidak), those in "
        "the table are of each cell alone",
    )

    policies: tuple[str, ...] = ()
    threshold: str = "human"

    def __post_init__(self) -> None:
        if isinstance(self.policies, str):
            raise SpecError(f"accusation: policies is a list of levels: write policies=({self.policies!r},)")
        for level in self.policies:
            Level.read(level)
        if self.threshold not in ("human", "accepted"):
            raise SpecError(f"accusation: threshold is 'human' or 'accepted', got {self.threshold!r}")

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        policies = [Level.read(one) for one in self.policies] or [settings.policy.boundary]
        places = [one for policy in policies for one in accepted(rows, policy, settings.seed)]
        found: list[Finding] = []
        answers: list[Answer] = []
        for short, spec in by_detector(rows):
            tau = {policy: self.tau(rows, settings, spec, policy) for policy in policies}
            for place in places:
                one = cell(rows, spec, place.mask)
                estimate = share(one, tau[place.policy], "accusations")
                found.append(finding(TABLE, {**place.where, "detector": short}, "accused", estimate, counts(texts=one)))
            for policy in policies:
                cells = {p.name: cell(rows, spec, p.mask) for p in places if p.policy == policy}
                answers += said(short, policy, cells, tau[policy], settings.policy.fpr)
        layout = Layout(
            TABLE,
            "Chance of an accusation",
            f"Texts that the policy accepts, at a threshold meant for {percent(settings.policy.fpr)} of the clean "
            f"{'human texts' if self.threshold == 'human' else 'accepted texts'} of the calibration half; rates are of the "
            "other half.",
            ("policy", "level", "attack", "sanitizer"),
            ("detector",),
        )
        note = () if places else ("No accepted text of the verification half was scored.",)
        return Result(
            self.spec,
            self.title,
            self.question,
            tuple(found),
            (layout,),
            tuple(heatmaps(found, places)),
            tuple(answers),
            note,
        )

    def tau(self, rows: Rows, settings: Settings, spec: str, policy: Level) -> float:
        calibration = rows.clean & (rows.half(settings.seed) == "calibration")
        fair = rows.human if self.threshold == "human" else rows.positive(Policy(policy)) == 0
        return nominal(cell(rows, spec, calibration & fair), settings.policy.fpr).value


def accepted(rows: Rows, policy: Level, seed: int) -> Iterator[Place]:
    """The (level, attack, sanitizer) that have texts of the verification half which ``policy`` accepts after the edit."""
    fair = (rows.half(seed) == "verification") & (rows.positive(Policy(policy), after=True) == 0)
    levels = np.where((rows["level"] == "") & rows.human, Level.HUMAN.value, rows["level"])
    keys = sorted({*zip(levels[fair], rows["attack"][fair], rows["sanitizer"][fair], strict=True)}, key=order)
    for level, attack, sanitizer in keys:
        mine = fair & (levels == level) & rows.where(attack=attack, sanitizer=sanitizer)
        yield Place(policy, level, attack, sanitizer, mine, short(rows, level, attack, sanitizer))


def short(rows: Rows, level: str, attack: str, sanitizer: str) -> str:
    """'human + smart_quotes': specs in full only where several of the run have one name."""
    steps = [level or "no level"]
    for column, spec in (("attack", attack), ("sanitizer", sanitizer)):
        names = [one.partition("(")[0] for one in rows.values(column)]
        name = spec.partition("(")[0]
        if spec != "none":
            steps.append(name if names.count(name) == 1 else spec)
    return " + ".join(steps)


def order(key: tuple[Any, Any, Any]) -> tuple[Any, ...]:
    """Levels in their order, unedited first."""
    level, attack, sanitizer = key
    rank = Level(level).order if level else len(Level)
    return rank, attack != "none", attack, sanitizer != "none", sanitizer


def said(short: str, policy: Level, cells: Mapping[str, Cell], tau: float, fpr: float) -> Iterator[Answer]:
    """The worst cell, with an interval that allows for having looked at all of them."""
    level = family_level(0.95, max(1, sum(one.n > 0 for one in cells.values())))
    rates = {name: share(one, tau, "accusations", level) for name, one in cells.items()}
    known = {name: one for name, one in rates.items() if not np.isnan(one.value)}
    if not known:
        yield Answer(
            "missing", f"{short}: no text that the policy '{policy}' accepts was scored, so nothing can be said."
        )
        return
    worst = max(known, key=lambda name: known[name].value)
    e = known[worst]
    text = (
        f"{short}, policy '{policy}': of {len(known)} kinds of accepted texts, '{worst}' is accused most, in "
        f"{percent(e.value)} of cases"
    )
    if np.isnan(e.low):
        yield Answer("missing", f"{text}; {e.n} clusters are too few for an interval.")
        return
    interval = f"(interval over all kinds {percent(e.low)} to {percent(e.high)}, n={e.n})"
    over = [name for name, one in known.items() if one.low > fpr]
    if over:
        yield Answer(
            "warning", f"{text} {interval}; {len(over)} kinds are accused more than the tolerated {percent(fpr)}."
        )
    elif all(one.high <= fpr for one in known.values()):
        yield Answer("shown", f"{text} {interval}: none is accused more than the tolerated {percent(fpr)}.")
    else:
        yield Answer(
            "missing", f"{text} {interval}; more texts are needed to tell it from the tolerated {percent(fpr)}."
        )


def heatmaps(found: Sequence[Finding], places: Sequence[Place]) -> Iterator[Figure]:
    """One figure a policy: a row for each kind of text, a column for each detector."""
    ticks = tuple(dict.fromkeys(f.where["detector"] for f in found))
    for policy in dict.fromkeys(place.policy for place in places):
        series = []
        for place in places:
            if place.policy == policy:
                row = [f for f in found if {**f.where, "detector": ""} == {**place.where, "detector": ""}]
                x = tuple(float(ticks.index(f.where["detector"])) for f in row)
                series.append(Series(place.name, x, tuple(f.estimate.value for f in row)))
        title = f"Chance of an accusation of texts that the policy '{policy}' accepts"
        yield Figure(f"accusation-{policy}", "heatmap", title, "detector", "kind of text", tuple(series), ticks)
