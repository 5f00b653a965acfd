"""DetectRL's word attack: words replaced by near ones, without a look at the sentence's model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import MissingError
from ..registry import Card
from .function_words import FUNCTION_WORDS
from .perturb import Perturbation, Weights, changeable
from .similar import angular_similarity, neighbours, replacements, same_part_of_speech
from .splice import Rows, rows_of
from .tokens import select, strings, words

NEAREST, LEAST_COSINE, LEAST_SIMILARITY, WINDOW = 50, 0.5, 0.840845057, 15


@dataclass(frozen=True)
class Word(Perturbation):
    """``vectors``: path of counter-fitted vectors; None: the thesaurus stands in for them. ``encoder``: a sentence encoder
    ('embedded', hub:NAME or a folder) that must find the words around still like the old ones; None: no such check."""

    vectors: str | None = None
    encoder: str | None = None

    name: ClassVar[str] = "word"
    card: ClassVar[Card] = Card(
        "Replaces words by near ones.",
        source="DetectRL (Wu et al. 2024): TextFooler (Jin et al. 2020) as in TextAttack 0.3.9, without a victim model",
        family="word",
        needs="counter-fitted-vectors.txt of nmrksic/counter-fitting by vectors=PATH (profile='detectrl'); without it a "
        "thesaurus derived from WordNet; encoder: the torch extra",
        follows="profile='detectrl': the 50 nearest with cosine >= 0.5, at least one word of every sentence and 10% of them, "
        "drawn evenly over all replacements; the Universal Sentence Encoder is another encoder here (or none), asked about "
        "the drawn one only; parts of speech are WordNet's, not a tagger's; sentences joined by one space",
        pitfalls="The thesaurus has a word for 13% of human and 18% of machine words on DetectRL, milder than TextFooler's.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.5, "detectrl": 0.1}
    files: ClassVar[tuple[str, ...]] = ("vectors",)
    unit: ClassVar[str] = "word with a near one"
    costly: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.profile == "detectrl" and self.vectors is None:
            raise MissingError(
                f"{self.name}(profile='detectrl') needs counter-fitted-vectors.txt (repository nmrksic/counter-fitting): give "
                "vectors='PATH'; the default profile works with a thesaurus"
            )

    def find(self, text: str) -> Rows:
        rows = changeable(text) if self.profile == "detectrl" else _content_words(text)
        return select(rows, np.array([bool(some) for some in self._options(text, rows)], dtype=bool))

    def _options(self, text: str, rows: Rows) -> list[tuple[str, ...]]:
        olds = strings(text, rows)
        if self.profile == "detectrl":
            assert self.vectors is not None
            near = [neighbours(old, self.vectors, NEAREST, LEAST_COSINE) for old in olds]
            return [
                tuple(new for new in some if same_part_of_speech(old, new))
                for old, some in zip(olds, near, strict=True)
            ]
        before = [_word_before(text, start) for start in rows[:, 0].tolist()]
        return [replacements(*pair, self.vectors, NEAREST, LEAST_COSINE) for pair in zip(olds, before, strict=True)]

    def weights(self, text: str, rows: Rows) -> Weights:
        return np.array([len(some) for some in self._options(text, rows)], dtype=np.float64)

    def settle(self, text: str, chosen: Rows, generator: np.random.Generator) -> tuple[Rows, Sequence[str]]:
        settled = []
        for row, some in zip(chosen.tolist(), self._options(text, chosen), strict=True):
            drawn = [some[at] for at in generator.permutation(len(some)).tolist()]
            if new := next((one for one in drawn if self._accepts(text, row, one)), None):
                settled.append((row, new))
        return rows_of([row for row, _ in settled]), [new for _, new in settled]

    def _accepts(self, text: str, row: Sequence[int], new: str) -> bool:
        """TextFooler: the window of 15 words around; shorter texts are not checked."""
        if self.encoder is None:
            return True
        before, behind = text[: row[0]].split()[-(WINDOW // 2) :], text[row[1] :].split()[: WINDOW // 2]
        if len(before) + len(behind) + 1 < WINDOW:
            return True
        window = [" ".join([*before, word, *behind]) for word in (text[row[0] : row[1]], new)]
        return angular_similarity(window[0], window[1], self.encoder) >= LEAST_SIMILARITY


def _content_words(text: str) -> Rows:
    """Words in lower or title case of three letters or more that are no function words."""
    rows = words(text, apostrophes=False)
    keep = [len(old) > 2 and old[1:].islower() and old.lower() not in FUNCTION_WORDS for old in strings(text, rows)]
    return select(rows, np.array(keep, dtype=bool))


def _word_before(text: str, start: int) -> str:
    """The word in front, if only blanks lie between."""
    piece = text[max(0, start - 24) : start]
    return piece.split()[-1] if piece[-1:].isspace() and piece.strip() else ""
