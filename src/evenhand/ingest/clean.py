"""Repairs that hold for text out of any file: ligatures, words broken at line ends, control characters, addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_TABLE = str.maketrans(LIGATURES)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff]")
_HALVES = re.compile(r"[\ud800-\udfff]+")
_SPACES = re.compile(r"[ \t\r\n\u00a0\u2002-\u200a\u202f]+")
_EMAIL = re.compile(r"(?:\{[^{}@]{1,200}\}|[\w.+-]{1,64})\s?@\s?[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
HYPHENS = "-\u00ad\u2010\x02\ufffe"
"""What stands at the end of a broken line; the last two are PDFium's."""
EMAIL = "[email]"


def tidy(text: str) -> str:
    """One paragraph: ligatures written out, white space single, control characters and soft hyphens gone.

    Signs beyond U+FFFF that came in two halves (PDFium, RTF) are whole again; a half alone becomes U+FFFD.
    """
    text = _CONTROL.sub("", text.translate(_TABLE)).replace("\u00ad", "")
    text = _HALVES.sub(lambda half: half[0].encode("utf-16", "surrogatepass").decode("utf-16", "replace"), text)
    return _SPACES.sub(" ", text).strip()


def without_emails(text: str) -> tuple[str, int]:
    """The text with each e-mail address as '[email]', and how many there were."""
    return _EMAIL.subn(EMAIL, text)


def words_of(lines: Iterable[str]) -> frozenset[str]:
    """The words inside lines, in lower case, with their inner hyphens; halves of broken words are none."""
    found: set[str] = set()
    broken = False
    for line in lines:
        words = line.translate(_TABLE).split()
        found.update(word.strip(".,;:()[]'\"“”‘’").lower() for word in words[1 if broken else 0 : -1])
        broken = bool(words) and words[-1][-1] in HYPHENS
    return frozenset(found)


def joined(lines: Sequence[str], vocabulary: frozenset[str]) -> str:
    """Lines of one paragraph as one text; a word broken at a line end is whole again.

    A hyphen at a line end stays where the document writes the word with it elsewhere, where the first half has one
    already, and where both halves are words of the document and the whole is not.
    """
    text = ""
    for line in (line.strip() for line in lines):
        if text and text[-1] in HYPHENS and line[:1].isalnum():
            first = re.split(r"\s", text[:-1])[-1].lstrip("([\"'“‘")
            second = re.split(r"[\s.,;:)\]]", line, maxsplit=1)[0]
            text = text[:-1] + ("-" if _compound(first, second, vocabulary) else "") + line
        else:
            text = f"{text} {line}" if text else line
    return tidy(text)


def _compound(first: str, second: str, vocabulary: frozenset[str]) -> bool:
    """Is the hyphen between these halves one that is written inside a line too?"""
    small = second[:1].islower()
    first, second = first.translate(_TABLE).lower(), second.translate(_TABLE).lower()
    if f"{first}-{second}" in vocabulary or "-" in first:
        return True
    if first + second in vocabulary:
        return False
    return not small or (len(first) > 2 and first in vocabulary and second in vocabulary)
