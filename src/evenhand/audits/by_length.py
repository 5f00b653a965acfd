"""How short may a text be? GEDE, figure 3, under both readings of what it shows; and AUROC between texts of like length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import stats
from ..documents import DROPPED, Level, Policy
from ..errors import SpecError
from ..registry import Card, parse_spec
from ..stats import Estimate
from .base import Audit, Cell, area, by_detector, cell, counts, finding, none, percent
from .changes import Drawn
from .finding import Figure, Finding, Layout, Result, Series
from .keyed import word
from .pairs import shared_resample
from .rows import Floats, Mask, Rows, Settings
from .sides import Sides, curves, measured
from .truncation import FULL, limits_of

TABLE, MATCHED = "by_length", "by_length_matched"
ALL_LEVELS, TASK = "all levels", "Task against Human"


@dataclass(frozen=True)
class ByLength(Audit):
    name: ClassVar[str] = "by_length"
    title: ClassVar[str] = "Length"
    question: ClassVar[str] = "How do the errors change as texts get shorter, and does length itself help a detector?"
    card: ClassVar[Card] = Card(
        "AUROC and TPR by word limit; AUROC within strata of like length beside the plain one and that of length alone",
        source="GEDE, figures 3 and 12, section 4.5",
        follows="both readings: all levels under the policy, and Task against Human, which is what the published lists of "
        "texts hold below the full length; texts shorter than a limit stay in, whole, as in the paper; cut at sentence ends "
        "where the run has truncate(words=N, profile='gede')",
        pitfalls="truncate(words=N) alone cuts within a sentence; truncation (the audit) keeps to texts that every limit "
        "shortens",
    )

    strata: int = 5
    replicates: int = 2000

    def __post_init__(self) -> None:
        if isinstance(self.strata, bool) or not isinstance(self.strata, int) or self.strata < 1:
            raise SpecError(f"by_length: strata must be a whole number from 1, got {self.strata!r}")

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        sides = list(at_limits(rows, settings))
        found = measured(TABLE, sides, rows, settings, drawn, held_out=False)
        lengths, notes = words_of(rows)
        matched = list(self.matched(rows, settings, lengths)) if notes == () else []
        if not sides:
            note = "This run holds no text cut to a word limit; add attacks such as truncate(words=50, profile='gede')."
            notes = (*notes, note)
        notes = (*notes, *dropped(rows))
        figures = (*lines(found), *curves("roc-length", "word limit", sides, rows))
        return Result(self.spec, self.title, self.question, (*found, *matched), layouts(settings), figures, notes=notes)

    def matched(self, rows: Rows, settings: Settings, lengths: Floats) -> Iterator[Finding]:
        verdict = rows.positive(settings.policy)
        masks = rows.clean & (verdict == 1) & ~np.isnan(lengths), rows.clean & (verdict == 0) & ~np.isnan(lengths)
        for short, spec in by_detector(rows):
            known = ~np.isnan(rows.scores[spec])
            positive, negative = (cell(rows, spec, mask) for mask in masks)
            long, brief = (lengths[mask & known] for mask in masks)
            where, told = {"detector": short}, counts(positive=positive, negative=negative)
            yield finding(MATCHED, where, "AUROC", area(positive, negative), told)
            within = self.within(positive, negative, long, brief, settings.seed)
            yield finding(MATCHED, where, "AUROC at like length", within, told)
            alone = area(Cell(long, positive.clusters, 0), Cell(brief, negative.clusters, 0))
            yield finding(MATCHED, where, "AUROC of length alone", alone, told)

    def within(self, positive: Cell, negative: Cell, long: Floats, brief: Floats, seed: int) -> Estimate:
        """AUROC within strata of length; resampled by cluster where texts share one."""
        if not positive.n or not negative.n:
            return none("no AUROC: a class is missing")
        a, b = stats.quantile_strata(long, brief, strata=self.strata)
        if not np.intersect1d(a, b).size:
            return none("no AUROC at like length: no stratum holds both classes")
        plain = stats.matched_auroc(positive.scores, negative.scores, a, b)
        clusters = np.concatenate([positive.clusters, negative.clusters])
        if len(np.unique(clusters)) == len(clusters):
            return plain
        return stats.cluster_bootstrap(
            lambda s, y, z: stats.matched_auroc(s[y == 1], s[y == 0], z[y == 1], z[y == 0]).value,
            clusters, np.concatenate([positive.scores, negative.scores]),
            np.repeat([1, 0], [positive.n, negative.n]), np.concatenate([a, b]), replicates=min(500, self.replicates), seed=seed,
        )  # fmt: skip


def at_limits(rows: Rows, settings: Settings) -> Iterator[Sides]:
    """Both readings at every word limit, and on the whole texts that were cut (all, where no source is told)."""
    limits = limits_of(rows, "gede") or limits_of(rows)
    if not limits:
        return
    masks: dict[str, Mask] = {str(w): rows.where(attack=a, sanitizer="none") for w, a in limits.items()}
    origins = {int(i) for mask in masks.values() for i in rows.origin[mask] if i >= 0}
    masks[FULL] = np.isin(np.arange(len(rows)), sorted(origins)) if origins else rows.clean
    verdict = rows.positive(Policy(settings.policy.boundary))
    readings: Mapping[str, tuple[Mask, Mask]] = {
        ALL_LEVELS: (verdict == 1, verdict == 0),
        TASK: (rows.where(level=Level.TASK.value), rows.human),
    }
    for reading, (positive, negative) in readings.items():
        for words, mask in masks.items():
            yield Sides({"reading": reading, "words": words}, mask & positive, mask & negative)


def dropped(rows: Rows) -> Iterator[str]:
    """How many texts of each class a limit left without a sentence."""
    empty = np.array([word(meta, "edit.note").startswith(DROPPED) for meta in rows.meta], bool)
    for words, attack in limits_of(rows, "gede").items():
        mine = rows.where(attack=attack, sanitizer="none")
        if (mine & empty).any():
            n = [f"{(mine & empty & side).sum()} of {(mine & side).sum()}" for side in (rows.human, ~rows.human)]
            yield f"At {words} words {n[0]} human and {n[1]} other texts are dropped: their first sentence is too long."


def words_of(rows: Rows) -> tuple[Floats, tuple[str, ...]]:
    """Words of each text: from the run's measure, else from its texts; a note where it holds neither."""
    for spec, values in rows.measures.items():
        try:
            if parse_spec(spec)[0] == "words":
                return values, ()
        except SpecError:
            continue
    if any(text is None for text in rows.texts):
        why = "This run holds neither texts nor the measure 'words': nothing is said of like lengths."
        return np.full(len(rows), np.nan), (why,)
    return np.array([len((text or "").split()) for text in rows.texts], float), ()


