"""Words and sentences, as all measures count them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

BLANK_LINE = re.compile(r"\n\s*\n")


@lru_cache(maxsize=1)
def _word() -> Any:
    import regex

    # letters, marks and digits with at least one letter; inner apostrophes and hyphens join (don't, well-known)
    return regex.compile(r"(?=[\p{N}'’\-‐]*\p{L})[\p{L}\p{M}\p{N}]+(?:['’\-‐][\p{L}\p{M}\p{N}]+)*")


def words(text: str) -> list[str]:
    """Words that hold a letter, without the punctuation around them: ``well-known`` is one, ``1984`` is none."""
    return [match[0] for match in _word().finditer(text)]


def pieces(text: str) -> list[str]:
    """Pieces between whitespace: the words of which doses speak."""
    return text.split()


def sentences(text: str) -> list[str]:
    """Sentences that hold a letter or digit (nupunkt); a blank line ends one, whatever stands before it."""
    from nupunkt import sent_spans

    found = [part[a:b] for part in BLANK_LINE.split(text) if part.strip() for a, b in sent_spans(part)]
    return [sentence for sentence in found if any(map(str.isalnum, sentence))]
