"""From files that were read to documents: a section each, the whole paper as one text, or all text of a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ..documents import LABELS, Document, Label, Level
from ..errors import DataError, SpecError
from ..sections import SECTIONS, join_sections
from .reading import FileRead
from .sniff import SUFFIXES

UNITS = ("sections", "whole", "body")


@dataclass(frozen=True, slots=True)
class Make:
    """How files become documents. ``unit``: 'sections', 'whole' (the three sections in IDMGSP's form; papers that lack
    one give none) or 'body'. ``label`` and ``generator`` are those of all the files."""

    unit: str = "sections"
    label: Label = "unknown"
    generator: str | None = None
    corpus: str = "files"

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise SpecError(f"import: a text is one of {', '.join(UNITS)}, got {self.unit!r}")
        if self.label not in LABELS:
            raise SpecError(f"import: label is human, machine, mixed or unknown, got {self.label!r}")


def documents(read: FileRead, make: Make) -> Iterator[Document]:
    """A file that gave nothing of the kind has no document."""
    for part, text in parts(read, make.unit).items():
        section = part if make.unit == "sections" else None
        yield Document(
            id=f"{read.file}#{part}",
            text=text,
            label=make.label,
            level=Level.HUMAN if make.label == "human" else None,
            generator=make.generator,
            corpus=make.corpus,
            title=read.title,
            section=section,
            source_id=read.file,
            cluster=without_suffix(read.file),
            meta=_meta(read, section),
        )


def without_suffix(file: str) -> str:
    """'a/paper.pdf' -> 'a/paper'; what is no suffix of ours stays, so that 'smith.2019' and 'smith.2020' are two."""
    suffix = PurePosixPath(file).suffix
    return file.removesuffix(suffix) if suffix.lower() in SUFFIXES else file


def parts(read: FileRead, unit: str) -> dict[str, str]:
    """Part -> text; empty for 'whole' where a section is missing."""
    if unit == "body":
        return {"body": read.body} if read.body else {}
    if unit == "whole":
        return {"paper": join_sections(read.sections)} if read.sections.keys() >= set(SECTIONS) else {}
    return read.sections


def _meta(read: FileRead, section: str | None) -> dict[str, Any]:
    """How the text came out of its file: enough to tell parsers apart, and to repeat it."""
    told = {"format": read.kind, "parser": read.parser, "library": read.library, "file_digest": read.digest}
    if section is not None:
        told |= {"heading": read.headings.get(section, ""), "taken_from": "file"}
    return {key: value for key, value in told.items() if value}


def write_ledger(reads: Iterable[FileRead], path: Path) -> None:
    """One JSON object a file. Raises DataError where the file is there already."""
    if path.exists():
        raise DataError(f"{path} is there already; name a new file")
    with path.open("w", encoding="utf-8") as stream:
        for read in reads:
            stream.write(json.dumps(read.told(), sort_keys=True) + "\n")
