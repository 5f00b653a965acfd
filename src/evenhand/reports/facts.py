"""Ledger and provenance as plain tables: what was not scored, and how the numbers came to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import tables, words
from .flat import PlainTable

COUNTS = ("count", "truncated", "of")
COLUMN_ORDER = ("detector", "class", "label", "level", "status", "reason", *COUNTS)


def ledger_tables(ledger: Iterable[Mapping[str, Any]]) -> tuple[PlainTable, ...]:
    """One table per kind of row (rows with the same keys), in the order in which the kinds occur."""
    kinds: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in ledger:
        kinds.setdefault(tuple(sorted(row, key=_column_rank)), []).append(row)
    return tuple(PlainTable(keys, tuple(tuple(told(r[k]) for k in keys) for r in rows)) for keys, rows in kinds.items())


def ledger_caption(table: PlainTable) -> str:
    """What a row of a ledger's table counts."""
    keys = [tables.key_name(name) for name in table.columns if name not in COUNTS]
    return f"Number of texts by {', '.join(keys)}." if keys else "Number of texts."


def _column_rank(key: str) -> tuple[int, str]:
    return (COLUMN_ORDER.index(key) if key in COLUMN_ORDER else len(COLUMN_ORDER), key)


def provenance_sections(provenance: Mapping[str, Any]) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """(heading, (name, value) pairs) per top-level key, sorted; the scalars come first, under no heading."""
    flat = {key: tuple(flatten(provenance[key])) for key in sorted(provenance)}
    scalars = tuple((key, pairs[0][1]) for key, pairs in flat.items() if _is_scalar(pairs))
    nested = tuple((key, pairs) for key, pairs in flat.items() if not _is_scalar(pairs))
    return ((("", scalars),) if scalars else ()) + nested


def _is_scalar(pairs: Sequence[tuple[str, str]]) -> bool:
    return len(pairs) == 1 and not pairs[0][0]


def flatten(value: Any, path: str = "") -> Iterable[tuple[str, str]]:
    """Leaves with their dotted path; a list of plain values is one leaf."""
    if isinstance(value, Mapping) and value:
        for key in sorted(value):
            yield from flatten(value[key], f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple) and any(isinstance(item, Mapping | list | tuple) for item in value):
        for i, item in enumerate(value, start=1):
            yield from flatten(item, f"{path}.{i}" if path else str(i))
    else:
        yield words.clean(path), told(value)


def told(value: Any) -> str:
    """A leaf as a text: nothing is ``-``, lists are joined by commas, floats are printed by repr."""
    if value is None or (isinstance(value, Mapping | list | tuple) and not value):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(told, value))
    return words.clean(repr(float(value)) if isinstance(value, float) else value)
