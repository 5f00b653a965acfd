"""Many cells, one set of resampled clusters: AUROC and rates by counting on sorted scores.

A resample gives each cluster a count; a replicate of AUROC needs no new sorting, only cumulated counts of the negatives
read at the places of the positives. All arithmetic is in whole numbers, so a replicate equals the AUROC of the rows
written out as often as they were drawn. 99 cells of 2,160 texts and 2,000 replicates take seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError
from ..seeds import numpy_rng
from .bootstrap import summarize_draws
from .delong import Difference, placements
from .inputs import (
    FloatArray,
    IntArray,
    allowed_errors,
    as_codes,
    as_scores,
    check_open,
    check_whole,
    comparable,
    group_sums,
    ratio,
)
from .multiplicity import max_t
from .proportions import clopper_pearson

Counts = NDArray[np.int32]
_BLOCK = 2048
"""Replicates worked on at once. Rows of counts are added one by one: they stay in the cache, where numpy's cumsum over
the first axis does not, and that is five times as fast."""
FEWEST_CLUSTERS = 10
"""Below this many clusters in a class a percentile interval or a mark means nothing, and none is given."""


@dataclass(frozen=True, eq=False)
class Resample:
    """How often each cluster is drawn: ``labels`` (K,), sorted, and ``counts`` (K, B)."""

    labels: NDArray[Any]
    counts: Counts

    @property
    def replicates(self) -> int:
        return int(self.counts.shape[1])


@dataclass(frozen=True, eq=False)
class Rows:
    """The scores of one class under one condition, ascending, with the cluster (row of ``Resample.counts``) of each."""

    scores: FloatArray
    clusters: IntArray

    @property
    def n_clusters(self) -> int:
        return len(np.unique(self.clusters))


@dataclass(frozen=True, eq=False)
class Draws:
    """One statistic of many cells: ``values`` (cells,), ``replicates`` (cells, B), NaN where a class is not drawn.

    ``n`` (cells,) counts the clusters a cell stands on, ``smaller`` those of its smaller class. Draws of the same
    resample subtract: both terms of the difference then come from the same drawn clusters.
    """

    values: FloatArray
    replicates: FloatArray
    n: IntArray
    smaller: IntArray
    what: str
    exact_ends: bool = True
    """A share or AUROC of 0 or 1 without any spread gets Clopper-Pearson's bound on its smaller class; a difference not."""

    def take(self, cells: ArrayLike) -> Draws:
        """These cells, in this order, repeats allowed (to subtract one clean cell from several attacked ones)."""
        i = np.asarray(cells, dtype=np.int64)
        return Draws(self.values[i], self.replicates[i], self.n[i], self.smaller[i], self.what, self.exact_ends)

    def __sub__(self, other: Draws) -> Draws:
        if self.replicates.shape != other.replicates.shape:
            shapes = f"{self.replicates.shape} and {other.replicates.shape}"
            raise DataError(f"draws of shapes {shapes} do not subtract; use take() to line the cells up")
        return Draws(
            self.values - other.values,
            self.replicates - other.replicates,
            np.maximum(self.n, other.n),
            np.minimum(self.smaller, other.smaller),
            f"difference of {self.what}" if self.what == other.what else f"{self.what} minus {other.what}",
            exact_ends=False,
        )

    def estimates(self, level: float = 0.95) -> list[Difference]:
        """Percentile intervals; NaN, with the reason, for cells of fewer than ten clusters in a class."""
        check_open("level", level)
        return [self._estimate(i, level) for i in range(len(self.values))]

    def _estimate(self, i: int, level: float) -> Difference:
        value, draws, n, smaller = float(self.values[i]), self.replicates[i], int(self.n[i]), int(self.smaller[i])
        if smaller < FEWEST_CLUSTERS:
            why = f"{self.what}; no interval: {smaller} clusters in a class, {FEWEST_CLUSTERS} are needed"
            return Difference(value, np.nan, np.nan, n, why, level)
        if self.exact_ends and value in (0.0, 1.0) and self._without_width(draws, value, level):
            low, high = clopper_pearson(smaller if value else 0, smaller, level)
            return Difference(value, low, high, n, f"{self.what}, exact bound on the smaller class's clusters", level)
        return summarize_draws(value, draws, n=n, level=level, what=self.what)

    @staticmethod
    def _without_width(draws: FloatArray, value: float, level: float) -> bool:
        """Whether both ends of the percentile interval lie on the value: it would say that nothing else is possible."""
        known = draws[~np.isnan(draws)]
        tail = (1 - level) / 2
        return bool(known.size and (np.quantile(known, [tail, 1 - tail]) == value).all())


@dataclass(frozen=True, slots=True)
class Change:
    """A difference and its marks: 'up' or 'down' where the interval excludes zero, 'up-corrected' or 'down-corrected'
    where it survives max-T over all cells; ``p_adjusted`` is the corrected p-value."""

    estimate: Difference
    p_adjusted: float
    marks: tuple[str, ...]


