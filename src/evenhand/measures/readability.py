"""School grades that a text asks for. English only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..errors import Abstain
from ..registry import Card
from .base import Measure
from .syllables import syllables
from .tokens import sentences, words

PITFALLS = "English only; it counts letters and stops, not sense: lost line breaks and missing full stops raise it"


@dataclass(frozen=True)
class FleschKincaid(Measure):
    name: ClassVar[str] = "flesch_kincaid"
    unit: ClassVar[str] = "school grade"
    card: ClassVar[Card] = Card(
        "Grade level: 0.39 words per sentence + 11.8 syllables per word - 15.59.",
        source="Kincaid, Fishburne, Rogers and Chissom 1975, Research Branch Report 8-75",
        family="readability",
        follows="syllables from rules and a table derived from the CMU Pronouncing Dictionary",
        pitfalls=PITFALLS,
    )

    def of(self, text: str, source: str) -> float:
        found, count = counted(text)
        return 0.39 * len(found) / count + 11.8 * sum(map(syllables, found)) / len(found) - 15.59


@dataclass(frozen=True)
class GunningFog(Measure):
    """``exceptions``: leave out what Gunning leaves out of the hard words; False counts all of three syllables."""

    exceptions: bool = True
    name: ClassVar[str] = "gunning_fog"
    unit: ClassVar[str] = "school grade"
    card: ClassVar[Card] = Card(
        "Grade level: 0.4 (words per sentence + hard words per 100); hard words have three syllables or more.",
        source="Gunning 1952, The Technique of Clear Writing",
        family="readability",
        follows="Gunning: capitalised words inside a sentence, hyphenated words, and verbs that -ed or -es lengthens to "
        "three syllables are not hard; packages in use differ here",
        pitfalls=PITFALLS,
    )

    def of(self, text: str, source: str) -> float:
        found, count = counted(text)
        hard = sum(self._hard(sentence) for sentence in sentences(text))
        return 0.4 * (len(found) / count + 100 * hard / len(found))

    def _hard(self, sentence: str) -> int:
        return sum(
            syllables(word) >= 3 and not (self.exceptions and excepted(word, first=place == 0))
            for place, word in enumerate(words(sentence))
        )


def excepted(word: str, first: bool) -> bool:
    """Is a word of three syllables or more easy all the same? ``first``: does it open its sentence?"""
    if "-" in word or "‐" in word or (word[0].isupper() and not first):
        return True
    # want-ed, create-d: the stem may keep its e
    lengthened = word.endswith(("ed", "es")) and syllables(word) == 3
    return lengthened and 2 in (syllables(word[:-1]), syllables(word[:-2]))


def counted(text: str) -> tuple[list[str], int]:
    """The words and the number of sentences; raises Abstain where either is none."""
    found, count = words(text), len(sentences(text))
    if not found or not count:
        raise Abstain("the text has no word")
    return found, count
