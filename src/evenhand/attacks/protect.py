"""What an honest edit leaves alone: addresses, code, quotations and names.

Found by simple, linear patterns; what they miss and what they take too much of is said at each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

KINDS = ("url", "code", "quotation", "name")

# Each pattern begins with what is searched for fast; the scheme before "://" is looked up behind it.
_LINK = re.compile(r"://[^\s<>\"]+")
_BARE_LINK = re.compile(r"www\.[^\s<>\"]+")
_DOI = re.compile(r"10\.\d{4,9}/[^\s<>\"]+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z+.-]{0,15}\Z")
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
# Straight quotes within one line, at most 400 characters: an unpaired one cannot swallow the text.
_QUOTATION = re.compile(r"\"[^\"\n]{1,400}\"|“[^“”\n]{1,400}”|«[^«»\n]{1,400}»|„[^„“”\n]{1,400}[“”]")
_UPPER = "".join(letter for letter in map(chr, range(0x41, 0x530)) if letter.isupper())
# A capitalised word after a word, a digit or a comma, and the capitalised words that follow it. Missed: names that open
# a sentence, names of one letter. Taken too: title-case headings, the nouns of German.
_NAME = re.compile(rf"[{_UPPER}](?:(?<=[^\W_] \w)|(?<=[,;:] \w))\w[\w'’-]*(?: [{_UPPER}][\w'’-]*)*")
_NAME_AFTER_TITLE = re.compile(rf"\b(?:Mr|Mrs|Ms|Dr|Prof|St)\. [{_UPPER}][\w'’-]*")


def _addresses(text: str) -> Iterator[tuple[int, int]]:
    for match in _LINK.finditer(text):
        scheme = _SCHEME.search(text[max(0, match.start() - 16) : match.start()])
        yield match.start() - len(scheme[0] if scheme else ""), match.end()
    for pattern in (_BARE_LINK, _DOI):
        yield from (match.span() for match in pattern.finditer(text))
    if "@" in text:
        yield from (match.span() for match in _MAIL.finditer(text))


def _code(text: str) -> Iterator[tuple[int, int]]:
    if "`" in text:
        yield from (match.span() for match in _CODE.finditer(text))


def _quotations(text: str) -> Iterator[tuple[int, int]]:
    if any(mark in text for mark in '"“«„'):
        yield from (match.span() for match in _QUOTATION.finditer(text))


def _names(text: str) -> Iterator[tuple[int, int]]:
    yield from (match.span() for match in _NAME.finditer(text))
    if ". " in text:
        yield from (match.span() for match in _NAME_AFTER_TITLE.finditer(text))


_FINDERS = {"url": _addresses, "code": _code, "quotation": _quotations, "name": _names}


def protected_spans(text: str, kinds: tuple[str, ...] = KINDS) -> list[tuple[int, int]]:
    """(start, end) of what is protected, in order of kind."""
    return [span for kind in kinds for span in _FINDERS[kind](text)]


def protected(text: str, kinds: tuple[str, ...] = KINDS) -> NDArray[np.bool_]:
    """For each character: does it belong to something protected? Shape (len(text),)."""
    mask = np.zeros(len(text), dtype=bool)
    for start, end in protected_spans(text, kinds):
        mask[start:end] = True
    return mask
