"""The sections of a paper: how long each is, and how long beside the one that it was made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..errors import Abstain, SpecError
from ..registry import Card
from ..sections import SECTIONS, split_sections
from .base import Measure
from .tokens import pieces


def body(text: str, section: str | None) -> str:
    """The text of a section, or the whole for None. Raises Abstain where the text has no such section in ``sections``' form."""
    if section is None:
        return text
    found = split_sections(text)
    if section not in found:
        raise Abstain(f"the text has no section under the line '{section.capitalize()}:'")
    return found[section]


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
        pitfalls="sections stand under the lines Abstract:, Introduction:, Conclusion:, in this order; nothing is guessed",
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