def resample_clusters(
    labels: ArrayLike, *, strata: ArrayLike | None = None, replicates: int = 2000, seed: int = 0
) -> Resample:
    """Draws as many clusters as there are, with replacement, ``replicates`` times.

    ``labels`` may repeat (one a row). ``strata``, one for each label, keeps the number of clusters of each kind (human
    and machine sources); a cluster that lies in several strata is refused.
    """
    check_whole("replicates", replicates)
    size = np.size(labels)
    if size == 0:
        raise DataError("labels: no cluster; pass the cluster labels of the texts")
    codes, k = as_codes(labels, size, "labels")
    unique = np.unique(comparable(labels, "labels"))
    generator, counts = numpy_rng("stats.resample_clusters", seed), np.zeros((k, replicates), dtype=np.int32)
    for members in _members(codes, k, strata):
        drawn = generator.multinomial(len(members), np.full(len(members), 1 / len(members)), size=replicates)
        counts[members] = drawn.T
    return Resample(unique, counts)


def _members(codes: IntArray, k: int, strata: ArrayLike | None) -> Iterator[IntArray]:
    if strata is None:
        yield np.arange(k)
        return
    kinds, count = as_codes(strata, len(codes), "strata")
    of_cluster = np.zeros(k, dtype=np.int64)
    of_cluster[codes] = kinds
    if not (of_cluster[codes] == kinds).all():
        raise DataError("strata: a cluster lies in two strata; drop strata, or use labels that nest clusters")
    for kind in range(count):
        yield np.flatnonzero(of_cluster == kind)


def rows(resample: Resample, scores: ArrayLike, clusters: ArrayLike, name: str = "scores") -> Rows:
    """Scores and their cluster labels, ready for the functions below. Make them once for each class and condition.

    Raises DataError on NaN, emptiness, or a label that the resample does not hold.
    """
    array, labels = as_scores(scores, name), comparable(clusters, f"{name}: clusters")
    if labels.shape != array.shape:
        raise DataError(f"{name}: {array.size} scores and {labels.size} cluster labels; pass one label for each score")
    if (labels.dtype.kind == "U") != (resample.labels.dtype.kind == "U"):
        raise DataError(
            f"{name}: cluster labels are {labels.dtype}, those of the resample {resample.labels.dtype}; use one type"
        )
    place = np.minimum(np.searchsorted(resample.labels, labels), len(resample.labels) - 1)
    unknown = resample.labels[place] != labels
    if unknown.any():
        first = str(labels[np.argmax(unknown)])
        raise DataError(f"{name}: cluster {first!r} is not in the resample; draw it from the labels of all texts")
    order = np.argsort(array, kind="stable")
    return Rows(array[order], place[order])


def bootstrap_aurocs(cells: Sequence[tuple[Rows, Rows]], resample: Resample) -> Draws:
    """AUROC of each (positive, negative) cell on the data and on every resample.

    Cells that share the very same ``negative`` rows share the work on them.
    """
    _check_cells(cells)
    replicates = np.empty((len(cells), resample.replicates))
    for members in _by_negative(cells):
        negative = cells[members[0]][1]
        places = [_places(cells[i][0].scores, negative.scores) for i in members]
        for block in _blocks(resample):
            below = _cumulated(resample.counts[:, block], negative.clusters)
            for i, (left, right) in zip(members, places, strict=True):
                replicates[i, block] = _auroc_of_counts(
                    resample.counts[:, block], cells[i][0].clusters, below, left, right
                )
    values = np.array([placements(p.scores, n.scores)[0].mean() for p, n in cells])
    return Draws(values, replicates, *_sizes(cells), "AUROC")


def _auroc_of_counts(counts: Counts, positive: IntArray, below: Counts, left: IntArray, right: IntArray) -> FloatArray:
    """(2 * wins + ties) / (2 * pairs) of the drawn positives over the drawn negatives, per replicate."""
    twice, drawn = np.zeros(counts.shape[1], dtype=np.int64), np.zeros(counts.shape[1], dtype=np.int64)
    for cluster, lower, upper in zip(positive, left, right, strict=True):
        won = below[lower] + below[upper]
        won *= counts[cluster]
        twice += won
        drawn += counts[cluster]
    return ratio(twice, 2 * drawn * below[-1])


