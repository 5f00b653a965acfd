"""Where English words may be broken, by rule: between two consonants that stand between vowels (win-ter, prob-lem).

No dictionary: fewer points than a hyphenation program finds, and now and then one that a dictionary would not allow.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .splice import codes
from .tokens import lower_words

# Two letters that belong to one sound or to the next syllable.
_TOGETHER = frozenset(
    "ch sh th ph wh gh ck ng bl br cl cr dr fl fr gl gr kn pl pr qu sc sk sl sm sn sp st sw tr tw wr".split()
)
_VOWEL, _CONSONANT = np.zeros(129, dtype=bool), np.zeros(129, dtype=bool)
_VOWEL[[ord(letter) for letter in "aeiouy"]] = True
_CONSONANT[[ord(letter) for letter in "bcdfghjklmnpqrstvwxz"]] = True
_JOINED = np.zeros((129, 129), dtype=bool)
for _pair in _TOGETHER:
    _JOINED[ord(_pair[0]), ord(_pair[1])] = True


def break_points(text: str, shortest: int = 7) -> NDArray[np.int64]:
    """Positions before which a word of ``shortest`` letters or more may be broken: two letters stay before, three behind."""
    rows = lower_words(text, shortest)
    points = np.minimum(codes(text), 128)
    vowel, consonant = _VOWEL[points], _CONSONANT[points]
    before = vowel[:-3] & consonant[1:-2] & consonant[2:-1] & vowel[3:] & ~_JOINED[points[1:-2], points[2:-1]]
    places = np.flatnonzero(before) + 2
    word = np.searchsorted(rows[:, 0], places, side="right") - 1
    known = places[word >= 0]
    inside = rows[word[word >= 0]]
    return known[(known - inside[:, 0] >= 2) & (inside[:, 1] - known >= 3)].astype(np.int64, copy=False)
