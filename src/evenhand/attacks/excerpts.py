"""Parts of a text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from ..documents import DROPPED, Edited
from ..errors import SpecError
from ..registry import Card
from .base import Attack, dose, unchanged
from .tokens import sentences, strings

_WORD = re.compile(r"\S+")


def _check_words(name: str, words: int) -> None:
    if isinstance(words, bool) or not isinstance(words, int) or words < 1:
        raise SpecError(f"{name}: words must be a whole number from 1 on, got {words!r}")


def _cut(text: str, start: int, end: int, candidates: int) -> Edited:
    """text[start:end]; each side that is lost is one edit."""
    edges = ((0, 0),) * (start > 0) + ((end - start, end - start),) * (end < len(text))
    return Edited(text[start:end], edges, len(edges), candidates, dose(len(edges), text))


def _first_sentences(text: str, words: int) -> Edited:
    """As GEDE's code writes them: each behind a blank, which is an edit unless it stood there; the lost end is one more."""
    whole = sentences(text)
    parts = strings(text, whole)
    kept = sum(length < words for length in accumulate(len(one.split()) for one in parts))
    if not parts:
        return unchanged(text, f"{DROPPED} there is no sentence")
    if not kept:
        why = f"{DROPPED} the first sentence has {words} words or more"
        return Edited("", ((0, 0),), 1, 1, dose(1, text), why)
    made, spans, last = "", [], 0
    for (start, end), one in zip(whole[:kept].tolist(), parts, strict=False):
        spans += [(len(made), len(made) + 1)] if text[last:start] != " " else []
        made, last = f"{made} {one}", end
    spans += [(len(made), len(made))] if last < len(text) else []
    if not spans:
        return unchanged(text, f"no-op: the text begins with a blank and has fewer than {words} words", len(parts) + 1)
    return Edited(made, tuple(spans), len(spans), len(parts) + 1, dose(len(spans), text))


@dataclass(frozen=True)
class Truncate(Attack):
    """The first ``words`` words (between blanks). ``profile='gede'``: whole sentences with fewer words than that together."""

    words: int = 200
    profile: str = "default"

    name: ClassVar[str] = "truncate"
    card: ClassVar[Card] = Card(
        "Keeps the beginning of the text.",
        source="two-sided evaluation (Shill and Nandi 2026), sec. 4.5: truncation of identical sources; GEDE, sec. 4.5",
        family="length",
        follows="profile='gede', the code: sentences are added as long as their words are fewer than the limit, a text whose "
        "first sentence is too long is dropped, every other begins with a blank; sentences are nupunkt's, not Punkt's",
        pitfalls="By default it cuts in the middle of a sentence, on both classes alike. profile='gede' drops texts of one class "
        "more than of the other where their first sentences differ in length: read n.",
    )

    def __post_init__(self) -> None:
        _check_words(self.name, self.words)
        if self.profile not in ("default", "gede"):
            raise SpecError(f"{self.name}: no profile {self.profile!r}; it has: default, gede")

    def edit(self, text: str, seed: int = 0) -> Edited:
        if self.profile == "gede":
            return _first_sentences(text, self.words)
        spans = [match.span() for match in _WORD.finditer(text)]
        if len(spans) <= self.words:
            return unchanged(text, f"no-op: the text has {len(spans)} words, no more than {self.words}")
        return _cut(text, 0, spans[self.words - 1][1], 1)


@dataclass(frozen=True)
class Excerpt(Attack):
    """``words`` words in a row, from anywhere; begins with a word and ends with one."""

    words: int = 200

    name: ClassVar[str] = "excerpt"
    card: ClassVar[Card] = Card("Keeps a random part of the text.", family="length")

    def __post_init__(self) -> None:
        _check_words(self.name, self.words)

    def edit(self, text: str, seed: int = 0) -> Edited:
        spans = [match.span() for match in _WORD.finditer(text)]
        places = len(spans) - self.words + 1
        if places <= 1:
            return unchanged(text, f"no-op: the text has {len(spans)} words, no more than {self.words}")
        first = int(self.generator(text, seed).integers(places))
        return _cut(text, spans[first][0], spans[first + self.words - 1][1], places)
