"""What do edits do to a detector when they are made to human text too? The two-sided protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from .. import stats
from ..errors import SpecError
from ..registry import Card
from .base import Audit, Cell, area, by_detector, cell, counts, finding, none, percent, rate, thresholds
from .changes import Drawn, area_changes, marked, rate_changes
from .finding import Finding, Layout, Result
from .pairs import Condition, Pairs, attacks_of, conditions, shared_resample
from .rows import Rows, Settings
from .two_sided_claims import Study, answers, summary
from .two_sided_figures import figures

AUROC, CHANGE, TPR, FPR = "two_sided_auroc", "two_sided_change", "two_sided_tpr", "two_sided_fpr"
AUTHOR, HALF = "human author", "human author, verification half"
AFTER, ABOVE = "human by the level after the edit", "machine by the level after the edit: rightly flagged"


@dataclass(frozen=True)
class TwoSided(Audit):
    name: ClassVar[str] = "two_sided"
    title: ClassVar[str] = "Edited texts, both classes"
    question: ClassVar[str] = (
        "When human and machine texts are edited alike, what is still detected, and who is accused?"
    )
    card: ClassVar[Card] = Card(
        "One- and two-sided AUROC, TPR, and FPR on attacked human text, for every attack of a run",
        source="'Attacking Only Half the Data', tables 1, 3, 7-9, 12-14, figures 1, 2 and 6; protocol in its figure 8",
        follows="pairs only: the clean AUROC stands on the sources of the attacked texts, so that a difference is the attack's; "
        "marks from the clustered bootstrap of that difference, as in the paper, and corrected ones by max-T beside them",
        pitfalls="the attacked texts of calibration sources count too, as in the paper (the threshold never sees them); the "
        "verification half alone is printed below",
    )

    replicates: int = 2000

    def __post_init__(self) -> None:
        if self.replicates < 100:
            raise SpecError(f"two_sided: replicates must be at least 100, e.g. 2000; got {self.replicates!r}")

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        if not attacks_of(rows):
            empty = ("This run holds no attacked text; add attacks = [...] to its plan.",)
            return Result(self.spec, self.title, self.question, (), (), notes=empty)
        study = measure(rows, settings, self.replicates)
        found = [*clean_findings(rows, settings, study.drawn), *attack_findings(study)]
        all_found = (*found, *summary(rows, settings, study, found))
        return Result(
            self.spec,
            self.title,
            self.question,
            all_found,
            tuple(one for one in layouts(settings) if one.table in {f.table for f in all_found}),
            figures(study, settings.policy.fpr),
            answers(study, settings.policy.fpr),
            notes(rows, study),
        )


def measure(
    rows: Rows, settings: Settings, replicates: int, detectors: Sequence[tuple[str, str]] | None = None
) -> Study:
    """Every (detector, attack) with its changes, of all detectors or these (short name, spec); corrected marks hold over
    all cells of one protocol."""
    drawn = Drawn(shared_resample(rows, settings, replicates))
    every = tuple(conditions(rows, settings, list(by_detector(rows)) if detectors is None else detectors))
    return Study(
        drawn,
        every,
        one_sided=area_changes(drawn, [(c.machine.edited, c.sources, c.machine.source, c.sources) for c in every]),
        two_sided=area_changes(
            drawn, [(c.machine.edited, c.human.edited, c.machine.source, c.human.source) for c in every]
        ),
        tpr=rate_changes(drawn, [(c.machine.edited, c.machine.source, c.tau) for c in every]),
        fpr=tuple(rate(c.human.every, c.tau, "FPR", drawn.resample) for c in every),
    )


def clean_findings(rows: Rows, settings: Settings, drawn: Drawn) -> list[Finding]:
    """FPR of each detector on unedited human texts of the half that its threshold was not set on."""
    tau, found = thresholds(rows, settings), []
    verify = rows.clean & rows.human & (rows.half(settings.seed) == "verification")
    for short, spec in by_detector(rows):
        human = cell(rows, spec, verify)
        where = {"detector": short, "reading": HALF, "attack": "none"}
        estimate = rate(human, tau[spec].value, "FPR", drawn.resample)
        found.append(finding(FPR, where, "FPR", estimate, counts(human=human)))
    return found


def attack_findings(study: Study) -> list[Finding]:
    found: list[Finding] = []
    for c, one, two, tpr, fpr in study.cells():
        found += area_findings(c, one, two)
        found += rate_findings(c, tpr, fpr, study.drawn.resample)
    return found


def area_findings(c: Condition, one: stats.Change | None, two: stats.Change | None) -> list[Finding]:
    def told(protocol: str, machine: Cell, human: Cell) -> Finding:
        where = {**c.where, "protocol": protocol}
        here = counts(machine=machine, human=human) | unpaired(c.machine, "machine")
        return finding(AUROC, where, "AUROC", area(machine, human), here | unpaired(c.human, "human"))

    found = [
        told("clean", c.machine.source, c.sources),
        marked(told("one-sided", c.machine.edited, c.sources), one),
        marked(told("two-sided", c.machine.edited, c.human.edited), two),
    ]
    found += [changed(c, "change of AUROC, one-sided", one), changed(c, "change of AUROC, two-sided", two)]
    return found


def rate_findings(
    c: Condition, change: stats.Change | None, fpr: stats.Estimate, resample: stats.Resample
) -> list[Finding]:
    machine = counts(machine=c.machine.edited) | unpaired(c.machine, "machine")
    before = rate(c.machine.source, c.tau, "TPR", resample)
    after = rate(c.machine.edited, c.tau, "TPR", resample)
    found = [
        finding(TPR, {**c.where, "texts": "unedited"}, "TPR", before, counts(machine=c.machine.source)),
        marked(finding(TPR, {**c.where, "texts": "edited"}, "TPR", after, machine), change),
        changed(c, "change of TPR", change),
        finding(FPR, {**c.where, "reading": AUTHOR}, "FPR", fpr, counts(human=c.human.every)),
    ]
    readings = [(HALF, "FPR", c.verify)] if c.verify.n else []
    if c.after:
        readings += [(AFTER, "FPR", c.after[0]), (ABOVE, "TPR", c.after[1])]
    for reading, metric, some in readings:
        estimate = rate(some, c.tau, metric, resample)
        found.append(finding(FPR, {**c.where, "reading": reading}, metric, estimate, counts(human=some)))
    return found


def changed(c: Condition, metric: str, change: stats.Change | None) -> Finding:
    """The change itself, as figures 2 and 6 draw it."""
    estimate = none("no change: a class is empty, edited or not") if change is None else change.estimate
    return marked(finding(CHANGE, c.where, metric, estimate, {}), change)


def unpaired(pairs: Pairs, label: str) -> dict[str, int]:
    return {f"{label} without a scored source": pairs.alone} if pairs.alone else {}


def layouts(settings: Settings) -> tuple[Layout, ...]:
    tolerated = percent(settings.policy.fpr)
    marks = "Marks: the 95% interval of the change excludes zero, and the same after max-T over all cells of that kind."
    return (
        Layout(
            "two_sided_summary",
            "The result in numbers",
            "What the two-sided protocol changes, and what these texts say about the claims made for it.",
            ("what",),
            ("corpus",),
        ),
        Layout(
            AUROC,
            "AUROC",
            "Clean: the unedited sources. One-sided: edited machine text against unedited human text, as the field reports it. "
            f"Two-sided: both edited. {marks}",
            ("detector", "protocol"),
            ("attack",),
        ),
        Layout(
            TPR,
            "Machine texts detected",
            f"Share of machine texts above the threshold that is set for {tolerated} of the unedited human texts of the "
            f"calibration half. {marks}",
            ("detector", "texts"),
            ("attack",),
        ),
        Layout(
            FPR,
            "Human texts accused",
            f"Share of human texts above the same threshold; {tolerated} are tolerated. A human text that a model edited is "
            "counted under both readings where the policy calls it machine text afterwards: as accused, and as rightly flagged.",
            ("detector", "reading"),
            ("attack",),
        ),
        Layout(
            CHANGE,
            "Changes",
            "Edited less unedited, both from the same resampled sources; the threshold of the TPR is held fixed.",
            ("detector", "metric"),
            ("attack",),
        ),
        Layout(
            "two_sided_quadrant",
            "AUROC up, detection down",
            "Cells in which edited machine text raises the one-sided AUROC while fewer machine texts are detected.",
            ("detector", "attack"),
            ("metric",),
        ),
    )


def notes(rows: Rows, study: Study) -> tuple[str, ...]:
    """What the protocol could not do here, and which texts an attack left as they were."""
    told: list[str] = []
    for attack in attacks_of(rows):
        some: Sequence[Condition] = [c for c in study.conditions if c.attack == attack]
        for label, sides in (("human", [c.human for c in some]), ("machine", [c.machine for c in some])):
            told += sides_told(attack, label, sides)
        same = rows.where(attack=attack, sanitizer="none") & (rows.origin >= 0)
        left = int((rows["digest"][same] == rows["digest"][rows.origin[same]]).sum())
        if left and "" not in rows["digest"][same]:
            told.append(f"{attack}: {left} of {int(same.sum())} texts hold nothing to edit, and count as they are.")
    return tuple(told)


def sides_told(attack: str, label: str, sides: Sequence[Pairs]) -> list[str]:
    if not any(side.every.n + side.every.missing for side in sides):
        return [f"{attack}: no {label} text was edited; only one side can be told."]
    if not any(side.known for side in sides):
        return [f"{attack}: no edited {label} text names its source; compared with all unedited ones, unpaired."]
    alone = max(side.alone for side in sides)
    return (
        [f"{attack}: up to {alone} edited {label} texts have no scored source; no comparison holds them."]
        if alone
        else []
    )
