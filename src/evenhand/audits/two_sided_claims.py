"""What the two-sided protocol shows over all its cells, and how far the claims made for it hold on these texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .. import stats
from ..stats import Estimate
from .base import area, counts, finding, percent, rate
from .changes import Drawn
from .finding import Answer, Finding
from .pairs import Condition
from .rows import Rows, Settings

Changes = Sequence[stats.Change | None]
SUMMARY, QUADRANT = "two_sided_summary", "two_sided_quadrant"
COUNTED = "a count, no interval"


@dataclass(frozen=True)
class Study:
    """All cells of a run: conditions, their changes (None where a class is empty) and the FPR on edited human text."""

    drawn: Drawn
    conditions: tuple[Condition, ...]
    one_sided: Changes
    two_sided: Changes
    tpr: Changes
    fpr: Sequence[Estimate]

    def cells(
        self,
    ) -> Iterator[tuple[Condition, stats.Change | None, stats.Change | None, stats.Change | None, Estimate]]:
        return zip(self.conditions, self.one_sided, self.two_sided, self.tpr, self.fpr, strict=True)


@dataclass(frozen=True)
class Tally:
    """Of the cells that could be tested: gains shown (alone, corrected), gains excluded, and the rest."""

    tested: int
    gains: int
    corrected: int
    losses: int
    excluded: int

    @property
    def undecided(self) -> int:
        return self.tested - self.gains - self.excluded


def tally(changes: Changes) -> Tally:
    """'Excluded': the whole interval lies at or below zero, so that a gain contradicts the texts."""
    tested = [c for c in changes if c is not None and not np.isnan(c.estimate.low)]
    return Tally(
        len(tested),
        sum("up" in c.marks for c in tested),
        sum("up-corrected" in c.marks for c in tested),
        sum("down" in c.marks for c in tested),
        sum(c.estimate.high <= 0 for c in tested),
    )


def summary(rows: Rows, settings: Settings, study: Study, found: Sequence[Finding]) -> list[Finding]:
    """Table 3 of the paper and the claims, one finding a line, then the quadrant of its figure 6."""
    corpus = ", ".join(filter(None, rows.values("corpus"))) or "this run"

    def line(what: str, estimate: Estimate) -> Finding:
        return finding(SUMMARY, {"what": what, "corpus": corpus}, "value", estimate, {})

    one, two, tpr = tally(study.one_sided), tally(study.two_sided), tally(study.tpr)
    cells = len(study.conditions)
    made = rows.where(attack="none", sanitizer="none") & (rows.positive(settings.policy) == 1)
    configurations = set(zip(rows["generator"][made], rows["decoding"][made], strict=True)) - {("", "")}
    human, half = rows.clean & rows.human, rows.half(settings.seed)
    lines = [
        line("unedited human texts", count(int(human.sum()))),
        line("of them, to set thresholds", count(int((human & (half == "calibration")).sum()))),
        line("of them, to verify thresholds", count(int((human & (half == "verification")).sum()))),
        line("unedited machine texts", count(int(made.sum()))),
        line("domains", count(len(set(rows.values("domain", rows.clean)) - {""}))),
        line("generator configurations", count(len(configurations))),
        line("(detector, attack) cells", count(cells)),
        line("realised FPR, unedited human text", realised(found)),
        line("worst FPR, edited human text", worst(study.fpr)),
        line("one-sided AUROC gains", count(one.gains, one.tested)),
        line("one-sided AUROC gains, corrected", count(one.corrected, one.tested)),
        line("two-sided AUROC gains", count(two.gains, two.tested)),
        line("two-sided AUROC gains, corrected", count(two.corrected, two.tested)),
        line("two-sided cells in which a gain is excluded", count(two.excluded, two.tested)),
        line("two-sided cells in which a gain is neither shown nor excluded", count(two.undecided, two.tested)),
        line("largest two-sided gain", largest(study.two_sided)),
        line("one-sided gains that are two-sided losses", share(*reversals(study))),
        line(
            "false marks expected of a protocol by chance",
            Estimate(0.05 * one.tested, np.nan, np.nan, one.tested, COUNTED),
        ),
        line("TPR losses", count(tpr.losses, tpr.tested)),
        line("cells with AUROC up and TPR down", count(len(quadrant(study)), cells)),
        line("the same, both marked", count(sum(both_marked(one, tpr) for _, one, tpr in quadrant(study)), cells)),
    ]
    return [*lines, *(f for c, one, tpr in quadrant(study) for f in quadrant_findings(c, study.drawn, one, tpr))]


def count(value: int, n: int | None = None) -> Estimate:
    return Estimate(float(value), np.nan, np.nan, value if n is None else n, COUNTED)


def share(part: int, whole: int) -> Estimate:
    if not whole:
        return Estimate(np.nan, np.nan, np.nan, 0, "no share: there is no one-sided gain")
    return Estimate(part / whole, np.nan, np.nan, whole, "a share of cells that share texts, no interval")


def realised(found: Sequence[Finding]) -> Estimate:
    rates = [f.estimate for f in found if f.where.get("attack") == "none" and not np.isnan(f.estimate.value)]
    if not rates:
        return Estimate(np.nan, np.nan, np.nan, 0, "no FPR: no unedited human text of the verification half was scored")
    mean = float(np.mean([one.value for one in rates]))
    return Estimate(mean, np.nan, np.nan, min(one.n for one in rates), f"mean of {len(rates)} detectors, no interval")


def worst(rates: Sequence[Estimate]) -> Estimate:
    known = [one for one in rates if not np.isnan(one.value)]
    return max(
        known, key=lambda one: one.value, default=Estimate(np.nan, np.nan, np.nan, 0, "no edited human text was scored")
    )


def largest(changes: Changes) -> Estimate:
    known = [c.estimate for c in changes if c is not None]
    return max(known, key=lambda e: e.value, default=Estimate(np.nan, np.nan, np.nan, 0, "no cell has both classes"))


def reversals(study: Study) -> tuple[int, int]:
    """(one-sided gains whose two-sided change is a marked loss, one-sided gains)."""
    gains = [(one, two) for _, one, two, _, _ in study.cells() if one is not None and "up" in one.marks]
    return sum(two is not None and "down" in two.marks for _, two in gains), len(gains)


def quadrant(study: Study) -> list[tuple[Condition, stats.Change, stats.Change]]:
    """The cells in which AUROC reports improvement while detection falls."""
    return [
        (c, one, tpr)
        for c, one, _, tpr, _ in study.cells()
        if one is not None and tpr is not None and one.estimate.value > 0 > tpr.estimate.value
    ]


def both_marked(one: stats.Change, tpr: stats.Change) -> bool:
    return "up" in one.marks and "down" in tpr.marks


def quadrant_findings(c: Condition, drawn: Drawn, one: stats.Change, tpr: stats.Change) -> Iterator[Finding]:
    """The shape of the paper's table 1."""
    clean, edited = c.machine.source, c.machine.edited
    both = counts(machine=edited, human=c.sources)
    resample = drawn.resample
    for metric, estimate, marks in (
        ("AUROC clean", area(clean, c.sources), ()),
        ("AUROC one-sided", area(edited, c.sources), one.marks),
        ("TPR clean", rate(clean, c.tau, "TPR", resample), ()),
        ("TPR", rate(edited, c.tau, "TPR", resample), tpr.marks),
    ):
        yield Finding(QUADRANT, c.where, metric, estimate, both, marks)


