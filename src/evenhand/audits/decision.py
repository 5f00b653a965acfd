"""What would it mean to use a detector here? Accusations per 1,000, over a degree, their share that is right, what n proves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import stats
from ..documents import Level
from ..errors import SpecError
from ..registry import Card, check_rate
from ..stats import Estimate
from ..stats.decisions import at_least_once, family_level, intraclass_correlation, per_texts, share_right
from .base import Audit, Cell, by_detector, cell, counts, finding, nominal, none, percent, rate, share
from .finding import Answer, Figure, Finding, Layout, Result, Series
from .keyed import Words, told
from .pairs import shared_resample
from .rows import Rows, Settings
from .sides import of_level, of_policy

TABLE, RIGHT, PROOF = "decision", "decision_right", "decision_proof"
INDEPENDENT = "texts of one writer taken as independent: the most that this FPR can give"


@dataclass(frozen=True)
class Decision(Audit):
    """``class_size``: students that hand in one text each. ``essays``: texts of one student over a degree. ``writer``: the
    column or meta key that names the writer ('cluster' where clusters are writers); without it texts count as independent.
    """

    name: ClassVar[str] = "decision"
    title: ClassVar[str] = "If this detector were used"
    question: ClassVar[str] = (
        "How many honest students are accused, how many accusations are right, and what do these texts prove?"
    )
    card: ClassVar[Card] = Card(
        "Accusations per 1,000 honest texts, in a class, over a degree; share of accusations that are right; certificates",
        source="ours; PPV and intervals: stats.consequences and stats.decisions",
        follows="threshold from clean human texts of the calibration half; honest texts are those of the other half, each "
        "acceptable level by itself",
        pitfalls="holds for texts and writers like these; the prevalence is the reader's assumption, never an estimate; a "
        "correlation of one writer's texts, where it can be told, is taken as known",
    )

    class_size: int = 30
    essays: int = 40
    prevalences: tuple[float, ...] = (0.01, 0.05, 0.1, 0.2, 0.5)
    writer: str = ""
    confidence: float = 0.95
    replicates: int = 2000

    def __post_init__(self) -> None:
        for key in ("class_size", "essays"):
            value = getattr(self, key)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise SpecError(f"decision: {key} must be a whole number from 1, got {value!r}")
        if isinstance(self.prevalences, float | int) or not self.prevalences:
            raise SpecError("decision: prevalences is a list of shares: write prevalences=(0.05, 0.2)")
        for prevalence in self.prevalences:
            check_rate("decision", prevalences=prevalence)
        if not 0 < self.confidence < 1:
            raise SpecError(f"decision: confidence must lie between 0 and 1, got {self.confidence!r}")

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        resample = shared_resample(rows, settings, self.replicates)
        found: list[Finding] = []
        answers: list[Answer] = []
        for short, spec in by_detector(rows):
            one = Judged.of(rows, settings, spec, resample, self.writer)
            mine = [*self.honest(short, one), *self.right(short, one), *self.proof(short, one, settings.policy.fpr)]
            found += mine
            answers += said(short, mine, self, settings.policy.fpr)
        figures = tuple(curves(found))
        return Result(
            self.spec, self.title, self.question, tuple(found), self.layouts(settings), figures, tuple(answers)
        )

    def honest(self, short: str, one: Judged) -> Iterator[Finding]:
        """What happens to honest students, for each kind of text that the policy lets them hand in."""
        for level, texts in one.honest.items():
            where, n = {"detector": short, "honest texts": level}, counts(texts=texts)
            fpr = share(texts, one.tau, "FPR")
            yield finding(TABLE, where, "accused of 1,000", per_texts(fpr), n)
            in_class = at_least_once(fpr, self.class_size)
            yield finding(TABLE, where, f"class of {self.class_size}: anyone accused", in_class, n)
            over, how = self.over_a_degree(fpr, one.alike(level))
            name = f"{self.essays} texts: accused at least once"
            yield Finding(TABLE, where, name, over, n, note=finding(TABLE, where, name, over, n).note or how)

    def over_a_degree(self, fpr: Estimate, alike: Estimate) -> tuple[Estimate, str]:
        """The chance of an accusation or more, and how one writer's texts were taken."""
        if np.isnan(alike.value):
            return at_least_once(fpr, self.essays), INDEPENDENT if not self.writer else f"{INDEPENDENT}; {alike.method}"
        how = f"correlation of one writer's texts {alike.value:.2f}, from {alike.n} writers of several"
        return at_least_once(fpr, self.essays, correlation=alike.value), how

    def right(self, short: str, one: Judged) -> Iterator[Finding]:
        """The share of accusations that hit a text above the boundary, if honest students write alone."""
        human = one.honest[Level.HUMAN.value]
        for prevalence in self.prevalences:
            where = {"detector": short, "prevalence": percent(prevalence)}
            n = counts(positive=one.positive, human=human)
            yield finding(RIGHT, where, "accusations that are right", one.right(human, prevalence), n)

    def proof(self, short: str, one: Judged, fpr: float) -> Iterator[Finding]:
        human, where = one.honest[Level.HUMAN.value], {"detector": short}
        if not human.n or np.isnan(one.tau):
            yield finding(PROOF, where, "FPR certified", none("no certificate: no human text, or no threshold"), {})
            return
        proof = stats.cluster_certificate(human.scores > one.tau, human.clusters, fpr, self.confidence)
        upper = Estimate(proof.upper, 0.0, proof.upper, proof.n, proof.reason, self.confidence)
        yield finding(PROOF, where, "FPR certified", upper, counts(human=human))
        why = f"further human texts, all without an accusation, that certify {percent(fpr)}"
        more = Estimate(proof.missing, np.nan, np.nan, proof.n, why, self.confidence)
        yield Finding(PROOF, where, "texts missing", more, counts(human=human), note=why)

    def layouts(self, settings: Settings) -> tuple[Layout, ...]:
        meant = f"Threshold meant for {percent(settings.policy.fpr)} of human texts, set on the calibration half."
        return (
            Layout(TABLE, "Honest students", meant, ("detector", "honest texts"), ("metric",)),
            Layout(
                RIGHT,
                "Accusations that are right",
                f"{meant} Columns: the assumed share of texts above {settings.policy.boundary}; all others are by humans alone.",
                ("detector",),
                ("prevalence",),
            ),
            Layout(
                PROOF,
                "What these texts prove",
                f"At {percent(self.confidence)} confidence.",
                ("detector",),
                ("metric",),
            ),
        )


