"""The characters of a PDF page with their places, by PDFium, and the fragments of lines that they make."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..errors import DataError, MissingExtra
from .blocks import Limits

GAP = 1.0
"""A horizontal gap of so many times the type size parts a line into fragments: a column, a table cell."""
_BOLD = re.compile(r"bold|demi|medi(?!um)|heavy|black|cmbx|sfbx|[-,]b$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Character:
    """In points from the left and from the foot of the page; ``y`` is the base line."""

    x: float
    y: float
    right: float
    size: float
    text: str
    bold: bool


@dataclass(frozen=True, slots=True)
class Fragment:
    """Characters that the file writes one after the other, on one base line and without a gap; ``size`` is the largest."""

    characters: tuple[Character, ...]
    x: float
    right: float
    y: float
    size: float
    text: str

    @classmethod
    def of(cls, characters: Sequence[Character]) -> Fragment:
        return cls(
            characters=tuple(characters),
            x=min(c.x for c in characters),
            right=max(c.right for c in characters),
            y=characters[0].y,
            size=max(c.size for c in characters),
            text="".join(c.text for c in characters),
        )


@dataclass(frozen=True, slots=True)
class Page:
    height: float
    fragments: tuple[Fragment, ...]


def pages(path: Path, limits: Limits) -> tuple[list[Page], str]:
    """The pages and the library's version. Raises DataError for protected, damaged, oversized and textless files."""
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtra("reading PDF", "files") from None
    document = _opened(pypdfium2, path)
    try:
        count = len(document)
        if count > limits.pages:
            raise DataError(f"{count:,} pages; at most {limits.pages:,} are read; raise --max-pages to read it")
        found = [_page(pypdfium2, document, number) for number in range(count)]
    finally:
        document.close()
    if not any(page.fragments for page in found):
        raise DataError(f"no text in its {count:,} page(s): scanned pictures? run a text recognition (OCR) first")
    return found, f"pypdfium2 {version('pypdfium2')}"


def _opened(pypdfium2: Any, path: Path) -> Any:
    try:
        return pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if "assword" in str(error):
            raise DataError("protected by a password; save it without one") from None
        raise DataError(f"a damaged PDF: {error}") from None


def _page(pypdfium2: Any, document: Any, number: int) -> Page:
    try:
        page = document[number]
    except pypdfium2.PdfiumError as error:
        raise DataError(f"a damaged PDF: page {number + 1}: {error}") from None
    text = page.get_textpage()
    try:
        return Page(page.get_height(), tuple(fragments(pypdfium2.raw, text.raw)))
    finally:
        text.close()
        page.close()


def fragments(raw: Any, text: Any) -> Iterator[Fragment]:
    """Characters in the order of the file, cut where the base line changes, a gap opens, or the writing jumps back.

    Characters that are turned (stamps in the margin) are left out.
    """
    gathered: list[Character] = []
    for character in _characters(raw, text):
        if gathered and not _goes_on(gathered[-1], character):
            yield Fragment.of(gathered)
            gathered = []
        if gathered or not character.text.isspace():
            gathered.append(character)
    if gathered:
        yield Fragment.of(gathered)


def _goes_on(last: Character, new: Character) -> bool:
    size = max(last.size, new.size)
    same_line = abs(new.y - last.y) < 0.08 * size
    # letters of one ligature share their place
    return same_line and (new.x == last.x or -0.6 * size < new.x - last.right < GAP * size)


def _characters(raw: Any, text: Any) -> Iterator[Character]:
    x, y = ctypes.c_double(), ctypes.c_double()
    box, matrix = raw.FS_RECTF(), raw.FS_MATRIX()
    bold_of: dict[int, bool] = {}  # by text object: one type each
    for i in range(raw.FPDFText_CountChars(text)):
        code = raw.FPDFText_GetUnicode(text, i)
        if code in (0, 10, 13) or abs(math.sin(raw.FPDFText_GetCharAngle(text, i))) > 0.1:
            continue
        if code == 32 and raw.FPDFText_IsGenerated(text, i):
            continue  # a guess of PDFium's; ours is by the gap, when the line is whole
        if not raw.FPDFText_GetCharOrigin(text, i, x, y) or not raw.FPDFText_GetLooseCharBox(text, i, box):
            continue
        scale = 1.0
        if raw.FPDFText_GetMatrix(text, i, matrix):
            scale = math.hypot(matrix.c, matrix.d) or 1.0
        size = raw.FPDFText_GetFontSize(text, i) * scale
        # PDFium gives U+FFFE or U+0002 for a hyphen that it believes to break a word
        shown = "-" if code in (0x2, 0xFFFE) else chr(code)
        owner = ctypes.cast(raw.FPDFText_GetTextObject(text, i), ctypes.c_void_p).value or 0
        if owner not in bold_of:
            bold_of[owner] = _bold(raw, text, i)
        yield Character(x.value, y.value, max(box.right, x.value), size, shown, bold_of[owner])


def _bold(raw: Any, text: Any, i: int) -> bool:
    flags, buffer = ctypes.c_int(), ctypes.create_string_buffer(128)
    raw.FPDFText_GetFontInfo(text, i, buffer, 128, flags)
    name = buffer.value.decode("utf-8", "replace")
    return bool(_BOLD.search(name.partition("+")[2] or name))
