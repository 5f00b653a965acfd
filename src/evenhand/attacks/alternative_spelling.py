"""American spelling made British, or the other way round."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from ..errors import SpecError
from ..registry import Card
from .base import Sampled
from .splice import Flags, Rows, rows_of
from .tables import american_to_british, trie_pattern
from .tokens import beginnings, select, starts_as, strings, words

# Not the same word in every sense: a car tire but to tire, a television program but a computer program.
_AMBIGUOUS = frozenset(
    """ax axes check checks checked checking curb curbs curbed draft drafts drafted drafting gage gages gram grams
    inquire inquired inquiries inquiry inquiring jail jailed jails license licensed licenses licensing liter meter
    meters mold molds molded molding mom moms pajamas plow practice practiced practices practicing program programs
    skeptic skeptical sulfur story stories tire tires ton tons vise wagon eon font fonts disk disks""".split()
)


@dataclass(frozen=True)
class AlternativeSpelling(Sampled):
    """``to``: 'british' or 'american'."""

    to: str = "british"

    name: ClassVar[str] = "alternative_spelling"
    card: ClassVar[Card] = Card(
        "Writes American spellings the British way, or the reverse.",
        source="RAID (Dugan et al. 2024), alternative_spelling; table: American-British-English-Translator (MIT)",
        family="word",
        follows="profile='raid': the longest key at each place, case-sensitive and without word boundaries: someone -> "
        "somaeone, tax -> taxe, Washington -> Washingtonne",
        pitfalls="Human and machine texts differ in how many such words they have (2.7 and 7.9 per 1,000 on DetectRL): a "
        "rate is not one dose; the default changes whole words only and leaves those that differ by meaning (tire, program).",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 1.0, "raid": 1.0}
    unit: ClassVar[str] = "word spelt otherwise there"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.to not in ("british", "american"):
            raise SpecError(f"{self.name}: to must be 'british' or 'american', got {self.to!r}")
        if self.profile == "raid" and self.to != "british":
            raise SpecError(f"{self.name}: profile='raid' writes British spelling; leave out to={self.to!r}")

    def find(self, text: str) -> Rows:
        if self.profile == "raid":
            return rows_of([match.span() for match in _raid_pattern().finditer(text)])
        table, rows = _table(self.to), words(text, apostrophes=False)
        rows = select(rows, starts_as(text, rows, _beginnings(self.to)))
        known = [word in table or word.lower() in table for word in strings(text, rows)]
        return select(rows, np.array(known, dtype=bool))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        if self.profile == "raid":
            return [american_to_british()[old] for old in strings(text, rows)]
        table = _table(self.to)
        return [table[old] if old in table else like(old, table[old.lower()]) for old in strings(text, rows)]


def like(old: str, new: str) -> str:
    """``new`` in the case of ``old``: lower, Capitalised or UPPER."""
    if len(old) > 1 and old.isupper():
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


@lru_cache(maxsize=2)
def _table(to: str) -> Mapping[str, str]:
    whole = {us: uk for us, uk in american_to_british().items() if us not in _AMBIGUOUS and "-" not in us}
    if to == "british":
        return whole
    back = {uk: us for us, uk in reversed(whole.items())}
    return {uk: us for uk, us in back.items() if uk not in whole}


@lru_cache(maxsize=2)
def _beginnings(to: str) -> Flags:
    return beginnings(_table(to))


@lru_cache(maxsize=1)
def _raid_pattern() -> re.Pattern[str]:
    return re.compile(trie_pattern(american_to_british()))
