"""The sanitizer that undoes look-alikes and planted invisible characters, and leaves every honest text alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from ..documents import Edited
from ..registry import Card
from .alphabets import twins
from .base import Sanitizer, unchanged
from .chain import follow
from .fold import one_of
from .invisible import INVISIBLE, strip
from .lookalikes import fold


@cache
def suspicious() -> re.Pattern[str]:
    """One pass that most honest texts end with: none of these, no work."""
    return re.compile(f"[{INVISIBLE}]|{one_of(twins())}")


@dataclass(frozen=True)
class ScriptAware(Sanitizer):
    """Idempotent; ASCII text comes back as it was, and every output character has its input character (``origin``)."""

    name: ClassVar[str] = "script_aware"
    card: ClassVar[Card] = Card(
        "Folds look-alikes where scripts mix inside a word, or where a document shows such words and a wholly "
        "Latin-looking foreign word stands among Latin ones; strips invisible characters that no script or emoji needs.",
        source="ours; table of Unicode 17 confusables with the capitals I corrected",
        licence="MIT; the table: Unicode License V3",
        family="homoglyphs and invisible characters",
        pitfalls="spaces, no-break spaces, ligatures, accents and punctuation stay (add whitespace or nfkc); a lone "
        "look-alike in a text without other ones stays; in a heavily attacked text a quoted foreign word that wholly "
        "looks Latin is folded too",
    )

    def clean(self, text: str) -> Edited:
        if text.isascii() or not suspicious().search(text):
            return unchanged(text)
        stripped = strip(text)
        return follow(text, stripped, fold(stripped.text))
