"""A text stripped of what copying changes: case, blanks, punctuation, compatibility forms."""

from __future__ import annotations

import re
import unicodedata

NO_WORD = re.compile(r"[\W_]+")


def normal_words(text: str) -> list[str]:
    """Lower-case words of letters and digits; inner punctuation is dropped, so that don't and dont are one."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return [kept for word in folded.split() if (kept := NO_WORD.sub("", word))]


def normal(text: str) -> str:
    """Letters and digits alone, in lower case: equal for two copies of one text that were spaced otherwise."""
    return "".join(normal_words(text))


def copy_key(text: str) -> str:
    """What all copies of a text share: its letters and digits or, where it has none, its signs. '' where it is blank: that says
    nothing, so no copy of it can leak."""
    return normal(text) or "".join(text.split())