@dataclass(frozen=True)
class Judged:
    """One detector's threshold, the honest texts that did not set it by level, and the texts above the boundary.

    ``writers`` names the writer of each honest text; empty where no writer is told.
    """

    tau: float
    honest: Mapping[str, Cell]
    writers: Mapping[str, Words]
    positive: Cell
    resample: stats.Resample

    @classmethod
    def of(cls, rows: Rows, settings: Settings, spec: str, resample: stats.Resample, writer: str) -> Judged:
        verify, known = rows.half(settings.seed) == "verification", ~np.isnan(rows.scores[spec])
        human = cell(rows, spec, rows.clean & rows.human & ~verify)
        masks = {level.value: of_level(rows, level) & verify for level in Level if level <= settings.policy.boundary}
        there = {name: mask for name, mask in masks.items() if mask.any() or name == Level.HUMAN.value}
        names = told_by(rows, writer)
        positive = of_policy(rows, settings.policy.boundary).positive
        return cls(
            nominal(human, settings.policy.fpr).value,
            {name: cell(rows, spec, mask) for name, mask in there.items()},
            {name: names[mask & known] for name, mask in there.items()} if writer else {},
            cell(rows, spec, positive),
            resample,
        )

    def alike(self, level: str) -> Estimate:
        """How alike the flags of one writer's texts are; NaN, with the reason, where that cannot be told."""
        texts = self.honest[level]
        if level not in self.writers or not texts.n or np.isnan(self.tau):
            return none("no correlation: no writer is told, no text was scored, or there is no threshold")
        return intraclass_correlation(texts.scores > self.tau, self.writers[level])

    def right(self, human: Cell, prevalence: float) -> Estimate:
        """PPV: from counts where all texts are independent, from the bounds of both rates where they share clusters."""
        if not human.n or not self.positive.n or np.isnan(self.tau):
            return none("no share: a class was not scored, or there is no threshold")
        if human.independent and self.positive.independent:
            hits, errors = (int((c.scores > self.tau).sum()) for c in (self.positive, human))
            return stats.ppv(hits, self.positive.n, errors, human.n, prevalence)
        level = family_level(0.95, 2)
        tpr = rate(self.positive, self.tau, "TPR", self.resample, level)
        return share_right(tpr, share(human, self.tau, "FPR", level), prevalence)


