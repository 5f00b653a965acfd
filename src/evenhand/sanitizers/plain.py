"""The sanitizers that need no table: none, zero_width, whitespace, nfkc."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ..documents import Edited
from ..registry import Card
from .base import Change, Sanitizer, edited, unchanged, without

ZERO_WIDTH = re.compile("[\u200b\u200c\u200d\u2060\ufeff]+")
FORMAT = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+")
RUN = re.compile("(?<=[^ \n\r]) {2,}")
ANY_RUN = re.compile(" {2,}")
MAYBE_NORMAL = re.compile("[\x00-\x7f]?[^\x00-\x7f]+")


@dataclass(frozen=True)
class Nothing(Sanitizer):
    name: ClassVar[str] = "none"
    card: ClassVar[Card] = Card("Leaves every text as it is: the row that all others are compared with.", family="none")

    def clean(self, text: str) -> Edited:
        return unchanged(text, note="leaves every text as it is")


@dataclass(frozen=True)
class ZeroWidth(Sanitizer):
    """Strips U+200B, 200C, 200D, 2060 and FEFF; ``extended`` also soft hyphens, bidi marks and invisible operators."""

    extended: bool = False
    name: ClassVar[str] = "zero_width"
    card: ClassVar[Card] = Card(
        "Strips zero-width characters wherever they stand.",
        source="Attacking Only Half the Data (2026), caption of Figure 5, first step",
        family="invisible characters",
        follows="the paper prints no set: the five here are those of zero-width attacks in use",
        pitfalls="breaks Persian and Indic spelling and emoji families, which need U+200C and U+200D; "
        "script_aware keeps those",
    )

    def clean(self, text: str) -> Edited:
        found = (FORMAT if self.extended else ZERO_WIDTH).finditer(text)
        gone = [i for m in found for i in range(*m.span())]
        return without(text, gone, len(gone))


@dataclass(frozen=True)
class Whitespace(Sanitizer):
    """Makes each run of U+0020 one; ``keep_indent`` spares runs at the start of a line. Other whitespace stays."""

    keep_indent: bool = True
    name: ClassVar[str] = "whitespace"
    card: ClassVar[Card] = Card(
        "Makes each run of spaces one space.",
        source="Attacking Only Half the Data (2026), caption of Figure 5, third step",
        family="whitespace",
        follows="the paper does not say which characters: only U+0020 here, so that paragraphs stay",
        pitfalls="ends aligned columns, spaced verse and the typist's two spaces after a full stop, a habit of people",
    )

    def clean(self, text: str) -> Edited:
        runs = (RUN if self.keep_indent else ANY_RUN).finditer(text)
        gone = [i for m in runs for i in range(m.start() + 1, m.end())]
        return without(text, gone, len(gone))


@dataclass(frozen=True)
class Nfkc(Sanitizer):
    name: ClassVar[str] = "nfkc"
    card: ClassVar[Card] = Card(
        "Unicode normalization form KC.",
        source="Unicode Standard Annex #15, as Python's unicodedata has it",
        family="normalization",
        pitfalls="flattens superscripts, fractions, the trade-mark sign, full-width punctuation and no-break spaces, "
        "and after a whitespace step it makes new spaces",
    )

    def clean(self, text: str) -> Edited:
        if text.isascii() or unicodedata.is_normalized("NFKC", text):
            return unchanged(text)
        return edited(text, list(_normal_changes(text)))


def _normal_changes(text: str) -> Iterator[Change]:
    for run in MAYBE_NORMAL.finditer(text):
        if unicodedata.is_normalized("NFKC", run.group()):
            continue
        for start, end in _segments(run.group()):
            old = run.group()[start:end]
            new = unicodedata.normalize("NFKC", old)
            if new != old:
                yield run.start() + start, run.start() + end, new


def _segments(run: str) -> Iterator[tuple[int, int]]:
    """Stretches that normalize alone as they do in their place: cut before each character that joins nothing before."""
    start = 0
    for i in range(1, len(run)):
        if _begins(run[start:i], run[i]):
            yield start, i
            start = i
    yield start, len(run)


def _begins(before: str, character: str) -> bool:
    if unicodedata.combining(unicodedata.normalize("NFKD", character)[0]):
        return False
    kc = partial(unicodedata.normalize, "NFKC")
    return kc(before + character) == kc(before) + kc(character)
