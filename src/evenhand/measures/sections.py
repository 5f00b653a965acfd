"""The sections of a paper: how long each is, and how long beside the one that it was made from.

A section begins where a line is its name alone ("Introduction", "1. Introduction", "## Conclusions") or opens with the name
and a colon ("Abstract: ..."), which is how IDMGSP joins the three sections of a paper (section 4.2.6); it ends at the next, or
where the references or acknowledgements begin.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from ..errors import Abstain, SpecError
from ..registry import Card
from .base import Measure
from .tokens import pieces

SECTIONS = ("abstract", "introduction", "conclusion")
_NAMED = re.compile(
    r"^[ \t]*(?:\#+[ \t]*)?(?:(?:\d+|[IVX]+)\.?[ \t]+)?(abstract|introduction|conclusion|reference|"
    r"bibliography|acknowledge?ment)s?[ \t]*(?::|$)",
    re.IGNORECASE | re.MULTILINE,
)


def sections(text: str) -> dict[str, tuple[int, int]]:
    """Start and end of the body of each section, headings left out; the first of each name counts. Empty where none is named."""
    found = list(_NAMED.finditer(text))
    ends = [*(match.start() for match in found), len(text)][1:]
    bodies: dict[str, tuple[int, int]] = {}
    for match, end in zip(found, ends, strict=True):
        if match[1].lower() in SECTIONS:
            bodies.setdefault(match[1].lower(), (match.end(), end))
    return bodies


def body(text: str, section: str | None) -> str:
    """The words of a section, or the whole text for None. Raises Abstain where the text names no such section."""
    if section is None:
        return text
    found = sections(text)
    if section not in found:
        raise Abstain(f"the text has no section {section!r} by name")
    start, end = found[section]
    return text[start:end]


def check_section(name: str, section: str | None) -> None:
    if section is not None and section not in SECTIONS:
        raise SpecError(f"{name}: section is one of {', '.join(SECTIONS)}, got {section!r}")


@dataclass(frozen=True)
class SectionWords(Measure):
    """``section``: abstract, introduction or conclusion."""

    section: str = "abstract"
    name: ClassVar[str] = "section_words"
    unit: ClassVar[str] = "words"
    card: ClassVar[Card] = Card(
        "Words of one section of a paper, its heading left out.",
        source="IDMGSP, section 4.4.5 and figure 7",
        family="sections",
        follows="words are pieces between whitespace; the paper names no unit",
        pitfalls="only sections that a line names are found: nothing is guessed",
    )

    def __post_init__(self) -> None:
        check_section(self.name, self.section)

    def of(self, text: str, source: str) -> float:
        return len(pieces(body(text, self.section)))


@dataclass(frozen=True)
class LengthRatio(Measure):
    """``section``: one section of both texts, or None for the whole texts."""

    section: str | None = None
    name: ClassVar[str] = "length_ratio"
    needs_source: ClassVar[bool] = True
    unit: ClassVar[str] = "ratio"
    card: ClassVar[Card] = Card(
        "Words of a text over words of its source: 1 where a paraphrase keeps the length.",
        source="IDMGSP, section 4.4.5 and figure 8",
        family="sections",
        pitfalls="1 also for a section that was copied: read it beside exact_copy",
    )

    def __post_init__(self) -> None:
        check_section(self.name, self.section)

    def of(self, text: str, source: str) -> float:
        before = len(pieces(body(source, self.section)))
        if not before:
            raise Abstain("the source has no word there")
        return len(pieces(body(text, self.section))) / before
