"""JSON lines: one object a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..files import Row, json_rows, opened
from ..registry import Card
from .table import TextTable


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
            yield from json_rows(stream, self.path)
