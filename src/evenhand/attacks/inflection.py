"""Regular English inflection, both ways: what a form may come from, and the same form of another word."""

from __future__ import annotations

from collections.abc import Iterator

_VOWELS = frozenset("aeiou")
_DOUBLES = frozenset("begin refer prefer occur admit commit permit submit regret control forget equip transfer".split())
FORMS = ("base", "s", "ed", "ing")


def _doubles(word: str) -> bool:
    """stop -> stopped: one vowel between consonants, in a word of one syllable (or one of a short list)."""
    if word in _DOUBLES:
        return True
    end = word[-3:]
    shape = len(end) == 3 and end[0] not in _VOWELS and end[1] in _VOWELS and end[2] not in _VOWELS | set("wxyh")
    return shape and sum(letter in "aeiouy" for letter in word) == 1


def inflected(word: str, form: str) -> str:
    """``word`` as it is ('base'), or with its plural or third person ('s'), past ('ed') or participle ('ing')."""
    if form == "base":
        return word
    consonant_y = len(word) > 1 and word[-1] == "y" and word[-2] not in _VOWELS
    if form == "s":
        sibilant = word.endswith(("s", "x", "z", "ch", "sh"))
        return word[:-1] + "ies" if consonant_y else word + ("es" if sibilant else "s")
    if form == "ed" and consonant_y:
        return word[:-1] + "ied"
    if word.endswith("e") and not (form == "ing" and word.endswith(("ee", "oe", "ye", "ie"))):
        return word[:-1] + form
    if form == "ing" and word.endswith("ie"):
        return word[:-2] + "ying"
    return word + (word[-1] if _doubles(word) else "") + form


def origins(word: str) -> Iterator[tuple[str, str]]:
    """(lemma, form) that would give this word by rule; the lemma need not exist."""
    yield word, "base"
    for form in ("s", "ed", "ing"):
        if word.endswith(form) and len(word) > len(form) + 1:
            stem = word[: -len(form)]
            stems = {stem, stem + "e", stem[:-1], stem[:-1] + "y", stem[:-2] + "y", stem[:-1] + "ie"}
            yield from ((lemma, form) for lemma in sorted(stems) if len(lemma) > 1 and inflected(lemma, form) == word)
