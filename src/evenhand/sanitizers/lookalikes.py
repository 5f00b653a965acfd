"""Letters of one script that stand for those of another: told by the words they stand in.

A word in which Latin meets only look-alikes is swapped, unless its neighbours speak that script. Such words show how
thorough the swapping was; by that a word wholly of look-alikes is likelier swapped or likelier foreign. Small Greek
letters beside Latin ones are science, and maths letters maths, until the document shows otherwise. What decides about a
word does not change when others are folded, so that folding twice is folding once.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import cache

from ..documents import Edited
from .alphabets import LATIN_LETTERS, OTHER_SCRIPT, SCIENCE, WORD, script, styles, twins
from .base import respelt, unchanged
from .fold import one_of

REACH = 60
"""Characters on either side of a word in which its company is looked for, on its line."""

RARE = 1e-3
"""How often a word is foreign that wholly looks Latin: less likely than that, a word was not swapped letter by letter."""

RARE_QUOTED = 0.2
"""The same of a word that stands in quotation marks of its own: then it is likely spoken of."""

RELATED = {"CYRILLIC", "GREEK"}
"""Tables of look-alikes draw on both: where a document shows one, the other is believed; any other script must be seen."""

OPENS, CLOSES = tuple("\"'“‘«„‚"), tuple("\"'”’»“‘")

HAS_LATIN = re.compile(f"[{LATIN_LETTERS}]")
SMALL_GREEK = re.compile(f"[{SCIENCE}]")
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
def _folding(greek: bool = True) -> dict[int, str]:
    """The twins for ``str.translate``; without the small Greek letters of science where these are not meant."""
    return str.maketrans({c: t for c, t in twins().items() if greek or c not in SCIENCE})


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
    is_near, greek = _nearness(words["genuine"]), _swaps_small_greek(words)
    mixed = words["mixed"] + (words["science"] if greek else [])
    swapped = [word for word in mixed if not (is_near(word) and _among_foreign(text, word))]
    if swapped:
        alone = [w for w in words["foreign"] if greek or not SMALL_GREEK.search(w[1])]
        alone = [w for w in alone if not (is_near(w) and _touches_foreign(text, w))]
        swapped += _likely_swapped(text, alone, swapped) + [w for w in words["plain"] if _is_styled(text, w)]
    new = _rewritten(text, sorted(swapped), _folding(greek) | _undressing())
    return respelt(text, new, candidates=len(_twins_in(text)))


def _rewritten(text: str, words: list[Word], letters: dict[int, str]) -> str:
    pieces, at = [""], 0
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
    """plain: no twin. genuine: a letter without twin, or capitals for small ones. foreign: twins only. Else Latin too."""
    folded = word.translate(_folding())
    if OTHER_SCRIPT.search(folded):
        return "genuine"
    if folded == word:
        return "plain"
    twins_here = _twins_in(word)
    if not HAS_LATIN.search(word) and len({script(c) for c in twins_here}) == 1:
        same_case = all(c.isupper() == twins()[c].isupper() for c in twins_here)
        return "foreign" if same_case else "genuine"
    return "science" if all(c in SCIENCE for c in twins_here) else "mixed"


def _nearness(genuine: list[Word]) -> Callable[[Word], bool]:
    """Does a genuine foreign word start within reach? (Most attacked texts have none: then nothing more is asked.)"""
    starts = [start for start, _ in genuine]
    if not starts:
        return lambda word: False

    def is_near(word: Word) -> bool:
        at = bisect_left(starts, word[0] - 2 * REACH)
        return at < len(starts) and starts[at] < word[0] + len(word[1]) + REACH

    return is_near


def _company(text: str, word: Word) -> tuple[list[bool], list[bool]]:
    """Of up to two words before (nearest last) and two after, on the same line: is each of the word's own script?"""
    scripts = {script(c) for c in _twins_in(word[1])}
    before, after = _around(text, word)
    return [_speaks(w, scripts) for w in before[-2:]], [_speaks(w, scripts) for w in after[:2]]


def _around(text: str, word: Word) -> tuple[list[str], list[str]]:
    """The words within reach on its line, without numbers and without one that the reach cuts off."""
    start, end = word[0], word[0] + len(word[1])
    lines_before = text[max(0, start - REACH) : start].split("\n")
    lines_after = text[end : end + REACH].split("\n")
    before, after = WORD.findall(lines_before[-1]), WORD.findall(lines_after[0])
    if len(lines_before) == 1 and start > REACH:
        before = before[1:]
    if len(lines_after) == 1 and end + REACH < len(text):
        after = after[:-1]
    return [w for w in before if not w.isdecimal()], [w for w in after if not w.isdecimal()]


def _speaks(word: str, scripts: set[str]) -> bool:
    """A genuine word of one of these scripts, and no symbol: not μm, λt, nor a lone Greek letter."""
    if _kind(word) != "genuine" or HAS_LATIN.search(word):
        return False
    spoken = {script(c) for c in word} & scripts
    return bool(spoken) and (len(word) > 1 or spoken != {"GREEK"})


def _among_foreign(text: str, word: Word) -> bool:
    """More genuine foreign words than others around it: a Russian suffix on a brand, not a disguised Latin word."""
    before, after = _company(text, word)
    return 2 * sum(before + after) > len(before + after)


def _touches_foreign(text: str, word: Word) -> bool:
    """A genuine foreign word beside it, or as many as others around it: a short Russian word in a Russian sentence."""
    before, after = _company(text, word)
    return any(before[-1:] + after[:1]) or (any(before + after) and 2 * sum(before + after) >= len(before + after))


def _swaps_small_greek(words: dict[str, list[Word]]) -> bool:
    """Are small Greek letters mixed into words as no formula does, in a document without other Greek?"""
    small = {word for _, word in words["science"] + words["mixed"] if SMALL_GREEK.search(word)}
    folded = {word.translate(_folding(greek=False)) for word in small}
    inside = [word for word in folded if INSIDE.search(word) and not FORMULA.search(word)]
    return len(inside) >= SCIENCE_WORDS and not any(script(c) == "GREEK" for _, w in words["genuine"] for c in w)


def _likely_swapped(text: str, foreign: list[Word], mixed: list[Word]) -> list[Word]:
    """Those foreign-looking words that are likelier swapped, at the rate seen in the mixed ones, than foreign."""
    letters = _twins_in(" ".join(word for _, word in mixed))
    seen = set(map(twins().__getitem__, letters))
    rate = len(letters) / (len(letters) + sum(map(text.count, seen)))
    scripts = {script(c) for c in set(letters)}
    scripts |= RELATED if scripts & RELATED else set()

    def is_swapped(word: Word) -> bool:
        here = _twins_in(word[1])
        likely = rate ** len(here) >= (RARE_QUOTED if _is_quoted(text, word) else RARE)
        return likely and script(here[0]) in scripts

    return [word for word in foreign if is_swapped(word)]


def _is_quoted(text: str, word: Word) -> bool:
    start, end = word[0], word[0] + len(word[1])
    closed = text[end : end + 1] in CLOSES and not text[end + 1 : end + 2].isalnum()
    return closed and text[max(0, start - 1) : start] in OPENS


def _is_styled(text: str, word: Word) -> bool:
    """Maths letters and the like within an English-looking word; not 𝑘th, 𝑘NN, nor what slashes or brackets mark as sound."""
    start, letters = word
    if text[max(0, start - 1) : start] in SOUNDS or not SMALL_LATIN.search(letters) or ORDINAL.fullmatch(letters):
        return False
    plain = letters.translate(_undressing())
    return plain != letters and plain.isascii()
