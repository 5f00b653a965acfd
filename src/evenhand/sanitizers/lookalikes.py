"""Letters of one script that stand for those of another: told by the words they stand in."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import cache

from ..documents import Edited
from .alphabets import LATIN, OTHER_SCRIPT, SCIENCE, WORD, script, styles, twins
from .base import respelt, unchanged
from .fold import one_of

REACH = 60
"""Characters on either side of a word in which its company is looked for, on its line."""

RARE = 1e-3
"""How often a word is foreign that wholly looks Latin: less likely than that, a word was not swapped letter by letter."""

HAS_LATIN = re.compile(f"[{LATIN}]")
INSIDE = re.compile(f"[a-z][{SCIENCE}][a-z]")
FORMULA = re.compile("sin|cos|tan|log|exp|ln|lim|max|min")
SCIENCE_WORDS = 3
"""From so many different words with a small Greek letter between small Latin ones, these are no formulas."""

SMALL_LATIN = re.compile("[a-z].*[a-z]")
ORDINAL = re.compile("[^a-z]+(?:th|st|nd|rd|s)")
SOUNDS = ("/", "[", "ˈ", "ˌ")

Word = tuple[int, str]
"""Where it starts, and the word."""


@cache
def _twin() -> re.Pattern[str]:
    return re.compile(one_of(twins()))


@cache
def _folding() -> dict[int, str]:
    return str.maketrans(twins())


@cache
def _undressing() -> dict[int, str]:
    return str.maketrans(styles())


def _twins_in(text: str) -> list[str]:
    return list(filter(twins().__contains__, _twin().findall(text)))


def fold(text: str) -> Edited:
    """Folds the words in which scripts mix, and, where a document shows such words, Latin-looking foreign ones."""
    if text.isascii() or not _twin().search(text):
        return unchanged(text)
    words = _sorted_words(text)
    is_near = _nearness(words["genuine"])
    mixed = [w for w in words["mixed"] if not (is_near(w) and _among_foreign(text, w))] + _not_science(words)
    if mixed:
        alone = [w for w in words["foreign"] if not (is_near(w) and _touches_foreign(text, w))]
        mixed += _swapped(text, alone, mixed) + [w for w in words["plain"] if _is_styled(text, w)]
    return respelt(text, _rewritten(text, sorted(mixed)), candidates=len(_twins_in(text)))


def _rewritten(text: str, words: list[Word]) -> str:
    letters, at = _folding() | _undressing(), 0
    pieces: list[str] = []
    for start, word in words:
        pieces += (text[at:start], word.translate(letters))
        at = start + len(word)
    return "".join((*pieces, text[at:]))


def _sorted_words(text: str) -> dict[str, list[Word]]:
    found = [(m.start(), m.group()) for m in WORD.finditer(text)]
    kinds = {word: _kind(word) for word in {word for _, word in found} if not word.isascii()}
    words: dict[str, list[Word]] = {kind: [] for kind in ("genuine", "mixed", "science", "foreign", "plain")}
    for word in found:
        if word[1] in kinds:
            words[kinds[word[1]]].append(word)
    return words


def _kind(word: str) -> str:
    """plain: no twin. genuine: a letter that no Latin one looks like. foreign: twins only. mixed, science: and Latin."""
    folded = word.translate(_folding())
    if OTHER_SCRIPT.search(folded):
        return "genuine"
    if folded == word:
        return "plain"
    twins_here = _twins_in(word)
    if not HAS_LATIN.search(word) and len({script(c) for c in twins_here}) == 1:
        return "foreign"
    return "science" if all(c in SCIENCE for c in twins_here) else "mixed"


def _nearness(genuine: list[Word]) -> Callable[[Word], bool]:
    """Does a genuine foreign word start within reach? (Most attacked texts have none: then nothing more is asked.)"""
    starts = [start for start, _ in genuine]

    def is_near(word: Word) -> bool:
        at = bisect_left(starts, word[0] - 2 * REACH)
        return at < len(starts) and starts[at] < word[0] + len(word[1]) + REACH

    return is_near


def _neighbours(text: str, word: Word) -> tuple[list[str], list[str]]:
    """Up to two words before (nearest last) and two after, on the same line."""
    start, end = word[0], word[0] + len(word[1])
    before = WORD.findall(text[max(0, start - REACH) : start].rpartition("\n")[2])
    after = WORD.findall(text[end : end + REACH].partition("\n")[0])
    return before[-2:], after[:2]


def _among_foreign(text: str, word: Word) -> bool:
    """More genuine foreign words than others around it: a Russian suffix on a brand, not a disguised Latin word."""
    before, after = _neighbours(text, word)
    foreign = [_kind(w) == "genuine" for w in before + after]
    return 2 * sum(foreign) > len(foreign)


def _touches_foreign(text: str, word: Word) -> bool:
    before, after = _neighbours(text, word)
    return any(_kind(w) == "genuine" for w in before[-1:] + after[:1])


def _not_science(words: dict[str, list[Word]]) -> list[Word]:
    """The words with small Greek letters, if the document mixes these as no formula does and has no other Greek."""
    inside = {word for _, word in words["science"] if INSIDE.search(word) and not FORMULA.search(word)}
    greek = any(script(c) == "GREEK" for _, word in words["genuine"] for c in word)
    return words["science"] if len(inside) >= SCIENCE_WORDS and not greek else []


def _swapped(text: str, foreign: list[Word], mixed: list[Word]) -> list[Word]:
    """Those foreign-looking words that are likelier swapped, at the rate seen in the mixed ones, than foreign."""
    letters = _twins_in(" ".join(word for _, word in mixed))
    seen = set(map(twins().__getitem__, letters))
    rate = len(letters) / (len(letters) + sum(map(text.count, seen)))
    greek = not set(SCIENCE).isdisjoint(letters)
    return [
        word
        for word in foreign
        if rate ** len(_twins_in(word[1])) >= RARE and (greek or set(SCIENCE).isdisjoint(word[1]))
    ]


def _is_styled(text: str, word: Word) -> bool:
    """Maths letters and the like within an English-looking word; not 𝑘th, 𝑘NN, nor what slashes or brackets mark as sound."""
    start, letters = word
    if text[max(0, start - 1) : start] in SOUNDS or not SMALL_LATIN.search(letters) or ORDINAL.fullmatch(letters):
        return False
    plain = letters.translate(_undressing())
    return plain != letters and plain.isascii()
