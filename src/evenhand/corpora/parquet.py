"""Parquet tables, among them the documents table of a run folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..errors import DataError
from ..registry import Card
from .files import existing
from .table import Row, Table


@dataclass(frozen=True)
class Parquet(Table):
    name: ClassVar[str] = "parquet"
    card: ClassVar[Card] = Card(
        summary="Reads documents from one Parquet file.",
        family="reader",
        pitfalls="Values in meta are strings where the table keeps them so.",
    )

    def rows(self) -> Iterator[tuple[int, Row]]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(existing(self.path)) as table:
                rows = (row for batch in table.iter_batches(1024) for row in batch.to_pylist())
                yield from enumerate(rows, 1)
        except pa.ArrowInvalid as error:
            raise DataError(f"{self.path} is no readable Parquet file: {error}") from None
