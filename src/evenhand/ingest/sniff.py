"""What a file is, by its first bytes; its suffix decides only between kinds of plain text."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import DataError
from .container import opened

SUFFIXES = {
    ".pdf": "pdf", ".docx": "docx", ".odt": "odt", ".rtf": "rtf", ".txt": "txt", ".text": "txt", ".md": "txt",
    ".tex": "latex", ".ltx": "latex",
}  # fmt: skip
_TABLES = (".csv", ".tsv", ".jsonl", ".parquet")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_WEB = re.compile(rb"\s*(?:<!doctype html|<html|<\?xml)", re.IGNORECASE)
_LFS = b"version https://git-lfs"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BINARY = {
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"%!PS": "PostScript",
    b"\x1f\x8b": "gzip",
}


def kind_of(path: Path) -> str:
    """pdf, docx, odt, rtf, txt or latex. Raises DataError, which says what the file is instead."""
    with path.open("rb") as stream:
        head = stream.read(2048)
    if not head:
        raise DataError("the file is empty")
    if head.startswith(_LFS):
        raise DataError("a Git LFS pointer, not the data; run `git lfs pull` where it was cloned")
    kind = SUFFIXES.get(path.suffix.lower(), "txt")
    if head.lstrip().startswith(b"%PDF-") or (b"%PDF-" in head[:1024] and kind not in ("txt", "latex")):
        return "pdf"
    if head.lstrip()[:5] == b"{\\rtf":
        return "rtf"
    if head.startswith(_ZIP):
        return _container(path)
    if head.startswith(_OLE):
        raise DataError("an old or encrypted Office file; save it as .docx without a password")
    for start, what in _BINARY.items():
        if head.startswith(start):
            raise DataError(f"{what}, not a text")
    if path.suffix.lower() in _TABLES:
        raise DataError("a table of texts, which needs no import; name it where a corpus is asked for")
    if path.suffix.lower() == ".json":
        raise DataError(
            "JSON, not a text; a table of texts is read where a corpus is asked for, as .jsonl: one object a line"
        )
    if _WEB.match(head):
        raise DataError("a web page or other mark-up; save it as PDF, DOCX or plain text")
    if kind in ("txt", "latex"):
        return _plain(head, kind)
    raise DataError(f"the name says {kind}, but the content is not; was it damaged or renamed?")


def _plain(head: bytes, kind: str) -> str:
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError("no text: it holds null bytes; if it is UTF-16, save it as UTF-8")
    return "latex" if b"\\documentclass" in head or b"\\begin{document}" in head else kind


def _container(path: Path) -> str:
    with opened(path) as archive:
        names = set(archive.namelist())
    if "word/document.xml" in names:
        return "docx"
    if "content.xml" in names:
        return "odt"
    raise DataError("a zip archive that is neither DOCX nor ODT; unpack it and give the folder")
