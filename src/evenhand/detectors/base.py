"""What every detector is: a frozen record of its parameters that judges texts, and a scikit-learn classifier.

A zero-shot detector learns no score: ``fit`` only notes the classes and the threshold that separates the given texts best, so
that ``predict`` works; evaluate it on other texts. NaN (abstained) never becomes a class.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import FrozenInstanceError, dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from ..documents import Judgement
from ..errors import Abstain, DataError, SpecError
from ..models.causal import Job
from ..models.statistics import Request, TokenStatistics
from ..models.weights import resolve
from ..registry import Component, format_spec
from .classes import two_classes

Scores = NDArray[np.float64]

UNRELIABLE = 50
"""Below so many scored tokens a score carries a note: zero-shot scores swing on short text."""


class Detector(ClassifierMixin, BaseEstimator, Component):  # type: ignore[misc]
    """Texts -> Judgements. A subclass is a frozen dataclass with ``name``, ``card`` and ``judge``."""

    learns: ClassVar[bool] = False
    """Whether ``fit`` changes scores: such a detector is fitted on a training split before it judges."""
    model_fields: ClassVar[tuple[str, ...]] = ("model",)
    own_models: ClassVar[bool] = False
    """Whether its models belong to its name (a preset), so that no other is filled in."""

    def __new__(cls, *values: Any, **parameters: Any) -> Self:
        guard_parameters(cls)
        return super().__new__(cls, *values, **parameters)

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        """One Judgement a text, in order; depends on each text alone."""
        raise NotImplementedError

    def __call__(self, texts: Sequence[str]) -> Scores:
        """Scores, shape (n_texts,), float64; NaN where it abstained or failed."""
        return np.array([answer.score for answer in self.judge(check_texts(texts))], np.float64)

    @property
    def models(self) -> tuple[str, ...]:
        """The specs of the models that it runs."""
        values = (getattr(self, name, None) for name in self.model_fields)
        return tuple(value for value in values if value is not None)

    @property
    def key(self) -> str:
        """What its results are kept under: every parameter, with the revisions of its models."""
        named = {name: resolve(v).key for name in self.model_fields if (v := getattr(self, name, None)) is not None}
        return format_spec(self.name, {**self.get_params(deep=False), **named})

    # scikit-learn

    def decision_function(self, X: Sequence[str]) -> Scores:
        return self(X)

    def fit(self, X: Sequence[str], y: Sequence[Any] | None = None) -> Self:
        """Notes the two classes (of two numbers the larger is the positive one) and the best threshold on these texts."""
        if y is None:
            raise DataError(f"{self.name}: fit needs labels y; the scores themselves need no fit")
        if len(X) != len(y):
            raise DataError(f"{self.name}: {len(X)} texts and {len(y)} labels; one label for each text is needed")
        classes, positive = two_classes(self.name, y)
        self.threshold_ = best_threshold(self(X), positive)
        self.classes_ = classes
        return self

    def predict(self, X: Sequence[str]) -> NDArray[Any]:
        if not hasattr(self, "threshold_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"{self.name} has no threshold yet; fit it, or rank by decision_function")
        scores = self(X)
        if np.isnan(scores).any():
            missing = int(np.isnan(scores).sum())
            raise DataError(
                f"{self.name} abstained on {missing} of {len(scores)} texts; take them out first (judge says why)"
            )
        return np.asarray(self.classes_[(scores > self.threshold_).astype(int)])

    def set_params(self, **parameters: Any) -> Self:
        """As in scikit-learn; another record is made and checked, and where it is refused this one stays as it was."""
        known = self.get_params(deep=False)
        for key in parameters:
            if key not in known:
                raise SpecError(f"{self.name} has no parameter {key!r}; it has: {', '.join(known)}")
        made = type(self)(**{**known, **parameters})
        for key in parameters:
            object.__setattr__(self, key, getattr(made, key))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array, tags.input_tags.one_d_array = True, False, True
        tags.classifier_tags.multi_class = False
        tags.requires_fit = True
        return tags


def guard_parameters(cls: type) -> None:
    """Parameters stay frozen; what scikit-learn notes on an estimator (classes_, its own bookkeeping) may be set."""
    frozen = cls.__dict__.get("__setattr__")
    if frozen is None or getattr(frozen, "guards", False):
        return
    names = {field.name for field in fields(cls)}

    def guarded(self: Any, name: str, value: Any) -> None:
        if name in names:
            raise FrozenInstanceError(f"cannot assign to parameter {name!r}; make another by set_params on a clone")
        object.__setattr__(self, name, value)

    guarded.guards = True  # type: ignore[attr-defined]
    type.__setattr__(cls, "__setattr__", guarded)
    type.__setattr__(cls, "__delattr__", object.__delattr__)


def check_texts(texts: Sequence[str]) -> list[str]:
    """A list of strings; raises DataError for anything else (a single string would be scored letter by letter)."""
    if isinstance(texts, str):
        raise DataError("one text was given where a list of texts is needed: put it in brackets")
    if hasattr(texts, "to_pylist"):  # a pyarrow column
        texts = texts.to_pylist()
    if isinstance(texts, Mapping) or not isinstance(texts, Iterable):
        raise DataError(f"a list of texts is needed, got {type(texts).__name__}")
    found = list(texts)
    wrong = next((i for i, text in enumerate(found) if not isinstance(text, str)), None)
    if wrong is not None:
        raise DataError(f"text {wrong} is a {type(found[wrong]).__name__}, not a string")
    return [str(text) for text in found]


def best_threshold(scores: Scores, positive: NDArray[np.bool_]) -> float:
    """The cut of largest balanced accuracy, half-way between two neighbouring scores (abstentions left out)."""
    known = ~np.isnan(scores)
    scores, positive = scores[known], positive[known]
    if not positive.any() or positive.all():
        raise DataError("no threshold: after abstentions one class has no score left")
    values = np.unique(scores)
    cuts = np.concatenate([[-np.inf], (values[:-1] + values[1:]) / 2, [np.inf]])
    above = scores[None, :] > cuts[:, None] if len(cuts) * len(scores) < 10**7 else None
    if above is None:
        ranks = np.sort(scores[positive]), np.sort(scores[~positive])
        hits = 1 - np.searchsorted(ranks[0], cuts, "right") / len(ranks[0])
        alarms = 1 - np.searchsorted(ranks[1], cuts, "right") / len(ranks[1])
    else:
        hits, alarms = above[:, positive].mean(1), above[:, ~positive].mean(1)
    return float(cuts[np.argmax(hits - alarms)])


@dataclass(frozen=True)
class TokenDetector(Detector):
    """A pure function of TokenStatistics.

    model: embedded, hub:NAME@REVISION or a folder. truncate: keep the first so many tokens. min_tokens: below so many
    scored tokens it abstains.
    """

    model: str = "embedded"
    truncate: int | None = None
    min_tokens: int = 10

    def __post_init__(self) -> None:
        if not isinstance(self.min_tokens, int) or self.min_tokens < 2:
            raise SpecError(f"{self.name}: min_tokens must be a whole number from 2 on, got {self.min_tokens!r}")
        if self.truncate is not None and (not isinstance(self.truncate, int) or self.truncate < 2):
            raise SpecError(f"{self.name}: truncate must be None or a whole number from 2 on, got {self.truncate!r}")
        if not isinstance(self.model, str):
            raise SpecError(f"{self.name}: model is a text such as 'embedded', got {self.model!r}")

    @property
    def second_model(self) -> str | None:
        """The model of the same tokenizer that stands beside ``model``, if there is one."""
        return None

    @property
    def request(self) -> Request:
        """What it needs beyond the plain statistics."""
        return Request()

    def refusal(self, stats: TokenStatistics) -> str | None:
        """Why these tokens are not looked at, whatever their numbers."""
        if stats.refusal or stats.n_scored >= self.min_tokens:
            return stats.refusal
        return f"{stats.n_scored} scored tokens, fewer than min_tokens={self.min_tokens}"

    def of(self, stats: TokenStatistics) -> float:
        """The score; raises Abstain with the reason where there is none."""
        raise NotImplementedError

    def of_text(self, text: str, stats: TokenStatistics, job: Job) -> float:
        """The same, for detectors that also need the model, and the text as far as it was read (to perturb it, to go on)."""
        return self.of(stats)

    def note(self, stats: TokenStatistics) -> str | None:
        """What a reader of a score should know; never changes it."""
        return f"{stats.n_scored} scored tokens, unreliable below {UNRELIABLE}" if stats.n_scored < UNRELIABLE else None

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        from .judging import judge

        return judge(texts, [self])[0]

    def judge_statistics(self, text: str, stats: TokenStatistics, job: Job) -> Judgement:
        told = {"n_tokens": stats.n_tokens, "truncated": stats.truncated}
        try:
            if refused := self.refusal(stats):
                raise Abstain(refused)
            score = float(self.of_text(stats.read(text), stats, job))
            if not math.isfinite(score):
                raise Abstain(f"the score is not finite: {score}")
        except Abstain as reason:
            return Judgement(math.nan, "abstained", str(reason), **told)  # type: ignore[arg-type]
        return Judgement(score, "ok", self.note(stats), **told)  # type: ignore[arg-type]
