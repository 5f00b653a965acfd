"""Texts beside their sources, word by word: what GEDE's figure 7 shows in colours, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..documents import Level
from ..seeds import seed_of
from .base import counted
from .by_generator import pools
from .finding import Finding
from .rows import Rows
from .sides import of_level

TABLE = "revisions_words"
SHOWN = 40
"""Changes of one text, at most."""


def word_changes(source: str, text: str) -> list[tuple[str, str]]:
    """(words of the source, words in their place) of the cheapest alignment, in order; neighbours are one change."""
    from rapidfuzz.distance import Levenshtein

    old, new = source.split(), text.split()
    made: list[tuple[list[str], list[str]]] = []
    touches = False
    for code in Levenshtein.opcodes(old, new):
        if code.tag != "equal":
            before, after = old[code.src_start : code.src_end], new[code.dest_start : code.dest_end]
            made = [*made[:-1], (made[-1][0] + before, made[-1][1] + after)] if touches else [*made, (before, after)]
        touches = code.tag != "equal"
    return [(" ".join(before), " ".join(after)) for before, after in made]


def examples(rows: Rows, n: int, seed: int) -> Iterator[Finding]:
    """The changes of ``n`` improved texts of each generator, drawn by the seed; of runs that hold their texts."""
    pool = pools(rows)
    there = of_level(rows, Level.IMPROVE_HUMAN) & (rows.parent >= 0)
    for generator in sorted({*pool[there]}):
        mine = sorted(np.flatnonzero(there & (pool == generator)), key=lambda i: seed_of(seed, rows["id"][i]))
        for i in mine[:n]:
            source, text = rows.texts[rows.parent[i]], rows.texts[i]
            if source and text:
                yield from told(rows["id"][i], generator, source, text)


def told(name: str, generator: str, source: str, text: str) -> Iterator[Finding]:
    for place, (before, after) in enumerate(word_changes(source, text)[:SHOWN], 1):
        change = f"{place}. {before or '-'} \u2192 {after or '-'}"
        where = {"generator": generator or "not told", "text": name, "change": change}
        n = max(len(before.split()), len(after.split()))
        yield counted(TABLE, where, "words", n)
