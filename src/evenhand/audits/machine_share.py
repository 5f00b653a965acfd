"""Does a detector see how much of a paper a machine wrote, and in which sections? What IDMGSP's one number for TEST-CC hides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from .. import stats
from ..errors import DataError, SpecError
from ..registry import Card
from ..sections import SECTIONS
from ..stats import Estimate
from ..stats.decisions import clustered_share, family_level
from .accuracy_by_set import Cut, Cutting, decisions, trained
from .base import Audit, by_detector, cell, counts, finding, none, percent, share
from .finding import Answer, Figure, Finding, Layout, Result, Series
from .papers import paraphrased
from .rows import Mask, Rows, Settings

SHARES, SUBSETS, ADDED = "machine_share", "machine_sections", "machine_sections_added"
ADDED_FLAGS, ADDED_SCORE = "share flagged, with less without", "mean score, with less without"
FLAGGED, SCORE, TREND = "flagged", "mean score less that of the human papers", "Somers' D of score and share"


@dataclass(frozen=True)
class MachineShare(Audit):
    """``bins``: bounds of the shares between none and all of a text. ``cut``, ``training``: as in accuracy_by_set."""

    name: ClassVar[str] = "machine_share"
    title: ClassVar[str] = "The machine's share"
    question: ClassVar[str] = (
        "How much of a paper must a machine have written, and which sections, for a detector to flag it?"
    )
    card: ClassVar[Card] = Card(
        "Share of papers flagged by the share of their characters that a machine wrote and by the sections it wrote; what one "
        "more machine section adds",
        source="ours; the co-created papers are IDMGSP's (section 3.3, figure 3), which prints one accuracy over all shares",
        follows="shares are read from the spans that tell who wrote which characters. Flagged: above the detector's own "
        "threshold, or the policy's. Bounds by cluster: a paper and its paraphrased versions are one draw",
        pitfalls="longer sections weigh more in a share; where a machine shortens what it paraphrases, a share is smaller than "
        "the part of the paper that it replaced",
    )

    bins: tuple[float, ...] = (0.25, 0.5, 0.75)
    cut: Cutting = "own"
    training: str = ""
    replicates: int = 2000

    def __post_init__(self) -> None:
        if list(self.bins) != sorted(set(self.bins)) or not all(0 < b < 1 for b in self.bins):
            raise SpecError(f"machine_share: bins rise between 0 and 1, such as (0.25, 0.5, 0.75); got {self.bins!r}")

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        known = rows.clean & ~np.isnan(rows.machine_share)
        if not (known & (rows.machine_share > 0) & (rows.machine_share < 1)).any():
            mixed = int((rows.clean & (rows["label"] == "mixed")).sum())
            spans = f" ({mixed} are labelled mixed, but have no spans that say which part)" if mixed else ""
            why = f"No text of this run is told to be a machine's in part{spans}; `evenhand build papers` co-creates such papers."
            return Result(self.spec, self.title, self.question, (), (), answers=(Answer("missing", why),))
        cuts = decisions(rows, settings, self.cut)
        found: list[Finding] = []
        for short, spec in by_detector(rows):
            where = dict(zip(("detector", "training"), trained(short, spec, settings, self.training), strict=True))
            mine = known & cuts[spec].usable
            found += self.by_share(where, rows, spec, mine, cuts[spec], settings)
            found += self.by_sections(where, rows, spec, mine, cuts[spec], settings)
        return Result(
            self.spec, self.title, self.question, tuple(found), layouts(), tuple(figures(found)), tuple(said(found))
        )

    def by_share(
        self, where: dict[str, str], rows: Rows, spec: str, known: Mask, cut: Cut, settings: Settings
    ) -> Iterator[Finding]:
        human = cell(rows, spec, known & (rows.machine_share == 0))
        strata = list(self.strata(rows, known))
        for name, mask in strata:
            one, at = cell(rows, spec, mask), {**where, "cut": cut.said, "share": name}
            yield finding(SHARES, at, FLAGGED, share(one, cut.value, "share flagged"), counts(texts=one))
            if name != NO_SHARE and one.n and human.n:
                both, clusters = (
                    np.concatenate([one.scores, human.scores]),
                    np.concatenate([one.clusters, human.clusters]),
                )
                shift = self.added(both, np.repeat([True, False], [one.n, human.n]), clusters, settings)
                yield finding(SHARES, at, SCORE, shift, counts(texts=one, human=human))
        estimate, told = trend(rows, spec, [mask for _, mask in strata])
        yield finding(SHARES, {**where, "cut": cut.said, "share": "all"}, TREND, estimate, told)

    def strata(self, rows: Rows, known: Mask) -> Iterator[tuple[str, Mask]]:
        part = rows.machine_share
        yield NO_SHARE, known & (part == 0)
        edges = (0.0, *self.bins, 1.0)
        for low, high in pairwise(edges):
            inside = (part > low) & ((part <= high) if high < 1 else (part < high))
            yield f"{percent(low)} to {percent(high)}", known & inside
        yield ALL_SHARE, known & (part == 1)

    def by_sections(
        self, where: dict[str, str], rows: Rows, spec: str, known: Mask, cut: Cut, settings: Settings
    ) -> Iterator[Finding]:
        written = np.array(["+".join(paraphrased(meta)) for meta in rows.meta], object)
        mixed = known & (written != "")
        for subset in sorted({*written[mixed]}, key=lambda s: (s.count("+"), places(s))):
            one = cell(rows, spec, mixed & (written == subset))
            at = {**where, "cut": cut.said, "machine sections": subset}
            yield finding(SUBSETS, at, FLAGGED, share(one, cut.value, "share flagged"), counts(texts=one))
        originals = known & rows.human & np.isin(rows.clusters, rows.clusters[mixed])
        scored = (mixed | originals) & ~np.isnan(rows.scores[spec])
        for section in SECTIONS:
            has = np.array([section in one.split("+") for one in written], bool)
            if (scored & has).any() and (scored & ~has).any():
                told = {"with": int((scored & has).sum()), "without": int((scored & ~has).sum())}
                at, scores = {**where, "cut": cut.said, "section": section}, rows.scores[spec][scored]
                flags = scores > cut.value
                effect = self.added(flags.astype(float), has[scored], rows.clusters[scored], settings)
                if np.isnan(effect.low):
                    effect = bounded(flags, has[scored], rows.clusters[scored])
                if not np.isnan(cut.value):
                    yield finding(ADDED, at, ADDED_FLAGS, effect, told)
                yield finding(
                    ADDED, at, ADDED_SCORE, self.added(scores, has[scored], rows.clusters[scored], settings), told
                )

    def added(self, values: np.ndarray, with_it: Mask, clusters: np.ndarray, settings: Settings) -> Estimate:
        """Of means, clusters drawn whole."""
        drawn = (clusters, values, with_it.astype(int))
        return stats.cluster_bootstrap(
            lambda v, having: gap(v, having == 1), *drawn, replicates=self.replicates, seed=settings.seed
        )


NO_SHARE, ALL_SHARE = "none", "all of it"


def gap(values: np.ndarray, chosen: np.ndarray) -> float:
    """Mean of the chosen less mean of the others; raises DataError where one side is empty (undefined on a resample)."""
    if not chosen.any() or chosen.all():
        raise DataError("one side is empty")
    return float(values[chosen].mean() - values[~chosen].mean())


def bounded(flags: np.ndarray, chosen: np.ndarray, clusters: np.ndarray) -> Estimate:
    """The same difference where no resample moves it: from the exact bounds of both rates, which hold together."""
    level = family_level(0.95, 2)
    one, other = (clustered_share(flags[side], clusters[side], level=level) for side in (chosen, ~chosen))
    method = "difference of two shares, from the exact bounds of both on their clusters"
    return Estimate(one.value - other.value, one.low - other.high, one.high - other.low, min(one.n, other.n), method)


def places(subset: str) -> tuple[int, ...]:
    """Sections in the order of a paper."""
    return tuple(SECTIONS.index(name) if name in SECTIONS else len(SECTIONS) for name in subset.split("+"))


def trend(rows: Rows, spec: str, strata: Sequence[Mask]) -> tuple[Estimate, dict[str, int]]:
    """Of the score given the stratum of the share, and its counts. A stratum of one scored text has no spread of its own, so it
    is left out, and counted."""
    known = [mask & ~np.isnan(rows.scores[spec]) for mask in strata]
    held = [mask for mask in known if mask.sum() > 1]
    if len(held) < 2:
        return none("no trend: fewer than two columns hold two scored texts"), {}
    levels = np.select(held, range(len(held)), -1)
    scored = levels >= 0
    alone = int(sum(mask.sum() == 1 for mask in known))
    told = {"texts": int(scored.sum())} | ({"alone in their column": alone} if alone else {})
    return stats.somers_d(rows.scores[spec][scored], levels[scored], clusters=rows.clusters[scored]), told


def layouts() -> tuple[Layout, ...]:
    return (
        Layout(
            SHARES,
            "By share",
            "Of the characters of a text. Somers' D over the columns: 1 where a larger share always scores higher, 0 where it "
            "says nothing.",
            ("detector", "training", "cut", "metric"),
            ("share",),
        ),
        Layout(
            SUBSETS, "By the sections that a machine wrote", "", ("detector", "training", "cut"), ("machine sections",)
        ),
        Layout(
            ADDED,
            "What a section adds",
            "Share flagged of papers whose section is a machine's, less that of those whose section is not: of co-created papers "
            "and the human ones that they were made from. Where all seven subsets of each are there, the other sections are "
            "balanced.",
            ("detector", "training", "cut", "metric"),
            ("section",),
        ),
    )


def figures(found: Sequence[Finding]) -> Iterator[Figure]:
    flagged = [f for f in found if f.table == SHARES and f.metric == FLAGGED]
    ticks = tuple(dict.fromkeys(f.where["share"] for f in flagged))
    series = []
    for key in dict.fromkeys((f.where["detector"], f.where["training"]) for f in flagged):
        mine = [
            f for f in flagged if (f.where["detector"], f.where["training"]) == key and not np.isnan(f.estimate.value)
        ]
        if mine:
            x = tuple(float(ticks.index(f.where["share"])) for f in mine)
            y, low, high = zip(*((f.estimate.value, f.estimate.low, f.estimate.high) for f in mine), strict=True)
            series.append(Series(", ".join(part for part in key if part != "-"), x, y, low, high))
    if series:
        title = "Texts flagged by the machine's share of them"
        yield Figure(
            "machine-share", "line", title, "share of the text that a machine wrote", "flagged", tuple(series), ticks
        )


def said(found: Sequence[Finding]) -> Iterator[Answer]:
    for one in found:
        if one.metric == TREND and not np.isnan(one.estimate.value):
            e = one.estimate
            follows = "rises with" if e.low > 0 else "falls with" if e.high < 0 else "is not shown to follow"
            yield Answer(
                "shown" if e.low > 0 else "warning",
                f"{one.where['detector']}: its score {follows} the machine's share (Somers' D {e.value:.2f}, 95% interval "
                f"{e.low:.2f} to {e.high:.2f}, {e.n} clusters).",
            )