def layouts(settings: Settings) -> tuple[Layout, ...]:
    return (
        Layout(
            TABLE,
            "Word limits",
            f"In sample: the threshold holds {percent(settings.policy.fpr)} of the cell's negatives. '{ALL_LEVELS}': the last "
            f"acceptable level is {settings.policy.boundary}.",
            ("reading", "detector", "metric"),
            ("words",),
        ),
        Layout(
            MATCHED,
            "Like lengths",
            "Unedited texts under the policy. At like length: positives against negatives of their own stratum of words only.",
            ("detector",),
            ("metric",),
        ),
    )


def lines(found: Sequence[Finding]) -> Iterator[Figure]:
    """Figure 3: for each reading AUROC and TPR against the word limit, one line a detector."""
    for reading in dict.fromkeys(f.where["reading"] for f in found):
        mine = [f for f in found if f.where["reading"] == reading]
        ticks = tuple(dict.fromkeys(f.where["words"] for f in mine))
        for metric in list(dict.fromkeys(f.metric for f in mine))[:2]:
            series = []
            for detector in dict.fromkeys(f.where["detector"] for f in mine):
                row = [f for f in mine if f.metric == metric and f.where["detector"] == detector]
                x = tuple(float(ticks.index(f.where["words"])) for f in row)
                y, low, high = zip(*((f.estimate.value, f.estimate.low, f.estimate.high) for f in row), strict=True)
                series.append(Series(detector, x, y, low, high))
            title = f"{metric} by word limit, {reading}"
            yield Figure(f"length-{reading}-{metric}", "line", title, "words", metric, tuple(series), ticks)
