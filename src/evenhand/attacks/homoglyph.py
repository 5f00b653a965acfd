"""Letters replaced by look-alikes of other scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import Card
from .base import Sampled
from .splice import Rows, characters, codes, from_codes

RAID: Mapping[str, str] = {
    "a": "\u0430", "A": "\u0410\u0391", "B": "\u0412\u0392", "e": "\u0435", "E": "\u0415\u0395", "c": "\u0441",
    "p": "\u0440", "K": "\u041a\u039a", "O": "\u041e\u039f", "P": "\u0420\u03a1", "M": "\u041c\u039c",
    "H": "\u041d\u0397", "T": "\u0422\u03a4", "X": "\u0425\u03a7", "C": "\u0421", "y": "\u0443", "o": "\u043e",
    "x": "\u0445", "I": "\u0406\u0399", "i": "\u0456", "N": "\u039d", "Z": "\u0396",
}  # fmt: skip
WIDER: Mapping[str, str] = {
    **RAID, "s": "\u0455", "S": "\u0405", "j": "\u0458", "J": "\u0408", "h": "\u04bb", "d": "\u0501", "q": "\u051b",
    "w": "\u051d", "Y": "\u03a5",
}  # fmt: skip
"""RAID's letters and nine more that common fonts draw alike in Latin, Cyrillic and Greek."""


@dataclass(frozen=True)
class Homoglyph(Sampled):
    name: ClassVar[str] = "homoglyph"
    card: ClassVar[Card] = Card(
        "Replaces letters by look-alikes of Cyrillic and Greek.",
        source="RAID (Dugan et al. 2024), generation/adversarial",
        family="character",
        follows="profile='raid': RAID's code, which replaces every letter of its 22 (theta is ignored there)",
        pitfalls="RAID's U+0406 and U+0399 for I are in no common table with the target I; a rate of 1 marks a third "
        "of all characters and is no edit that anyone makes by accident.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.1, "raid": 1.0}
    unit: ClassVar[str] = "letter with a look-alike"

    @property
    def table(self) -> Mapping[str, str]:
        return RAID if self.profile == "raid" else WIDER

    def find(self, text: str) -> Rows:
        hit = np.zeros(129, dtype=bool)
        hit[[ord(letter) for letter in self.table]] = True
        return characters(np.flatnonzero(hit[np.minimum(codes(text), 128)]))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        options = np.zeros((128, 2), dtype=np.uint32)
        for letter, glyphs in self.table.items():
            options[ord(letter)] = [ord(glyphs[0]), ord(glyphs[-1])]
        letters = codes(text)[rows[:, 0]]
        return from_codes(options[letters, generator.integers(0, 2, len(letters))])
