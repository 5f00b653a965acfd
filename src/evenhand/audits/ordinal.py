"""Does the score rise with the machine's part? C-index, tau-b, quadratic kappa, and the AUROC of every two levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import stats
from ..documents import Level
from ..registry import Card
from ..stats import Estimate
from ..stats.means import bootstrap_means
from .base import Audit, Cell, by_detector, cell, counts, finding, none
from .boundary import absent
from .finding import Answer, Figure, Finding, Layout, Result, Series
from .rows import Mask, Rows, Settings
from .sides import of_level

TABLE, MATRIX = "ordinal", "ordinal_pairs"
EVERY, MERGED = "eight levels", "merged into task"


@dataclass(frozen=True)
class Scale:
    """Levels as numbers 0 .. k-1."""

    name: str
    k: int
    codes: np.ndarray

    @classmethod
    def both(cls, rows: Rows) -> tuple[Scale, Scale]:
        """All levels apart, and with rewrite-llm and humanize counted as task."""
        codes = np.full(len(rows), -1)
        for level in Level:
            codes[of_level(rows, level)] = level.order
        merged = np.minimum(codes, Level.TASK.order)
        return cls(EVERY, len(Level), codes), cls(MERGED, Level.TASK.order + 1, merged)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(level.value for level in Level)[: self.k]


@dataclass(frozen=True)
class Ordinal(Audit):
    name: ClassVar[str] = "ordinal"
    title: ClassVar[str] = "The scale of contribution"
    question: ClassVar[str] = "Does a detector's score tell how much a machine had part, beyond whether it had?"
    card: ClassVar[Card] = Card(
        "C-index, Kendall's tau-b, quadratic kappa and mean error of levels cut from scores, pairwise AUROCs",
        source="levels: GEDE, section 3.1; statistics: Harrell; Kendall 1945; Cohen 1968; isotonic cuts",
        follows="cuts are learnt on the clusters of the calibration half and judged on the others; printed also with "
        "rewrite-llm and humanize as task, since they are not 'less human' than task for every reader",
        pitfalls="all but the pairwise AUROCs hang on how many texts each level has",
    )

    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        calibration = rows.half(settings.seed) == "calibration"
        found: list[Finding] = []
        for short, spec in by_detector(rows):
            for scale in Scale.both(rows):
                found += self.one(rows, settings, (short, spec), scale, calibration)
        return Result(
            self.spec, self.title, self.question, tuple(found), layouts(), tuple(heatmaps(found)), tuple(said(found)),
            absent(rows),
        )  # fmt: skip

    def one(
        self, rows: Rows, settings: Settings, detector: tuple[str, str], scale: Scale, calibration: Mask
    ) -> Iterator[Finding]:
        short, spec = detector
        where = {"detector": short, "scale": scale.name}
        every, levels = on_scale(rows, spec, scale, scale.codes >= 0)
        if len(np.unique(levels)) < 2:
            yield finding(TABLE, where, "C-index", none("no order: texts of fewer than two levels were scored"), {})
            return
        told = counts(texts=every)
        yield finding(TABLE, where, "C-index", stats.c_index(every.scores, levels, clusters=every.clusters), told)
        yield finding(TABLE, where, "tau-b", stats.kendall_tau_b(every.scores, levels, clusters=grouped(every)), told)
        learn, verify = (on_scale(rows, spec, scale, (scale.codes >= 0) & half) for half in (calibration, ~calibration))
        yield from self.cut(where, learn, verify, scale.k, settings.seed)
        pairs = stats.auroc_matrix(every.scores, levels, clusters=every.clusters)
        sizes = np.bincount(levels, minlength=scale.k)
        for (low, high), area in pairs.items():
            names = {"lower": scale.names[int(low)], "higher": scale.names[int(high)]}
            both = {names["lower"]: int(sizes[int(low)]), names["higher"]: int(sizes[int(high)])}
            yield finding(MATRIX, {**where, **names}, "AUROC", area, both)

    def cut(
        self,
        where: dict[str, str],
        learn: tuple[Cell, np.ndarray],
        verify: tuple[Cell, np.ndarray],
        k: int,
        seed: int,
    ) -> Iterator[Finding]:
        """Kappa and mean error of levels on the verification clusters, by cuts from the calibration clusters."""
        (known, levels), (judged, truth) = learn, verify
        if not known.n or not judged.n:
            why = none("no cuts: a half holds no scored text with a level")
            yield finding(TABLE, where, "quadratic kappa", why, {})
            return
        predicted = stats.cut_levels(judged.scores, stats.isotonic_cuts(known.scores, levels, k))
        told = counts(texts=judged) | {"texts that set the cuts": known.n}
        draw = {"replicates": self.replicates, "seed": seed}
        for name, balanced in (("quadratic kappa", False), ("quadratic kappa, levels alike", True)):
            kappa = stats.quadratic_weighted_kappa(
                truth, predicted, k, clusters=grouped(judged), balanced=balanced, **draw
            )
            yield finding(TABLE, where, name, kappa, told)
        yield finding(TABLE, where, "mean level error", mean_error(judged, truth, predicted, k, **draw), told)


def grouped(one: Cell) -> np.ndarray | None:
    """The clusters of texts that share some; None where every text stands alone, and the statistic need not know."""
    return None if one.independent else one.clusters


def mean_error(judged: Cell, truth: np.ndarray, predicted: np.ndarray, k: int, replicates: int, seed: int) -> Estimate:
    """Mean distance of true and predicted level; resampled by cluster where texts share one."""
    if judged.independent:
        return stats.mean_level_error(truth, predicted, k)
    resample = stats.resample_clusters(judged.clusters, replicates=replicates, seed=seed)
    distances = stats.rows(resample, np.abs(truth - predicted), judged.clusters)
    return bootstrap_means([distances], resample).estimates()[0]


def on_scale(rows: Rows, spec: str, scale: Scale, mask: Mask) -> tuple[Cell, np.ndarray]:
    """The scored texts of ``mask`` and their levels as numbers."""
    known = mask & ~np.isnan(rows.scores[spec])
    return cell(rows, spec, mask), scale.codes[known]


def layouts() -> tuple[Layout, ...]:
    return (
        Layout(
            TABLE,
            "Order",
            "C-index: chance that of two texts of different levels the one with more of a machine scores higher; .5 is chance. "
            "Kappa and mean error: levels cut from scores, cuts from the calibration clusters, judged on the others.",
            ("detector", "scale"),
            ("metric",),
        ),
        Layout(
            MATRIX,
            "Every two levels",
            "AUROC of the higher level against the lower.",
            ("detector", "scale", "lower"),
            ("higher",),
        ),
    )


def heatmaps(found: Sequence[Finding]) -> Iterator[Figure]:
    """For each detector the AUROC of all pairs of levels; the lower level is the row."""
    cells = [f for f in found if f.table == MATRIX and f.where["scale"] == EVERY]
    for detector in dict.fromkeys(f.where["detector"] for f in cells):
        mine = [f for f in cells if f.where["detector"] == detector]
        there = {f.where[side] for f in mine for side in ("lower", "higher")}
        names = [str(level) for level in Level if str(level) in there]
        series = []
        for lower in names[:-1]:
            row = [f for f in mine if f.where["lower"] == lower]
            x = tuple(float(names.index(f.where["higher"])) for f in row)
            series.append(Series(lower, x, tuple(f.estimate.value for f in row)))
        title = f"{detector}: AUROC of the level of the column against that of the row"
        yield Figure(
            f"ordinal-{detector}", "heatmap", title, "higher level", "lower level", tuple(series), tuple(names)
        )


def said(found: Sequence[Finding]) -> Iterator[Answer]:
    for one in found:
        if one.metric != "C-index" or one.where["scale"] != EVERY:
            continue
        e, name = one.estimate, one.where["detector"]
        if np.isnan(e.low):
            yield Answer("missing", f"{name}: the order of levels cannot be judged ({e.method}).")
            continue
        verdict = "rises with" if e.low > 0.5 else "falls with" if e.high < 0.5 else "is not shown to follow"
        yield Answer(
            "missing" if e.low <= 0.5 <= e.high else "shown",
            f"{name}: the score {verdict} the machine's part (C-index {e.value:.2f}, 95% interval {e.low:.2f} to {e.high:.2f}, "
            f"{e.n} clusters).",
        )