def told_by(rows: Rows, writer: str) -> Words:
    """The writer of each text; a text whose writer is not told stands alone."""
    names = told(rows, writer) if writer else rows["id"]
    return np.where(names == "", rows["id"], names)


def said(short: str, found: Sequence[Finding], asked: Decision, fpr: float) -> Iterator[Answer]:
    human = {f.metric: f for f in found if f.table == TABLE and f.where["honest texts"] == Level.HUMAN.value}
    alone = human["accused of 1,000"].estimate
    if np.isnan(alone.value):
        yield Answer("missing", f"{short}: no human text of the verification half was judged; nothing can be said.")
        return
    rate_bounds = f"{alone.low:.0f} to {alone.high:.0f}, n={alone.n}" if not np.isnan(alone.low) else f"n={alone.n}"
    once = human[f"{asked.essays} texts: accused at least once"].estimate
    yield Answer(
        "warning" if alone.low > 1000 * fpr else "shown" if not np.isnan(alone.low) else "missing",
        f"{short}: of 1,000 honest human texts like these, about {alone.value:.0f} are accused (95% interval {rate_bounds}); "
        f"a student who hands in {asked.essays} is accused at least once with a chance of {percent(once.value)}"
        + (f" ({percent(once.low)} to {percent(once.high)})" if not np.isnan(once.low) else "")
        + (", if each text stands for itself." if human_is_independent(human, asked) else "."),
    )
    yield from helped(short, found, fpr)
    shares = [f for f in found if f.table == RIGHT and not np.isnan(f.estimate.value)]
    if shares:
        listed = "; ".join(f"{f.where['prevalence']}: {in_words(f.estimate)}" for f in shares)
        yield Answer(
            "shown" if not any(np.isnan(f.estimate.low) for f in shares) else "missing",
            f"{short}: the share of its accusations that is right hangs on how many texts are generated ({listed}).",
        )
    yield from proven(short, found, fpr)


def helped(short: str, found: Sequence[Finding], fpr: float) -> Iterator[Answer]:
    """Honest students who use the help that the policy allows, where they are shown to be accused more than it tolerates."""
    for f in found:
        alone, e = f.where.get("honest texts") in (None, Level.HUMAN.value), f.estimate
        if not alone and f.metric == "accused of 1,000" and e.low > 1000 * fpr:
            yield Answer(
                "warning",
                f"{short}: of 1,000 texts of the level {f.where['honest texts']}, which the policy accepts, about {e.value:.0f} "
                f"are accused (95% interval {e.low:.0f} to {e.high:.0f}, n={e.n}).",
            )


def human_is_independent(human: Mapping[str, Finding], asked: Decision) -> bool:
    return (human[f"{asked.essays} texts: accused at least once"].note or "").startswith(INDEPENDENT)


def in_words(e: Estimate) -> str:
    if np.isnan(e.low):
        return f"{percent(e.value)}, no interval"
    return f"{percent(e.value)} [{percent(e.low)} to {percent(e.high)}]"


def proven(short: str, found: Sequence[Finding], fpr: float) -> Iterator[Answer]:
    proof = {f.metric: f.estimate for f in found if f.table == PROOF}
    missing = proof.get("texts missing")
    if missing is None:
        return
    upper = proof["FPR certified"]
    if missing.value == 0:
        yield Answer("shown", f"{short}: {upper.n} human texts certify an FPR of at most {percent(upper.value)}.")
    else:
        yield Answer(
            "missing",
            f"{short}: {upper.n} human texts certify an FPR of {percent(upper.value)}, not {percent(fpr)}; at least "
            f"{missing.value:.0f} more are needed, all without an accusation.",
        )


def curves(found: Sequence[Finding]) -> Iterator[Figure]:
    """Share of right accusations against prevalence, one line a detector."""
    shares = [f for f in found if f.table == RIGHT and not np.isnan(f.estimate.value)]
    ticks = tuple(dict.fromkeys(f.where["prevalence"] for f in shares))
    series = []
    for detector in dict.fromkeys(f.where["detector"] for f in shares):
        mine = [f for f in shares if f.where["detector"] == detector]
        x = tuple(float(ticks.index(f.where["prevalence"])) for f in mine)
        y, low, high = zip(*((f.estimate.value, f.estimate.low, f.estimate.high) for f in mine), strict=True)
        series.append(Series(detector, x, y, low, high))
    if series:
        title = "Accusations that are right, by the share of generated texts"
        yield Figure("decision-right", "line", title, "prevalence", "share right", tuple(series), ticks)
