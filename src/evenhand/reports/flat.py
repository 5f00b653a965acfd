"""Findings unrounded, one a row: the content of the CSV form, and of the full list under each table of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..audits.finding import Finding

NUMBERS = ("value", "low", "high", "level", "n")


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A table of texts; ``columns`` names them, every row is as long."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def flat(findings: Sequence[Finding]) -> PlainTable:
    """Columns: ``where.*``, metric, value, low, high, level (of the interval), n, method, ``counts.*``, marks, note.

    Floats are printed by repr (nan, inf), what a finding does not have is empty.
    """
    where = tuple(dict.fromkeys(key for f in findings for key in sorted(f.where)))
    counts = tuple(dict.fromkeys(key for f in findings for key in sorted(f.counts)))
    names = (*(f"where.{k}" for k in where), "metric", *NUMBERS, "method", *(f"counts.{k}" for k in counts))
    return PlainTable((*names, "marks", "note"), tuple(tuple(_row(f, where, counts)) for f in findings))


def _row(finding: Finding, where: Sequence[str], counts: Sequence[str]) -> Iterable[str]:
    estimate = finding.estimate
    yield from (str(finding.where.get(key, "")) for key in where)
    yield finding.metric
    yield from (repr(float(x)) for x in (estimate.value, estimate.low, estimate.high, estimate.level))
    yield str(estimate.n)
    yield estimate.method
    yield from (str(finding.counts.get(key, "")) for key in counts)
    yield " ".join(finding.marks)
    yield finding.note or ""
