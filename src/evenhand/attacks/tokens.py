"""Words: ours by word boundaries, and the tokens of NLTK's word tokenizer, on which RAID works."""

from __future__ import annotations

import re

import numpy as np

from .splice import Rows, rows_of

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

# NLTKWordTokenizer as one scan: contractions split off, runs of dots and dashes kept together, all other punctuation
# alone. The rules stand in the order in which they win.
_NLTK = re.compile(
    r"""
    (?i:\b(?:can(?=not\b)|gim(?=me\b)|gon(?=na\b)|got(?=ta\b)|lem(?=me\b)|wan(?=na\b)))
  | (?i:(?:[^\W_]|_)+?(?=n['’]t\b)|n['’]t\b)
  | ['’](?i:s|m|d|ll|re|ve)\b
  | \.{2,}|-{2,}|``|''
  | \d+(?:[.,:]\d+)+
  | (?:[^\W_]|_)+(?:[-./&+*=\\~^|](?=\w)(?:[^\W_]|_)+)*
  | \S
    """,
    re.VERBOSE,
)


def words(text: str) -> Rows:
    """Runs of letters, with inner apostrophes; (start, end), shape (n, 2)."""
    return rows_of([match.span() for match in _WORD.finditer(text)])


def nltk_tokens(text: str) -> Rows:
    """Tokens as NLTK's word tokenizer gives them for English prose, without its sentence splitter."""
    return rows_of([match.span() for match in _NLTK.finditer(text)])


def alphabetic_starts(text: str, tokens: Rows) -> Rows:
    """The tokens whose first character is a letter."""
    letters = np.fromiter((text[start].isalpha() for start in tokens[:, 0].tolist()), bool, len(tokens))
    return np.compress(letters, tokens, axis=0)
