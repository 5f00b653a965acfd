"""Ghostbuster: weak language models' token probabilities, combined by expressions that a search finds, and a linear head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...errors import DataError, SpecError
from ...models.causal import encode, token_statistics, vocabulary_width
from ...models.statistics import TokenStatistics
from ...models.weights import resolve
from ...registry import Card
from . import expressions as ex
from . import selection
from .base import Lesson, Readings, TokenLearner
from .ngrams import NGrams

PUBLISHED = (
    "u v-> d s-var",
    "u v-sub d v-div u s-avg-top-25",
    "g v-> a v-sub d s-var",
    "u v-> g v-< d s-avg",
    "u v-< g v-mul a s-avg",
    "u v-< g v-add a s-max",
    "g v-< a v-> d s-var",
    "g v-> a v-> d s-avg-top-25",
    "a v-sub d s-l2",
    "d s-var",
    "g v-< d v-div u s-l2",
    "g v-> a v-mul d s-avg",
)
"""The twelve that the authors released: u unigram, g trigram, a ada, d davinci."""
HAND = ("outliers", "outliers_top", "outliers_next", "gain_top", "gain_rest", "word_tokens_top", "word_tokens_rest")
TOP, NEXT = 25, 50
SOURCE = "Verma et al. 2024 (NAACL), Ghostbuster, and the authors' code"
CONSTANT = (
    "three of the authors' seven features by hand count probabilities above 3: they are constant, and kept for the order of the "
    "released numbers only"
)


@dataclass(frozen=True, eq=False)
class Ghostbuster(TokenLearner):
    """``model`` has the authors' davinci's part (d), ``second_model``, of the same tokenizer, ada's (a); without it the search
    goes without a. ``expressions``: 'search' or 'published' (their twelve, with a head of our own). ``depth``: vectors in an
    expression; ``most``: expressions at most. ``criterion``: what cross-validation in five parts, whole clusters each, must
    better by .001: 'accuracy', or 'log_loss', which takes more expressions. ``weak_corpus``: a UTF-8 file, empty lines between
    its texts, that the n-grams are learnt from; None: the human training texts."""

    name: ClassVar[str] = "ghostbuster"
    card: ClassVar[Card] = Card(
        "Token probabilities of a unigram, a trigram and one or two causal models, in expressions that a search finds; logistic "
        "regression on the split 'train'.",
        source=SOURCE,
        licence="their repository's not checked; written anew from the formulas",
        family="trained",
        needs="one causal language model, better two of one tokenizer, one pass each; a split 'train' with both classes",
        follows=f"{CONSTANT}. The search is the code's, greedy by held-out accuracy over its expressions, in five parts of whole "
        "clusters where the code has random texts. They learn the n-grams from the Brown corpus; here they come from the human "
        "training texts, and a training text is read by the n-grams of the other parts' texts, lest it be recognised. The head "
        "is theirs without its calibration. Without a token in front the first one has no probability. A comparison that is "
        "divided stays 0 or 1, as in their code",
        pitfalls="the default stands on one causal model alone, so all features with a are missing; a text that the n-grams were "
        "learnt from is misjudged, so never score training texts; a quotient of probabilities can be huge, and so can a score; "
        "the authors cut texts at 2,047 tokens (truncate=2047)",
    )
    model_fields: ClassVar[tuple[str, ...]] = ("model", "second_model")
    learns_from: ClassVar[tuple[str, ...]] = ("levels", "corpora", "clusters")
    kept_state: ClassVar[tuple[str, ...]] = ("expressions_",)

    second_model: str | None = None
    expressions: str = "search"
    depth: int = 3
    most: int = 12
    criterion: str = "accuracy"
    weak_corpus: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.expressions not in ("search", "published"):
            raise SpecError(f"ghostbuster: expressions is 'search' or 'published', got {self.expressions!r}")
        if self.expressions == "published" and self.second_model is None:
            raise SpecError("ghostbuster: the published expressions have ada's part, a: set second_model, or search")
        if self.criterion not in selection.CRITERIA:
            raise SpecError(f"ghostbuster: criterion is one of {', '.join(selection.CRITERIA)}; got {self.criterion!r}")
        if not isinstance(self.depth, int) or not 1 <= self.depth <= 3:
            raise SpecError(f"ghostbuster: depth is 1, 2 or 3 vectors, got {self.depth!r}")
        if not isinstance(self.most, int) or self.most < 1:
            raise SpecError(f"ghostbuster: most must be a whole number from 1 on, got {self.most!r}")

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Of the numbers that its head weighs, in their order; after ``fit``."""
        hand = [name for name in HAND if self.second_model is not None or not name.startswith("gain")]
        return (*hand, *self.fitted("expressions_"))

    # learning

    def learn_from(self, taught: Lesson) -> tuple[Readings, Lesson]:
        """Chooses the expressions; each training text is read by n-grams that have not seen it."""
        found = token_statistics(
            taught.texts, self.model, reference=self.second_model, truncate=self.truncate, request=self.request
        )
        taught = taught.without(self.name, [self.refusal(stats) for stats in found])
        stats = [one for one in found if self.refusal(one) is None]
        held = selection.folds(taught.clusters, taught.machine, 5, self.seed)
        vectors = self.training_vectors(stats, taught, held)
        self.expressions_ = self.chosen(vectors, taught, held)
        readings = [self.numbers_of(*each) for each in zip(taught.texts, stats, vectors, strict=True)]
        return readings, self.signed(taught)

    def training_vectors(
        self, stats: Sequence[TokenStatistics], taught: Lesson, held: Sequence[Any]
    ) -> list[ex.Vectors]:
        """Sets ``ngrams_`` (of all human texts, or of the corpus) and gives what the training texts are read by."""
        width = vocabulary_width(resolve(self.model))
        if self.weak_corpus is not None:
            self.ngrams_ = of_corpus(self.weak_corpus, self.model)
            return [vectors_of(one, self.ngrams_) for one in stats]
        human = ~taught.machine
        self.ngrams_ = NGrams.learn([stats[i].token_ids for i in places(human)], width)
        found: dict[int, ex.Vectors] = {}
        for out in held:
            others = NGrams.learn([stats[i].token_ids for i in places(human & ~out)], width)
            found |= {i: vectors_of(stats[i], others) for i in places(out)}
        return [found[i] for i in range(len(stats))]

    def chosen(self, vectors: Sequence[ex.Vectors], taught: Lesson, held: Sequence[Any]) -> list[str]:
        if self.expressions == "published":
            return list(PUBLISHED)
        candidates = ex.every([name for name in ex.ORDER if name in vectors[0]], self.depth)
        columns = np.array([ex.values(candidates, one) for one in vectors])
        taken = selection.forward(columns, taught.machine, held, self.most, self.criterion)
        return [str(candidates[i]) for i in taken]

    def signed(self, taught: Lesson) -> Lesson:
        """What decides the weights beside the texts is in the digest too."""
        more = f"{taught.digest} {taught.clusters} {file_digest(self.weak_corpus)}"
        told = {**taught.told, "expressions": self.expressions_, "models": 4 if self.second_model else 3}
        return replace(taught, digest=blake2b(more.encode(), digest_size=8).hexdigest(), told=told)

    def reader(self) -> Any:
        from sklearn.preprocessing import StandardScaler

        return StandardScaler()

    def head(self) -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=10, max_iter=10_000)

    # scoring

    def features(self, text: str, stats: TokenStatistics) -> Sequence[float]:
        return self.numbers_of(text, stats, vectors_of(stats, self.fitted("ngrams_")))

    def numbers_of(self, text: str, stats: TokenStatistics, vectors: ex.Vectors) -> list[float]:
        taken = [ex.parse(expression) for expression in self.fitted("expressions_")]
        return [*hand_features(text, stats.offsets, vectors), *ex.values(taken, vectors).tolist()]

    def write_files(self, folder: Path) -> None:
        self.fitted("ngrams_").save(folder / "ngrams.npz")

    def read_files(self, folder: Path) -> None:
        self.ngrams_ = NGrams.load(folder / "ngrams.npz")


