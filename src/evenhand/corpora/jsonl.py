"""JSON lines: one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..errors import DataError
from ..registry import Card
from .files import opened
from .table import Row, TextTable


@dataclass(frozen=True)
class Jsonl(TextTable):
    name: ClassVar[str] = "jsonl"
    card: ClassVar[Card] = Card(
        summary="Reads documents from JSON lines, plain or gzip.",
        family="reader",
        pitfalls="Labels are taken as spelt: 'human', 'machine', 'mixed', or what labels={...} maps.",
    )

    def rows(self) -> Iterator[tuple[int, Row]]:
        with opened(self.path, self.encoding, newline="\n") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield number, _parsed(line, f"{self.path}, line {number}")


def _parsed(line: str, where: str) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is no JSON: {error}; one object a line is expected") from None
    if not isinstance(row, dict):
        raise DataError(f"{where} holds a {type(row).__name__}, not an object; one object a line is expected")
    return row
