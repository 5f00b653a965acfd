"""What the detectors that learn have in common: their targets, their heads, what they were trained on.

A learner reads something of each text (its words, statistics of its tokens), and has one classifier a step of the scale: one
where it learns two classes, one below each level where it learns the levels. Both are scikit-learn's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ...documents import Judgement, Level, digest
from ...errors import Abstain, DataError
from ...models.causal import Job, token_statistics
from ...models.statistics import TokenStatistics
from ...models.weights import resolve
from ..base import Detector, Scores, TokenDetector, best_threshold, check_texts
from ..classes import listed
from .panel import direction
from .targets import Targets, check_labels, counts, read_levels, targets

Readings = list[Any]


@dataclass(frozen=True, eq=False)
class Trained(Detector):
    """Anything that ``fit`` changes the scores of. ``labels``: 'policy' learns the boundary of the policy from texts of all
    levels, 'usual' people's own texts against machine texts alone, 'ordinal' the level itself."""

    learns: ClassVar[bool] = True
    learns_from: ClassVar[tuple[str, ...]] = ("levels", "corpora")
    """What ``fit`` takes by name beside texts and labels: levels, corpora, clusters, generators; one value a text each."""
    kept_parts: ClassVar[tuple[str, ...]] = ()
    """Learnt attributes that are scikit-learn's objects."""
    kept_state: ClassVar[tuple[str, ...]] = ()
    """Learnt attributes that are plain values, beside those that all have."""
    made_by: ClassVar[tuple[str, ...]] = ()
    """Packages, beside scikit-learn for ``kept_parts``, another release of which may read what was saved otherwise."""

    labels: str = "policy"

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __post_init__(self) -> None:
        if post := getattr(super(), "__post_init__", None):
            post()
        check_labels(self.name, self.labels)

    @property
    def key(self) -> str:
        """Spec, models and training set: what its scores are stored under. Raises DataError before ``fit``."""
        return f"{super().key}@{self.fitted('trained_on_')}"

    @property
    def model_keys(self) -> dict[str, str]:
        """The models that it judges by, each at its revision, by the parameter that names it."""
        named = {name: getattr(self, name, None) for name in self.model_fields}
        return {name: resolve(spec).key for name, spec in named.items() if spec is not None}

    def fitted(self, name: str) -> Any:
        if not hasattr(self, name):
            raise DataError(
                f"{self.spec} has learnt nothing yet: call fit(texts, y), or give the corpus a split 'train'"
            )
        return getattr(self, name)

    def write_files(self, folder: Path) -> None:
        """Puts into the folder what ``saving`` cannot keep by itself."""

    def read_files(self, folder: Path) -> None:
        """Takes it from there."""

    def note_training(self, lesson: Lesson) -> None:
        """Sets classes_, steps_, step_, trained_on_ (a digest) and training_ (what a card tells)."""
        aims = lesson.targets
        self.classes_, self.steps_, self.step_ = aims.classes, aims.steps, aims.step
        self.trained_on_, self.training_ = lesson.digest, dict(lesson.told)


@dataclass(frozen=True)
class Lesson:
    """The texts that are learnt from, in an order that is their own, so that the order they came in changes no weight."""

    texts: list[str]
    targets: Targets
    clusters: list[str]
    levels: list[Level | None]
    corpora: list[str] | None
    digest: str
    told: dict[str, Any]

    @property
    def machine(self) -> NDArray[np.bool_]:
        return np.asarray(self.targets.above[:, self.targets.step])

    def without(self, name: str, reasons: Sequence[str | None]) -> Lesson:
        """Less the texts that cannot be read; what they were is told."""
        kept = [i for i, reason in enumerate(reasons) if reason is None]
        left = Targets(
            tuple(kept), self.targets.above[kept], self.targets.steps, self.targets.step, self.targets.classes
        )
        if poor := [s for s, column in zip(left.steps, left.above.T, strict=True) if column.all() or not column.any()]:
            first = next((reason for reason in reasons if reason), "no text at all")
            raise DataError(
                f"{name}: {len(kept)} of {len(reasons)} training texts can be read (the others: {first} ...), and on one side "
                f"of {poor[0]!r} none is left; give more or longer texts"
            )
        texts, clusters = [self.texts[i] for i in kept], [self.clusters[i] for i in kept]
        levels, corpora = [self.levels[i] for i in kept], self.corpora and [self.corpora[i] for i in kept]
        told = {
            **self.told,
            **counts(left.above[:, left.step], levels, corpora),
            "unreadable": len(reasons) - len(kept),
        }
        return Lesson(texts, left, clusters, levels, corpora, self.digest, told)


