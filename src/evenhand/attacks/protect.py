"""What an honest edit leaves alone: addresses, code, quotations and names.

Found by simple, linear patterns; what they miss and what they take too much of is said at each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

KINDS = ("url", "code", "quotation", "name")

_URL = re.compile(r"(?:https?|ftp)://[^\s<>\"]+|\bwww\.[^\s<>\"]+|\b10\.\d{4,9}/[^\s<>\"]+")
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
    if "://" in text or "www." in text or "10." in text:
        yield from (match.span() for match in _URL.finditer(text))
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
