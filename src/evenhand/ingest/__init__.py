"""Papers and other documents out of files: PDF, DOCX, ODT, RTF, LaTeX and plain text."""

from __future__ import annotations

from .blocks import Limits
from .corpus import Make, documents, write_ledger
from .files import Found, find
from .reading import PARSERS, FileRead, read_file
from .safely import read_files

__all__ = [
    "PARSERS",
    "FileRead",
    "Found",
    "Limits",
    "Make",
    "documents",
    "find",
    "read_file",
    "read_files",
    "write_ledger",
]
