"""The sanitizer that undoes look-alikes and planted invisible characters, and leaves every honest text alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..documents import Edited
from ..registry import Card
from .base import Sanitizer
from .chain import follow
from .invisible import strip
from .lookalikes import fold


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
        stripped = strip(text)
        return follow(text, stripped, fold(stripped.text))
