"""Two runs over the same texts, paired: did the newer detector, model or setting make other errors?

No audit of one run (it is not in the registry): ``compare(first, second)`` reads two run folders. Texts are paired by id and
digest, so a text that differs between the runs is left out and counted. Each run keeps its own thresholds, set on the same
half of the clean human texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np
import numpy.typing as npt

from .. import provenance, stats
from ..documents import Policy
from ..errors import SpecError, StoreError
from ..stats import Difference, Estimate
from ..store import Store
from .base import by_detector, cell, finding, nominal, none, percent
from .finding import Answer, Finding, Findings, Layout, Result
from .rows import Floats, Mask, Rows, Settings, ledger, read_rows

TABLE, ACCUSED = "compare", "accusations of human texts"
QUESTION = "On the texts that both runs scored, what does the second do differently from the first?"
FLAT = "no interval: it does not vary over texts"
CAPTION = (
    "Second run less first, on the same texts. Accusations: texts above each run's own threshold, set for the policy's rate on "
    "the same half of the clean human texts; human texts are counted on the other half. Intervals and tests allow for clusters."
)


@dataclass(frozen=True)
class Pair:
    """The texts of both runs side by side: ``rows`` of the first, the scores of each at every row, and both thresholds."""

    name: str
    rows: Rows
    first: Floats
    second: Floats
    thresholds: tuple[float, float]
    verification: Mask
    """Human texts that no threshold was set on."""

    @property
    def known(self) -> Mask:
        return ~np.isnan(self.first) & ~np.isnan(self.second)


def compare(
    first: Store | str | PathLike[str],
    second: Store | str | PathLike[str],
    detectors: Mapping[str, str] | None = None,
) -> Findings:
    """Findings on the differences of two run folders, under the policy of the first.

    ``detectors`` pairs specs or short names, first to second; without it those of one name are paired. Raises StoreError
    where the runs share no text, SpecError where they share no detector.
    """
    stores = [one if isinstance(one, Store) else Store.existing(one) for one in (first, second)]
    told = [Settings.of(store.settings()) for store in stores]
    rows = [read_rows(store) for store in stores]
    places = paired(*rows)
    if not len(places[0]):
        raise StoreError(f"{stores[0].folder} and {stores[1].folder} share no text: score the same corpus in both")
    result = difference(rows[0], rows[1], places, told[0], detectors)
    both = tuple(
        {"run": name, **row} for name, run in zip(("first", "second"), rows, strict=True) for row in ledger(run)
    )
    origin = {
        name: provenance.told(store, one.plan, 0)
        for name, store, one in zip(("first run", "second run"), stores, told, strict=True)
    }
    return Findings((result,), both, origin)


def paired(first: Rows, second: Rows) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The places of the texts that stand in both, under one id and with one content."""
    there = {pair: i for i, pair in enumerate(zip(second["id"], second["digest"], strict=True))}
    found = [(i, there[pair]) for i, pair in enumerate(zip(first["id"], first["digest"], strict=True)) if pair in there]
    columns = np.array(found, np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def difference(
    first: Rows,
    second: Rows,
    places: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    settings: Settings,
    detectors: Mapping[str, str] | None = None,
) -> Result:
    shared = subset(first, places[0])
    chosen = [
        pair_up(name, shared, first.scores[a][places[0]], second.scores[b][places[1]], settings)
        for name, a, b in matched(first, second, detectors)
    ]
    findings = tuple(told for pair in chosen for told in changes(pair, settings.policy))
    answers = tuple(answer for pair in chosen for answer in answered(pair, findings))
    layout = Layout(TABLE, "Second run less first", CAPTION, ("detector", "texts"), ("metric",))
    alone = (len(first) - len(shared), len(second) - len(shared))
    notes = (
        f"{len(shared)} texts are in both runs; {alone[0]} of the first and {alone[1]} of the second have no partner.",
        *(f"{pair.name}: {int((~pair.known).sum())} shared texts lack a score in one run." for pair in chosen),
    )
    return Result("compare", "Two runs, paired", QUESTION, findings, (layout,), (), answers, notes)


def subset(rows: Rows, places: npt.NDArray[np.int64]) -> Rows:
    """The documents at these places; scores stay behind, as each run has its own."""
    return replace(
        rows,
        columns={name: column[places] for name, column in rows.columns.items()},
        scores={},
        status={},
        reason={},
        truncated={},
        meta=tuple(rows.meta[i] for i in places),
        texts=tuple(rows.texts[i] for i in places),
        measures={},
        machine=None if rows.machine is None else rows.machine[places],
    )


def matched(first: Rows, second: Rows, asked: Mapping[str, str] | None) -> list[tuple[str, str, str]]:
    """(name, spec in the first, spec in the second) of every pair of detectors."""
    here, there = named(first), named(second)
    pairs = dict(asked) if asked else {name: name for name, _ in by_detector(first) if name in there}
    for names, known in ((list(pairs), here), (list(pairs.values()), there)):
        if missing := [name for name in names if name not in known]:
            raise SpecError(f"no detector {missing[0]!r} in that run; it has: {', '.join(sorted(known))}")
    if not pairs:
        raise SpecError(
            f"the runs share no detector ({', '.join(first.scores)} and {', '.join(second.scores)}); "
            "pair them: -d FIRST=SECOND"
        )
    return [(a if a == b else f"{a} -> {b}", here[a], there[b]) for a, b in pairs.items()]


def named(rows: Rows) -> dict[str, str]:
    """The spec of each detector, by its spec and by its short name."""
    return {spec: spec for spec in rows.scores} | dict(by_detector(rows))


def pair_up(name: str, rows: Rows, first: Floats, second: Floats, settings: Settings) -> Pair:
    half = rows.half(settings.seed)
    calibration = rows.clean & rows.human & (half == "calibration")
    tau = [
        nominal(cell(replace(rows, scores={name: scores}), name, calibration), settings.policy.fpr).value
        for scores in (first, second)
    ]
    return Pair(name, rows, first, second, (tau[0], tau[1]), rows.human & (half == "verification"))


def changes(pair: Pair, policy: Policy) -> Iterator[Finding]:
    """For unedited texts and each edit: the AUROCs and their difference, and the change of accusations in each class."""
    rows, positive = pair.rows, pair.rows.positive(policy) == 1
    edits = sorted(set(zip(rows["attack"], rows["sanitizer"], strict=True)), key=lambda e: (e != ("none", "none"), e))
    for attack, sanitizer in edits:
        here = rows.where(attack=attack, sanitizer=sanitizer) & pair.known
        human, machine, verify = here & rows.human, here & positive, here & pair.verification
        where = {"detector": pair.name, "texts": edit_name(attack, sanitizer)}
        both = {"human": int(human.sum()), "machine": int(machine.sum())}
        for metric, value in areas(pair, human, machine):
            yield finding(TABLE, where, metric, value, both)
        yield finding(TABLE, where, ACCUSED, flags(pair, verify), {"human": int(verify.sum())})
        yield finding(TABLE, where, "machine texts flagged", flags(pair, machine), {"machine": both["machine"]})


def edit_name(attack: str, sanitizer: str) -> str:
    return " + ".join(name for name in (attack, sanitizer) if name != "none") or "unedited"


def areas(pair: Pair, human: Mask, machine: Mask) -> Iterator[tuple[str, Estimate]]:
    if not human.any() or not machine.any():
        yield "AUROC, difference", none("no AUROC: a class has no text that both runs scored")
        return
    one, other, clusters = pair.first, pair.second, pair.rows.clusters
    for name, scores in (("AUROC, first", one), ("AUROC, second", other)):
        x, y = scores[machine], scores[human]
        yield name, stats.auroc(x, y, positive_clusters=clusters[machine], negative_clusters=clusters[human])
    apart = stats.compare_auroc(
        *(other[machine], other[human], one[machine], one[human]),
        positive_clusters=clusters[machine],
        negative_clusters=clusters[human],
    )
    yield "AUROC, difference", apart


def flags(pair: Pair, mask: Mask) -> Estimate:
    """The share flagged in the second run less that in the first."""
    if not mask.any():
        return none("no text of this class was scored in both runs")
    if np.isnan(pair.thresholds).any():
        return none("no threshold: no clean human text of the calibration half was scored in both runs")
    before, after = (
        (scores[mask] > tau).astype(float)
        for scores, tau in zip((pair.first, pair.second), pair.thresholds, strict=True)
    )
    shift = stats.paired_shift(before, after, pair.rows.clusters[mask])
    if np.ptp(after - before) == 0:
        return replace(shift, low=np.nan, high=np.nan, method=f"{shift.method}; {FLAT}")
    return shift


def answered(pair: Pair, findings: tuple[Finding, ...]) -> Iterator[Answer]:
    """One sentence a detector on unedited texts."""
    mine = {f.metric: f for f in findings if f.where == {"detector": pair.name, "texts": "unedited"}}
    change = mine.get("AUROC, difference")
    if pair.known.any() and np.array_equal(pair.first[pair.known], pair.second[pair.known]):
        n = int(pair.known.sum())
        yield Answer("shown", f"{pair.name}: the scores of all {n:,} texts that both runs scored are equal.")
        return
    if change is None or np.isnan(change.estimate.low):
        why = change.estimate.method if change else "no unedited text was scored in both runs"
        yield Answer("missing", f"{pair.name}: whether the runs differ cannot be said ({why}).")
        return
    found = change.estimate
    p = found.p if isinstance(found, Difference) else float("nan")
    differs = "differ" if found.low > 0 or found.high < 0 else "are not shown to differ"
    accused = mine[ACCUSED].estimate
    yield Answer(
        "shown",
        f"{pair.name}: on unedited texts the runs {differs} in AUROC (second less first {found.value:+.3f}, 95% interval "
        f"{found.low:+.3f} to {found.high:+.3f}, p = {p:.2g}); accusations of human texts change by "
        f"{signed(accused.value)} ({bounds(accused)}).",
    )


def bounds(e: Estimate) -> str:
    return f"no interval, n={e.n}" if np.isnan(e.low) else f"{signed(e.low)} to {signed(e.high)}"


def signed(value: float) -> str:
    return "unknown" if np.isnan(value) else f"{'-' if value < 0 else '+'}{percent(abs(value))}"
