"""Pages whose tables are made anew, between the marks ``<!-- table NAME -->`` and ``<!-- end -->``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from evenhand.errors import DataError

MARKED = re.compile(r"(<!-- table (\w+) -->\n)(.*?)(<!-- end -->)", re.S)
Lines = list[Sequence[str]]
"""Cells of a table; the first line is its head."""
Tables = Mapping[str, Callable[[Path, Path], Lines]]
"""Name -> what makes the table, of the texts and the results."""


def filled(text: str, tables: Tables, data: Path, results: Path) -> str:
    """The page with its tables made anew; what stands outside the marks is left as it is."""
    names = [found[2] for found in MARKED.finditer(text)]
    if unknown := sorted(set(names) - set(tables)):
        raise DataError(f"the page asks for the table {unknown[0]!r}; there are: {', '.join(tables)}")
    made = {name: table(tables[name](data, results)) for name in names}
    return MARKED.sub(lambda found: f"{found[1]}{made[found[2]]}\n{found[4]}", text)


def table(lines: Lines) -> str:
    head, *body = lines
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *body))


def write(page: Path, tables: Tables, data: Path, results: Path) -> None:
    page.write_text(filled(page.read_text(encoding="utf-8"), tables, data, results), encoding="utf-8")
