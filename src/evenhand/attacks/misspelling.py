"""Words misspelt: as people misspell them, by sound, or by a slip on the keyboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..documents import Edited
from ..errors import MissingError, SpecError
from ..registry import Card
from .alternative_spelling import like
from .base import Sampled
from .slips import by_keyboard, by_sound
from .splice import Rows
from .tables import common_misspellings, user_words
from .tokens import lower_words, nltk_tokens, select, strings

WAYS = ("common", "sound", "keyboard")


@dataclass(frozen=True)
class Misspelling(Sampled):
    """``words``: path of a JSON list {word: [misspelling, ...]}; then only its words are misspelt.
    ``ways``: of 'common' (a list of our own), 'sound' (ie for ei, one letter for two, ...), 'keyboard' (neighbouring
    keys, letters swapped, left out or doubled); a word of the list is misspelt as there, any
    other in one of the ways that it allows.
    """

    words: str | None = None
    ways: tuple[str, ...] = WAYS

    name: ClassVar[str] = "misspelling"
    card: ClassVar[Card] = Card(
        "Misspells words.",
        source="RAID (Dugan et al. 2024), perplexity_misspelling",
        family="word",
        needs="profile='raid': RAID's word list, generation/adversarial/resources/misspelling3.json, by words=PATH",
        follows="profile='raid': words of its list of 192, found in NLTK tokens; the cap of 20% of all tokens never binds, so "
        "the language model that would order them is not needed (where it binds, we draw); blanks around the text are lost",
        pitfalls="A misspelling may be a word too (form for from); RAID's list has such pairs (weather, whether).",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.02, "raid": 0.2}
    files: ClassVar[tuple[str, ...]] = ("words",)
    unit: ClassVar[str] = "word to misspell"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.ways, tuple | list) or not self.ways or set(self.ways) - set(WAYS):
            raise SpecError(f"{self.name}: ways must be some of {WAYS}, got {self.ways!r}")
        object.__setattr__(self, "ways", tuple(self.ways))
        if self.profile == "raid" and self.words is None:
            raise MissingError(
                f"{self.name}(profile='raid') needs RAID's list: take misspelling3.json from generation/adversarial/resources "
                "of the repository liamdugan/raid and give words='PATH'"
            )

    def find(self, text: str) -> Rows:
        if self.profile == "raid":
            return self._listed(text, nltk_tokens(text))
        rows = lower_words(text, 4)
        if self.words is not None:
            return self._listed(text, rows)
        if "keyboard" in self.ways:
            return rows
        return select(
            rows, np.array([bool(_misspellings(word, self.ways)) for word in strings(text, rows)], dtype=bool)
        )

    def _listed(self, text: str, rows: Rows) -> Rows:
        known = self._list()
        return select(rows, np.array([word.lower() in known for word in strings(text, rows)], dtype=bool))

    def _list(self) -> Mapping[str, tuple[str, ...]]:
        return user_words(self.words) if self.words else {}

    def budget(self, candidates: int, text: str, generator: np.random.Generator) -> int:
        if self.profile != "raid" or self.edits_per_1000 is not None:
            return super().budget(candidates, text, generator)
        return min(candidates, int(self.share * len(nltk_tokens(text))))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        olds = strings(text, rows)
        if self.words is None:
            return [_misspelt(old, self.ways, generator) for old in olds]
        options = [self._list()[old.lower()] for old in olds]
        news = [some[int(generator.integers(len(some)))] for some in options]
        return [
            _capital(old, new) if self.profile == "raid" else like(old, new)
            for old, new in zip(olds, news, strict=True)
        ]

    def edit(self, text: str, seed: int = 0) -> Edited:
        if self.profile != "raid" or text == text.strip():
            return super().edit(text, seed)
        done = super().edit(text.strip(), seed)
        if not done.changed:
            return Edited(text, (), 0, done.candidates, 0.0, done.note)
        edges = ((0, 0), *done.spans, (len(done.text), len(done.text)))
        return Edited(done.text, edges, done.edits, done.candidates, done.dose, done.note)


def _capital(old: str, new: str) -> str:
    """RAID: str.capitalize where the first letter is upper case, so that WEIRD becomes Wierd."""
    return new.capitalize() if old[0].isupper() else new


def _misspellings(word: str, ways: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the list, or else those that the rules of sound give."""
    listed = common_misspellings().get(word, ()) if "common" in ways else ()
    return listed or (by_sound(word) if "sound" in ways else ())


def _misspelt(word: str, ways: tuple[str, ...], generator: np.random.Generator) -> str:
    """A listed misspelling wherever there is one; else by sound or by keyboard, with equal chances where both can be."""
    known = _misspellings(word, ways)
    sure = "keyboard" not in ways or ("common" in ways and word in common_misspellings())
    if known and (sure or generator.integers(2)):
        return known[int(generator.integers(len(known)))]
    return by_keyboard(word, generator)
