"""Invisible characters that nothing needs: told by what stands before and after them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ..documents import Edited
from .alphabets import BREAKS, CHINESE_JAPANESE, HEBREW, JOINS, MONGOLIAN, NEEDS, PICTURE, TURNS
from .base import edited, unchanged

DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
OPERATORS = "\u2061-\u2064"
SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
TAGS = "\U000e0001\U000e0020-\U000e007f"
WIDTHLESS = "\u00ad\u034f\u180e\u200b-\u200d\u2060\ufeff"

RUN = re.compile(f"[{WIDTHLESS}{DIRECTION}{OPERATORS}{SELECTORS}{TAGS}]+")
PLANTABLE = re.compile(f"[{WIDTHLESS}{OPERATORS}]")
IS_WIDTHLESS = re.compile(f"[{WIDTHLESS}]")
IS_DIRECTION = re.compile(f"[{DIRECTION}]")
IS_SELECTOR = re.compile(f"[{SELECTORS}]")
FLAG = re.compile("[\U000e0020-\U000e007e]+\U000e007f")
IDEOGRAPH = re.compile(f"[{CHINESE_JAPANESE}]")
COMBINES = re.compile(f"[\u0300-\u036f{HEBREW}]")
MONGOL = re.compile(f"[{MONGOLIAN}]")

CROWD, PER = 3, 50
"""At least so many idle characters, and one in so many visible ones, are planted even where none is inside a word."""


class Sifted(NamedTuple):
    """What stays of a run: if the document shows planted characters, and if not; how many are idle; is one in a word."""

    strict: str
    lenient: str
    idle: int
    in_word: bool


def strip(text: str) -> Edited:
    """Removes direction marks, selectors and tags without a use, and widthless characters where they were planted.

    They were planted if the document shows one inside a word, or a crowd of them. A single one beside a space or a
    slash is what browsers and word processors leave, and one at the very start tells the encoding: these stay.
    """
    if text.isascii() or not RUN.search(text):
        return unchanged(text)
    runs = [(m.start(), m.end(), _sift_at(text, m.start(), m.end())) for m in RUN.finditer(text)]
    idle = sum(sifted.idle for *_, sifted in runs)
    visible = len(text) - sum(end - start for start, end, _ in runs)
    planted = any(sifted.in_word for *_, sifted in runs) or (idle >= CROWD and idle * PER > visible)
    kept = [(start, end, sifted.strict if planted else sifted.lenient) for start, end, sifted in runs]
    changes = [(start, end, stays) for start, end, stays in kept if len(stays) < end - start]
    return edited(text, changes, candidates=idle)


def _sift_at(text: str, start: int, end: int) -> Sifted:
    run = text[start:end]
    turns = bool(IS_DIRECTION.search(run)) and bool(TURNS.search(_line(text, start, end)))
    return _sift(run, text[start - 1 : start], text[end : end + 1], turns)


def _line(text: str, start: int, end: int) -> str:
    stop = text.find("\n", end)
    return text[text.rfind("\n", 0, start) + 1 : stop if stop >= 0 else len(text)]


@lru_cache(maxsize=65536)
def _sift(run: str, before: str, after: str, turns: bool) -> Sifted:
    """``before`` and ``after`` are the visible neighbours, "" at an end; ``turns``: the line has right-to-left letters."""
    needed = [_needed(i, run, before, after, turns) for i in range(len(run))]
    idle = [c for c, need in zip(run, needed, strict=True) if not need and PLANTABLE.match(c)]
    return Sifted(
        "".join(c for c, need in zip(run, needed, strict=True) if need),
        "".join(c for c, need in zip(run, needed, strict=True) if need or PLANTABLE.match(c)),
        len(idle),
        before.isalpha() and after.isalpha() and any(map(IS_WIDTHLESS.match, idle)),
    )


def _needed(i: int, run: str, before: str, after: str, turns: bool) -> bool:
    character = run[i]
    if character in "\u200c\u200d":
        return _joins(character, before, after)
    if character in "\u200b\u2060\ufeff":
        starts = not before and i == 0 and character == "\ufeff"
        return starts or bool(BREAKS.match(before) or BREAKS.match(after))
    if IS_DIRECTION.match(character):
        return turns
    if IS_SELECTOR.match(character):
        return not IS_SELECTOR.search(run[:i]) and _selects(character, before)
    if character in "\u034f\u180e":
        beside = COMBINES if character == "\u034f" else MONGOL
        return bool(beside.match(before) or beside.match(after))
    return before == "\U0001f3f4" and any(m.start() <= i < m.end() for m in FLAG.finditer(run))


def _joins(character: str, before: str, after: str) -> bool:
    if JOINS.match(before) or JOINS.match(after):
        return True
    return character == "\u200d" and bool(PICTURE.match(before) and PICTURE.match(after))


def _selects(selector: str, before: str) -> bool:
    """Selectors choose a form of a digit, a sign, a picture or an ideograph; a Latin, Greek or Cyrillic letter has one."""
    if selector > "\ufe0f":
        return bool(IDEOGRAPH.match(before))
    if before.isascii():
        return before != "" and before in "0123456789#*"
    return bool(NEEDS.match(before)) or not (before.isalpha() or before.isspace())
