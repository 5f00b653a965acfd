"""TF-IDF and a linear or forest classifier: the field's honest baseline, which sees words and no probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import regex

from ...errors import SpecError
from ...registry import Card
from .base import TextLearner

PREPROCESSING = ("none", "idmgsp")
LIGATURES = regex.compile("[\ufb00-\ufb06]")
WORDS = regex.compile(r"\p{L}[\p{L}\p{M}'’]*|\p{N}+|[^\s\p{L}\p{N}]")


@dataclass(frozen=True, eq=False)
class Tfidf(TextLearner):
    """TF-IDF of word n-grams. ``ngrams``: shortest and longest n-gram. ``min_words``: shorter texts are abstained on.
    ``preprocessing``: 'none', or 'idmgsp' (lower case, English stop words and ligatures taken out)."""

    ngrams: tuple[int, int] = (1, 1)
    preprocessing: str = "none"

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = self.ngrams
        if not 1 <= low <= high <= 5:
            raise SpecError(f"{self.name}: ngrams must be (shortest, longest) within 1 to 5, got {self.ngrams!r}")
        if self.preprocessing not in PREPROCESSING:
            raise SpecError(
                f"{self.name}: preprocessing is one of {', '.join(PREPROCESSING)}; got {self.preprocessing!r}"
            )

    def prepared(self, text: str) -> str:
        return without_stop_words(text) if self.preprocessing == "idmgsp" else text

    def reader(self) -> Any:
        from sklearn.feature_extraction.text import TfidfVectorizer

        return TfidfVectorizer(ngram_range=tuple(self.ngrams))


def without_stop_words(text: str) -> str:
    """Lower-cased words and signs, joined by spaces, less English stop words and typographic ligatures."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words = WORDS.findall(LIGATURES.sub("", text).lower())
    return " ".join(word for word in words if word not in ENGLISH_STOP_WORDS)


NEEDS = "a split 'train' with both classes"
PITFALLS = "learns the topic and the corpus's artefacts as readily as the author; poor on other domains"
FOLLOWS = (
    "preprocessing='none' by default (the authors' code takes stop words and ligatures out, its paper does not say so); "
    "'idmgsp' does so with scikit-learn's stop words and our word splitting where the code has NLTK's"
)


@dataclass(frozen=True, eq=False)
class TfidfLR(Tfidf):
    """Logistic regression. ``decision_function`` is the log-odds of 'machine'."""

    name: ClassVar[str] = "tfidf_lr"
    card: ClassVar[Card] = Card(
        "TF-IDF of words, logistic regression; trained on the run's split 'train'",
        source="IDMGSP, section 4.1 and table A2 (scikit-learn's defaults)",
        family="trained",
        needs=NEEDS,
        follows=FOLLOWS,
        pitfalls=PITFALLS,
    )

    def head(self) -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression()


@dataclass(frozen=True, eq=False)
class TfidfRF(Tfidf):
    """Random forest. The score is the share of the trees' votes (their mean probability): many ties."""

    name: ClassVar[str] = "tfidf_rf"
    card: ClassVar[Card] = Card(
        "TF-IDF of words, random forest; trained on the run's split 'train'",
        source="IDMGSP, section 4.1 and table A2 (scikit-learn's defaults; seeded here, not in the authors' code)",
        family="trained",
        needs=NEEDS,
        follows=FOLLOWS,
        pitfalls=f"{PITFALLS}; a forest gives few different scores, so ties are common",
    )

    trees: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.trees, int) or self.trees < 1:
            raise SpecError(f"tfidf_rf: trees must be a whole number from 1 on, got {self.trees!r}")

    def head(self) -> Any:
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(self.trees, random_state=self.seed)
