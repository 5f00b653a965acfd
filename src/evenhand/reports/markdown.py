"""Findings as Markdown (the dialect of GitHub: pipe tables)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ..audits.finding import Findings, Result
from . import facts, tables, words
from .flat import PlainTable

_SPECIAL = re.compile(r"[\\`*\[\]|~$]|(?<!\w)_|_(?!\w)")
_AT_START = re.compile(r"^(\d+(?=[.)](?:\s|$))|)([#+=.)-])")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def to_markdown(findings: Findings) -> str:
    """The report as one text: answers, audits, ledger, provenance. Figures are named, not drawn."""
    blocks = [f"# {words.TITLE}", *_answers(findings)]
    for result in findings.results:
        blocks += _audit(result)
    blocks += [f"## {words.LEDGER}", words.LEDGER_INTRO]
    blocks += [_plain(table) for table in facts.ledger_tables(findings.ledger)] or [words.NO_LEDGER]
    blocks += [f"## {words.PROVENANCE}", *_provenance(findings)]
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    """``text`` on one line, with every sign that would be markup made literal, also those that are so at a line's start."""
    literal = _SPECIAL.sub(r"\\\g<0>", words.one_line(text).translate(_ENTITIES))
    return _AT_START.sub(r"\1\\\2", literal)


def code(text: str) -> str:
    """A code span, fenced by more backticks than the text has in a row; nothing for no text."""
    text = words.one_line(text)
    if not text:
        return ""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if "`" in text else f"`{text}`"


def _answers(findings: Findings) -> Iterator[str]:
    yield "## Answers"
    every = [answer for result in findings.results for answer in result.answers]
    for kind, heading in words.KINDS.items():
        if texts := [answer.text for answer in every if answer.kind == kind]:
            yield f"### {heading}"
            yield _list(texts)
    if not every:
        yield words.NO_ANSWERS


def _audit(result: Result) -> Iterator[str]:
    yield f"## {escape(result.title)}"
    yield escape(result.question)
    yield code(result.audit)
    for grid in tables.grids(result):
        yield from _grid(grid)
    if result.figures:
        yield "Figures (drawn in the HTML form): " + "; ".join(escape(figure.title) for figure in result.figures)
    if result.notes:
        yield "### Notes"
        yield _list(result.notes)


def _grid(grid: tables.Grid) -> Iterator[str]:
    yield f"### {escape(grid.title)}"
    if not grid.groups:
        yield words.NO_FINDINGS
        return
    yield f"{escape(grid.caption)} {escape(grid.reading)}".strip()
    head = [grid.corner, *(" / ".join(value or tables.MISSING for value in column) for column in grid.columns)]
    lines = [_line(map(escape, head)), _rule(len(head))]
    for group in grid.groups:
        if group.label:
            lines.append(_line([f"**{escape(group.label)}**", *[""] * len(grid.columns)]))
        lines += [_line([escape(row.label), *map(_cell, row.cells)]) for row in group.rows]
    yield "\n".join(lines)
    if grid.legend:
        yield "; ".join(f"{escape(sign)} {meaning}" for sign, meaning in grid.legend) + "."
    if grid.methods:
        yield escape(". ".join(grid.methods) + ".")
    if grid.footnotes:
        yield "\n".join(f"{i}. {escape(note)}" for i, note in enumerate(grid.footnotes, start=1))


def _cell(found: Sequence[tables.Cell]) -> str:
    return "; ".join(map(_one_cell, found)) or tables.MISSING


def _one_cell(cell: tables.Cell) -> str:
    value = f"**{cell.value}**" if cell.corrected else cell.value
    note = f" ({cell.footnote})" if cell.footnote else ""
    interval = f" {escape(cell.interval)}" if cell.interval else ""
    return ", ".join(filter(None, [f"{value}{escape(cell.sign)}{note}{interval}", cell.n, cell.troubles]))


def _provenance(findings: Findings) -> Iterator[str]:
    sections = facts.provenance_sections(findings.provenance)
    for heading, pairs in sections:
        if heading:
            yield f"### {escape(heading)}"
        yield _plain(PlainTable(("name", "value"), tuple((name or heading, value) for name, value in pairs)))
    if not sections:
        yield words.NO_PROVENANCE


def _plain(table: PlainTable) -> str:
    lines = [_line(map(escape, table.columns)), _rule(len(table.columns))]
    return "\n".join(lines + [_line(map(escape, row)) for row in table.rows])


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _rule(columns: int) -> str:
    return "|" + " --- |" * columns


def _list(texts: Iterable[str]) -> str:
    return "\n".join(f"- {escape(text)}" for text in texts)
