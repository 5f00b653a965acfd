"""Parquet tables, among them the documents table of a run folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from ..errors import DataError
from ..files import Row, existing
from ..registry import Card
from .table import Table


@dataclass(frozen=True)
class Parquet(Table):
    name: ClassVar[str] = "parquet"
    card: ClassVar[Card] = Card(
        summary="Reads documents from one Parquet file.",
        family="reader",
        pitfalls="Values of a map column meta are read as JSON where they are JSON.",
    )

    def rows(self) -> Iterator[tuple[int, Row]]:
        return ((number, _with_meta(row)) for number, row in parquet_rows(self.path))


def parquet_rows(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(number from 1, row); raises DataError for a file that is no Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(existing(path)) as table:
            yield from enumerate((row for batch in table.iter_batches(1024) for row in batch.to_pylist()), 1)
    except pa.ArrowInvalid as error:
        raise DataError(f"{path} is no readable Parquet file: {error}") from None


def _with_meta(row: dict[str, Any]) -> Row:
    """Our own tables keep the values of ``meta`` as JSON text; other text stays as it is."""
    if isinstance(row.get("meta"), list):
        row["meta"] = {key: _value(value) for key, value in row["meta"]}
    return row


def _value(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text
