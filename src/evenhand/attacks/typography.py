"""What word processors and typesetting do by themselves: typographic quotes, fixed spaces, ligatures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import SpecError
from ..registry import Card
from .base import Sampled
from .splice import Rows, characters, codes, rows_of
from .tokens import strings

_STRAIGHT = re.compile(r"[\"']|--+|\.\.\.")
_CURLY = re.compile("[“”„‟‘’‚‛–—…]")
_UNCURL = {
    "“": '"',
    "”": '"',
    "„": '"',
    "‟": '"',
    "‘": "'",
    "’": "'",
    "‚": "'",
    "‛": "'",
    "–": "-",
    "—": "--",
    "…": "...",
}
_OPENERS = frozenset(" \t\n\r\u00a0([{-–—/“‘\"'")


@dataclass(frozen=True)
class SmartQuotes(Sampled):
    """``to``: 'curly', as word processors write while one types, or 'straight', as plain-text fields store it."""

    to: str = "curly"

    name: ClassVar[str] = "smart_quotes"
    card: ClassVar[Card] = Card(
        "Makes straight quotes, double hyphens and three dots typographic, or the reverse.",
        family="typography",
        pitfalls="An apostrophe that opens a word ('tis) becomes an opening quote, as in word processors.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 1.0}
    unit: ClassVar[str] = "quote, dash or ellipsis"
    keeps: ClassVar[tuple[str, ...]] = ("url", "code")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.to not in ("curly", "straight"):
            raise SpecError(f"{self.name}: to must be 'curly' or 'straight', got {self.to!r}")

    def find(self, text: str) -> Rows:
        pattern = _STRAIGHT if self.to == "curly" else _CURLY
        return rows_of([match.span() for match in pattern.finditer(text)])

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        olds = strings(text, rows)
        if self.to == "straight":
            return [_UNCURL[old] for old in olds]
        return [_curl(text, start, old) for start, old in zip(rows[:, 0].tolist(), olds, strict=True)]


def _curl(text: str, start: int, old: str) -> str:
    if old == "...":
        return "…"
    if old[0] == "-":
        return "—"
    opens = start == 0 or text[start - 1] in _OPENERS
    if old == '"':
        return "“" if opens else "”"
    return "‘" if opens and not text[start + 1 : start + 2].isdigit() else "’"


_BEFORE_UNIT = re.compile(
    r" (?<=\d )(?=(?:[%°€$£]|[kcmµ]?[mglsVWA]|km|Hz|am|pm|p\.m\.|a\.m\.|million|billion)\b|[%°€$£])"
)
_AFTER_SHORT = re.compile(
    r" (?:(?<=\b[A-Z]\. )|(?<=\bMr\. )|(?<=\bDr\. )|(?<=\bNo\. )|(?<=\bp\. )|(?<=\bpp\. )|(?<=§ ))(?=\w)"
)


@dataclass(frozen=True)
class NonBreakingSpaces(Sampled):
    """``where``: 'anywhere' (text copied from web pages), or 'typographic' (before units, after initials and titles).
    ``narrow``: U+202F in place of U+00A0."""

    where: str = "anywhere"
    narrow: bool = False

    name: ClassVar[str] = "non_breaking_spaces"
    card: ClassVar[Card] = Card("Replaces spaces by non-breaking ones.", family="typography")
    rates: ClassVar[Mapping[str, float]] = {"default": 0.1}
    unit: ClassVar[str] = "space"
    keeps: ClassVar[tuple[str, ...]] = ("url", "code")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.where not in ("anywhere", "typographic"):
            raise SpecError(f"{self.name}: where must be 'anywhere' or 'typographic', got {self.where!r}")

    def find(self, text: str) -> Rows:
        if self.where == "anywhere":
            return characters(np.flatnonzero(codes(text) == ord(" ")))
        found = {match.span() for pattern in (_BEFORE_UNIT, _AFTER_SHORT) for match in pattern.finditer(text)}
        return rows_of(sorted(found))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return ("\u202f" if self.narrow else "\u00a0") * len(rows)


_LIGATURES = {"ff": "\ufb00", "fi": "\ufb01", "fl": "\ufb02", "ffi": "\ufb03", "ffl": "\ufb04"}
_LIGATURE = re.compile("f(?:f[il]?|i|l)")


@dataclass(frozen=True)
class Ligatures(Sampled):
    name: ClassVar[str] = "ligatures"
    card: ClassVar[Card] = Card(
        "Writes fi, fl, ff, ffi, ffl as one character (U+FB00 to U+FB04), as in text copied from PDF files.",
        family="typography",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 1.0}
    unit: ClassVar[str] = "pair of letters with a ligature"
    keeps: ClassVar[tuple[str, ...]] = ("url", "code")

    def find(self, text: str) -> Rows:
        return rows_of([match.span() for match in _LIGATURE.finditer(text)])

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        return "".join(_LIGATURES[old] for old in strings(text, rows))
