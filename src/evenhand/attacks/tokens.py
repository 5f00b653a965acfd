"""Words: ours by word boundaries, NLTK's on which RAID works, TextAttack's on which DetectRL works; and sentences."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .splice import Codes, Flags, Rows, codes, is_kind, rows_of

# NLTKWordTokenizer as one scan: contractions split off, runs of dots and dashes kept together, all other punctuation
# alone. The rules stand in the order in which they win.
_NLTK = re.compile(
    r"""
    (?i:\b(?:can(?=not\b)|gim(?=me\b)|gon(?=na\b)|got(?=ta\b)|lem(?=me\b)|wan(?=na\b)))
  | (?i:\w+?(?=n['’]t\b)|n['’]t\b)
  | ['’](?i:s|m|d|ll|re|ve)\b
  | \.{2,}|-{2,}|``|''
  | \d+(?:[.,:]\d+)+
  | \w+(?:[-./&+*=\\~^|]\w+)*
  | \S
    """,
    re.VERBOSE,
)
_TEXTATTACK = re.compile(r"[\w'\-*@]+")


def is_mark(character: str) -> bool:
    """Does it combine with the character before it?"""
    return unicodedata.category(character)[0] == "M"


def _runs(inside: Flags) -> Rows:
    """(start, end) of the runs of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], inside, [False]))))
    return edges.reshape(-1, 2).astype(np.int64, copy=False)


def counts(flags: Flags, rows: Rows) -> NDArray[np.int64]:
    """How many True lie in each row."""
    before = np.concatenate(([0], np.cumsum(flags)))
    return before[rows[:, 1]] - before[rows[:, 0]]


def select(rows: Rows, keep: Flags) -> Rows:
    return rows[keep]


def words(text: str, apostrophes: bool = True) -> Rows:
    """Words of letters alone, accents and (if so wished) inner apostrophes included; (start, end), shape (n, 2).

    A run that holds a digit or an underscore (CO2, file_name) is no word.
    """
    points = codes(text)
    letter = is_kind(points, str.isalpha)
    other = is_kind(points, lambda c: (c.isalnum() and not c.isalpha()) or c == "_")
    joined = letter | other | is_kind(points, is_mark)
    if apostrophes:
        apostrophe = (points == ord("'")) | (points == ord("’"))
        joined[1:-1] |= apostrophe[1:-1] & letter[:-2] & letter[2:]
    runs = _runs(joined)
    return select(runs, (counts(other, runs) == 0) & (counts(letter, runs) > 0))


def lower_words(text: str, shortest: int) -> Rows:
    """The words all in lower case that have ``shortest`` letters or more."""
    rows = words(text)
    rows = select(rows, rows[:, 1] - rows[:, 0] >= shortest)
    lower = is_kind(codes(text), str.islower)
    return select(rows, counts(lower, rows) == rows[:, 1] - rows[:, 0])


def beginnings(listed: Iterable[str]) -> Flags:
    """Which three first letters the words of a list have, whatever their case; shape (32 ** 3,)."""
    flags = np.zeros(32**3, dtype=bool)
    for word in listed:
        flags[_three(codes(word), np.zeros(1, dtype=np.int64))] = True
    return flags


def starts_as(text: str, rows: Rows, first_letters: Flags) -> Flags:
    """Which rows may be words of the list: a fast sieve before the look-up; those under three letters are not."""
    long = rows[:, 1] - rows[:, 0] >= 3
    flags = np.zeros(len(rows), dtype=bool)
    flags[long] = first_letters[_three(codes(text), rows[long, 0])]
    return flags


def _three(points: Codes, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """A small number from three letters; the last five bits of an ASCII letter are the same in both cases."""
    low = (points & 31).astype(np.int64)
    return low[starts] << 10 | low[starts + 1] << 5 | low[starts + 2]


def nltk_tokens(text: str) -> Rows:
    """Tokens as NLTK's word tokenizer gives them for English prose, without its sentence splitter."""
    return rows_of([match.span() for match in _NLTK.finditer(text)])


def textattack_words(text: str) -> Rows:
    """Words as TextAttack 0.3.9 splits them: word characters, apostrophes, hyphens, stars and at-signs."""
    spans = [(m.end() - len(m[0].lstrip("'-_*@")), m.end()) for m in _TEXTATTACK.finditer(text)]
    return rows_of([(start, end) for start, end in spans if start < end])


def sentences(text: str) -> Rows:
    """Sentences without the blanks around them (nupunkt), shape (n, 2)."""
    from nupunkt import sent_spans

    pieces = [(start, end, text[start:end]) for start, end in sent_spans(text)] if text.strip() else []
    trimmed = [(a + len(t) - len(t.lstrip()), b - len(t) + len(t.rstrip())) for a, b, t in pieces]
    return rows_of([(start, end) for start, end in trimmed if start < end])


_END = re.compile(r"[.!?…](?<=[^\W_][.!?…]|[)\]”\"'’%][.!?…])[\"”’'»)\]]{0,2}(?=\s|\Z)")
_NO_END = re.compile(r"(?:\b[A-Z]|\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|cf|e\.g|i\.e|al|Fig|No|Vol|pp))\.\Z")


def sentence_ends(text: str) -> list[int]:
    """Positions behind the mark (and the closing quote) that ends a sentence; by rule, without a splitter.

    Initials and titles (J. Dr.) end none; a sentence without a mark at its end is not seen.
    """
    found = (match.end() for match in _END.finditer(text))
    return [end for end in found if not _NO_END.search(text, max(0, end - 8), end)]


def strings(text: str, rows: Rows) -> list[str]:
    return [text[start:end] for start, end in rows.tolist()]
