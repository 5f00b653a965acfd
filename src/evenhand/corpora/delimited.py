"""CSV and its relatives, with a header line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..errors import SpecError
from ..files import Row, csv_rows, opened, separator
from ..registry import Card
from .table import TextTable


@dataclass(frozen=True)
class Csv(TextTable):
    """``delimiter=None`` is a tab for names that end in .tsv or .tsv.gz, and a comma for all others."""

    delimiter: str | None = None
    name: ClassVar[str] = "csv"
    card: ClassVar[Card] = Card(
        summary="Reads documents from CSV or TSV with a header line, plain or gzip.",
        family="reader",
        pitfalls="An empty cell cannot be told from a missing value; an empty text stays a document.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise SpecError(f"{self.name}: delimiter must be one character, got {self.delimiter!r}")

    def rows(self) -> Iterator[tuple[int, Row]]:
        with opened(self.path, self.encoding) as stream:
            yield from csv_rows(stream, self.path, self.delimiter or separator(self.path))
