"""A detector of one's own: the mean length of words. Poor, honest, and a whole plug-in."""

from dataclasses import dataclass
from typing import ClassVar

from evenhand.detectors.base import Detector
from evenhand.documents import Judgement
from evenhand.registry import Card


@dataclass(frozen=True)
class LongWords(Detector):
    name: ClassVar[str] = "long_words"
    card: ClassVar[Card] = Card("mean length of words", pitfalls="measures the topic as much as the author")
    model_fields: ClassVar[tuple[str, ...]] = ()

    min_words: int = 5

    def judge(self, texts):
        return [self.one(text.split()) for text in texts]

    def one(self, words):
        if len(words) < self.min_words:
            return Judgement(float("nan"), "abstained", f"fewer than {self.min_words} words")
        return Judgement(sum(map(len, words)) / len(words))
