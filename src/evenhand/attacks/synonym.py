"""Words replaced by synonyms: of a masked language model, or of a thesaurus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import ClassVar

import numpy as np

from ..errors import MissingError
from ..registry import Card
from .alternative_spelling import like
from .base import Sampled
from .function_words import FUNCTION_WORDS
from .splice import Rows, rows_of
from .thesaurus import fits_article, parts_of_speech, synonyms
from .tokens import nltk_tokens, strings, words
from .vectors import read_vectors

CONTEXT = 20  # words on each side that the masked model sees
LEAST_PROBABILITY = 0.0025
LEAST_COSINE = 0.5
Options = tuple[tuple[tuple[int, int], tuple[tuple[str, float], ...]], ...]
"""((start, end), ((synonym, probability), ...)) for each word that has a synonym; best first."""


@dataclass(frozen=True)
class Synonym(Sampled):
    """``model``: a masked model (hub:NAME@REVISION or a folder); None: the thesaurus. ``vectors``: path of word vectors,
    by which a model's synonym must have a cosine of 0.5 or more to the word."""

    model: str | None = None
    vectors: str | None = None

    name: ClassVar[str] = "synonym"
    card: ClassVar[Card] = Card(
        "Replaces words by synonyms.",
        source="RAID (Dugan et al. 2024), synonym; thesaurus: WordNet 3.0 (NOTICE)",
        family="word",
        needs="a masked model by hub id (torch extra); without one a thesaurus derived from WordNet, part of the core; "
        "profile='raid': model='hub:google-bert/bert-base-cased' and vectors='PATH of fastText's cc.en.300.vec'",
        follows="profile='raid': every word masked in the unedited text, the likeliest filling of the same part of speech with "
        "cosine >= 0.5 and probability >= 0.0025, the likeliest first, up to half of the tokens. NLTK's tagger is replaced by "
        "the parts of speech that WordNet knows of a word; RAID compares tags of different contexts",
        pitfalls="The thesaurus sees one word of context: 13% of human and 18% of machine words on DetectRL have a "
        "synonym there, a few of them odd; RAID's model changes 20.9% of the positions.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.5, "raid": 0.5}
    files: ClassVar[tuple[str, ...]] = ("vectors",)
    unit: ClassVar[str] = "word with a synonym"
    costly: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.profile == "raid" and (self.model is None or self.vectors is None):
            raise MissingError(
                f"{self.name}(profile='raid') needs model='hub:google-bert/bert-base-cased' and vectors='PATH' of fastText's "
                "cc.en.300.vec (its crawl vectors); the default profile works with a thesaurus"
            )

    def find(self, text: str) -> Rows:
        return rows_of([row for row, _ in _options(self, text)])

    def budget(self, candidates: int, text: str, generator: np.random.Generator) -> int:
        if self.profile != "raid" or self.edits_per_1000 is not None:
            return super().budget(candidates, text, generator)
        return min(candidates, int(self.share * len(nltk_tokens(text))))

    def choose(self, text: str, rows: Rows, count: int, generator: np.random.Generator) -> Rows:
        if self.profile != "raid":
            return super().choose(text, rows, count, generator)
        best = {row: found[0][1] for row, found in _options(self, text)}
        likeliest = sorted(map(tuple, rows.tolist()), key=lambda row: -best[row])[:count]
        return rows_of(sorted(likeliest))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        best = {row: found[0][0] for row, found in _options(self, text)}
        return [best[start, end] for start, end in rows.tolist()]


@lru_cache(maxsize=8)
def _options(attack: Synonym, text: str) -> Options:
    return _by_model(attack, text) if attack.model else _by_thesaurus(text)


def _by_thesaurus(text: str) -> Options:
    rows = words(text, apostrophes=False)
    olds = strings(text, rows)
    found = []
    for row, old, before in zip(map(tuple, rows.tolist()), olds, ["", *olds], strict=False):
        plain = old.lower() if old.istitle() else old
        if news := synonyms(plain, before) if plain.islower() else ():
            found.append((row, ((like(old, news[0]), 1.0),)))
    return tuple(found)


def _by_model(attack: Synonym, text: str) -> Options:
    from ..models.masked import fill

    rows = nltk_tokens(text)
    olds = strings(text, rows)
    places = [at for at, old in enumerate(olds) if old.isalpha() and old.lower() not in FUNCTION_WORDS]
    fillings = fill([_context(text, rows, at) for at in places], str(attack.model))
    found = []
    for at, some in zip(places, fillings, strict=True):
        kept = [(one.token, one.probability) for one in some if one.probability >= LEAST_PROBABILITY]
        fitting = (pair for pair in kept if _accepted(attack, olds[at], pair[0], olds[at - 1] if at else ""))
        if best := tuple(islice(fitting, 1)):
            found.append(((int(rows[at, 0]), int(rows[at, 1])), best))
    return tuple(found)


def _context(text: str, rows: Rows, at: int) -> tuple[str, str]:
    first, last = max(0, at - CONTEXT), min(len(rows) - 1, at + CONTEXT)
    return text[rows[first, 0] : rows[at, 0]], text[rows[at, 1] : rows[last, 1]]


def _accepted(attack: Synonym, old: str, new: str, before: str) -> bool:
    if new == old or not new.isalpha():
        return False
    if attack.profile != "raid" and (
        new.lower() == old.lower() or like(old, new.lower()) != new or not fits_article(before, old, new)
    ):
        return False
    if not parts_of_speech(old) & parts_of_speech(new):
        return False
    return attack.vectors is None or read_vectors(attack.vectors).cosine(old, new) >= LEAST_COSINE
