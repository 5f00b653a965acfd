"""Syllables of an English word: rules for the spelling, and a table of the words for which the rules are wrong.

The table is derived from the CMU Pronouncing Dictionary by ``benchmarks/syllables.py``, which also prints how often
the rules alone are right.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from importlib.resources import files

_C = "[^aeiouy']"
VOWELS = re.compile("[aeiouy]+")
SILENT = re.compile(
    rf"""[aeiouy]{_C}*{_C}             # after another vowel, a last e is mute in
    (?: (?<!{_C}l)e                     # home, not table
      | (?<![td])(?<!{_C}[rl])ed        # walked, not wanted
      | (?<![sxzgc])(?<![cs]h)(?<!{_C}l)es    # homes, not boxes
      | e(?:ly|ful|less|ness|ment)s?    # homeless
    )(?:'s)?$ | [gq]ue$""",
    re.VERBOSE,
)
APART = re.compile(
    r"""(?<![ctsg])ia | (?<=[st])ia(?![nl]) | [ct]iat | (?<![tscgxln])io(?!u) | lio(?!n) | nio(?!n) | cio(?!u)
    | (?<![tscgx])iou | eo(?!u)(?<!geo) | iu | (?<![qg])ua | uou | yi | [aeo]y(?=[aeiou]) | iya
    | ie(?=t) | [trnlp]ier | [aeiouy]{2}ing | sms?$ | [dst]n't$ | (?:[sxzc]|ch|sh)'s$ | ^mc(?![aeiouyk])""",
    re.VERBOSE,
)
"""Spellings whose vowels belong to two syllables, or that have a syllable without a vowel letter (prism, Mc-)."""


def syllables(word: str) -> int:
    """Syllables of one word of ``tokens.words``, at least 1; parts joined by a hyphen are counted apart."""
    return sum(_part(part) for part in re.split("[-‐]", plain(word)) if part) or 1


def plain(word: str) -> str:
    """Lower case, accents off, apostrophes straight."""
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFKD", word.lower().replace("’", "'"))
    return "".join(character for character in parts if not unicodedata.combining(character))


def by_rules(word: str) -> int:
    """The rules alone, for a word in lower case."""
    return max(1, len(VOWELS.findall(word)) - bool(SILENT.search(word)) + len(APART.findall(word)))


@lru_cache(maxsize=1 << 16)
def _part(word: str) -> int:
    return exceptions().get(word) or by_rules(word)


@lru_cache(maxsize=1)
def exceptions() -> dict[str, int]:
    lines = files("evenhand").joinpath("data", "syllables.tsv").read_text("utf-8").splitlines()
    pairs = (line.split("\t") for line in lines if not line.startswith("#"))
    return {word: int(count) for word, count in pairs}
