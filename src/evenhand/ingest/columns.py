"""The reading order of a page with one or two columns: fragments of lines -> lines, the left column before the right one.

Fragments that cross the gutter part the page into bands (a cut along y), each band is cut along the gutter (along x).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median_low

from .pdf_characters import Character, Fragment, Page

MIN_SIDE = 0.12
"""Each column holds at least this part of the page's characters; less is a margin."""
CELL = 1.6
"""Gaps of so many times the type size inside a line may be those of a table; loose justified lines have them too."""
SPACE = 0.14
"""A gap of so many times the type size between two characters is a space; TeX squeezes them to about 0.17."""
ACCENTS = dict(
    zip("´`¨ˆ˜˝ˇ¸˚ˉ˘˙", "\u0301\u0300\u0308\u0302\u0303\u030b\u030c\u0327\u030a\u0304\u0306\u0307", strict=True)
)


@dataclass(frozen=True, slots=True)
class Line:
    """``size``: that of most of its characters. ``gaps``: the wide ones inside it, (from, to). ``column``: a number that
    lines of one column of one band share."""

    text: str
    page: int
    x: float
    y: float
    size: float
    bold: bool
    gaps: tuple[tuple[float, float], ...]
    column: int


def lines_of(pages: Sequence[Page]) -> list[Line]:
    """All lines of a document in reading order."""
    made: list[Line] = []
    column, last = 0, (0, 1)
    for number, (page, gutter) in enumerate(zip(pages, gutters(pages), strict=True)):
        for side, group in bands(page.fragments, gutter):
            column += last != (number, 0) or side != 0  # lines over both columns that follow one another are one block
            last = number, side
            made += [line for parts in rows(group) if (line := _line(parts, number, column)) is not None]
    return made


def gutters(pages: Sequence[Page]) -> list[float | None]:
    """The gutter of each page. A page that has too little in one column to tell has that of the others, where it fits."""
    found = [gutter_of(page.fragments) for page in pages]
    sure = [gutter for gutter in found if gutter is not None]
    usual = median_low(sure) if sure else None
    return [usual if own is None and _fits(page, usual) else own for page, own in zip(pages, found, strict=True)]


def _fits(page: Page, gutter: float | None) -> bool:
    if gutter is None:
        return False
    total = sum(len(f.characters) for f in page.fragments)
    crossing = sum(len(f.characters) for f in page.fragments if _crosses(f, gutter))
    return any(f.x >= gutter for f in page.fragments) and crossing < 0.25 * total


def bands(fragments: Sequence[Fragment], gutter: float | None) -> Iterator[tuple[int, list[Fragment]]]:
    """(side, fragments) in reading order; what crosses the gutter comes between the bands above and below it."""
    if gutter is None:
        yield 0, list(fragments)
        return
    crossing = [f for f in fragments if _crosses(f, gutter)]
    sides: dict[int, list[Fragment]] = {1: [], 2: []}
    for fragment in (f for f in fragments if not _crosses(f, gutter)):
        sides[1 if fragment.x + fragment.right < 2 * gutter else 2].append(fragment)
    for wide in rows(crossing):
        foot = min(f.y for f in wide)
        beside = [f for side in sides.values() for f in side if abs(f.y - foot) < 0.35 * f.size]
        for side, members in sides.items():
            above = [f for f in members if f.y > foot and f not in beside]
            sides[side] = [f for f in members if f not in above and f not in beside]
            if above:
                yield side, above
        yield 0, [*wide, *beside]
    yield from ((side, members) for side, members in sides.items() if members)


def _crosses(fragment: Fragment, gutter: float) -> bool:
    """By more than a footnote's mark or a formula that stands out of its column does."""
    return min(gutter - fragment.x, fragment.right - gutter) > fragment.size


