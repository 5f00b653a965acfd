"""What do edits do to a detector when they are made to human text too? The two-sided protocol."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from .. import stats
from ..registry import Card
from .base import Audit, Cell, area, by_detector, cell, counts, finding, percent, rate, thresholds
from .finding import Answer, Finding, Layout, Result
from .rows import Mask, Rows, Settings


@dataclass(frozen=True)
class TwoSided(Audit):
    name: ClassVar[str] = "two_sided"
    title: ClassVar[str] = "Edited texts, both classes"
    question: ClassVar[str] = (
        "When human and machine texts are edited alike, what is still detected, and who is accused?"
    )
    card: ClassVar[Card] = Card(
        "One- and two-sided AUROC, TPR, and FPR on attacked human text, for every attack of a run",
        source="'Attacking Only Half the Data', tables 1, 7-9, 12-14; protocol in its figure 8",
        follows="clean AUROC on the same sources as the attacked one, so that a difference is the attack's; marks from the "
        "clustered bootstrap of that difference",
        pitfalls="the attacked texts of calibration sources count too, as in the paper; the threshold never sees them",
    )

    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        tau = thresholds(rows, settings)
        attacks = [a for a in rows.values("attack", rows.where(sanitizer="none")) if a != "none"]
        findings: list[Finding] = []
        for attack in attacks:
            for short, spec in by_detector(rows):
                findings += self.one(rows, settings, attack, short, spec, tau[spec].value)
        layout = Layout(
            "two_sided",
            "Edited texts",
            "One-sided: edited machine text against clean human text, as the field reports it. Two-sided: both edited. "
            "Clean: the same sources unedited. Marks: a difference to clean whose 95% interval excludes zero.",
            ("attack", "metric"),
            ("detector",),
        )
        return Result(
            self.spec,
            self.title,
            self.question,
            tuple(findings),
            (layout,),
            answers=tuple(self.answers(findings, settings.policy.fpr)),
            notes=() if attacks else ("This run holds no attacked text.",),
        )

    def one(self, rows: Rows, settings: Settings, attack: str, short: str, spec: str, tau: float) -> list[Finding]:
        human, machine, clean_human, clean_machine = masks(rows, settings, attack)
        cells = {
            name: cell(rows, spec, mask)
            for name, mask in zip("hmHM", (human, machine, clean_human, clean_machine), strict=True)
        }
        h, m, H, M = (cells[name] for name in "hmHM")
        where = {"attack": attack, "detector": short}
        one, two = area(m, H), area(m, h)
        both = counts(machine=m, human=h)
        found = [
            finding("two_sided", where, "AUROC clean", area(M, H), counts(machine=M, human=H)),
            marked(
                finding("two_sided", where, "AUROC one-sided", one, counts(machine=m, human=H)), self.change(M, H, m, H)
            ),
            marked(finding("two_sided", where, "AUROC two-sided", two, both), self.change(M, H, m, h)),
            finding("two_sided", where, "TPR clean", rate(M, tau, "TPR"), counts(machine=M)),
            finding("two_sided", where, "TPR", rate(m, tau, "TPR"), counts(machine=m)),
            finding("two_sided", where, "FPR on edited human text", rate(h, tau, "FPR"), counts(human=h)),
        ]
        after = human & (rows.positive(settings.policy, after=True) == 1)
        if after.any():
            kept = cell(rows, spec, human & ~after)
            found.append(
                finding(
                    "two_sided", where, "FPR, by the level after the edit", rate(kept, tau, "FPR"), counts(human=kept)
                )
            )
        return found

    def change(self, M: Cell, H: Cell, m: Cell, h: Cell) -> stats.Difference | None:
        """AUROC(m, h) - AUROC(M, H), both from one resample of clusters; None where a class is empty."""
        if not all(c.n for c in (M, H, m, h)):
            return None
        groups = [M, H, m, h]
        kind = np.concatenate([np.full(c.n, i) for i, c in enumerate(groups)])
        scores = np.concatenate([c.scores for c in groups])
        clusters = np.concatenate([c.clusters for c in groups])

        def difference(s: np.ndarray, k: np.ndarray) -> float:
            parts = [s[k == i] for i in range(4)]
            return fast_auroc(parts[2], parts[3]) - fast_auroc(parts[0], parts[1])

        return stats.cluster_bootstrap(difference, clusters, scores, kind, replicates=self.replicates)

    def answers(self, findings: list[Finding], fpr: float) -> list[Answer]:
        told = []
        accused = [f for f in findings if f.metric == "FPR on edited human text" and f.estimate.low > fpr]
        for one in accused:
            told.append(
                Answer(
                    "warning",
                    f"After {name_of(one.where['attack'])}, {one.where['detector']} accuses {percent(one.estimate.value)} of "
                    f"human writers (95% interval {percent(one.estimate.low)} to {percent(one.estimate.high)}, "
                    f"n={one.estimate.n}), where {percent(fpr)} are tolerated.",
                )
            )
        return told


def masks(rows: Rows, settings: Settings, attack: str) -> tuple[Mask, Mask, Mask, Mask]:
    """(attacked human, attacked machine, and their sources: clean human, clean machine)."""
    positive = rows.positive(settings.policy) == 1
    edited = rows.where(attack=attack, sanitizer="none")
    human, machine = edited & rows.human, edited & positive
    sources = set(rows["source_id"][edited])
    source = rows.clean & np.isin(rows["id"], list(sources))
    return human, machine, source & rows.human, source & positive


def fast_auroc(positive: np.ndarray, negative: np.ndarray) -> float:
    """The value alone, by searching sorted negatives: what a bootstrap replicate needs."""
    if not len(positive) or not len(negative):
        return float("nan")
    ordered = np.sort(negative)
    below = np.searchsorted(ordered, positive, "left") + np.searchsorted(ordered, positive, "right")
    return float(below.sum() / (2 * len(positive) * len(negative)))


def marked(one: Finding, change: stats.Difference | None) -> Finding:
    """The finding with its mark: up or down where the interval of the difference to clean excludes zero."""
    if change is None or np.isnan(change.low):
        return one
    mark = ("up",) if change.low > 0 else ("down",) if change.high < 0 else ()
    told = f"change {change.value:+.3f} [{change.low:+.3f}, {change.high:+.3f}]"
    return replace(one, marks=mark, note=one.note or told)


def name_of(spec: str) -> str:
    return spec.partition("(")[0].replace("_", " ")
