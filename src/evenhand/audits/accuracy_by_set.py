"""How often is a detector right on each test set? IDMGSP, tables 3, A2 and A3, with what their 'accuracy' is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, ClassVar, Literal

import numpy as np

from ..errors import SpecError
from ..registry import Card, format_spec, parse_spec
from ..stats import Estimate
from .answers import UNKNOWN
from .base import Audit, by_detector, none, percent, thresholds, wilson, yes_or_no
from .finding import Answer, Finding, Layout, Result
from .papers import DERIVED, SETS, fake, sets_of
from .rows import Floats, Mask, Rows, Settings

TABLE = "accuracy_by_set"
ACCURACY, STRICT, RECALL, SPECIFICITY = (
    "accuracy",
    "accuracy, unknown counted wrong",
    "recall of fake",
    "specificity of real",
)
UNTRAINED = "-"
Cutting = Literal["own", "calibrated"]


@dataclass(frozen=True)
class AccuracyBySet(Audit):
    """``sets``: the column or meta entry that names a text's test sets, or 'derived' (IDMGSP's table 2 from label, generator and
    parsing). ``cut``: 'own', a trained detector's own threshold (even odds), or 'calibrated', the policy's FPR on the clean
    human texts of the calibration half, for all; detectors without an own one are calibrated. ``training``: the name of what this
    run's detectors learnt from, such as 'TRAIN-CG', where the run does not tell it itself."""

    name: ClassVar[str] = "accuracy_by_set"
    title: ClassVar[str] = "Accuracy by test set"
    question: ClassVar[str] = "How often is each detector right on each test set, and on which class?"
    card: ClassVar[Card] = Card(
        "Accuracy, recall of fake and specificity of real papers for each detector, training set and test set",
        source="IDMGSP, tables 3, A2 and A3",
        follows="co-created papers count as fake, as there. The paper counts a chat model's 'unknown' as wrong and leaves out "
        "what could not be read: that is a row of its own here. "
        "Wilson intervals; where papers share a cluster, exact bounds of the clusters",
        pitfalls="OOD-REAL holds one class and OOD-GPT3, TECG and TEST-CC the other, so their accuracy is specificity or recall: "
        "a detector that always says 'fake' has 100% on three of five sets. Accuracy on TEST hangs on its half of real papers",
    )

    sets: str = DERIVED
    cut: Cutting = "own"
    training: str = ""

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        sets, cuts = sets_of(rows, self.sets), decisions(rows, settings, self.cut)
        found = [
            f
            for short, spec in by_detector(rows)
            for f in self.of_detector(short, spec, cuts[spec], sets, rows, settings)
        ]
        layout = Layout(
            TABLE,
            "Right answers",
            "Of the scored papers. Sets that hold one class show recall or specificity, which is their accuracy.",
            ("detector", "training", "cut", "metric"),
            ("set",),
        )
        answers, notes = tuple(said(found)), tuple(outside(rows, sets))
        return Result(self.spec, self.title, self.question, tuple(found), (layout,), answers=answers, notes=notes)

    def of_detector(
        self, short: str, spec: str, cut: Cut, sets: Mapping[str, Mask], rows: Rows, settings: Settings
    ) -> Iterator[Finding]:
        detector, training = trained(short, spec, settings, self.training)
        for name, members in sets.items():
            where = {"detector": detector, "training": training, "cut": cut.said, "set": name}
            yield from cells(where, judged(rows, spec, members & cut.usable, cut.value))


def outside(rows: Rows, sets: Mapping[str, Mask]) -> Iterator[str]:
    """What no set counts: by 'derived', machine papers that name no generator, and human ones that a machine has edited."""
    left = rows.clean & np.isin(rows["label"], ("human", "machine", "mixed")) & ~np.any(list(sets.values()), axis=0)
    if left.any():
        yield f"{int(left.sum())} unedited texts of known label are in none of these sets."


@dataclass(frozen=True)
class Cut:
    """``usable``: rows whose cluster has no text that set the threshold."""

    value: float
    said: str
    usable: Mask


@dataclass(frozen=True)
class Judged:
    """``right``: NaN where not scored, else 1 or 0; ``fake``: the class; ``clusters``; who ``abstained``, and of these who said
    'unknown', of each row."""

    right: Floats
    fake: Mask
    clusters: np.ndarray
    abstained: Mask
    unknown: Mask

    def of(self, mask: Mask) -> Judged:
        return Judged(self.right[mask], self.fake[mask], self.clusters[mask], self.abstained[mask], self.unknown[mask])

    @property
    def scored(self) -> Mask:
        return ~np.isnan(self.right)


def decisions(rows: Rows, settings: Settings, cut: Cutting) -> dict[str, Cut]:
    """For each detector the score above which it says 'fake'."""
    every = np.ones(len(rows), np.bool_)
    unused = rows.half(settings.seed) == "verification"
    limits = thresholds(rows, settings)
    found = {}
    for spec in rows.scores:
        own = own_threshold(rows.scores[spec], about(spec, settings))
        if cut == "own" and own is not None:
            found[spec] = Cut(own, "own", every)
        else:
            found[spec] = Cut(limits[spec].value, f"{percent(settings.policy.fpr)} FPR", unused)
    return found


