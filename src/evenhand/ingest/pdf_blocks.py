"""Parsing 1: the block rules of IDMGSP's published code, over the text boxes of pdfminer.six.

The paper's parser (sec. 3.1) is PyMuPDF, whose licence (AGPL-3 or commercial) Evenhand does not take on; the rules are
those of its code, the boxes are another library's. Its faults are kept, since detectors learn them: ligatures stay,
hyphens at line ends always go, captions and footnotes of more than 20 words are text, a section that no other
title follows is lost, and a short block that begins 'I think' or 'CIVIL war' is a title: letters of roman numerals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DataError, MissingExtra
from .blocks import Limits

MIN_WORDS = 20
CHAR_MARGIN = 2.8
"""Gaps up to so many character widths stay inside a line, so that a number and its heading are one box, as in PyMuPDF."""
_ARABIC = re.compile(r"^\d+\.?\d*( |\n)+\w.*$")
_ROMAN = re.compile(r"^[MDCLXVI]*\.?( |\n)+\w.*$")
"""What the code's repeated group of roman numerals matches: any run of their letters ('CIVIL war' is a title)."""


@dataclass(frozen=True, slots=True)
class Boxes:
    """``first`` is the first text of page 1 (SCIgen's title); ``blocks`` those that the rules keep, in order."""

    first: str | None
    blocks: tuple[str, ...]
    pages: int
    library: str


def read(path: Path, limits: Limits) -> Boxes:
    """Raises DataError for protected, damaged and oversized files, and where there is no text at all."""
    first, kept, pages = None, list[str](), 0
    for pages, page in enumerate(_pages(path, limits), 1):  # noqa: B007
        for text in page:
            first = first or text
            if is_title(text) or len(text.split()) > MIN_WORDS:
                kept.append(text)
    if first is None:
        raise DataError(f"no text in its {pages} page(s): scanned pictures? run a text recognition (OCR) first")
    import pdfminer

    return Boxes(first, tuple(kept), pages, f"pdfminer.six {pdfminer.__version__}")


def _pages(path: Path, limits: Limits) -> Iterator[list[str]]:
    """The texts of each page's boxes."""
    try:
        from pdfminer.high_level import extract_pages
        from pdfminer.layout import LAParams
        from pdfminer.pdfexceptions import PDFException
        from pdfminer.psexceptions import PSException
    except ImportError:
        raise MissingExtra("reading PDF", "files") from None
    try:
        settings = LAParams(char_margin=CHAR_MARGIN, all_texts=True)
        for number, page in enumerate(extract_pages(str(path), laparams=settings), 1):
            if number > limits.pages:
                raise DataError(f"more than {limits.pages} pages; raise --max-pages to read it")
            yield [text for box in _boxes(page) if (text := flattened(box))]
    except (PDFException, PSException) as error:
        if "Password" in type(error).__name__:
            raise DataError("protected by a password; save it without one") from None
        raise DataError(f"a damaged PDF: {type(error).__name__} {error}".strip()) from None


def _boxes(item: Any) -> Iterator[str]:
    """The texts of the boxes of a page, also of those inside forms (whole pages, where a publisher stamped them)."""
    from pdfminer.layout import LTFigure, LTTextBox

    for inside in item:
        if isinstance(inside, LTTextBox):
            yield inside.get_text()
        elif isinstance(inside, LTFigure):
            yield from _boxes(inside)


def flattened(text: str) -> str:
    """The code's white space: a hyphen at a line end goes, and a line end that stands alone is a space."""
    text = re.sub(r"-\n", "", text)
    text = re.sub(r"(?<!\r)\r(?!\r)", " ", text)
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text).strip()


def is_title(text: str) -> bool:
    """'Abstract' and 'References', and numbered blocks of fewer than 20 words."""
    if text.replace(" ", "").lower() in ("abstract", "references"):
        return True
    return len(text.split()) < MIN_WORDS and bool(_ARABIC.match(text) or _ROMAN.match(text))


def sections(blocks: tuple[str, ...], wanted: tuple[str, ...] = ("introduction", "conclusion")) -> dict[str, str]:
    """Section -> text: from the first title that holds its name to the next title. What runs to the end of the file is
    not closed, and so not found (code)."""
    found: dict[str, str] = {}
    current, text = None, ""
    for block in blocks:
        if not is_title(block):
            text += " " + block
            continue
        if current is not None and text.strip():
            found[current] = text.strip()
        if len(found) == len(wanted):
            break
        current = next((name for name in reversed(wanted) if name not in found and name in block.lower()), None)
        text = ""
    return found
