"""Plain text: paragraphs are parted by blank lines; a file without blank lines has one a line. Of Markdown, headings are known
by their signs and listings are left out; other marks stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from .blocks import Block, Content, Limits
from .clean import joined, tidy, words_of
from .headings import heading_of, known, numbered_section

_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$", re.MULTILINE)
_LISTING = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)


def read(path: Path, limits: Limits) -> Content:
    text, note = decoded(path.read_bytes())
    notes = (note,) if note else ()
    if path.suffix.lower() != ".md":
        return Content(blocks_of(text), library="txt (own)", notes=notes)
    text, listings = _LISTING.subn("", re.sub(r"\r\n?", "\n", text))
    left_out = {"listings": listings} if listings else {}
    return Content(tuple(markdown(text)), library="markdown (own)", left_out=left_out, notes=notes)


def decoded(content: bytes) -> tuple[str, str]:
    """The text, and a note where it is not in the encoding that it says (by its mark, else UTF-8). Without a mark it is then
    read as Windows-1252, of which Latin-1 is a part."""
    mark = next((name for bom, name in _BOMS.items() if content.startswith(bom)), None)
    try:
        return content.decode(mark or "utf-8"), ""
    except UnicodeDecodeError:
        if mark is not None:
            return content.decode(mark, "replace"), f"damaged {mark.removesuffix('-sig').upper()}: some signs are lost"
        return content.decode("cp1252", "replace"), "not UTF-8: read as Windows-1252"


def markdown(text: str) -> Iterator[Block]:
    at = 0
    for found in _HEADING.finditer(text):
        yield from blocks_of(text[at : found.start()])
        yield Block(tidy(found[2]), "heading", len(found[1]))
        at = found.end()
    yield from blocks_of(text[at:])


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
    read = heading_of(tidy(lines[0])) if len(lines) > 1 else None
    return [lines[:1], lines[1:]] if read and (known(read) or numbered_section(read, lines[0])) else [lines]
