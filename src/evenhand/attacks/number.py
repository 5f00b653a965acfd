"""Numbers redrawn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import Card
from .base import Sampled
from .splice import Rows, rows_of
from .tokens import strings

_RAID = re.compile(r"\d+\.?\d*")
# A whole number: with its thousands and decimals, and neither part of a word (CO2, 4th) nor in square brackets [3].
_WHOLE = re.compile(r"\d(?<![\w.,\[]\d)(?:\d|,(?=\d{3}(?!\d)))*(?:\.\d+)?(?![\w\]]|[.,]\d)", re.ASCII)
_LABEL = re.compile(
    r"(?:Table|Figure|Fig\.|Section|Sec\.|Chapter|Ch\.|Equation|Eq\.|Appendix|Part|Act|No\.|Vol\.|pp?\.|[Pp]age|§) ?\Z"
)


@dataclass(frozen=True)
class Number(Sampled):
    name: ClassVar[str] = "number"
    card: ClassVar[Card] = Card(
        "Redraws the digits of numbers.",
        source="RAID (Dugan et al. 2024), number",
        family="word",
        follows="profile='raid': the pattern digits-dot-digits, so that 1,250,000 is three numbers and the full stop after "
        "2016. belongs to it; a redrawn digit may equal the old one and a number may begin with 0",
        pitfalls="Changes what the text says; the default leaves references (Table 4, [3], CO2) and always changes the "
        "number; most texts hold fewer than two numbers, and machine texts more often: look at the share of no-ops.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.5, "raid": 0.5}
    unit: ClassVar[str] = "number"

    def find(self, text: str) -> Rows:
        if self.profile == "raid":
            return rows_of([match.span() for match in _RAID.finditer(text)])
        spans = (match.span() for match in _WHOLE.finditer(text))
        return rows_of([(start, end) for start, end in spans if not _reference(text, start, end)])

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        draw = _any_digits if self.profile == "raid" else _other_number
        return [draw(old, generator) for old in strings(text, rows)]


def _reference(text: str, start: int, end: int) -> bool:
    """A number that points at something: Table 4, p. 12, (Moss, 1998)."""
    year = end - start == 4 and text[end : end + 1] == ")"
    return year or _LABEL.search(text, max(0, start - 12), start) is not None


def _any_digits(old: str, generator: np.random.Generator) -> str:
    drawn = iter(generator.integers(0, 10, len(old)).tolist())
    return "".join(str(next(drawn)) if letter.isdigit() else letter for letter in old)


def _other_number(old: str, generator: np.random.Generator) -> str:
    """Other digits, the same shape; the first of several is not 0 unless it was."""
    new = _any_digits(old, generator)
    if old[0] != "0" and len(old) > 1:
        new = str(generator.integers(1, 10)) + new[1:]
    if new == old:
        last = max(at for at, letter in enumerate(old) if letter.isdigit())
        new = new[:last] + str((int(new[last]) + int(generator.integers(1, 10))) % 10) + new[last + 1 :]
    return new