def own_threshold(scores: Floats, told: Mapping[str, Any]) -> float | None:
    """What the run notes of a trained detector; one half where every score is an answer, 0 or 1."""
    if isinstance(threshold := told.get("threshold"), int | float):
        return float(threshold)
    return 0.5 if yes_or_no(scores) else None


def about(spec: str, settings: Settings) -> Mapping[str, Any]:
    """Of a column of an evaluation, where nothing is told of it, what is told of its detector."""
    return settings.about(spec) or settings.about(untrained(spec)[0])


def untrained(spec: str) -> tuple[str, str]:
    """A spec without, and the value of, the ``trained_on`` by which an evaluation names its columns."""
    try:
        name, parameters = parse_spec(spec)
    except SpecError:
        return spec, ""
    training = str(parameters.pop("trained_on", ""))
    return (format_spec(name, parameters) if parameters else name) if training else spec, training


def trained(short: str, spec: str, settings: Settings, named: str = "") -> tuple[str, str]:
    """(detector, training set) as a table names them: by the evaluation, by a saved detector's folder, or, of the run's own
    training split, as it was ``named``, else by its counts."""
    told, (bare, fold) = about(spec, settings), untrained(spec)
    if fold:
        return bare, fold
    if saved := told.get("saved"):
        return str(saved), PurePath(str(parse_spec(spec)[1].get("path", ""))).name
    training = told.get("training")
    if not training:
        return short, UNTRAINED
    counts = f"{training.get('negative', '?')} real, {training.get('positive', '?')} fake"
    return short, str(named or training.get("set") or training.get("evaluation") or counts)


def judged(rows: Rows, spec: str, members: Mask, threshold: float) -> Judged:
    scores, classes = rows.scores[spec][members], fake(rows)[members]
    flags = np.where(np.isnan(scores) | np.isnan(threshold), np.nan, scores > threshold)
    right = np.where(np.isnan(flags), np.nan, flags == classes)
    abstained = rows.status[spec][members] == "abstained"
    unknown = abstained & (rows.reason[spec][members] == UNKNOWN)
    return Judged(right, classes, rows.clusters[members], abstained, unknown)


def cells(where: Mapping[str, str], every: Judged) -> Iterator[Finding]:
    real, made = every.of(~every.fake), every.of(every.fake)
    told = {name: int(one.scored.sum()) for name, one in (("real", real), ("fake", made)) if len(one.right)}
    silent, lost = int(every.abstained.sum()), int((~every.scored & ~every.abstained).sum())
    told |= {name: n for name, n in (("abstained", silent), ("failed", lost)) if n}
    if len(real.right) and len(made.right):
        yield Finding(TABLE, dict(where), ACCURACY, share(every, ACCURACY), told)
    if len(made.right):
        yield Finding(TABLE, dict(where), RECALL, share(made, RECALL), told)
    if len(real.right):
        yield Finding(TABLE, dict(where), SPECIFICITY, share(real, SPECIFICITY), told)
    if every.unknown.any():
        strict = replace(every, right=np.where(every.unknown, 0.0, every.right))
        yield Finding(TABLE, dict(where), STRICT, share(strict, STRICT), told)


def share(one: Judged, what: str) -> Estimate:
    right, clusters = one.right[one.scored], one.clusters[one.scored]
    if not len(right):
        return none(f"no {what}: no paper of that class was scored")
    return wilson(right == 1, clusters, what)


def said(found: list[Finding]) -> Iterator[Answer]:
    """For each detector: whether it is right because it knows, or because a set holds the class that it always names."""
    for key in dict.fromkeys((f.where["detector"], f.where["training"]) for f in found):
        mine = [f for f in found if (f.where["detector"], f.where["training"]) == key and f.estimate.n]
        recalls = [f.estimate for f in mine if f.metric == RECALL]
        specificities = [f.estimate for f in mine if f.metric == SPECIFICITY]
        if recalls and specificities:
            bounds = [percent(value) for value in sorted({e.value for e in recalls})]
            caught = f"between {bounds[0]} and {bounds[-1]}" if len(bounds) > 1 else bounds[0]
            least = min(specificities, key=lambda e: e.value)
            learnt = "" if key[1] == UNTRAINED else f" (trained on {key[1]})"
            yield Answer(
                "shown",
                f"{key[0]}{learnt}: {caught} of the fake papers of a set are caught; on the set where it fares worst "
                f"{percent(1 - least.value)} of the real ones are accused "
                f"(95% interval {percent(1 - least.high)} to {percent(1 - least.low)}, n = {least.n}).",
            )
    if not any(f.where["set"] in SETS for f in found):
        yield Answer("warning", "None of these test sets has a name of IDMGSP's table 2.")
