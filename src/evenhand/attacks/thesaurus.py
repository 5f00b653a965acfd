"""Synonyms without a model: WordNet's leading senses, with checks of part of speech, form, frequency and article.

The stand-in for the masked model and the word vectors of the published attacks. It sees no more context than the word
before: it makes fewer replacements than a language model, and some that a reader would not make.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .function_words import FUNCTION_WORDS
from .inflection import inflected, origins
from .tables import shipped

_PARTS_OF_FORM = {"base": "nvar", "s": "nv", "ed": "v", "ing": "v"}
_BEFORE_NOUN = frozenset(
    "the a an this that these those my your his her its our their some any no each every many several few".split()
)
_BEFORE_VERB = frozenset(
    "to will would can could must should may might not i you we they he she it who don't didn't doesn't won't".split()
)
_CLEAR = 0.85  # share of a word's tagged uses from which its part of speech counts as known
_FREQUENT = 1 / 30  # a synonym must have this share of the word's own uses


@dataclass(frozen=True, slots=True)
class Entry:
    uses: int
    irregular: bool
    synonyms: tuple[str, ...]


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Mapping[str, Entry]]:
    """Lemma -> part of speech (n, v, a, r) -> its entry."""
    table: dict[str, dict[str, Entry]] = {}
    for line in shipped("synonyms.tsv").splitlines():
        lemma, part, uses, odd, synonyms = line.split("\t")
        table.setdefault(lemma, {})[part] = Entry(int(uses), odd == "!", tuple(filter(None, synonyms.split(","))))
    return table


def parts_of_speech(word: str) -> frozenset[str]:
    """Every part of speech that the word, or what it is a form of, has in the table."""
    found = entries()
    return frozenset(
        part for lemma, form in origins(word.lower()) for part in found.get(lemma, ()) if part in _PARTS_OF_FORM[form]
    )


def synonyms(word: str, before: str = "") -> tuple[str, ...]:
    """Synonyms in the form of ``word``, the most frequent first; ``before`` is the word in front of it."""
    if word in FUNCTION_WORDS or len(word) < 3:
        return ()
    return tuple(new for new in _same_form(word, _kind_of_context(before)) if fits_article(before, word, new))


def fits_article(before: str, old: str, new: str) -> bool:
    """Behind 'a' or 'an' the new word must begin as the old one does; words of another sound than letter fit neither."""
    if before.lower() not in ("a", "an"):
        return True
    return (old[0] in "aeiouAEIOU") == (new[0] in "aeiouAEIOU") and not new.lower().startswith(
        ("hou", "hon", "uni", "eu", "one")
    )


def _kind_of_context(before: str) -> str:
    low = before.lower()
    return "n" if low in _BEFORE_NOUN else "v" if low in _BEFORE_VERB else ""


@lru_cache(maxsize=65536)
def _same_form(word: str, wanted: str) -> tuple[str, ...]:
    readings = [
        (lemma, form, part, entry)
        for lemma, form in origins(word)
        for part, entry in entries().get(lemma, {}).items()
        if part in _PARTS_OF_FORM[form]
    ]
    reading = _clear_reading(readings, wanted)
    if reading is None:
        return ()
    _, form, part, entry = reading
    known = [(entries()[other][part], other) for other in entry.synonyms]
    usable = [
        (one.uses, other)
        for one, other in known
        if one.uses >= max(2, _FREQUENT * entry.uses)
        and not (one.irregular and form != "base" and (form != "s" or part == "n"))
    ]
    forms = (inflected(other, form) for _, other in sorted(usable, reverse=True))
    return tuple(dict.fromkeys(one for one in forms if one != word))


def _clear_reading(readings: Sequence[tuple[str, str, str, Entry]], wanted: str) -> tuple[str, str, str, Entry] | None:
    """The reading that the word before asks for, or the one that makes up nearly all uses; else none."""
    fitting = [reading for reading in readings if reading[2] == wanted]
    if len(fitting) == 1:
        return fitting[0]
    total = sum(entry.uses for *_, entry in readings)
    best = max(readings, key=lambda reading: reading[3].uses, default=None)
    if best is None or best[3].uses < _CLEAR * total or (wanted and best[2] in "nv" and best[2] != wanted):
        return None
    return best
