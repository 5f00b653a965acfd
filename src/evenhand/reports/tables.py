"""Findings of one table, pivoted into a grid by a layout, ready for every form."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..audits.finding import Finding, Layout, Result
from . import numbers, words
from .flat import PlainTable, flat

MISSING = "-"
TROUBLES = ("abstained", "failed", "truncated")
"""Counts that are printed in the cell wherever they are not zero."""

METHOD_LENGTH = 100
"""What the methods of one metric may take under a table, in characters."""

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One finding as texts. ``interval`` is None where there is none, ``troubles`` counts texts that were not scored whole,
    ``footnote`` is the number of one of the grid's footnotes."""

    value: str
    interval: str | None
    n: str
    troubles: str
    sign: str
    corrected: bool
    footnote: int | None
    finding: Finding


@dataclass(frozen=True, slots=True)
class Row:
    """``cells`` holds one tuple per column: empty where nothing was measured, several where the layout merges them."""

    label: str
    cells: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that agree in all row keys but the last; ``label`` is empty where there is one row key only."""

    label: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Header:
    label: str
    span: int


@dataclass(frozen=True, slots=True)
class Grid:
    """``headers``: one line per column key, outermost first. ``reading`` says in words what a cell is, ``methods``
    how its interval was made, ``flat`` holds the
    same findings unrounded, one a row."""

    title: str
    caption: str
    corner: str
    headers: tuple[tuple[Header, ...], ...]
    columns: tuple[Key, ...]
    groups: tuple[Group, ...]
    reading: str
    methods: tuple[str, ...]
    legend: tuple[tuple[str, str], ...]
    footnotes: tuple[str, ...]
    flat: PlainTable


def grids(result: Result) -> tuple[Grid, ...]:
    """One grid per layout; findings of a table that no layout names get one of their own, so that none is lost."""
    laid_out = {layout.table for layout in result.layouts}
    rest = dict.fromkeys(f.table for f in result.findings if f.table not in laid_out)
    layouts = [*result.layouts, *(plain_layout(table, result.findings) for table in rest)]
    return tuple(grid(layout, result.findings) for layout in layouts)


def plain_layout(table: str, findings: Iterable[Finding]) -> Layout:
    """Rows by all keys of ``where``, a column per metric."""
    keys = dict.fromkeys(key for f in findings if f.table == table for key in sorted(f.where))
    return Layout(table, table.replace("_", " "), "", tuple(keys), ("metric",))


def grid(layout: Layout, findings: Iterable[Finding]) -> Grid:
    """The findings of ``layout.table`` as a grid; rows and columns stand in the order in which they first occur."""
    chosen = [f for f in findings if f.table == layout.table]
    rows, columns = ordered(chosen, layout.rows), ordered(chosen, layout.columns)
    footnotes = {text: i for i, text in enumerate(dict.fromkeys(filter(None, map(_remark, chosen))), start=1)}
    places: dict[tuple[Key, Key], list[Cell]] = {}
    for f in chosen:
        place = (key_of(f, layout.rows), key_of(f, layout.columns))
        places.setdefault(place, []).append(_cell(f, footnotes))
    made = [(row, tuple(tuple(places.get((row, column), ())) for column in columns)) for row in rows]
    return Grid(
        title=words.one_line(layout.title),
        caption=words.one_line(layout.caption),
        corner=key_name(layout.rows[-1]) if layout.rows else "",
        headers=headers(columns),
        columns=columns,
        groups=_groups(layout.rows, made),
        reading=reading(chosen),
        methods=methods(chosen),
        legend=words.legend(m for f in chosen for m in f.marks if f"{m}-corrected" not in f.marks),
        footnotes=tuple(footnotes),
        flat=flat(chosen),
    )


def key_of(finding: Finding, keys: Sequence[str]) -> Key:
    """The finding's place along ``keys``; an empty text where its ``where`` lacks one."""
    return tuple(
        words.metric_name(finding.metric) if k == "metric" else words.one_line(finding.where.get(k, "")) for k in keys
    )


