"""One file -> what it holds, in this process. ``safely.read_files`` calls it in a child process with limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ..errors import DataError, MissingError, SpecError
from ..sections import SECTIONS
from . import docx, latex, odt, pdf_blocks, pdf_layout, rtf, txt
from .blocks import Content, Limits
from .clean import without_emails
from .paper import Paper, paper_of
from .sniff import kind_of

PARSERS = ("layout", "idmgsp")
"""For PDF: our own geometry over PDFium ('parsing 2'), and the published rules over pdfminer.six ('parsing 1')."""
READERS: dict[str, Callable[[Path, Limits], Content]] = {
    "docx": docx.read, "odt": odt.read, "rtf": rtf.read, "txt": txt.read, "latex": latex.read, "pdf": pdf_layout.read,
}  # fmt: skip
_NO_LETTER = re.compile(r"\(cid:\d+\)|[\ue000-\uf8ff\ufffd]")
DISCARDED = "IDMGSP discards a paper without introduction and conclusion"


@dataclass(frozen=True, slots=True)
class FileRead:
    """What one file gave. ``status``: 'ok' (all three sections), 'partial', 'none' (text, but no section), 'refused'
    (``reason`` says what is wrong with the file), 'failed' (the reader died or ran out of time or memory)."""

    file: str
    status: str
    reason: str = ""
    kind: str = ""
    parser: str = ""
    library: str = ""
    digest: str = ""
    pages: int | None = None
    title: str | None = None
    title_from: str | None = None
    sections: dict[str, str] = field(default_factory=dict)
    headings: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    body: str = ""
    left_out: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    emails: int = 0
    seconds: float = 0.0

    def told(self) -> dict[str, Any]:
        """The row of the ledger: all but the texts, of which it tells the words."""
        row = {key: value for key, value in asdict(self).items() if key not in ("sections", "body")}
        return row | {"words": {name: len(text.split()) for name, text in self.sections.items()}}


def check_parser(parser: str) -> None:
    if parser not in PARSERS:
        raise SpecError(f"no parser {parser!r}; for PDF there are {' and '.join(map(repr, PARSERS))}")


def read_file(path: Path, parser: str = "layout", limits: Limits | None = None) -> FileRead:
    """Reads one file; what is wrong with it is a status, not an error. ``file`` is the path as given."""
    limits = limits or Limits()
    try:
        return _read(path, parser, limits)
    except (DataError, MissingError) as error:
        return FileRead(str(path), "refused", str(error), parser=parser)
    except OSError as error:
        return FileRead(str(path), "refused", f"cannot be read: {error.strerror}", parser=parser)
    except MemoryError:
        return FileRead(str(path), "failed", out_of_memory(limits), parser=parser)
    except RecursionError:
        return FileRead(str(path), "failed", "nested too deeply", parser=parser)


def out_of_memory(limits: Limits) -> str:
    return f"needs more than {limits.memory / 2**30:.2g} GB of memory"


def _read(path: Path, parser: str, limits: Limits) -> FileRead:
    size = path.stat().st_size
    if size > limits.file_bytes:
        raise DataError(f"{size / 2**20:,.0f} MB; at most {limits.file_bytes / 2**20:,.0f} are read")
    kind = kind_of(path)
    digest = blake2b(path.read_bytes(), digest_size=16).hexdigest()
    read = _by_idmgsp if kind == "pdf" and parser == "idmgsp" else _by_blocks
    return replace(read(path, kind, limits), digest=digest, parser=parser if kind == "pdf" else "")


def _by_blocks(path: Path, kind: str, limits: Limits) -> FileRead:
    content = READERS[kind](path, limits)
    text = checked((block.text for block in content.blocks), limits)
    if not text.strip():
        raise DataError("no text in it")
    paper = paper_of(content)
    notes = (*content.notes, *unreadable(text))
    return FileRead(
        str(path), status(paper), kind=kind, library=content.library, pages=content.pages, title=content.title,
        title_from=content.title_from, sections=paper.sections, headings=paper.headings, missing=paper.missing,
        body=paper.body, left_out=content.left_out, notes=notes, emails=paper.emails,
    )  # fmt: skip


def checked(blocks: Iterable[str], limits: Limits) -> str:
    """All text; DataError where it is more than the limit."""
    text = " ".join(blocks)
    if len(text) > limits.characters:
        raise DataError(f"{len(text):,} characters of text; at most {limits.characters:,} are read")
    return text


def unreadable(text: str) -> tuple[str, ...]:
    """A note where many characters are none: fonts that do not say which letters their signs are, another encoding."""
    found = _NO_LETTER.findall(text)
    share = sum(map(len, found)) / max(1, len(text))
    told = f"{share:.0%} of the text are signs that no letter is known for (its fonts, its encoding): not to be trusted"
    return (told,) if share > 0.02 else ()


def status(paper: Paper) -> str:
    return "ok" if not paper.missing else "partial" if paper.sections else "none"


def _by_idmgsp(path: Path, kind: str, limits: Limits) -> FileRead:
    boxes = pdf_blocks.read(path, limits)
    text = checked(boxes.blocks, limits)
    masked = {name: without_emails(part) for name, part in pdf_blocks.sections(boxes.blocks, SECTIONS).items()}
    sections = {name: masked[name][0] for name in SECTIONS if name in masked}
    missing = {name: "no title holds its name, or no other title follows it" for name in SECTIONS if name not in masked}
    paper = Paper(sections, {}, missing, without_emails("\n\n".join(boxes.blocks))[0])
    discarded = (DISCARDED,) if {"introduction", "conclusion"} & missing.keys() else ()
    return FileRead(
        str(path), status(paper), kind=kind, library=boxes.library, pages=boxes.pages, title=boxes.first,
        title_from="first block of page 1", sections=sections, missing=missing, body=paper.body,
        notes=(*discarded, *unreadable(text)), emails=sum(count for _, count in masked.values()),
    )  # fmt: skip
