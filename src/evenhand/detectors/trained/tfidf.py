"""TF-IDF and a linear or forest classifier: the field's honest baseline, which sees words and no probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ...documents import Judgement, digest
from ...errors import DataError, SpecError
from ...registry import Card
from ..base import Detector


@dataclass(eq=False)
class TfidfLR(Detector):
    """TF-IDF of word n-grams, then logistic regression. ``decision_function`` is the log-odds of 'machine'.

    ``ngrams``: shortest and longest n-gram. ``min_words``: shorter texts are abstained on.
    """

    name: ClassVar[str] = "tfidf_lr"
    learns: ClassVar[bool] = True
    model_fields: ClassVar[tuple[str, ...]] = ()
    card: ClassVar[Card] = Card(
        "TF-IDF of words, logistic regression; trained on the run's split 'train'",
        source="IDMGSP, section 4.1 and table A2 (scikit-learn's defaults)",
        family="trained",
        needs="a split 'train' with both classes",
        follows="no removal of stop words or ligatures (the authors' code removes both; its paper does not say so)",
        pitfalls="learns the topic and the corpus's artefacts as readily as the author; poor on other domains",
    )

    ngrams: tuple[int, int] = (1, 1)
    min_words: int = 10

    def __post_init__(self) -> None:
        low, high = self.ngrams
        if not 1 <= low <= high <= 5:
            raise SpecError(f"tfidf_lr: ngrams must be (shortest, longest) within 1 to 5, got {self.ngrams!r}")

    def fit(self, X: Sequence[str], y: Sequence[Any] | None = None) -> Self:
        """Learns from texts and labels; of the two labels the larger is 'machine'. Raises DataError where one is missing."""
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        self.classes_, machine = two_classes(self.name, X, y)
        self.pipeline_ = make_pipeline(TfidfVectorizer(ngram_range=tuple(self.ngrams)), LogisticRegression())
        self.pipeline_.fit(list(X), machine.astype(int))
        self.threshold_ = 0.0
        self.trained_on_ = training_digest(X, machine)
        return self

    @property
    def key(self) -> str:
        """Spec and training set: what its scores are stored under. Raises DataError before ``fit``."""
        return f"{self.spec}@{self._fitted('trained_on_')}"

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        pipeline = self._fitted("pipeline_")
        return [self._one(pipeline, text) for text in texts]

    def _one(self, pipeline: Any, text: str) -> Judgement:
        if len(text.split()) < self.min_words:
            return Judgement(float("nan"), "abstained", f"fewer than {self.min_words} words")
        return Judgement(float(pipeline.decision_function([text])[0]))

    def predict_proba(self, X: Sequence[str]) -> NDArray[np.float64]:
        """Shape (n, 2): human, machine; NaN where it abstained. Calibrated only as far as logistic regression is."""
        machine = expit(self(X))
        return np.column_stack([1 - machine, machine])

    def _fitted(self, name: str) -> Any:
        if not hasattr(self, name):
            raise DataError(
                f"{self.spec} has learnt nothing yet: call fit(texts, y), or give the corpus a split 'train'"
            )
        return getattr(self, name)


def two_classes(name: str, X: Sequence[str], y: Sequence[Any] | None) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """(the two labels, which texts have the larger); raises DataError where there are not two, or not one a text."""
    labels = np.asarray([] if y is None else y)
    classes = np.unique(labels)
    if len(classes) != 2 or len(labels) != len(X):
        raise DataError(
            f"{name} learns from human and machine texts and got {len(X)} texts, {len(labels)} labels, the classes "
            f"{classes.tolist()}; it needs a split 'train' with both: `evenhand split` makes one"
        )
    return classes, labels == classes[1]


def training_digest(texts: Sequence[str], labels: Any) -> str:
    """Of texts and labels (true = machine), whatever their order."""
    lines = sorted(f"{digest(text)} {int(label)}" for text, label in zip(texts, labels, strict=True))
    return blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()
