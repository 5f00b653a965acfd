"""Invisible characters that nothing needs: told by what stands before and after them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ..documents import Edited
from .alphabets import BREAKS, CHINESE_JAPANESE, HEBREW, JOINS, MONGOLIAN, NEEDS, PICTURE, TURNS
from .base import unchanged, without

DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
OPERATORS = "\u2061-\u2064"
SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
TAGS = "\U000e0001\U000e0020-\U000e007f"
WIDTHLESS = "\u00ad\u034f\u180e\u200b-\u200d\u2060\ufeff"

INVISIBLE = f"{WIDTHLESS}{DIRECTION}{OPERATORS}{SELECTORS}{TAGS}"
RUN = re.compile(f"[{INVISIBLE}]+")
PLACE = re.compile(f"([^{INVISIBLE}]?)([{INVISIBLE}]+)(.?)", re.DOTALL)
PLANTABLE = re.compile(f"[{WIDTHLESS}{OPERATORS}]")
IS_WIDTHLESS = re.compile(f"[{WIDTHLESS}]")
IS_DIRECTION = re.compile(f"[{DIRECTION}]")
IS_SELECTOR = re.compile(f"[{SELECTORS}]")
IS_TAG = re.compile(f"[{TAGS}]")
FLAG = re.compile("[\U000e0020-\U000e007e]{2,8}\U000e007f")
IDEOGRAPH = re.compile(f"[{CHINESE_JAPANESE}]")
COMBINES = re.compile(f"[\u0300-\u036f{HEBREW}]")
MONGOL = re.compile(f"[{MONGOLIAN}]")
LINE = re.compile("[^\n]+")
FLAG_BASE = "\U0001f3f4"
ENCODING_MARK = "\ufeff"
REMEMBERED = 16
"""Longer runs are judged anew each time: a cache must not hold them."""

CROWD, PER = 3, 50
"""At least so many idle characters, and one in so many visible ones, are planted even where none is inside a word."""


class Sifted(NamedTuple):
    """The places in a run that nothing needs; of them, those that no honest tool leaves; is a widthless one in a word."""

    length: int
    idle: tuple[int, ...]
    stray: tuple[int, ...]
    in_word: bool


def strip(text: str) -> Edited:
    """Removes direction marks, selectors and tags without a use, and widthless characters where they were planted.

    They were planted if the document shows one inside a word, or a crowd of them. A single one beside a space or a
    slash is what browsers and word processors leave, and one at the very start tells the encoding: these stay.
    """
    if text.isascii() or not RUN.search(text):
        return unchanged(text)
    runs = _sifted_runs(text)
    planted = any(sifted.in_word for _, sifted in runs) or _is_crowd(text, [sifted for _, sifted in runs])
    idle = [start + i for start, sifted in runs for i in sifted.idle]
    gone = idle if planted else [start + i for start, sifted in runs for i in sifted.stray]
    return without(text, gone, candidates=len(idle))


def _is_crowd(text: str, runs: list[Sifted]) -> bool:
    idle = sum(len(run.idle) - len(run.stray) for run in runs)
    return idle >= CROWD and idle * PER > len(text) - sum(run.length for run in runs)


def _sifted_runs(text: str) -> list[tuple[int, Sifted]]:
    return [
        (start, _sifted(text[start - 1 if start else 0 : end + 1], turns))
        for first, last, turns in _stretches(text)
        for start, end in map(re.Match.span, RUN.finditer(text, first, last))
    ]


def _stretches(text: str) -> list[tuple[int, int, bool]]:
    """The lines, and whether each has right-to-left letters; all in one where no direction mark asks for that."""
    if not IS_DIRECTION.search(text):
        return [(0, len(text), False)]
    return [(m.start(), m.end(), TURNS.search(m.group()) is not None) for m in LINE.finditer(text)]


def _sifted(place: str, turns: bool) -> Sifted:
    return _sift(place, turns) if len(place) <= REMEMBERED else _sift.__wrapped__(place, turns)


@lru_cache(maxsize=65536)
def _sift(place: str, turns: bool) -> Sifted:
    """``place``: a run and its visible neighbours, none at an end; ``turns``: its line has right-to-left letters."""
    before, run, after = PLACE.fullmatch(place).groups()  # type: ignore[union-attr]
    needed = _signs_needed(run, before)
    idle = [i for i, c in enumerate(run) if not (i in needed or _is_needed(c, before, after, turns))]
    stray = [i for i in idle if not PLANTABLE.match(run[i])]
    in_word = before.isalpha() and after.isalpha() and any(IS_WIDTHLESS.match(run[i]) for i in idle)
    return Sifted(len(run), tuple(idle), tuple(stray), in_word)


def _signs_needed(run: str, before: str) -> set[int]:
    """Places in the run of what only one may be of, or only in its order: encoding mark, form selector, flag's tags."""
    selector = IS_SELECTOR.search(run)
    needed = {selector.start()} if selector and _selects(selector.group(), before) else set()
    tags = [i for i, c in enumerate(run) if IS_TAG.match(c)] if before == FLAG_BASE else []
    if FLAG.fullmatch("".join(run[i] for i in tags)):
        needed |= set(tags)
    return needed | ({0} if not before and run[0] == ENCODING_MARK else set())


def _is_needed(character: str, before: str, after: str, turns: bool) -> bool:
    if character in "\u200c\u200d":
        return _joins(character, before, after)
    if character in "\u200b\u2060\ufeff":
        return bool(BREAKS.match(before) or BREAKS.match(after))
    if character in "\u034f\u180e":
        beside = COMBINES if character == "\u034f" else MONGOL
        return bool(beside.match(before) or beside.match(after))
    return turns and IS_DIRECTION.match(character) is not None


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
