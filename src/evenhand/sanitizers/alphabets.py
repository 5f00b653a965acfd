"""Which characters look like ASCII letters, and which scripts need invisible characters: the tables of script_aware.

Everything is derived once from the shipped Unicode table; what is left out or corrected stands here with its reason.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from .fold import table

CAPITAL_I = dict.fromkeys("\u0399\u0406\u04c0\u2c92", "I")
"""The Unicode list sends these capitals to a small l, its prototype of both."""

NO_TWINS = "\u0433\u0448\u0431\u0461"
"""Cyrillic ghe, sha, be, omega are in the list, but no reader takes them for r, w, 6, w: they mark a genuine word."""

SCIENCE = "\u03b1\u03b3\u03b9\u03ba\u03bd\u03c1\u03c3\u03c5\u03f1"
"""Small Greek letters that stand beside Latin ones in honest science (TNFα, Kα, ρgh)."""

PHONETIC = dict(zip("\u0251\u0261\u1d04\u1d0f\u1d20\u1d21\u1d22", "agcovwz", strict=True))
"""Of the Latin letters in the list only these, which no orthography of a large language uses."""

SHAPES = "LATIN MATHEMATICAL FULLWIDTH SCRIPT BLACK-LETTER DOUBLE-STRUCK PLANCK KELVIN INFORMATION".split()
"""First words of names whose letters are Latin ones in another dress."""

RIGHT_TO_LEFT = ("R", "AL", "AN")


def script(character: str) -> str:
    """The first word of the character's name (GREEK, CYRILLIC, ...), which for letters tells the script."""
    return unicodedata.name(character, "?").split()[0]


@cache
def twins() -> dict[str, str]:
    """Letters of other left-to-right scripts -> the ASCII letter that each looks like; kappa is added, as in curated47."""
    rows = {c: t for c, t in table("uts39").items() if _is_foreign_letter(c) and len(t) == 1 and t.isalpha()}
    kept = {c: t for c, t in (rows | CAPITAL_I).items() if c not in NO_TWINS}
    return kept | {"\u03ba": "k"}


def _is_foreign_letter(character: str) -> bool:
    if not character.isalpha() or unicodedata.bidirectional(character) in RIGHT_TO_LEFT:
        return False
    return not NEEDS.match(character) and script(character) not in SHAPES


@cache
def styles() -> dict[str, str]:
    """Latin letters in another dress -> plain: maths, full width, numerals by NFKC, and phonetic and small-capital ones."""
    points = (*range(0x2100, 0x2180), *range(0xFF21, 0xFF5B), *range(0x1D400, 0x1D800))
    plain = {chr(p): unicodedata.normalize("NFKC", chr(p)) for p in points}
    return {c: t for c, t in plain.items() if len(t) == 1 and t.isascii() and t.isalpha()} | PHONETIC


LATIN_LETTERS = "A-Za-z\u00c0-\u02af\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff"
LATIN = LATIN_LETTERS + "\u00aa\u00b5\u00ba\u02b0-\u02ff\u0363-\u036f\u1d00-\u1dbf\uab30-\uab6f"
"""With phonetic letters and modifiers, which stand in words of other scripts too (the apostrophe U+02BC of Ukrainian)."""

STYLED = "\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209f\u2100-\u218f\u2460-\u24ff\ufb00-\ufb06\uff21-\uff5a\U0001d400-\U0001d7ff"
"""Letters and numbers that are Latin in another dress: sub- and superscripts, letterlike signs, numerals, full width, maths."""

OTHER_SCRIPT = re.compile(f"[^\\W\\d_{LATIN}{STYLED}]")
"""A letter of another script; after the twins are folded: one that no Latin letter looks like."""

ARABIC_AND_KIN = "\u0600-\u085f\u0870-\u08ff\ufb50-\ufdff\ufe70-\ufefc\U0001e900-\U0001e95f"
INDIC = "\u0900-\u0dff\ua8e0-\ua8ff\U00011000-\U00011fff"
SOUTH_EAST = "\u0e00-\u109f\u1780-\u17ff\u1900-\u1aaf\u1b00-\u1cff\ua900-\uaaff"
MONGOLIAN = "\u1800-\u18af"
CHINESE_JAPANESE = "\u2e80-\u2fff\u3001-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HEBREW = "\u0590-\u05ff\ufb1d-\ufb4f"
EMOJI = "\u203c-\u2049\u20e3\u2139-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"

WORD = re.compile(f"(?:[^\\W_{CHINESE_JAPANESE}]++[\u0300-\u036f]*+)++")
"""Letters and digits with their accents; a leading accent, an apostrophe, a hyphen, an ideograph part words."""

JOINS = re.compile(f"[{HEBREW}{ARABIC_AND_KIN}{INDIC}{SOUTH_EAST}{MONGOLIAN}]")
"""Scripts whose spelling uses U+200C and U+200D."""
BREAKS = re.compile(f"[{SOUTH_EAST}{CHINESE_JAPANESE}]")
"""Scripts without spaces, where U+200B and U+2060 say where a line may break."""
PICTURE = re.compile(f"[{EMOJI}]")
TURNS = re.compile(f"[{HEBREW}{ARABIC_AND_KIN}]")
"""Right-to-left letters, whose lines need direction marks."""
NEEDS = re.compile(f"[{ARABIC_AND_KIN}{INDIC}{SOUTH_EAST}{MONGOLIAN}{CHINESE_JAPANESE}{HEBREW}{EMOJI}]")
"""Any character that may need an invisible one beside it."""
