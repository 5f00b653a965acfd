"""Plain text: paragraphs are parted by blank lines; a file without blank lines has one a line."""

from __future__ import annotations

import re
from pathlib import Path

from .blocks import Block, Content, Limits
from .clean import joined, tidy, words_of
from .headings import heading_of, known

_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def read(path: Path, limits: Limits) -> Content:
    content = path.read_bytes()
    text, note = decoded(content)
    return Content(blocks_of(text), library="txt (own)", notes=(note,) if note else ())


def decoded(content: bytes) -> tuple[str, str]:
    """The text, and a note where it is not UTF-8: then it is read as Windows-1252, of which Latin-1 is a part."""
    name = next((name for bom, name in _BOMS.items() if content.startswith(bom)), "utf-8")
    try:
        return content.decode(name), ""
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace"), "not UTF-8: read as Windows-1252"


def blocks_of(text: str) -> tuple[Block, ...]:
    text = re.sub(r"\r\n?", "\n", text)
    lines = text.split("\n")
    vocabulary = words_of(lines)
    parts = re.split(r"\n\s*\n", text) if re.search(r"\n\s*\n", text.strip()) else lines
    blocks = []
    for part in parts:
        blocks += [Block(made) for group in _apart(part) if (made := joined(group, vocabulary))]
    return tuple(blocks)


def _apart(part: str) -> list[list[str]]:
    """The lines of a paragraph; a first line that is a known heading stands for itself."""
    lines = [line for line in part.split("\n") if line.strip()]
    read = heading_of(tidy(lines[0])) if lines else None
    return [lines[:1], lines[1:]] if len(lines) > 1 and read and known(read) else [lines]