def places(mask: selection.Mask) -> list[int]:
    return [int(i) for i in np.flatnonzero(mask)]


def vectors_of(stats: TokenStatistics, ngrams: NGrams) -> ex.Vectors:
    """Probabilities of the scored tokens, each shape (T,)."""
    found = {"u": ngrams.unigram(stats.token_ids), "g": ngrams.trigram(stats.token_ids)}
    found["d"] = np.exp(stats.log_prob.astype(np.float64))
    if stats.cross is not None:
        found["a"] = np.exp(stats.cross.log_prob.astype(np.float64))
    return found


def hand_features(text: str, offsets: np.ndarray, vectors: ex.Vectors) -> list[float]:
    """The authors' seven, named in HAND; without a second model the two of its gain are left out."""
    likely = [p for p in vectors["d"] if p > 3]
    outliers = [float(len(likely)), *top_and_rest(likely, NEXT)]
    gain = top_and_rest(sorted(vectors["d"] - vectors["a"], reverse=True)) if "a" in vectors else []
    return [*outliers, *gain, *top_and_rest(sorted(word_tokens(text, offsets), reverse=True))]


def top_and_rest(falling: Sequence[float], end: int | None = None) -> list[float]:
    """Means of the first 25 and of the others; zeros make up 50."""
    padded = [*falling, *[0.0] * (NEXT - len(falling))]
    return [float(np.mean(padded[:TOP])), float(np.mean(padded[TOP:end]))]


def word_tokens(text: str, offsets: np.ndarray) -> list[int]:
    """Tokens of each word, a word being what follows a space; as in the code the last word is not counted, and a text that
    begins with a space has a first word of none."""
    starts = [text[a : a + 1] == " " or (a > 0 and text[a - 1] == " ") for a, _ in offsets.tolist()]
    ends = np.flatnonzero(starts)
    return np.diff(np.concatenate([[0], ends])).tolist() if len(ends) else []


def of_corpus(path: str, model: str) -> NGrams:
    """N-grams of a text file, in the tokens of the model."""
    weights = resolve(model)
    try:
        texts = [part for part in Path(path).read_text(encoding="utf-8").split("\n\n") if part.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"weak_corpus {path} cannot be read as UTF-8 text: {error}; give a plain text file") from None
    read = [encode(text.strip(), weights) for text in texts]
    ids = [one.ids[int(one.bos) :] for one in read if not isinstance(one, str)]
    return NGrams.learn(ids, vocabulary_width(weights))


def file_digest(path: str | None) -> str:
    try:
        return "-" if path is None else blake2b(Path(path).read_bytes(), digest_size=8).hexdigest()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error}; give a file that is there") from None