def answers(study: Study, fpr: float) -> tuple[Answer, ...]:
    return (*accusations(study, fpr), *claims(study), *contradictions(study))


def accusations(study: Study, fpr: float) -> Iterator[Answer]:
    """For each detector the attack after which most human writers are accused, where that exceeds what is tolerated."""
    for detector in dict.fromkeys(c.short for c in study.conditions):
        cells = [(c, e) for c, e in zip(study.conditions, study.fpr, strict=True) if c.short == detector]
        above = [(c, e) for c, e in cells if e.low > fpr]
        if above:
            c, e = max(above, key=lambda pair: pair[1].value)
            yield Answer(
                "warning",
                f"After {name_of(c.attack)}, {detector} accuses {percent(e.value)} of human writers (95% interval "
                f"{percent(e.low)} to {percent(e.high)}, n={e.n}), where {percent(fpr)} are tolerated; after {len(above)} of "
                f"{len(cells)} edits the whole interval lies above that.",
            )


def claims(study: Study) -> Iterator[Answer]:
    one, two = tally(study.one_sided), tally(study.two_sided)
    if not two.tested:
        yield Answer("missing", "No cell has ten sources in each class, edited on both sides: no change can be tested.")
        return
    tested = f"{two.tested} two-sided cells"
    if two.gains:
        yield Answer(
            "warning" if two.corrected else "shown",
            f"'No detector gains under two-sided evaluation' does not hold here as it stands: {two.gains} of {tested} show a "
            f"gain of AUROC, {two.corrected} of them after correction for the number of cells (by chance alone "
            f"{0.025 * two.tested:.1f} are expected before it).",
        )
    else:
        yield Answer(
            "shown", f"None of {tested} shows a gain of AUROC; {one.gains} of {one.tested} one-sided cells do."
        )
    if two.undecided:
        yield Answer(
            "missing",
            f"In {two.undecided} of {tested} a gain is neither shown nor excluded: the largest that the intervals leave open is "
            f"{highest(study.two_sided):+.3f} of AUROC. 'No gain was found' is no proof that there is none.",
        )


def highest(changes: Changes) -> float:
    bounds = [c.estimate.high for c in changes if c is not None and not np.isnan(c.estimate.high)]
    return max(bounds, default=float("nan"))


def contradictions(study: Study) -> Iterator[Answer]:
    lost, gains = reversals(study)
    if gains:
        yield Answer(
            "shown", f"Of {gains} one-sided gains of AUROC, {lost} are marked losses when human text is edited too."
        )
    cells = quadrant(study)
    if cells:
        both = [c for c, one, tpr in cells if both_marked(one, tpr)]
        named = (
            f", both marked in {len(both)}: {', '.join(f'{c.short} after {name_of(c.attack)}' for c in both[:5])}"
            if both
            else ""
        )
        yield Answer(
            "warning",
            f"In {len(cells)} of {len(study.conditions)} cells AUROC rises while fewer machine texts are detected{named}.",
        )


def name_of(spec: str) -> str:
    return spec.partition("(")[0].replace("_", " ")