def lesson(
    detector: Trained, X: Sequence[str], y: Sequence[Any] | None, told: dict[str, Sequence[Any] | None]
) -> Lesson:
    """What ``detector`` learns from these texts; raises DataError where labels are missing, of one class or swapped."""
    texts, labels = check_texts(X), [] if y is None else listed(y)
    if len(labels) != len(texts):
        raise DataError(
            f"{detector.name} learns from human and machine texts and got {len(texts)} texts and {len(labels)} labels; "
            "one label for each text is needed"
        )
    order = sorted(range(len(texts)), key=lambda i: (digest(texts[i]), str(labels[i])))
    levels, corpora, clusters = (
        None if (given := told.get(kind)) is None else [checked(detector.name, kind, given, texts)[i] for i in order]
        for kind in ("levels", "corpora", "clusters")
    )
    aims = targets(detector.name, detector.labels, [labels[i] for i in order], levels)
    known = read_levels(detector.name, len(texts), levels)
    rows = list(aims.rows)
    held, of = [known[i] for i in rows], corpora and [corpora[i] for i in rows]
    card = {**counts(aims.above[:, aims.step], held, of), "labels": detector.labels}
    if detector.labels == "ordinal":
        card = {**card, "lowest_level": str(min(level for level in known if level))}
    used = [texts[order[i]] for i in rows]
    groups = [str(clusters[i]) if clusters else digest(text) for i, text in zip(rows, used, strict=True)]
    return Lesson(used, aims, groups, held, of, training_digest(used, aims.above), card)


def checked(name: str, kind: str, given: Sequence[Any], texts: Sequence[str]) -> Sequence[Any]:
    if len(given) != len(texts):
        raise DataError(f"{name}: {len(texts)} texts and {len(given)} {kind}; one for each text is needed")
    return given


def training_digest(texts: Sequence[str], above: NDArray[np.bool_]) -> str:
    """Of texts and what is learnt of each, whatever their order."""
    sides = ["".join("01"[bool(side)] for side in np.atleast_1d(row)) for row in above]
    lines = sorted(f"{digest(text)} {side}" for text, side in zip(texts, sides, strict=True))
    return blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, eq=False)
class Learner(Trained):
    """With scikit-learn's classifiers as heads. A subclass says what is read of the texts, and the unfitted parts."""

    kept_parts: ClassVar[tuple[str, ...]] = ("reader_", "heads_")
    tells_readings: ClassVar[bool] = False
    """Whether a run keeps the numbers that it reads of every text that it judges, as measures; then it has ``feature_names``."""

    def reader(self) -> Any:
        """What turns readings into numbers, unfitted; None where the readings are the numbers."""
        return None

    def head(self) -> Any:
        """An unfitted classifier."""
        raise NotImplementedError

    def read(self, texts: Sequence[str]) -> tuple[Readings, list[str | None]]:
        """What is read of each text, and why not where it cannot be."""
        raise NotImplementedError

    def fit(
        self,
        X: Sequence[str],
        y: Sequence[Any] | None = None,
        *,
        levels: Sequence[Any] | None = None,
        corpora: Sequence[str] | None = None,
        clusters: Sequence[str] | None = None,
    ) -> Self:
        """Learns from texts and labels (of two numbers the larger is positive), from levels where ``labels`` asks for them, and
        with ``clusters`` where something is chosen by cross-validation."""
        from sklearn.base import clone

        taught = lesson(self, X, y, {"levels": levels, "corpora": corpora, "clusters": clusters})
        readings, taught = self.learn_from(taught)
        reader = self.reader()
        self.reader_ = None if reader is None else self.fitted_reader(reader, readings)
        numbers = self.numbers(readings)
        self.heads_ = [clone(self.head()).fit(numbers, column.astype(int)) for column in taught.targets.above.T]
        self.note_training(taught)
        self.threshold_ = self.natural_threshold(numbers, taught.machine)
        self.refuse_constant(numbers)
        self.training_ |= direction(self)
        return self

    def learn_from(self, taught: Lesson) -> tuple[Readings, Lesson]:
        """What is read of the texts that can be read, and the lesson less the others."""
        readings, reasons = self.read(taught.texts)
        taught = taught.without(self.name, reasons)
        return [reading for reading, reason in zip(readings, reasons, strict=True) if reason is None], taught

    def fitted_reader(self, reader: Any, readings: Readings) -> Any:
        try:
            return reader.fit(readings)
        except ValueError as error:  # scikit-learn's: no word is left to count
            raise DataError(
                f"{self.spec} can learn nothing from these {len(readings)} texts: {error}; give more, or other, texts"
            ) from error

    def refuse_constant(self, numbers: Any) -> None:
        if np.ptp(self.head_scores(numbers)) == 0:
            n = numbers.shape[0]
            raise DataError(
                f"{self.spec} learnt nothing: all {n} training texts score alike; give more, or other, texts"
            )

    def numbers(self, readings: Readings) -> Any:
        reader = self.fitted("reader_")
        return np.asarray(readings, np.float64) if reader is None else reader.transform(readings)

    def natural_threshold(self, numbers: Any, machine: NDArray[np.bool_]) -> float:
        """Even odds; where levels are learnt, the best cut of the training scores at the policy's boundary."""
        if len(self.heads_) > 1:
            return best_threshold(self.head_scores(numbers), machine)
        return 0.0 if hasattr(self.heads_[0], "decision_function") else 0.5

    def head_scores(self, numbers: Any) -> Scores:
        """Log-odds (or, of a forest, the share of the trees); for levels the expected number of steps that a text is above."""
        heads = self.fitted("heads_")
        if len(heads) > 1:
            return np.asarray(sum(positive_probability(head, numbers) for head in heads))
        if hasattr(heads[0], "decision_function"):
            return np.asarray(heads[0].decision_function(numbers), np.float64)
        return positive_probability(heads[0], numbers)

    def predict_proba(self, X: Sequence[str]) -> NDArray[np.float64]:
        """Shape (n, 2): below, above the boundary; NaN where it cannot be read. Calibrated only as far as its heads are."""
        return with_complement(self.step_probabilities(X)[:, self.fitted("step_")])

    def step_probabilities(self, X: Sequence[str]) -> NDArray[np.float64]:
        """P(above each step), shape (n, n_steps); never rising along the scale (isotonic, which keeps their sum)."""
        from sklearn.isotonic import isotonic_regression

        readings, reasons = self.read(check_texts(X))
        found = np.full((len(reasons), len(self.fitted("steps_"))), np.nan)
        known = [i for i, reason in enumerate(reasons) if reason is None]
        if known:
            numbers = self.numbers([readings[i] for i in known])
            found[known] = np.column_stack([positive_probability(head, numbers) for head in self.heads_])
        monotone = [row if np.isnan(row).any() else isotonic_regression(row, increasing=False) for row in found]
        return np.asarray(monotone).reshape(found.shape)

    def predict_level(self, X: Sequence[str]) -> list[Level | None]:
        """The highest level that a text is more likely than not at or above; None where it cannot be read."""
        if self.labels != "ordinal":
            raise DataError(f"{self.name} has learnt two classes, no levels; set labels='ordinal'")
        lowest = Level.read(self.fitted("training_")["lowest_level"])
        scale = [lowest, *map(Level.read, self.steps_)]
        rows = self.step_probabilities(X)
        return [None if np.isnan(row).any() else scale[int((row > 0.5).sum())] for row in rows]


