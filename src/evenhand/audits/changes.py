"""Changes against the unedited texts, for many cells at once: both terms from one resample, marks with and without max-T."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from .. import stats
from .base import Cell
from .finding import Finding

Unit = TypeVar("Unit")


@dataclass(frozen=True)
class Drawn:
    """Cells made ready for one resample; equal cells, such as the clean ones of every attack, are worked on once."""

    resample: stats.Resample
    ready: dict[tuple[bytes, bytes], stats.Rows] = field(default_factory=dict)

    def rows(self, cell: Cell) -> stats.Rows:
        key = (cell.scores.tobytes(), cell.clusters.tobytes())
        if key not in self.ready:
            self.ready[key] = stats.rows(self.resample, cell.scores, cell.clusters)
        return self.ready[key]

    def areas(self, cells: Sequence[tuple[Cell, Cell]]) -> stats.Draws:
        """AUROC of each (positive, negative)."""
        units = [(self.rows(positive), self.rows(negative)) for positive, negative in cells]
        return once(units, lambda some: stats.bootstrap_aurocs(some, self.resample))

    def rates(self, cells: Sequence[tuple[Cell, float]]) -> stats.Draws:
        """Share of each cell above its threshold."""
        units = [(self.rows(cell), tau) for cell, tau in cells]
        return once(units, lambda some: stats.bootstrap_rates(some, self.resample))


def once(units: Sequence[Unit], work: Callable[[list[Unit]], stats.Draws]) -> stats.Draws:
    """``work`` on the distinct units, its draws laid out again as ``units`` are."""
    distinct = list(dict.fromkeys(units))
    place = {unit: i for i, unit in enumerate(distinct)}
    return work(distinct).take([place[unit] for unit in units])


def area_changes(drawn: Drawn, cells: Sequence[tuple[Cell, Cell, Cell, Cell]]) -> list[stats.Change | None]:
    """Change of AUROC for each (edited positive, edited negative, clean positive, clean negative).

    None where one of the four is empty. The marks 'corrected' hold over all these cells together.
    """
    whole = [i for i, four in enumerate(cells) if all(cell.n for cell in four)]
    return spread(
        len(cells),
        whole,
        lambda: (
            drawn.areas([(cells[i][0], cells[i][1]) for i in whole])
            - drawn.areas([(cells[i][2], cells[i][3]) for i in whole])
        ),
    )


def rate_changes(drawn: Drawn, cells: Sequence[tuple[Cell, Cell, float]]) -> list[stats.Change | None]:
    """Change of the share above a fixed threshold for each (edited, clean, threshold)."""
    whole = [i for i, (edited, clean, tau) in enumerate(cells) if edited.n and clean.n and not np.isnan(tau)]
    return spread(
        len(cells),
        whole,
        lambda: (
            drawn.rates([(cells[i][0], cells[i][2]) for i in whole])
            - drawn.rates([(cells[i][1], cells[i][2]) for i in whole])
        ),
    )


def spread(size: int, whole: Sequence[int], draws: Callable[[], stats.Draws]) -> list[stats.Change | None]:
    """The marked changes of the cells ``whole``, and None in all other places."""
    found: list[stats.Change | None] = [None] * size
    if whole:
        for i, change in zip(whole, stats.mark_changes(draws()), strict=True):
            found[i] = change
    return found


def marked(one: Finding, change: stats.Change | None) -> Finding:
    """The finding with the marks of its change."""
    return one if change is None else replace(one, marks=change.marks)
