"""Words that lost the space between them ("themodel"), found with the words of the corpus itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

WORD = re.compile(r"(?<![\w'’-])[A-Za-z]?[a-z]+(?![\w'’-])")
PIECE = re.compile(r"[A-Za-z]+|[^A-Za-z\s]+")
RARE, KNOWN, TOGETHER, FEW = 2, 3, 2, 3
"""A glued word stands in at most 2 texts, its halves in 3 or more; seen side by side twice, they may be any words.
A text with fewer than 3 such words is left alone: every text has a compound that its corpus knows apart only."""

OPEN = frozenset(
    "the of and that from which these this those their our its we they are was were has have can may when where such "
    "using between through while because also been being".split()
)
CLOSE = frozenset(
    "the of and that with from which these this their our its we they are was were have by in for to when where into "
    "via using such between through while also".split()
)
"""Words that open or close no English compound of letters (so 'with' is not in OPEN: withdraw; 'on' not in CLOSE)."""


@dataclass(frozen=True)
class Words:
    """In how many texts each word stands, and how often two stand side by side."""

    texts: Counter[str]
    pairs: Counter[tuple[str, str]]


def count_words(texts: Iterable[str]) -> Words:
    known: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for text in texts:
        known.update({word.lower() for word in WORD.findall(text)})
        pieces = [piece.lower() for piece in PIECE.findall(text)]
        pairs.update(pairwise(pieces))
    return Words(known, pairs)


def glued_words(text: str, words: Words) -> list[tuple[int, int]]:
    """(start of the word, place of the lost space), in order; empty where fewer than FEW are found."""
    found = [(m.start(), cut) for m in WORD.finditer(text) if (cut := _cut(m[0].lower(), words))]
    return [(start, start + cut) for start, cut in found] if len(found) >= FEW else []


def _cut(word: str, words: Words) -> int | None:
    """Where the likeliest lost space is."""
    if len(word) < 5 or words.texts[word] > RARE:
        return None
    cuts = [i for i in range(2, len(word) - 1) if _may_cut(word[:i], word[i:], words)]
    return max(cuts, key=lambda i: words.texts[word[:i]] * words.texts[word[i:]], default=None)


def _may_cut(a: str, b: str, words: Words) -> bool:
    if words.texts[a] < KNOWN or words.texts[b] < KNOWN:
        return False
    return words.pairs[a, b] >= TOGETHER or (a in OPEN and len(b) > 3) or (b in CLOSE and len(a) > 3)
