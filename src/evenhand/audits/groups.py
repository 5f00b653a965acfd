"""Is one group of writers accused more than another? False-positive rates by group, at one threshold for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import stats
from ..errors import SpecError
from ..registry import Card
from ..stats import Estimate
from ..stats.decisions import family_level, gap
from .base import Audit, Cell, by_detector, cell, counts, finding, none, percent, share, thresholds
from .finding import Answer, Figure, Finding, Layout, Result, Series
from .keyed import told
from .rows import Rows, Settings

TABLE, GAP = "groups", "groups_gap"
FEW = 30


@dataclass(frozen=True)
class Groups(Audit):
    """``by``: the column or meta key that tells the groups apart: first language, grade, discipline, ..."""

    name: ClassVar[str] = "groups"
    title: ClassVar[str] = "Groups of writers"
    question: ClassVar[str] = "Are writers of one group falsely accused more often than those of another?"
    card: ClassVar[Card] = Card(
        "FPR of each group of human writers at one threshold, with intervals that hold for all groups together",
        source="intervals: Clopper & Pearson 1934, Sidak 1967; the question: Liang et al. 2023 (Patterns)",
        follows="threshold from all clean human texts of the calibration half; rates from those of the verification half",
        pitfalls="groups that come from different corpora differ in genre, length and time too; fewer than 30 writers tell "
        "little, and a rate of 0 is no proof: see 'FPR certified'",
    )

    by: str = "group"
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise SpecError(f"groups: confidence must lie between 0 and 1, got {self.confidence!r}")

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        words = told(rows, self.by)
        judged = rows.clean & rows.human & (rows.half(settings.seed) == "verification")
        names = sorted({*words[judged]} - {""})
        tau = thresholds(rows, settings)
        found: list[Finding] = []
        answers: list[Answer] = []
        for short, spec in by_detector(rows):
            cells = {name: cell(rows, spec, judged & (words == name)) for name in names}
            rates = self.rates(cells, tau[spec].value)
            proofs = prove(cells, tau[spec].value, settings.policy.fpr, self.confidence)
            found += self.findings(short, cells, rates, proofs)
            answers += said(short, rates, proofs, settings.policy.fpr)
        untold = int((judged & (words == "")).sum())
        notes = (f"{untold} human texts are told no {self.by} and are left out.",) if untold else ()
        if not names:
            notes = (*notes, f"No human text of the verification half is told its {self.by}.")
        return Result(
            self.spec, self.title, self.question, tuple(found), self.layouts(settings), figures(found, self.by),
            tuple(answers), notes,
        )  # fmt: skip

    def rates(self, cells: Mapping[str, Cell], tau: float) -> dict[str, Estimate]:
        """FPR of each group, with intervals that hold together."""
        level = family_level(self.confidence, max(1, sum(one.n > 0 for one in cells.values())))
        return {name: share(one, tau, "FPR", level) for name, one in cells.items()}

    def findings(
        self,
        short: str,
        cells: Mapping[str, Cell],
        rates: Mapping[str, Estimate],
        proofs: Mapping[str, stats.Certificate],
    ) -> Iterator[Finding]:
        for name, one in cells.items():
            where, told_n = {"detector": short, self.by: name}, counts(human=one)
            few = f"fewer than {FEW} writers" if 0 < told_n["clusters"] < FEW else None
            fpr = finding(TABLE, where, "FPR", rates[name], told_n)
            yield Finding(TABLE, where, "FPR", rates[name], told_n, note=fpr.note or few)
            if name in proofs:
                proof = proofs[name]
                upper = Estimate(proof.upper, 0.0, proof.upper, proof.n, proof.reason, self.confidence)
                lacking = (
                    None if proof.certified else f"cannot certify {percent(proof.fpr)}: {proof.missing} more texts"
                )
                yield Finding(TABLE, where, "FPR certified", upper, told_n, note=lacking)
            else:
                yield finding(TABLE, where, "FPR certified", none("no certificate: no text, or no threshold"), told_n)
        yield finding(GAP, {"detector": short}, "gap of FPR", gap(rates), counts(**cells) if cells else {})

    def layouts(self, settings: Settings) -> tuple[Layout, ...]:
        return (
            Layout(
                TABLE,
                f"FPR by {self.by}",
                f"One threshold, meant for {percent(settings.policy.fpr)} of all human texts of the calibration half. "
                f"The intervals hold for all groups together at {percent(self.confidence)}.",
                ("detector", "metric"),
                (self.by,),
            ),
            Layout(GAP, "Largest gap", "Largest less smallest FPR of the groups.", ("detector",), ("metric",)),
        )


def prove(cells: Mapping[str, Cell], tau: float, fpr: float, confidence: float) -> dict[str, stats.Certificate]:
    """A certificate for each group that has texts; all hold together."""
    if np.isnan(tau):
        return {}
    errors = {name: stats.cluster_errors(c.scores > tau, c.clusters) for name, c in cells.items() if c.n}
    return stats.group_certificates(errors, fpr, confidence) if errors else {}


def said(
    short: str, rates: Mapping[str, Estimate], proofs: Mapping[str, stats.Certificate], fpr: float
) -> Iterator[Answer]:
    known = {name: one for name, one in rates.items() if not np.isnan(one.value)}
    if len(known) > 1:
        apart, most = gap(known), max(known, key=lambda g: known[g].value)
        least = min((g for g in known if g != most), key=lambda g: known[g].value)
        told_rates = f"{described(most, known[most])}, {described(least, known[least])}"
        if apart.low > 0:
            yield Answer(
                "warning", f"{short} accuses groups unequally: {told_rates}; the gap is at least {percent(apart.low)}."
            )
        else:
            yield Answer("missing", f"{short}: these texts do not show whether the groups differ ({told_rates}).")
    lacking = [f"{name} ({proof.missing} more texts)" for name, proof in proofs.items() if not proof.certified]
    if lacking:
        yield Answer(
            "missing",
            f"{short}: an FPR of {percent(fpr)} is not certified for {', '.join(lacking)}, all without an accusation.",
        )
    elif proofs:
        yield Answer("shown", f"{short}: an FPR of {percent(fpr)} is certified for writers like these of every group.")


def described(name: str, one: Estimate) -> str:
    return f"{name} {percent(one.value)} [{percent(one.low)} to {percent(one.high)}, n={one.n}]"


def figures(found: list[Finding], by: str) -> tuple[Figure, ...]:
    rates = [f for f in found if f.metric == "FPR" and not np.isnan(f.estimate.low)]
    ticks = tuple(dict.fromkeys(f.where["detector"] for f in rates))
    series = []
    for name in dict.fromkeys(f.where[by] for f in rates):
        mine = [f for f in rates if f.where[by] == name]
        x = tuple(float(ticks.index(f.where["detector"])) for f in mine)
        y, low, high = zip(*((f.estimate.value, f.estimate.low, f.estimate.high) for f in mine), strict=True)
        series.append(Series(name, x, y, low, high))
    if not series:
        return ()
    return (Figure("groups", "bars", f"Human texts accused, by {by}", "detector", "FPR", tuple(series), ticks),)
