"""Parsing 2: PDFium's characters, our own column order, and types of lines: headings, running heads, footnotes, captions.

Independent of parsing 1 in library, in geometry and in rules, so that a detector that has learnt one parser's traces
shows it on the other's texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from .blocks import Block, Content, Limits
from .clean import joined, tidy, words_of
from .columns import Line, lines_of
from .headings import (
    Heading,
    follows,
    goes_on,
    heading_of,
    is_entry,
    known,
    numbered_section,
    run_in_abstract,
    section_of,
)
from .pdf_characters import pages

CAPTION = re.compile(r"^(?:Figure|Fig\.|Table|TABLE|Algorithm|Listing|Scheme)\s*\d+\s*(?:[:.|—–-]|$)")
_STYLE = tuple[float, bool]


def read(path: Path, limits: Limits) -> Content:
    found, library = pages(path, limits)
    left_out: Counter[str] = Counter()
    kept = list(without_furniture(lines_of(found), [page.height for page in found], left_out))
    body = body_size(kept)
    title = title_of(kept, body)
    blocks = tuple(blocks_of(kept, body, left_out))
    return Content(blocks, title, "largest type of page 1" if title else None, len(found), library, dict(left_out))


def without_furniture(lines: Sequence[Line], heights: Sequence[float], left_out: Counter[str]) -> Iterator[Line]:
    """The lines without page numbers and what comes back in the same place of the head or foot of several pages."""
    edge = {id(line) for line in lines if not 0.09 < line.y / (heights[line.page] or 1) < 0.92}
    places = Counter((_masked(line.text), round(line.y / 4)) for line in lines if id(line) in edge)
    for line in lines:
        place = round(line.y / 4)
        again = max(places[(_masked(line.text), near)] for near in (place - 1, place, place + 1))
        lone = bool(re.fullmatch(r"[-–—\s]*(?:\d{1,4}|[ivxl]{1,6})[-–—\s]*", line.text))
        if id(line) in edge and (again > 1 or lone):
            left_out["running heads"] += 1
        else:
            yield line


def _masked(text: str) -> str:
    return re.sub(r"\d+", "#", text)


def body_size(lines: Sequence[Line]) -> float:
    """The type size of most characters."""
    counts: Counter[float] = Counter()
    for line in lines:
        counts[line.size] += len(line.text)
    return counts.most_common(1)[0][0] if counts else 0.0


def title_of(lines: Sequence[Line], body: float) -> str | None:
    """The lines of page 1 in its largest type, where that is larger than the body's, and stands before the abstract."""
    first = [line for line in lines if line.page == 0]
    for i, line in enumerate(first):
        read = heading_of(line.text)
        if (read and section_of(read) in ("abstract", "introduction")) or run_in_abstract(line.text):
            first = first[:i]
            break
    largest = max((line.size for line in first if len(line.text) > 3), default=0.0)
    if largest < 1.08 * body:
        return None
    return tidy(" ".join(line.text for line in first if abs(line.size - largest) < 0.3)) or None


def blocks_of(lines: Sequence[Line], body: float, left_out: Counter[str]) -> Iterator[Block]:
    """Headings, and between two of them the paragraphs in the type that most of their characters have."""
    vocabulary = words_of(line.text for line in lines)
    styles, main = heading_styles(lines, body), section_styles(lines)
    inside: list[Line] = []
    number = ""
    for i, line in enumerate(lines):
        read = heading_of(line.text)
        if is_entry(line.text):
            left_out["lists of contents"] += 1
            continue
        styled = read is not None and _style(line) in styles and _headlike(line.text, read, number)
        if (
            read is None
            or CAPTION.match(line.text)
            or not (styled or (_named(line, read, number) and _alone(lines, i)))
        ):
            inside.append(line)
            continue
        yield from paragraphs(inside, vocabulary, left_out)
        outer = known(read) or section_of(read) is not None or _style(line) in main
        level = read.depth if read.number or outer else 2
        yield Block(tidy(line.text), "heading", level)
        inside, number = [], read.number or number
    yield from paragraphs(inside, vocabulary, left_out)


def _style(line: Line) -> _STYLE:
    return line.size, line.bold