def gutter_of(fragments: Sequence[Fragment]) -> float | None:
    """Where the gap between two columns stands, in points from the left; None for a page with one column."""
    weights = [
        (f.x, f.right, len(f.characters)) for f in fragments if len(f.characters) > 2
    ]  # marks stand out of columns
    if not weights:
        return None
    left, right = min(a for a, _, _ in weights), max(b for _, b, _ in weights)
    total = sum(weight for _, _, weight in weights)
    places = [left + (right - left) * step / 200 for step in range(60, 141)]
    crossing = [sum(w for a, b, w in weights if a < x < b) for x in places]
    sides = [min(sum(w for _, b, w in weights if b <= x), sum(w for a, _, w in weights if a >= x)) for x in places]
    able = [i for i in range(len(places)) if sides[i] >= MIN_SIDE * total and sides[i] > 0.6 * crossing[i]]
    if not able:
        return None
    best = min(able, key=lambda i: crossing[i])
    free = [i for i in range(len(places)) if crossing[i] <= crossing[best] + 0.01 * total]
    return (places[_end(best, free, -1)] + places[_end(best, free, 1)]) / 2


def _end(place: int, free: Sequence[int], step: int) -> int:
    """The last place of those that follow one another from ``place``: the edge of the gap."""
    inside = set(free)
    while place + step in inside:
        place += step
    return place


def rows(fragments: Sequence[Fragment]) -> list[list[Fragment]]:
    """The fragments of one column as lines from the top; raised and lowered small ones join the line they touch."""
    found: list[list[Fragment]] = []
    for fragment in sorted(fragments, key=lambda f: -f.size):
        near = [line for line in found if _same_line(line[0], fragment)]
        if near:
            min(near, key=lambda line: abs(line[0].y - fragment.y)).append(fragment)
        else:
            found.append([fragment])
    return sorted(found, key=lambda line: -line[0].y)


def _same_line(line: Fragment, new: Fragment) -> bool:
    shift = abs(new.y - line.y)
    if new.size > 0.85 * line.size and new.text.strip() not in ACCENTS:
        return shift < 0.25 * line.size
    return shift < 0.55 * line.size


def _line(fragments: Sequence[Fragment], page: int, column: int) -> Line | None:
    main = max(fragments, key=lambda f: len(f.characters))
    ordered = sorted(fragments, key=lambda f: f.x)
    characters = sorted((c for f in fragments for c in f.characters), key=lambda c: c.x)
    text = written(characters, main)
    if not text:
        return None
    between = ((max(f.right for f in ordered[: i + 1]), b.x) for i, b in enumerate(ordered[1:]))
    gaps = tuple((low, high) for low, high in between if high - low > CELL * main.size)
    gaps = () if _even(gaps) and len(gaps) == text.count(" ") else gaps
    letters = [c.bold for c in characters if c.text.isalnum()]
    bold = sum(letters) > 0.85 * len(letters)
    return Line(text, page, ordered[0].x, main.y, round(main.size, 1), bold, gaps, column)


def _even(gaps: Sequence[tuple[float, float]]) -> bool:
    """Are the gaps those of one loose justified line?"""
    widths = [high - low for low, high in gaps]
    return len(widths) > 1 and max(widths) - min(widths) < 0.15 * max(widths)


def written(characters: Sequence[Character], main: Fragment) -> str:
    """The characters as text: spaces where gaps are, accents on their letters, marks of footnotes dropped."""
    text, right, marked = "", characters[0].x, False
    for i, character in enumerate(characters):
        if character.text in ACCENTS:
            text = _accented(text, character, characters[i - 1 : i + 2])
            continue
        if text and not text.endswith(" ") and character.x - right > SPACE * main.size:
            text += " "
        if _note_mark(character, main, text):
            marked = True
        elif not (character.text.isspace() and text.endswith(" ")):
            text += character.text
        right = max(right, character.right)
    text = re.sub(r" +(?=[,.;:)])", "", text) if marked else text
    return unicodedata.normalize("NFC", " ".join(text.split()))


def _accented(text: str, accent: Character, around: Sequence[Character]) -> str:
    """The accent over the letter before it; over none where it does not overlap it, then it is dropped with its gap."""
    before = around[0] if around and around[0] is not accent else None
    if before is not None and text and text[-1].isalpha() and before.right - accent.x > 0.2 * (accent.right - accent.x):
        return text + ACCENTS[accent.text]
    return text


def _note_mark(character: Character, main: Fragment, before: str) -> bool:
    """Is this a raised number or sign behind a word or a full stop?"""
    raised = character.y - main.y > 0.2 * main.size and character.size < 0.85 * main.size
    if not raised or not (character.text.isdigit() or character.text in "*†‡§¶,"):
        return False
    words = before.split()
    return bool(words) and (len(words[-1].strip("().,")) > 1 or words[-1][-1] in ".,;:)")
