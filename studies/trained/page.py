"""The tables of docs/trained.md, between the marks ``<!-- table NAME -->`` and ``<!-- end -->``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from evenhand.errors import DataError

from . import attack_tables, cost_tables, domain_tables, level_tables
from .forms import Lines, table

MARKED = re.compile(r"(<!-- table (\w+) -->\n)(.*?)(<!-- end -->)", re.S)
TABLES: Mapping[str, Callable[[Path, Path], Lines]] = {
    **domain_tables.TABLES,
    **attack_tables.TABLES,
    **level_tables.TABLES,
    **cost_tables.TABLES,
}


def filled(text: str, data: Path, results: Path) -> str:
    """The page with its tables made anew; what stands outside the marks is left as it is."""
    names = [found[2] for found in MARKED.finditer(text)]
    if unknown := sorted(set(names) - set(TABLES)):
        raise DataError(f"the page asks for the table {unknown[0]!r}; there are: {', '.join(TABLES)}")
    made = {name: table(TABLES[name](data, results)) for name in names}
    return MARKED.sub(lambda found: f"{found[1]}{made[found[2]]}\n{found[4]}", text)