def section_styles(lines: Sequence[Line]) -> set[_STYLE]:
    """The types of unnumbered introductions and conclusions: all that is set so is a section, with a number or without."""
    read = [(line, heading_of(line.text)) for line in lines]
    return {
        _style(line)
        for line, h in read
        if h and not h.number and section_of(h) in ("introduction", "conclusion") and known(h)
    }


def _named(line: Line, read: Heading, before: str) -> bool:
    """Is it a heading by its name, in whatever type?"""
    return known(read) or (numbered_section(read, line.text) and goes_on(read, before))


def _headlike(text: str, read: Heading, before: str) -> bool:
    """Numbers go on from the last one; a name without a number does not end as a sentence does."""
    return follows(read, before) if read.number else text[-1:] not in ".,;:"


def heading_styles(lines: Sequence[Line], body: float) -> set[_STYLE]:
    """The types (size, bold) that headings have here: those of numbered or known ones that differ from the body's."""
    found: Counter[_STYLE] = Counter()
    for line in lines:
        read = None if CAPTION.match(line.text) else heading_of(line.text)
        if read and (known(read) or section_of(read) or read.number):
            found[_style(line)] += 1
    return {(size, bold) for size, bold in found if size > 1.04 * body or (bold and size > 0.85 * body)}


def _alone(lines: Sequence[Line], i: int) -> bool:
    """Is the line no part of a sentence that runs over it?"""
    before = lines[i - 1].text if i else ""
    return (
        not before
        or before[-1:] in ".:;!?)]"
        or lines[i - 1].column != lines[i].column
        or _apart(lines[i - 1], lines[i])
    )


def _apart(above: Line, below: Line) -> bool:
    return above.y - below.y > 1.5 * max(above.size, below.size)


def paragraphs(lines: Sequence[Line], vocabulary: frozenset[str], left_out: Counter[str]) -> Iterator[Block]:
    """Lines under one heading -> paragraphs, without captions, tables, and lines in another type (notes, figures)."""
    prose = list(without_captions(lines, left_out))
    text = [line for i, line in enumerate(prose) if not _in_table(prose, i)]
    left_out["table lines"] += len(prose) - len(text)
    size = body_size(text)
    flow = [line for line in text if abs(line.size - size) < 0.35]
    left_out["lines in another type (footnotes, figures)"] += len(text) - len(flow)
    left_out += Counter()
    edges: dict[int, float] = {}
    for line in flow:
        edges[line.column] = min(line.x, edges.get(line.column, line.x))
    group: list[str] = []
    for i, line in enumerate(flow):
        if group and starts(flow[i - 1], line, edges[line.column]):
            yield Block(joined(group, vocabulary))
            group = []
        group.append(line.text)
    if group and (made := joined(group, vocabulary)):
        yield Block(made)


def _in_table(lines: Sequence[Line], i: int) -> bool:
    """Do two wide gaps of this line stand over or under wide gaps of the next one?"""
    line = lines[i]
    around = (other for other in lines[max(0, i - 1) : i + 2] if other is not line and other.page == line.page)
    return any(_shared(line, other) > 1 for other in around)


def _shared(one: Line, other: Line) -> int:
    return sum(min(b, d) - max(a, c) > 0.8 * one.size for a, b in one.gaps for c, d in other.gaps)


def without_captions(lines: Sequence[Line], left_out: Counter[str]) -> Iterator[Line]:
    """A caption runs from its 'Figure 1:' as long as lines follow closely in the same column and type."""
    last: Line | None = None
    for line in lines:
        if CAPTION.match(line.text):
            last = line
            left_out["captions"] += 1
        elif last is not None and _continues(last, line):
            last = line
        else:
            last = None
            yield line


def _continues(last: Line, line: Line) -> bool:
    near = 0 < last.y - line.y < 1.45 * line.size
    return near and line.column == last.column and abs(line.size - last.size) < 0.35


def starts(last: Line, line: Line, edge: float) -> bool:
    """Does a paragraph begin here? After the end of a sentence, with a line set in from the column's edge, or below a gap."""
    if last.text[-1:] not in ".!?:”\"')":
        return False
    set_in = 0.6 * line.size < line.x - edge < 4 * line.size
    return set_in or (line.column == last.column and _apart(last, line))
