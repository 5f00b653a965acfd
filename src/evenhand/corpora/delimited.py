"""CSV and its relatives, with a header line."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..errors import DataError, SpecError
from ..registry import Card
from .base import some
from .files import opened
from .table import Row, TextTable


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
        tab = self.path.lower().removesuffix(".gz").endswith(".tsv")
        with opened(self.path, self.encoding) as stream:
            yield from csv_rows(stream, self.path, self.delimiter or ("\t" if tab else ","))


def csv_rows(stream: Iterator[str], path: str, delimiter: str = ",") -> Iterator[tuple[int, Row]]:
    """(number of the row's last line, row); raises DataError for a row that does not fit the header."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # the default of 128 KB is less than a long text
    reader = csv.DictReader(stream, delimiter=delimiter, strict=True)
    try:
        header = reader.fieldnames or []
        if twice := [name for name, n in Counter(header).items() if n > 1]:
            raise DataError(f"{path}: the header names {some(twice)} more than once; give every column its own name")
        for row in reader:
            cells = len(header) + (len(row.pop(None)) if None in row else -list(row.values()).count(None))
            if cells != len(header):
                fault = f"{cells} cells, but the header has {len(header)}"
                raise DataError(f"{path}, line {reader.line_num}: {fault}; check quotes and delimiter=")
            yield reader.line_num, row
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}; check quotes and delimiter=") from None
