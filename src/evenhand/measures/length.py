"""How long a text is, and its sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..errors import Abstain
from ..registry import Card
from .base import Measure
from .tokens import pieces, sentences, words


@dataclass(frozen=True)
class Words(Measure):
    name: ClassVar[str] = "words"
    unit: ClassVar[str] = "words"
    card: ClassVar[Card] = Card(
        "Pieces between whitespace: the words of which doses and truncations speak.",
        family="length",
        pitfalls="a dash with spaces around it is a word, two words glued by a lost line break are one",
    )

    def of(self, text: str, source: str) -> float:
        return len(pieces(text))


@dataclass(frozen=True)
class Sentences(Measure):
    name: ClassVar[str] = "sentences"
    unit: ClassVar[str] = "sentences"
    card: ClassVar[Card] = Card(
        "Sentences that hold a letter or digit; a blank line ends one.",
        source="nupunkt (Punkt, Kiss and Strunk 2006)",
        family="length",
        pitfalls="single line breaks end no sentence: a title on a line of its own counts to the sentence after it",
    )

    def of(self, text: str, source: str) -> float:
        return len(sentences(text))


@dataclass(frozen=True)
class Characters(Measure):
    name: ClassVar[str] = "characters"
    unit: ClassVar[str] = "characters"
    card: ClassVar[Card] = Card("Unicode code points, blanks and invisible ones included.", family="length")

    def of(self, text: str, source: str) -> float:
        return len(text)


@dataclass(frozen=True)
class SentenceLength(Measure):
    name: ClassVar[str] = "sentence_length"
    unit: ClassVar[str] = "words per sentence"
    card: ClassVar[Card] = Card(
        "Mean number of words of a sentence; words hold a letter.",
        family="length",
        follows="as readability formulas count: 'well-known' is one word, a number is none",
    )

    def of(self, text: str, source: str) -> float:
        count = len(sentences(text))
        if not count:
            raise Abstain("the text has no sentence")
        return len(words(text)) / count
