"""Words that may stand for a word: neighbours among word vectors, or of the thesaurus; and is the sentence still the same?"""

from __future__ import annotations

from functools import lru_cache
from math import acos, pi

from .alternative_spelling import like
from .thesaurus import fits_article, parts_of_speech, synonyms
from .vectors import read_vectors


@lru_cache(maxsize=65536)
def _near(word: str, vectors: str, count: int, least: float) -> tuple[str, ...]:
    return read_vectors(vectors).nearest(word, count, least)


def neighbours(word: str, vectors: str, count: int, least: float) -> tuple[str, ...]:
    """TextFooler's: the nearest words in the case of the old one, one word each."""
    return tuple(like(word, new) for new in _near(word.lower(), vectors, count, least) if new.isalpha())


def same_part_of_speech(old: str, new: str) -> bool:
    """Share a part of speech; a noun may stand for a verb and the reverse, as TextAttack allows."""
    ours, theirs = parts_of_speech(old), parts_of_speech(new)
    return bool(ours & theirs) or bool(ours & {"n", "v"} and theirs & {"n", "v"})


def replacements(word: str, before: str, vectors: str | None, count: int, least: float) -> tuple[str, ...]:
    """By vectors where a path is given, else by the thesaurus; the article before the word stays right by default."""
    if vectors is None:
        return tuple(like(word, new) for new in synonyms(word.lower(), before))[:count]
    near = neighbours(word, vectors, count, least)
    return tuple(new for new in near if same_part_of_speech(word, new) and fits_article(before, word, new))


def angular_similarity(one: str, other: str, encoder: str) -> float:
    """1 - angle / pi between the embeddings of two texts."""
    from ..models.encoder import embed

    first, second = embed([one, other], encoder)
    return 1 - acos(max(-1.0, min(1.0, float(first @ second)))) / pi