def positive_probability(head: Any, numbers: Any) -> Scores:
    if hasattr(head, "decision_function"):
        return np.asarray(expit(head.decision_function(numbers)), np.float64)
    return np.asarray(head.predict_proba(numbers)[:, 1], np.float64)


def with_complement(machine: Scores) -> NDArray[np.float64]:
    return np.column_stack([1 - machine, machine])


@dataclass(frozen=True, eq=False)
class TokenLearner(Learner, TokenDetector):
    """Learns from what one pass of a causal model leaves of each token, and shares that pass with the zero-shot detectors."""

    def features(self, text: str, stats: TokenStatistics) -> Sequence[float]:
        """The numbers that are learnt from; raises Abstain where there are none."""
        raise NotImplementedError

    def read(self, texts: Sequence[str]) -> tuple[Readings, list[str | None]]:
        found = token_statistics(
            texts, self.model, reference=self.second_model, truncate=self.truncate, request=self.request
        )
        read = [self.reading(text, stats) for text, stats in zip(texts, found, strict=True)]
        return [values for values, _ in read], [reason for _, reason in read]

    def reading(self, text: str, stats: TokenStatistics) -> tuple[Sequence[float], str | None]:
        if refused := self.refusal(stats):
            return (), refused
        try:
            return self.finite_features(stats.read(text), stats), None
        except Abstain as reason:
            return (), str(reason)

    def finite_features(self, text: str, stats: TokenStatistics) -> Sequence[float]:
        values = self.features(text, stats)
        if not np.isfinite(values).all():
            raise Abstain(f"feature {int(np.argmin(np.isfinite(values)))} is not finite")
        return values

    def of_text(self, text: str, stats: TokenStatistics, job: Job) -> float:
        self.fitted("heads_")
        return float(self.head_scores(self.numbers([self.finite_features(text, stats)]))[0])


@dataclass(frozen=True, eq=False)
class TextLearner(Learner):
    """Learns from the text itself."""

    model_fields: ClassVar[tuple[str, ...]] = ()
    min_words: int = 10

    def prepared(self, text: str) -> str:
        return text

    def read(self, texts: Sequence[str]) -> tuple[Readings, list[str | None]]:
        short = [f"fewer than {self.min_words} words" if len(text.split()) < self.min_words else None for text in texts]
        return [self.prepared(text) for text in texts], short

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        """All texts in one call of the heads; each row is computed by itself, so no neighbour moves a score."""
        self.fitted("heads_")
        readings, reasons = self.read(check_texts(texts))
        known = [reading for reading, reason in zip(readings, reasons, strict=True) if reason is None]
        scores = iter(self.head_scores(self.numbers(known)) if known else ())
        return [
            Judgement(math.nan, "abstained", reason) if reason else Judgement(float(next(scores))) for reason in reasons
        ]
