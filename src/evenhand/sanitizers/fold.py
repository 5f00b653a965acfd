"""Confusables folded to ASCII by a table, wherever they stand: the two sanitizers of the paper."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import ClassVar

from ..documents import Edited
from ..registry import Card
from .base import Sanitizer, edited, unchanged

PAPER = "Attacking Only Half the Data (2026)"
BEYOND = "\U00010000-\U0010ffff"


@cache
def table(name: str) -> dict[str, str]:
    """Source character -> ASCII string, of the shipped ``confusables_<name>.tsv`` (hexadecimal code points)."""
    lines = (files("evenhand") / "data" / f"confusables_{name}.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {chr(int(row[0], 16)): "".join(chr(int(point, 16)) for point in row[1].split()) for row in rows}


def one_of(characters: Iterable[str]) -> str:
    """A pattern of these characters and, as ``re`` is slow in long lists of them, of every one beyond U+FFFF."""
    return "[" + "".join(re.escape(c) for c in characters if c <= "\uffff") + BEYOND + "]"


@cache
def _places(name: str) -> re.Pattern[str]:
    return re.compile(one_of(table(name)))


class Fold(Sanitizer):
    table: ClassVar[str]

    def clean(self, text: str) -> Edited:
        if text.isascii():
            return unchanged(text)
        targets, found = table(self.table), _places(self.table).finditer(text)
        return edited(text, [(m.start(), m.end(), targets[m.group()]) for m in found if m.group() in targets])


@dataclass(frozen=True)
class Curated47(Fold):
    table: ClassVar[str] = "curated47"
    name: ClassVar[str] = "curated47"
    card: ClassVar[Card] = Card(
        "Folds 47 Greek, Cyrillic, Armenian and Latin look-alikes to ASCII: the paper's curated table, reconstructed.",
        source=f"{PAPER}, Table 18; the table's own third column says how sure each row is",
        family="homoglyphs",
        follows="27 rows are printed in the paper, 14 near-certain (its RAID reversal of 99.3% needs them), 6 guessed "
        "(the best fit to its DetectRL reversal of 61.8%)",
        pitfalls="rewrites genuine Cyrillic and Greek words and letters; has no U+0406, which is the whole gap to 100% "
        "on RAID",
    )


@dataclass(frozen=True)
class Uts39(Fold):
    table: ClassVar[str] = "uts39"
    name: ClassVar[str] = "uts39"
    card: ClassVar[Card] = Card(
        "Folds 1,861 characters to ASCII: every single non-ASCII source with an all-ASCII target of Unicode 17.",
        source="Unicode Technical Standard #39, confusables.txt 17.0.0 of 2025-07-22",
        licence="Unicode License V3 (the notice is in NOTICE)",
        family="homoglyphs",
        follows=f"{PAPER}, Table 16: 1,861 mappings",
        pitfalls="the list serves comparing, not cleaning: the capitals I of three alphabets become a small l, typographic "
        "quotes two apostrophes, Arabic and Hebrew letters Latin ones, the ae ligature two letters",
    )
