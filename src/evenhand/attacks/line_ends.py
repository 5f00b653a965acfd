"""What is left of layout in copied text: soft hyphens, broken words, the line ends and page numbers of a PDF file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..documents import Edited
from ..errors import SpecError
from ..registry import Card
from .base import Attack, Sampled, dose, unchanged
from .break_points import break_points
from .splice import Rows, codes, gaps, rows_of, splice

_LINE_END = re.compile(r"\n+")


@dataclass(frozen=True)
class SoftHyphens(Sampled):
    name: ClassVar[str] = "soft_hyphens"
    card: ClassVar[Card] = Card(
        "Puts soft hyphens (U+00AD) where long words may be broken, as content management systems do.",
        family="layout",
        pitfalls="Break points by rule, without a hyphenation dictionary.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 1.0}
    unit: ClassVar[str] = "break point in a long word"
    keeps: ClassVar[tuple[str, ...]] = ("url", "code")

    def find(self, text: str) -> Rows:
        return gaps(break_points(text))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return "\u00ad" * len(rows)


@dataclass(frozen=True)
class Hyphenation(Sampled):
    name: ClassVar[str] = "hyphenation"
    card: ClassVar[Card] = Card(
        "Breaks words as they stand in text taken from PDF files whose lines were joined again (prob- lem).",
        family="layout",
        pitfalls="Break points by rule, without a hyphenation dictionary.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.05}
    unit: ClassVar[str] = "break point in a long word"
    keeps: ClassVar[tuple[str, ...]] = ("url", "code")

    def find(self, text: str) -> Rows:
        return gaps(break_points(text))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return ["- "] * len(rows)


@dataclass(frozen=True)
class PdfLineEnds(Attack):
    """``width``: characters a line; ``hyphenate``: long words are broken at its end; ``page``: after so many lines stands
    the number of the page (0: none). Paragraphs run into each other, as they do in extracted text."""

    width: int = 80
    hyphenate: bool = True
    page: int = 0

    name: ClassVar[str] = "pdf_line_ends"
    card: ClassVar[Card] = Card(
        "Breaks the text into lines as in text extracted from a PDF file.",
        family="layout",
        pitfalls="All of it happens to the whole text: there is no rate; blank lines between paragraphs are lost.",
    )

    def __post_init__(self) -> None:
        if not isinstance(self.width, int) or self.width < 20:
            raise SpecError(f"{self.name}: width must be a whole number of 20 or more characters, got {self.width!r}")
        if not isinstance(self.page, int) or self.page < 0:
            raise SpecError(
                f"{self.name}: page must be a whole number of lines, or 0 for no page numbers, got {self.page!r}"
            )

    def edit(self, text: str, seed: int = 0) -> Edited:
        edits = list(self._line_ends(text))
        if not edits:
            return unchanged(text, f"no-op: the text is one line of at most {self.width} characters")
        new = [put + self._page_number(number) for number, (_, put) in enumerate(edits, start=1)]
        edited, spans = splice(text, rows_of([row for row, _ in edits]), new)
        return Edited(edited, spans, len(edits), len(edits), dose(len(edits), text))

    def _page_number(self, line: int) -> str:
        return f"{line // self.page}\n" if self.page and line % self.page == 0 else ""

    def _line_ends(self, text: str) -> Iterator[tuple[tuple[int, int], str]]:
        """(start, end) of what is replaced, and by what."""
        points = codes(text)
        spaces = np.flatnonzero((points == ord(" ")) | (points == ord("\n"))).tolist()
        breaks = break_points(text).tolist() if self.hyphenate else []
        start = 0
        while start < len(text):
            if own := _LINE_END.search(text, start, start + self.width + 1):
                if len(own[0]) > 1:
                    yield own.span(), "\n"
                start = own.end()
                continue
            row, put = self._break(start, spaces, breaks)
            if row is None or len(text) - start <= self.width:
                return
            if text[row[0] : row[1]] != "\n":
                yield row, put
            start = row[1]

    def _break(self, start: int, spaces: list[int], breaks: list[int]) -> tuple[tuple[int, int] | None, str]:
        """The last space or break point that fits into the line, else the first space behind it."""
        limit = start + self.width
        space = spaces[at - 1] if (at := bisect_right(spaces, limit)) and spaces[at - 1] > start else -1
        point = breaks[to - 1] if (to := bisect_right(breaks, limit - 1)) and breaks[to - 1] > start else -1
        if point > space:
            return (point, point), "-\n"
        if space < 0:
            space = spaces[at] if at < len(spaces) else -1
        return ((space, space + 1), "\n") if space >= 0 else (None, "")
