"""A cheap word of warning where a text is not in the language that most scoring models were trained on.

It stands in the reason of a score and never changes it: a model that does not know a language finds every text surprising,
human or not.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

FUNCTION_WORDS = frozenset(
    "the of and to in a is that it was for on with as be at by this have from or are not but they his he she i you we "
    "which their all would there been has had were an if so my what who when its will can our than then them".split()
)
"""About two words in five of English prose; fewer than one in twelve of other languages in Latin letters."""
FEW = 0.12
ENOUGH_WORDS = 40
ENOUGH_LETTERS = 20
FOREIGN_LETTERS = 0.3


@lru_cache(maxsize=64)
def language_note(text: str) -> str | None:
    """Says that a text is hardly English; None where it is, or is too short to tell."""
    sample = text[:5000]
    letters = [c for c in sample if c.isalpha()]
    foreign = sum(not latin(c) for c in letters)
    if len(letters) >= ENOUGH_LETTERS and foreign > FOREIGN_LETTERS * len(letters):
        return f"{100 * foreign / len(letters):.0f}% of the letters are not Latin: the model may not know this language"
    words = re.findall(r"[^\W\d_]+", sample.lower())
    found = sum(word in FUNCTION_WORDS for word in words)
    if len(words) >= ENOUGH_WORDS and found < FEW * len(words):
        return f"{100 * found / len(words):.0f}% of the words are English function words: the text may not be English"
    return None


@lru_cache(maxsize=8192)
def latin(letter: str) -> bool:
    return letter.isascii() or unicodedata.name(letter, "").startswith(
        ("LATIN", "MODIFIER LETTER", "FEMININE", "MASCULINE")
    )