def bootstrap_tprs(cells: Sequence[tuple[Rows, Rows]], resample: Resample, fpr: float) -> Draws:
    """TPR of each (positive, calibration) cell at the nominal threshold, re-estimated in every resample.

    The calibration rows are human texts; the threshold is ``threshold(calibration, fpr)`` of the drawn rows.
    """
    _check_cells(cells)
    check_open("fpr", fpr)
    replicates, values = np.empty((len(cells), resample.replicates)), np.empty(len(cells))
    for i, (positive, calibration) in enumerate(cells):
        above = len(positive.scores) - np.searchsorted(positive.scores, calibration.scores[::-1], "right")
        values[i] = above[allowed_errors(fpr, len(calibration.scores))] / len(positive.scores)
        for block in _blocks(resample):
            counts = resample.counts[:, block]
            tau = _threshold_rows(counts, calibration.clusters[::-1], fpr)
            hits = _cumulated(counts, positive.clusters[::-1])
            replicates[i, block] = ratio(hits[above[tau], np.arange(len(tau))], hits[-1])
            replicates[i, block][tau < 0] = np.nan
    return Draws(values, replicates, *_sizes(cells), f"TPR at FPR {fpr:g}, threshold re-estimated")


def _threshold_rows(counts: Counts, descending: IntArray, fpr: float) -> IntArray:
    """Which row, from the highest score down, is the threshold of each replicate; -1 where no row is drawn.

    The first row at which more than floor(fpr * n) drawn rows have been passed.
    """
    passed = _cumulated(counts, descending)
    beyond = passed[1:] > np.floor(fpr * passed[-1] + 1e-9)
    return np.where(passed[-1] > 0, beyond.argmax(axis=0), -1)


def bootstrap_rates(cells: Sequence[tuple[Rows, SupportsFloat]], resample: Resample) -> Draws:
    """The share of each cell's rows above its fixed threshold (TPR or FPR), on the data and on every resample."""
    if not cells:
        raise DataError("no cells; pass at least one (rows, threshold)")
    values, shape = np.empty(len(cells)), (len(cells), len(resample.labels))
    hits, total = np.zeros(shape), np.zeros(shape)
    for i, (group, tau) in enumerate(cells):
        if np.isnan(float(tau)):
            raise DataError(f"cell {i}: the threshold is NaN; set one from more human texts, or a nominal one")
        flagged = group.scores > float(tau)
        values[i] = flagged.mean()
        hits[i] = group_sums(group.clusters, flagged, shape[1])
        total[i] = np.bincount(group.clusters, minlength=shape[1])
    counts = resample.counts.astype(np.float64)
    replicates = ratio(hits @ counts, total @ counts)
    n = np.array([group.n_clusters for group, _ in cells])
    return Draws(values, replicates, n, n, "rate at a fixed threshold")


def mark_changes(draws: Draws, level: float = 0.95) -> list[Change]:
    """Differences with their marks, uncorrected (interval excludes zero) and corrected by max-T over all these cells.

    Cells of fewer than ten clusters in a class get no interval and no mark, and take no part in the correction.
    """
    estimates = draws.estimates(level)
    values = np.where(draws.smaller >= FEWEST_CLUSTERS, draws.values, np.nan)
    adjusted = max_t(values, draws.replicates)
    return [Change(e, float(p), _marks(e, p, level)) for e, p in zip(estimates, adjusted, strict=True)]


def _marks(estimate: Difference, p: float, level: float) -> tuple[str, ...]:
    """A change without any spread has no percentile interval; only the correction speaks for it."""
    corrected = p <= 1 - level
    outside = estimate.low > 0 or estimate.high < 0
    if not outside and not (np.isnan(estimate.low) and corrected):
        return ()
    way = "up" if estimate.value > 0 else "down"
    return (way, f"{way}-corrected") if corrected else (way,)


def _check_cells(cells: Sequence[tuple[Rows, Rows]]) -> None:
    if not cells:
        raise DataError("no cells; pass at least one pair of rows(...)")


def _sizes(cells: Sequence[tuple[Rows, Rows]]) -> tuple[IntArray, IntArray]:
    n = [len(np.unique(np.concatenate([a.clusters, b.clusters]))) for a, b in cells]
    return np.array(n), np.array([min(a.n_clusters, b.n_clusters) for a, b in cells])


def _by_negative(cells: Sequence[tuple[Rows, Rows]]) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for i, (_, negative) in enumerate(cells):
        groups.setdefault(id(negative), []).append(i)
    return list(groups.values())


def _places(positive: FloatArray, negative: FloatArray) -> tuple[IntArray, IntArray]:
    """How many negatives lie below each positive, and how many not above it."""
    return np.searchsorted(negative, positive, "left"), np.searchsorted(negative, positive, "right")


def _blocks(resample: Resample) -> Iterator[slice]:
    for start in range(0, resample.replicates, _BLOCK):
        yield slice(start, min(start + _BLOCK, resample.replicates))


def _cumulated(counts: Counts, clusters: IntArray) -> Counts:
    """Drawn rows up to each place, (rows + 1, block), with the leading 0."""
    out = np.zeros((len(clusters) + 1, counts.shape[1]), dtype=np.int32)
    for before, after, cluster in zip(out, out[1:], clusters, strict=False):
        np.add(before, counts[cluster], out=after)
    return out
