"""Reading a file that somebody gave: plain or gzip, in the encoding named, by rows; or an error that says what is wrong."""

from __future__ import annotations

import codecs
import csv
import gzip
import hashlib
import io
import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from .errors import DataError, SpecError

_GZIP = b"\x1f\x8b"
_LFS = b"version https://git-lfs"
READERS = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}
"""Suffix of a table -> the corpus that reads it; plain text tables may be gzip, with .gz behind."""


Row = Mapping[str, Any]


def table_reader(path: Path) -> str | None:
    """Decided by the name alone, never by a look inside."""
    suffix = path.with_suffix("").suffix if path.suffix.lower() == ".gz" else path.suffix
    return READERS.get(suffix.lower())


def check_encoding(name: str, encoding: str) -> None:
    """Raises SpecError for an encoding that Python does not know."""
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise SpecError(f"{name}: no encoding {encoding!r}; try 'utf-8', 'cp1252', 'mac_roman' or 'gb18030'") from None


def existing(path: str | Path, *, folder: bool = False) -> Path:
    """The path, if a file (or folder) with something in it is there; DataError otherwise."""
    found = Path(path).expanduser()
    kind, other = ("folder", "file") if folder else ("file", "folder")
    if not found.exists():
        raise DataError(f"no such {kind}: {path}; give the path as seen from the folder where the command runs")
    if found.is_dir() != folder:
        raise DataError(f"{path} is a {other}, not a {kind}")
    if not folder:
        _readable(found)
    return found


def _readable(path: Path) -> None:
    try:
        with path.open("rb") as stream:
            head = stream.read(len(_LFS))
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}; check its permissions") from None
    if not head:
        raise DataError(f"{path} is empty: there is nothing in it")
    if head == _LFS:
        raise DataError(f"{path} is a Git LFS pointer, not the data; run `git lfs pull` where it was cloned")


@contextmanager
def opened(path: str | Path, encoding: str = "utf-8", newline: str = "") -> Iterator[io.TextIOWrapper]:
    """A text stream without newline translation; a byte that cannot be decoded is named with its place.

    A byte order mark at the start belongs to the file, not to the text, and is dropped.
    """
    source = existing(path)
    name = "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding
    try:
        with _binary(source) as raw, io.TextIOWrapper(cast(IO[bytes], raw), encoding=name, newline=newline) as stream:
            yield stream
    except UnicodeDecodeError:
        raise DataError(_undecodable(source, encoding)) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} is a damaged gzip file ({error}); fetch or compress it again") from None


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal; the file is never in memory whole."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_text(path: str | Path, encoding: str = "utf-8") -> str:
    """The whole text of a file, its line ends as they are."""
    with opened(path, encoding) as stream:
        return stream.read()


def _binary(path: Path) -> io.BufferedIOBase:
    with path.open("rb") as stream:
        packed = stream.read(2) == _GZIP
    return cast(io.BufferedIOBase, gzip.open(path, "rb") if packed else path.open("rb"))


def _undecodable(path: Path, encoding: str) -> str:
    with _binary(path) as stream:
        content = stream.read()
    cure = "name the encoding it is written in, such as encoding='cp1252', or save it as UTF-8"
    try:
        content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{content[error.start]:02X} at offset {error.start} (line {line})"
        return f"{path}: {byte} is not {encoding}; {cure}"
    return f"{path} is not {encoding}; {cure}"


def separator(path: str) -> str:
    """A tab for names that end in .tsv or .tsv.gz, and a comma for all others."""
    return "\t" if path.lower().removesuffix(".gz").endswith(".tsv") else ","


def csv_rows(stream: Iterator[str], path: str, delimiter: str = ",") -> Iterator[tuple[int, Row]]:
    """(number of the row's last line, row); raises DataError for a row that does not fit the header."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # the default of 128 KB is less than a long text
    reader = csv.DictReader(stream, delimiter=delimiter, strict=True)
    try:
        header = reader.fieldnames or []
        if twice := [name for name, n in Counter(header).items() if n > 1]:
            raise DataError(
                f"{path}: the header names {', '.join(map(repr, twice))} more than once; give every column its own name"
            )
        for row in reader:
            cells = len(header) + (len(row.pop(None)) if None in row else -list(row.values()).count(None))
            if cells != len(header):
                fault = f"{cells} cells, but the header has {len(header)}"
                raise DataError(f"{path}, line {reader.line_num}: {fault}; check quotes and delimiter")
            yield reader.line_num, row
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}; check quotes and delimiter") from None


def json_rows(stream: Iterable[str], path: str) -> Iterator[tuple[int, Row]]:
    """(number of the line, object); raises DataError for a line that is none."""
    for number, line in enumerate(stream, 1):
        if line.strip():
            yield number, _parsed(line, f"{path}, line {number}")


def _parsed(line: str, where: str) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is no JSON: {error}; one object a line is expected") from None
    if not isinstance(row, dict):
        raise DataError(f"{where} holds a {type(row).__name__}, not an object; one object a line is expected")
    return row
