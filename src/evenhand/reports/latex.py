"""Findings as a LaTeX document with booktabs tables, for pdfLaTeX, XeLaTeX and LuaLaTeX.

The fonts of pdfLaTeX hold Latin letters only: every other character is printed as its code point, e.g. <U+0645>.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from ..audits.finding import Findings, Result
from . import facts, tables, words
from .flat import PlainTable

COLUMNS_A_TABLE = 6
"""Wider grids are cut into several tables, each with the row names."""

PREAMBLE = r"""\documentclass[10pt]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\usepackage[a4paper,landscape,margin=18mm]{geometry}
\usepackage{array,booktabs,longtable}
\newcommand{\codepoint}[1]{\texttt{\textless{}U+#1\textgreater{}}}
\newcolumntype{L}[1]{>{\raggedright\arraybackslash}p{#1\linewidth}}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\setlength{\tabcolsep}{3pt}
\setlength{\LTcapwidth}{\linewidth}
"""

_ACCENTED = "ĂăĄąĆćČčĎďĐđĘęĚěĞğİıĹĺĽľŁłŃńŇňŐőŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž"
_COMMANDS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_\allowbreak{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "(": r"(\allowbreak{}",
    "/": r"/\allowbreak{}",
    "@": r"@\allowbreak{}",
    "–": "--",
    "—": "---",
    "‘": "\\textquoteleft{}",
    "’": "\\textquoteright{}",
    "“": "\\textquotedblleft{}",
    "”": "\\textquotedblright{}",
    "…": r"\ldots{}",
    "†": r"\textdagger{}",
    "‡": r"\textdaggerdbl{}",
    "−": "$-$",
    "∞": r"$\infty$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "\u2060": "{}",
    "\xa0": "~",
    "\xad": r"\-",
}
"""Brackets and stars are wrapped because LaTeX reads them as options where they follow a line end. The word joiner, which
is not seen, becomes an empty group: it keeps two hyphens, or two commas, from being set as another sign."""


def to_latex(findings: Findings) -> str:
    """A whole document: answers, audits, ledger, provenance. Figures are named, not drawn."""
    blocks = [PREAMBLE + r"\begin{document}", rf"\section*{{{escape(words.TITLE)}}}", *_answers(findings)]
    for result in findings.results:
        blocks += _audit(result)
    blocks += [rf"\section*{{{words.LEDGER}}}", escape(words.LEDGER_INTRO)]
    blocks += [_plain(table) for table in facts.ledger_tables(findings.ledger)] or [words.NO_LEDGER]
    blocks += [rf"\section*{{{words.PROVENANCE}}}", *_provenance(findings), r"\end{document}"]
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    """``text`` on one line, safe in LaTeX's text mode."""
    return "".join(map(_character, re.sub(r"([-,])(?=\1)", "\\1\u2060", words.one_line(text))))


def _character(sign: str) -> str:
    if sign in _COMMANDS:
        return _COMMANDS[sign]
    return sign if " " <= sign <= "~" or "¡" <= sign <= "ÿ" or sign in _ACCENTED else rf"\codepoint{{{ord(sign):04X}}}"


def _answers(findings: Findings) -> Iterator[str]:
    every = [answer for result in findings.results for answer in result.answers]
    for kind, heading in words.KINDS.items():
        if texts := [answer.text for answer in every if answer.kind == kind]:
            yield rf"\subsection*{{{heading}}}"
            yield _list(texts)
    if not every:
        yield words.NO_ANSWERS


def _audit(result: Result) -> Iterator[str]:
    yield rf"\section*{{{escape(result.title)}}}"
    yield escape(result.question)
    yield rf"\texttt{{{escape(result.audit)}}}"
    for grid in tables.grids(result):
        yield from _grid(grid)
    if result.figures:
        yield "Figures (drawn in the HTML form): " + "; ".join(escape(figure.title) for figure in result.figures)
    if result.notes:
        yield _list(result.notes)


def _grid(grid: tables.Grid) -> Iterator[str]:
    if not grid.groups:
        yield rf"\textbf{{{escape(grid.title)}}} {words.NO_FINDINGS}"
        return
    for start in range(0, len(grid.columns), COLUMNS_A_TABLE):
        yield _block(grid, slice(start, start + COLUMNS_A_TABLE))
    if grid.legend:
        yield (
            r"{\footnotesize " + "; ".join(f"{escape(sign)} {escape(meaning)}" for sign, meaning in grid.legend) + ".}"
        )
    if grid.methods:
        yield rf"{{\footnotesize {escape('. '.join(grid.methods))}.}}"
    if grid.footnotes:
        notes = (f"({i}) {escape(note)}" for i, note in enumerate(grid.footnotes, start=1))
        yield r"{\footnotesize " + r"\newline ".join(notes) + "}"


def _block(grid: tables.Grid, part: slice) -> str:
    """The table of some of the grid's columns."""
    columns = grid.columns[part]
    width = 0.74 / len(columns)
    caption = rf"\caption{{\textbf{{{escape(grid.title)}}} {escape(grid.caption)} {escape(grid.reading)}}}\\"
    lines = [rf"\begin{{longtable}}{{@{{}}L{{0.22}}{f'L{{{width:.3f}}}' * len(columns)}@{{}}}}", caption]
    lines += [
        r"\toprule",
        *_head(grid.corner, tables.headers(columns)),
        r"\midrule",
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
    ]
    for group in grid.groups:
        if group.label:
            lines.append(_spanning(len(columns) + 1, group.label))
        lines += [_line([escape(row.label), *map(_cell, row.cells[part])]) for row in group.rows]
    return "\n".join([*lines, r"\end{longtable}"])


def _head(corner: str, headers: Sequence[Sequence[tables.Header]]) -> Iterator[str]:
    for line in headers[:-1]:
        yield _line(["", *(rf"\multicolumn{{{h.span}}}{{l}}{{\textbf{{{escape(h.label)}}}}}" for h in line)])
        ends = list(accumulate((h.span for h in line), initial=1))
        yield " ".join(rf"\cmidrule(lr){{{start + 1}-{end}}}" for start, end in pairwise(ends))
    innermost = headers[-1] if headers else ()
    yield _line([rf"\textbf{{{escape(corner)}}}", *(rf"\textbf{{{escape(h.label)}}}" for h in innermost)])


def _spanning(columns: int, label: str) -> str:
    return rf"\multicolumn{{{columns}}}{{@{{}}L{{0.98}}@{{}}}}{{\textbf{{{escape(label)}}}}} \\*"


def _cell(found: Sequence[tables.Cell]) -> str:
    return r" \newline ".join(map(_one_cell, found)) or tables.MISSING


def _one_cell(cell: tables.Cell) -> str:
    value = rf"\textbf{{{escape(cell.value)}}}" if cell.corrected else escape(cell.value)
    note = rf"\textsuperscript{{({cell.footnote})}}" if cell.footnote else ""
    sign = rf"\textsuperscript{{{escape(cell.sign)}}}" if cell.sign else ""
    first = f"{value}{sign}{note}"
    return r" \newline ".join([first, *(escape(text) for text in (cell.interval, cell.n, cell.troubles) if text)])


def _provenance(findings: Findings) -> Iterator[str]:
    sections = facts.provenance_sections(findings.provenance)
    for heading, pairs in sections:
        if heading:
            yield rf"\subsection*{{{escape(heading)}}}"
        yield _plain(PlainTable(("name", "value"), tuple((name or heading, value) for name, value in pairs)))
    if not sections:
        yield words.NO_PROVENANCE


def _plain(table: PlainTable) -> str:
    width = 0.94 / len(table.columns)
    lines = [rf"\begin{{longtable}}{{@{{}}{f'L{{{width:.3f}}}' * len(table.columns)}@{{}}}}", r"\toprule"]
    lines += [_line(rf"\textbf{{{escape(name)}}}" for name in table.columns), r"\midrule", r"\endhead"]
    lines += [r"\bottomrule", r"\endfoot", *(_line(map(escape, row)) for row in table.rows)]
    return "\n".join([*lines, r"\end{longtable}"])


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _list(texts: Iterable[str]) -> str:
    return "\n".join([r"\begin{itemize}", *(rf"\item {{}}{escape(text)}" for text in texts), r"\end{itemize}"])
