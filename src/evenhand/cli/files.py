"""Documents from what a user names, and back into a file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..documents import Document


def read_documents(source: str) -> list[Document]:
    """The documents of a file, a folder or a corpus spec such as ``"jsonl(path='x.jsonl', labels={...})"``."""
    from .. import corpora
    from ..errors import SpecError
    from .score import corpus_of

    if not source.strip():
        raise SpecError(
            "no texts were named: give a file, a folder or a corpus spec (a full stop is the present folder)"
        )
    spec = (
        source
        if (not Path(source).exists() and "(" in source) or source in corpora.names()
        else corpus_of(source, None)
    )
    return list(corpora.get(spec))


def check_new(path: str, *, parquet: bool = False) -> None:
    """Raises DataError where documents could not be written to this file: to be called before the work, not after it."""
    from ..errors import DataError

    if not path.endswith((".jsonl", ".jsonl.gz", *((".parquet",) if parquet else ()))):
        or_parquet = ", or .parquet" if parquet else ""
        raise DataError(
            f"documents are written as JSON lines: name the file .jsonl or .jsonl.gz{or_parquet}, not {path}"
        )
    if Path(path).exists():
        raise DataError(f"{path} is there already; name a new file")
    if not Path(path).parent.is_dir():
        raise DataError(f"no folder {Path(path).parent}; make it first")


def write_documents(documents: Iterable[Document], path: str) -> None:
    """One JSON object a line, under the names of Document; what is empty is left out. Raises DataError."""
    write_rows(map(told_of, documents), path)


def told_of(document: Document) -> dict[str, Any]:
    row = {key: value for key, value in asdict(document).items() if value not in (None, "", (), {}, False)}
    return row | {"text": document.text} | {key: str(row[key]) for key in ("level", "level_after") if key in row}


def write_rows(rows: Iterable[dict[str, Any]], path: str) -> None:
    """One JSON object a line. Raises DataError."""
    check_new(path)
    with (gzip.open if path.endswith(".gz") else open)(path, "wt", encoding="utf-8") as stream:
        for row in rows:
            stream.write(json.dumps(row) + "\n")
