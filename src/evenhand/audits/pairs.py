"""Edited texts beside the unedited ones that they were made from, and the resample that all cells of an audit share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import stats
from .base import Cell, cell, thresholds
from .rows import Mask, Rows, Settings

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Pairs:
    """Edited texts of one class that one detector scored, and their sources, in the same order, scored too.

    ``every`` holds all edited texts that were scored, those without a scored source included (``alone`` of them).
    ``known`` is False where no edited text of the class names a source: ``source`` then holds all clean texts of the
    class, and nothing is paired.
    """

    edited: Cell
    source: Cell
    every: Cell
    alone: int
    known: bool


def pairs(rows: Rows, detector: str, edited: Mask, members: Mask) -> Pairs:
    """``edited`` are the edited texts of one class, ``members`` all texts of the class."""
    every = cell(rows, detector, edited)
    index = np.flatnonzero(edited)
    origin = rows.origin[index]
    if not (origin >= 0).any():
        return Pairs(every, cell(rows, detector, members & rows.clean), every, 0, False)
    scores = rows.scores[detector]
    both = (origin >= 0) & ~np.isnan(scores[index]) & ~np.isnan(scores[origin])
    return Pairs(
        of(rows, detector, index[both], every.missing),
        of(rows, detector, origin[both], int(np.isnan(scores[origin[origin >= 0]]).sum())),
        every,
        every.n - int(both.sum()),
        True,
    )


def of(rows: Rows, detector: str, index: Indices, missing: int) -> Cell:
    return Cell(rows.scores[detector][index], rows.clusters[index], missing)


@dataclass(frozen=True)
class Condition:
    """One detector under one attack: both classes, edited and not, and the threshold from unedited human texts.

    ``sources`` are the unedited human texts that the attack was made on (all of them where it was made on none), scored:
    what the one-sided protocol compares edited machine text with.
    """

    attack: str
    short: str
    spec: str
    machine: Pairs
    human: Pairs
    sources: Cell
    tau: float
    after: tuple[Cell, Cell] | None
    """Edited human texts (at or below, above) the policy's boundary after the edit, where some are above it."""
    verify: Cell
    """Edited human texts whose sources lie in the verification half."""

    @property
    def where(self) -> dict[str, str]:
        return {"detector": self.short, "attack": self.attack}


def conditions(rows: Rows, settings: Settings, detectors: Sequence[tuple[str, str]]) -> Iterator[Condition]:
    """Every (detector, attack) of a run, detector by detector."""
    tau, positive = thresholds(rows, settings), rows.positive(settings.policy) == 1
    above_after = rows.positive(settings.policy, after=True) == 1
    verification = rows.half(settings.seed) == "verification"
    for short, spec in detectors:
        for attack in attacks_of(rows):
            edited = rows.where(attack=attack, sanitizer="none")
            human = edited & rows.human
            after = human & above_after
            yield Condition(
                attack,
                short,
                spec,
                pairs(rows, spec, edited & positive, positive),
                pairs(rows, spec, human, rows.human),
                cell(rows, spec, sources_of(rows, human)),
                tau[spec].value,
                (cell(rows, spec, human & ~after), cell(rows, spec, after)) if after.any() else None,
                cell(rows, spec, human & verification),
            )


def sources_of(rows: Rows, human: Mask) -> Mask:
    """The unedited human texts behind ``human``; all unedited ones where none is known."""
    origin = rows.origin[human]
    mask: Mask = np.zeros(len(rows), np.bool_)
    mask[origin[origin >= 0]] = True
    return mask & rows.human if mask.any() else rows.clean & rows.human


def attacks_of(rows: Rows) -> list[str]:
    """The attacks whose texts were scored as they are, without a sanitizer."""
    return [attack for attack in rows.values("attack", rows.where(sanitizer="none")) if attack != "none"]


def shared_resample(rows: Rows, settings: Settings, replicates: int) -> stats.Resample:
    """One draw of clusters for all cells; as many human, machine and mixed clusters in each resample as there are."""
    positive = rows.positive(settings.policy) == 1
    human = np.bincount(rows.clusters, rows.human) > 0
    machine = np.bincount(rows.clusters, positive) > 0
    present = np.flatnonzero(np.bincount(rows.clusters) > 0)
    kinds = (human.astype(int) + 2 * machine.astype(int))[present]
    return stats.resample_clusters(present, strata=kinds, replicates=replicates, seed=settings.seed)
