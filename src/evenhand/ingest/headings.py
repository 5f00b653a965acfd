"""Which short lines are headings, at which depth, and of which section: numbers and names."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ARABIC = r"(?P<arabic>\d{1,2}(?:\.\d{1,2}){0,4})\.?"
_ROMAN = r"(?P<roman>[IVX]{1,5})\."
_LETTER = r"(?P<letter>[A-H](?:\.\d{1,2}){0,3})\.?"
_NUMBERED = re.compile(rf"^(?:{_ARABIC}|{_ROMAN}|{_LETTER})[\s:—–-]+(?P<name>\S.*)$")
MAX_WORDS = 14
ENDS = frozenset(
    "references bibliography literaturecited workscited acknowledgements acknowledgments acknowledgement acknowledgment "
    "appendix appendices supplementarymaterial declarations funding keywords indexterms ccsconcepts categories contents "
    "tableofcontents listoffigures listoftables".split()
)
"""Names that end what stands before them."""
_EXACT = frozenset({"abstract", "introduction", "conclusion", "conclusions", "concludingremarks"})
_OPENS = re.compile(r"introduction|(?:(?:summary|discussions?)and)?conclusion|concludingremarks")
_RUN_IN = re.compile(r"^abstract\s*(?:[—–:.]|\s-\s|-(?=[A-Z]))\s*(?P<rest>\S.*)$", re.IGNORECASE | re.DOTALL)
_KEYWORDS = re.compile(
    r"^(?:key\s?words(?:\s+and\s+phrases)?|index\s+terms|ccs\s+concepts)\s*(?:[—–:.-]|$)", re.IGNORECASE
)
_PAGE = r"(?:\d{1,4}|[ivxlc]{1,7})"
_LEADERS = re.compile(rf"(?:(?:\s?[.·_]){{5,}}|\s?…(?:\s?…)+)\s*{_PAGE}$", re.IGNORECASE)
_PAGED = re.compile(rf"^(?P<name>\D*\d{{0,2}}\D*[^\W\d])\s+{_PAGE}$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heading:
    """``depth`` 1 is a section; ``number`` is empty where there is none; ``key`` the letters of the name alone."""

    depth: int
    number: str
    key: str
    roman: bool = False


def heading_of(text: str) -> Heading | None:
    """What a line says if it is a heading; None where it is too long, holds no letter, or is an entry of a list of
    contents. Whether it is one, other things must tell: its place, its type, or ``known``."""
    text = " ".join(text.split())
    return None if is_entry(text) else _read(text)


def _read(text: str) -> Heading | None:
    if not text or len(text.split()) > MAX_WORDS:
        return None
    found = _NUMBERED.match(text)
    if not found or not letters(found["name"]):
        return Heading(1, "", letters(text)) if letters(text) else None
    number = found["arabic"] or found["roman"] or found["letter"]
    depth = number.count(".") + 1
    # IEEE numbers sections by roman numerals and what is inside them by letters
    return Heading(depth, number, letters(found["name"]), roman=found["roman"] is not None)


def is_entry(text: str) -> bool:
    """Is it a line of a list of contents? A name, leaders and a page; without leaders, only the name of a section of ours."""
    if _LEADERS.search(text[-200:]):
        return True
    found = _PAGED.match(text) if len(text) < 80 else None
    read = _read(found["name"]) if found else None
    return read is not None and read.key in _EXACT


def letters(text: str) -> str:
    """'I NTRODUCTION' -> 'introduction': small capitals come out of files with spaces."""
    return re.sub(r"[^a-z]", "", text.lower())


def section_of(heading: Heading) -> str | None:
    """abstract, introduction or conclusion, by the name alone; None for all others."""
    if heading.key == "abstract":
        return "abstract"
    if heading.key.startswith("introduction"):
        return "introduction"
    if "conclusion" in heading.key or heading.key.startswith("concludingremarks"):
        return "conclusion"
    return None


def known(heading: Heading) -> bool:
    """Is the name one that is a heading wherever it stands alone on its line?"""
    return heading.key in _EXACT or heading.key in ENDS


def numbered_section(heading: Heading, text: str) -> bool:
    """Is it '6. Conclusions and outlook'? A list has '2. Such was our conclusion.' too: no heading is a sentence, and whether
    the number goes on from the last heading, ``goes_on`` tells."""
    capital = next((c for c in text if c.isalpha()), "").isupper()
    numbered = heading.number[:1].isdigit() or heading.roman
    return numbered and capital and section_of(heading) is not None and text.rstrip()[-1:] not in ".,;:!?"


def run_in_abstract(text: str) -> str | None:
    """'Abstract—We show ...' -> 'We show ...'; None for any other paragraph."""
    found = _RUN_IN.match(text)
    return found["rest"] if found else None


def is_keywords(text: str) -> bool:
    return bool(_KEYWORDS.match(text))


def follows(heading: Heading, before: str) -> bool:
    """May this number come after ``before``, the last one of a heading? Lists begin anew, sections go on. Of roman numbers,
    letters and names without a number, that is not asked."""
    if not heading.number[:1].isdigit():
        return True
    new, old = _parts(heading.number), _parts(before)
    if not old:
        return new[0] in (0, 1)
    nexts = {(*old[:i], old[i] + 1) for i in range(len(old))} | {(*old, 1), (*old, 0)}
    return new in nexts or (len(new) == 1 and new[0] == old[0] + 1)


def goes_on(heading: Heading, before: str) -> bool:
    """May this numbered section of ours come after ``before``? Not every heading between is read as one, so what begins with
    the name of a section may also leave numbers out."""
    if follows(heading, before):
        return True
    new, old = _parts(heading.number), _parts(before)
    return bool(len(new) == 1 and new[:1] > old[:1] and _OPENS.match(heading.key))


def _parts(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in number.split(".")) if number[:1].isdigit() else ()
