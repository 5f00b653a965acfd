"""What detectors that answer yes or no said, and how often they were right: 'unknown' counted as IDMGSP does, and as none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ..registry import Card
from ..stats import Estimate
from .base import Audit, by_detector, finding, none, percent, wilson, yes_or_no
from .finding import Answer, Finding, Layout, Result
from .rows import Mask, Rows, Settings

TABLE = "answers"
UNKNOWN = "the model answered 'unknown'"
"""How the score rows of prompted detectors say so (a test holds both spellings together)."""
ASKED = (UNKNOWN, "the answer could not be read", "the answer was cut off", "no answer")
"""How the reasons of an answer that gave no verdict begin."""
Counting = Literal["both", "wrong", "abstain"]
ALL = "all"


@dataclass(frozen=True)
class Answers(Audit):
    """``unknown``: 'wrong' (the paper's counting), 'abstain' (left out), or 'both'. Answers that cannot be read, and texts that
    got none, leave the denominator, as in the paper; they have columns of their own."""

    name: ClassVar[str] = "answers"
    title: ClassVar[str] = "Yes, no, and unknown"
    question: ClassVar[str] = "What did detectors that give a verdict and no score answer, and how often was it right?"
    card: ClassVar[Card] = Card(
        "Accuracy, recall and specificity of detectors whose score is 1 or 0; 'unknown' counts as wrong, and as an abstention",
        source="IDMGSP, tables 3 and A3 (accuracies of prompted models)",
        follows="one column set for all unedited texts and one a corpus; Wilson intervals, as the table's cells are shares of "
        "about 100 texts: 80 of 100 has an interval of 71% to 87%; where texts share a cluster, exact bounds of the clusters",
        pitfalls="where a test set holds one class, accuracy is that class's recall or specificity; accuracy depends on the mix "
        "of classes",
    )

    unknown: Counting = "both"

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        found = [one for short, spec in verdicts(rows) for one in self.one(rows, settings, short, spec)]
        if not found:
            note = "No detector of this run answers yes or no (a score of 1 or 0)."
            return Result(self.spec, self.title, self.question, (), (), notes=(note,))
        layout = Layout(
            TABLE,
            "Verdicts",
            "Unedited texts. Accuracy is of the answers that could be read; recall is of texts above the policy's boundary, "
            "specificity of those it accepts.",
            ("detector", "texts"),
            ("metric",),
        )
        return Result(self.spec, self.title, self.question, tuple(found), (layout,), answers=tuple(said(found)))

    def one(self, rows: Rows, settings: Settings, short: str, spec: str) -> Iterator[Finding]:
        positive = rows.positive(settings.policy)
        judged = rows.clean & (positive >= 0)
        corpora = sorted(set(rows.values("corpus", judged)))
        sets = {ALL: judged} | ({c: judged & rows.where(corpus=c) for c in corpora} if len(corpora) > 1 else {})
        for texts, mask in sets.items():
            yield from self.cells(rows, {"detector": short, "texts": texts}, spec, mask, positive == 1)

    def cells(self, rows: Rows, where: dict[str, str], spec: str, mask: Mask, machine: Mask) -> Iterator[Finding]:
        score, status = rows.scores[spec], rows.status[spec]
        answered = mask & (status == "ok")
        unknown = mask & (status == "abstained") & (rows.reason[spec] == UNKNOWN)
        lost, unread = mask & (status == "failed"), mask & (status == "abstained") & ~unknown
        right = answered & ((score == 1) == machine)
        n = int(mask.sum())
        for metric, part in (("unknown", unknown), ("unreadable", unread), ("no answer", lost)):
            yield finding(TABLE, where, metric, share(rows, part, mask, metric), {"texts": n})
        for name, wrong in (("wrong", unknown), ("abstain", np.zeros(len(rows), bool))):
            if self.unknown not in ("both", name):
                continue
            for metric, among in (("accuracy", mask), ("recall", mask & machine), ("specificity", mask & ~machine)):
                of = (answered | wrong) & among
                value = share(rows, right, of, metric)
                yield finding(TABLE, where, f"{metric}, unknown {NAMES[name]}", value, {"texts": int(of.sum())})


NAMES = {"wrong": "counted wrong", "abstain": "left out"}


def verdicts(rows: Rows) -> Iterator[tuple[str, str]]:
    """Detectors all of whose scores are 1 or 0, and those that were asked and never gave one."""
    for short, spec in by_detector(rows):
        if yes_or_no(rows.scores[spec]) or mute(rows, spec):
            yield short, spec


def mute(rows: Rows, spec: str) -> bool:
    told = any(str(reason).startswith(ASKED) for reason in rows.reason[spec])
    return told and bool(np.isnan(rows.scores[spec]).all())


def share(rows: Rows, part: Mask, of: Mask, what: str) -> Estimate:
    return wilson(part[of], rows.clusters[of], what) if of.any() else none(f"no {what}: no text of that kind")


def said(found: list[Finding]) -> Iterator[Answer]:
    """One sentence a detector, two where the countings of 'unknown' part."""
    of_all = [one for one in found if one.where["texts"] == ALL and one.metric.startswith("accuracy")]
    for detector in dict.fromkeys(one.where["detector"] for one in of_all):
        told: dict[tuple[float, int], Finding] = {}
        for one in of_all:
            if one.where["detector"] == detector and one.estimate.n:
                told.setdefault((one.estimate.value, one.estimate.n), one)
        yield from (verdict(one) for one in told.values())
        if not told:
            yield Answer("missing", f"{detector}: not one answer could be read, so nothing is known of it.")


def verdict(one: Finding) -> Answer:
    value = one.estimate
    right = f"{percent(value.value)} right (95% interval {percent(value.low)} to {percent(value.high)}, n={value.n})"
    said = f"{one.where['detector']}, {one.metric.partition(', ')[2]}: {right}"
    if value.low > 0.5:
        return Answer("shown", f"{said}.")
    return Answer("warning", f"{said}; that is not shown to be better than chance where both classes are as many.")
