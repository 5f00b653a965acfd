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
_IN = r"[\p{L}\p{M}\p{N}_]"
_SHORT = rf"(?:'(?:s|m|d|ll|re|ve)|n't)(?!{_IN})"
_JOINED = rf"(?:[-./\\+*=~^|'–—]|[,:](?=\p{{N}}))+{_IN}"
WORDS = regex.compile(rf"(?i){_SHORT}|(?:(?!n't(?!{_IN})){_IN}|(?<={_IN})(?!{_SHORT}){_JOINED})+|\S")
"""The words of NLTK's word_tokenize, as far as a vectorizer of words of two letters can tell: hyphens, slashes and points hold a
word together (so the 'of' of state-of-the-art stays), contractions come apart, other signs stand alone."""
STOP_WORDS = frozenset(
    "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers "
    "herself it its itself they them their theirs themselves what which who whom this that these those am is are "
    "was were be been being have has had having do does did doing a an the and but if or because as until while of "
    "at by for with about against between into through during before after above below to from up down in out on "
    "off over under again further then once here there when where why how all any both each few more most other "
    "some such no nor not only own same so than too very s t can will just don should now d ll m o re ve y ain aren "
    "couldn didn doesn hadn hasn haven isn ma mightn mustn needn shan shouldn wasn weren won wouldn cannot".split()
)
"""NLTK's English list; of its contractions only the parts that its tokenizer leaves, and cannot, which that takes apart."""


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
    words = WORDS.findall(LIGATURES.sub("", text).lower())
    return " ".join(word for word in words if word not in STOP_WORDS)


NEEDS = "a split 'train' with both classes"
PITFALLS = "learns the topic and the corpus's artefacts as readily as the author; poor on other domains"
FOLLOWS = (
    "preprocessing='none' by default (the authors' code takes stop words and ligatures out, its paper does not say so); "
    "'idmgsp' does so with NLTK's stop words and its word splitting as far as it can be told afterwards (checked against NLTK)"
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
