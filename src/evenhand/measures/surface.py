"""Features of the surface that tell classes apart in flawed corpora: shares of characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from ..errors import Abstain
from ..registry import Card
from .base import Measure


@dataclass(frozen=True)
class ScriptMix(Measure):
    name: ClassVar[str] = "script_mix"
    unit: ClassVar[str] = "share"
    card: ClassVar[Card] = Card(
        "Share of the letters that are not Latin.",
        source="Unicode names: a letter is Latin whose name says so (full-width and mathematical letters are not)",
        family="surface",
        pitfalls="0 for most English prose, 1 for a Russian text: it tells mixture only where the text is English",
    )

    def of(self, text: str, source: str) -> float:
        return share(text, among=str.isalpha, of=lambda c: not is_latin(c), what="letter")


@dataclass(frozen=True)
class NewlineShare(Measure):
    name: ClassVar[str] = "newline_share"
    unit: ClassVar[str] = "share"
    card: ClassVar[Card] = Card(
        "Line breaks among all characters.",
        family="surface",
        pitfalls="many corpora lost the line breaks of one class: then this alone separates the classes (evenhand lint)",
    )

    def of(self, text: str, source: str) -> float:
        return share(text, among=lambda c: True, of=lambda c: c == "\n", what="character")


@dataclass(frozen=True)
class DigitShare(Measure):
    name: ClassVar[str] = "digit_share"
    unit: ClassVar[str] = "share"
    card: ClassVar[Card] = Card("Decimal digits among the characters that are no blanks.", family="surface")

    def of(self, text: str, source: str) -> float:
        return share(text, among=lambda c: not c.isspace(), of=str.isdecimal, what="character that is no blank")


@dataclass(frozen=True)
class CapitalShare(Measure):
    name: ClassVar[str] = "capital_share"
    unit: ClassVar[str] = "share"
    card: ClassVar[Card] = Card(
        "Capital letters among the letters that have a case.",
        family="surface",
        pitfalls="corpora that were lower-cased in one class are told apart by it alone (evenhand lint)",
    )

    def of(self, text: str, source: str) -> float:
        return share(text, among=lambda c: c.isupper() or c.islower(), of=str.isupper, what="letter with a case")


def share(text: str, among: Callable[[str], bool], of: Callable[[str], bool], what: str) -> float:
    """The share of the characters ``among`` that are ``of`` the kind; raises Abstain where there are none."""
    kept = [character for character in text if among(character)]
    if not kept:
        raise Abstain(f"the text has no {what}")
    return sum(map(of, kept)) / len(kept)


@lru_cache(maxsize=1 << 12)
def is_latin(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("LATIN")
