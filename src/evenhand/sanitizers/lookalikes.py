"""Letters of one script that stand for those of another: told by the words they stand in."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache
from typing import NamedTuple

from ..documents import Edited
from .alphabets import LATIN, OTHER_SCRIPT, SCIENCE, WORD, one_of, script, twins
from .base import edited, unchanged

REACH = 60
"""Characters on either side of a word in which its company is looked for, on its line."""

RARE = 1e-3
"""How often a word is foreign that wholly looks Latin: less likely than that, a word was not swapped letter by letter."""

HAS_LATIN = re.compile(f"[{LATIN}]")
INSIDE = re.compile(f"[a-z][{SCIENCE}][a-z]")
FORMULA = re.compile("sin|cos|tan|log|exp|ln|lim|max|min")
SCIENCE_WORDS = 3
"""From so many different words with a small Greek letter between small Latin ones, these are no formulas."""


class Word(NamedTuple):
    start: int
    text: str


@cache
def _twin() -> re.Pattern[str]:
    return re.compile(one_of("".join(twins())))


@cache
def _folding() -> dict[int, str]:
    return {ord(c): t for c, t in twins().items()}


def fold(text: str) -> Edited:
    """Folds the words in which scripts mix, and, where a document shows such words, Latin-looking foreign ones."""
    if text.isascii() or not _twin().search(text):
        return unchanged(text)
    words = _sorted_words(text)
    company = [word.start for word in words["genuine"]]
    mixed = [word for word in words["mixed"] if not _among_foreign(text, word, company)]
    mixed += _not_science(words)
    swapped = mixed + _swapped(text, [w for w in words["foreign"] if not _touches_foreign(text, w, company)], mixed)
    changes = [change for word in sorted(swapped) for change in _letters(word)]
    return edited(text, changes, candidates=len(_twin().findall(text)))


def _sorted_words(text: str) -> dict[str, list[Word]]:
    words: dict[str, list[Word]] = {kind: [] for kind in ("genuine", "mixed", "science", "foreign", "plain")}
    kinds: dict[str, str] = {}
    for match in WORD.finditer(text):
        word = match.group()
        if not word.isascii():
            if word not in kinds:
                kinds[word] = _kind(word)
            words[kinds[word]].append(Word(match.start(), word))
    return words


def _kind(word: str) -> str:
    """plain: no twin. genuine: a letter that no Latin one looks like. foreign: twins only. mixed, science: and Latin."""
    folded = word.translate(_folding())
    if OTHER_SCRIPT.search(folded):
        return "genuine"
    if folded == word:
        return "plain"
    twins_here = [c for c in word if c in twins()]
    if not HAS_LATIN.search(word) and len({script(c) for c in twins_here}) == 1:
        return "foreign"
    return "science" if all(c in SCIENCE for c in twins_here) else "mixed"


def _neighbours(text: str, word: Word) -> tuple[list[str], list[str]]:
    """Up to two words before (nearest last) and two after, on the same line."""
    end = word.start + len(word.text)
    before = WORD.findall(text[max(0, word.start - REACH) : word.start].rpartition("\n")[2])
    after = WORD.findall(text[end : end + REACH].partition("\n")[0])
    return before[-2:], after[:2]


def _is_near(word: Word, company: list[int]) -> bool:
    """Does a genuine foreign word start within reach? (Most attacked texts have none: then nothing else is asked.)"""
    at = bisect_left(company, word.start - 2 * REACH)
    return at < len(company) and company[at] < word.start + len(word.text) + REACH


def _among_foreign(text: str, word: Word, company: list[int]) -> bool:
    """More genuine foreign words than others around it: a Russian suffix on a brand, not a disguised Latin word."""
    if not _is_near(word, company):
        return False
    before, after = _neighbours(text, word)
    foreign = [_kind(w) == "genuine" for w in before + after]
    return 2 * sum(foreign) > len(foreign)


def _touches_foreign(text: str, word: Word, company: list[int]) -> bool:
    if not _is_near(word, company):
        return False
    before, after = _neighbours(text, word)
    return any(_kind(w) == "genuine" for w in before[-1:] + after[:1])


def _not_science(words: dict[str, list[Word]]) -> list[Word]:
    """The words with small Greek letters, if the document mixes these as no formula does and has no other Greek."""
    inside = {w.text for w in words["science"] if INSIDE.search(w.text) and not FORMULA.search(w.text)}
    greek = any(script(c) == "GREEK" for w in words["genuine"] for c in w.text)
    return words["science"] if len(inside) >= SCIENCE_WORDS and not greek else []


def _swapped(text: str, foreign: list[Word], mixed: list[Word]) -> list[Word]:
    """Those foreign-looking words that are likelier swapped, at the rate seen in the mixed ones, than foreign."""
    letters = [c for word in mixed for c in word.text if c in twins()]
    if not letters:
        return []
    seen = {twins()[c] for c in letters}
    rate = len(letters) / (len(letters) + sum(map(text.count, seen)))
    greek = any(c in SCIENCE for c in letters)
    likely = [w for w in foreign if rate ** sum(c in twins() for c in w.text) >= RARE]
    return [w for w in likely if greek or not any(c in SCIENCE for c in w.text)]


def _letters(word: Word) -> list[tuple[int, int, str]]:
    table = twins()
    return [(at, at + 1, table[c]) for at, c in enumerate(word.text, word.start) if c in table]