def ordered(findings: Iterable[Finding], keys: Sequence[str]) -> tuple[Key, ...]:
    """The places that occur, sorted so that equal outer keys stand together, each key by its first occurrence."""
    places = list(dict.fromkeys(key_of(f, keys) for f in findings))
    ranks = [{v: i for i, v in enumerate(dict.fromkeys(place[k] for place in places))} for k in range(len(keys))]
    return tuple(sorted(places, key=lambda place: [rank[value] for rank, value in zip(ranks, place, strict=True)]))


def reading(findings: Sequence[Finding]) -> str:
    """What a cell is, in one sentence."""
    levels = {numbers.percent(f.estimate.level) for f in findings if _bounded(f)}
    interval = f"[{levels.pop()} interval]" if len(levels) == 1 else "[interval]" if levels else "no interval"
    return f"Each cell: estimate, {interval} and n, the number of independent texts that it stands on."


def methods(findings: Sequence[Finding]) -> tuple[str, ...]:
    """The level and the method of each metric's interval; many methods, or long ones, are left to the unrounded list."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for f in filter(_bounded, findings):
        key = (words.metric_name(f.metric), numbers.percent(f.estimate.level))
        found.setdefault(key, {})[words.one_line(f.estimate.method)] = None
    metrics: dict[str, list[str]] = {}
    for (metric, level), names in found.items():
        method = " or ".join(names)
        told = method if len(method) <= METHOD_LENGTH else "method in the unrounded list (page, CSV)"
        metrics.setdefault(f"{level} interval, {told}", []).append(metric)
    return tuple(f"{'; '.join(names)}: {method}" for method, names in metrics.items())


def _bounded(finding: Finding) -> bool:
    return numbers.printed(finding.estimate)[1] is not None


def _remark(finding: Finding) -> str | None:
    """The note; where the value or its interval is missing, the method says why (see Estimate)."""
    if finding.note:
        return words.one_line(finding.note)
    return None if _bounded(finding) else words.one_line(finding.estimate.method) or "no reason was given"


def _cell(finding: Finding, footnotes: dict[str, int]) -> Cell:
    estimate = finding.estimate
    value, interval = numbers.printed(estimate)
    troubles = [f"{finding.counts[key]:,} {key}" for key in TROUBLES if finding.counts.get(key)]
    return Cell(
        value=value,
        interval=None if math.isnan(estimate.value) else interval,
        n=f"n = {estimate.n:,}",
        troubles=", ".join(troubles),
        sign=words.symbols(finding.marks),
        corrected=any(mark.endswith("-corrected") for mark in finding.marks),
        footnote=footnotes.get(_remark(finding) or ""),
        finding=finding,
    )


def headers(columns: Sequence[Key]) -> tuple[tuple[Header, ...], ...]:
    """One header line per key; neighbours with the same outer keys share a header, the innermost line never merges."""
    depth = len(columns[0]) if columns else 0
    return tuple(tuple(_merged([column[: k + 1] for column in columns], k == depth - 1)) for k in range(depth))


def _merged(prefixes: Sequence[Key], innermost: bool) -> Iterable[Header]:
    spans: list[tuple[Key, int]] = []
    for prefix in prefixes:
        if spans and spans[-1][0] == prefix and not innermost:
            spans[-1] = (prefix, spans[-1][1] + 1)
        else:
            spans.append((prefix, 1))
    return (Header(prefix[-1] or MISSING, span) for prefix, span in spans)


def _groups(keys: Sequence[str], rows: Sequence[tuple[Key, tuple[tuple[Cell, ...], ...]]]) -> tuple[Group, ...]:
    found: dict[Key, list[Row]] = {}
    for row, cells in rows:
        found.setdefault(row[:-1], []).append(Row((row[-1] if row else "all") or MISSING, cells))
    return tuple(Group(_group_label(keys, outer), tuple(members)) for outer, members in found.items())


def _group_label(keys: Sequence[str], outer: Key) -> str:
    return ", ".join(f"{key_name(k)}: {v or MISSING}" for k, v in zip(keys, outer, strict=False))


def key_name(key: str) -> str:
    return words.one_line(key.replace("_", " "))
