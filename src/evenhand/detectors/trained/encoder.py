"""Fine-tuned transformers: an encoder with a classification head, and a causal model with one."""

from __future__ import annotations

import math
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ...documents import Judgement
from ...errors import DataError, SpecError
from ...models import finetune
from ...models.encoder import fetched, resolve_encoder
from ...models.finetune import Examples, Schedule
from ...models.home import cache_dir
from ...models.weights import Weights, resolve
from ...registry import Card, format_spec
from ...seeds import seed_of
from ..base import Scores, best_threshold, check_texts
from .base import Lesson, Trained, lesson, with_complement
from .panel import direction

RECIPES: Mapping[str, Schedule] = {
    "plain": Schedule(epochs=4, lr=5e-5, batch=16, weight_decay=0.01, patience=1),
    "gede_aae": Schedule(epochs=5, lr=5e-5, batch=32, seed=42),
    "gede_bawe": Schedule(epochs=5, lr=5e-5, batch=32, seed=42),
    "gede_persuade": Schedule(epochs=8, lr=5e-5, batch=32, seed=42),
    "idmgsp": Schedule(epochs=2, lr=5e-6, batch=16, weight_decay=0.001, warmup=1000, seed=99),
    "idmgsp_galactica": Schedule(
        epochs=4, lr=5e-6, batch=2, accumulate=4, weight_decay=0.01, warmup=1000, max_tokens=2048, seed=99
    ),
}


@dataclass(frozen=True, eq=False)
class FineTuned(Trained):
    """``recipe`` gives the hyper-parameters; those that are not None replace its. ``validation``: part of the texts, in whole
    clusters, whose loss says which epoch's weights are kept. The score is the log-odds of 'machine', or, where levels are
    learnt, the expected number of steps that a text is above."""

    learns_from: ClassVar[tuple[str, ...]] = ("levels", "corpora", "clusters")
    model_fields: ClassVar[tuple[str, ...]] = ("base",)
    kept_state: ClassVar[tuple[str, ...]] = ("base_key_",)
    made_by: ClassVar[tuple[str, ...]] = ("transformers",)

    base: str = "embedded"
    recipe: str = "plain"
    epochs: int | None = None
    lr: float | None = None
    batch: int | None = None
    max_tokens: int | None = None
    patience: int | None = None
    class_weights: bool = False
    validation: float = 0.2
    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.recipe not in RECIPES:
            raise SpecError(f"{self.name}: recipe is one of {', '.join(RECIPES)}; got {self.recipe!r}")
        for field in ("epochs", "batch", "max_tokens", "patience"):
            value = getattr(self, field)
            if value is not None and (not isinstance(value, int) or value < 1):
                raise SpecError(f"{self.name}: {field} must be None or a whole number from 1 on, got {value!r}")
        if self.lr is not None and not 0 < self.lr < 1:
            raise SpecError(f"{self.name}: lr must lie between 0 and 1, got {self.lr!r}")
        if not 0 < self.validation < 1:
            raise SpecError(f"{self.name}: validation must lie between 0 and 1, got {self.validation!r}")

    @property
    def schedule(self) -> Schedule:
        own = ("epochs", "lr", "batch", "max_tokens", "patience", "seed")
        given: dict[str, Any] = {field: value for field in own if (value := getattr(self, field)) is not None}
        return replace(RECIPES[self.recipe], class_weights=self.class_weights, **self.saving_memory(), **given)

    def saving_memory(self) -> dict[str, Any]:
        """What of the schedule spends time to save memory."""
        return {}

    def base_weights(self) -> Weights:
        """The model that training begins with."""
        raise NotImplementedError

    @property
    def models(self) -> tuple[str, ...]:
        """The base, as long as nothing is learnt; then the weights are its own."""
        return () if hasattr(self, "folder_") or self.base.startswith("embedded") else (self.base,)

    @property
    def model_keys(self) -> dict[str, str]:
        """None: the weights that it judges by are its own."""
        return {}

    @property
    def key(self) -> str:
        named = {**self.get_params(deep=False), "base": self.fitted("base_key_")}
        return f"{format_spec(self.name, named)}@{self.fitted('trained_on_')}"

    def fit(
        self,
        X: Sequence[str],
        y: Sequence[Any] | None = None,
        *,
        levels: Sequence[Any] | None = None,
        corpora: Sequence[str] | None = None,
        clusters: Sequence[str] | None = None,
    ) -> Self:
        """Trains, or takes up what an interrupted or finished training of the same texts left in the cache."""
        taught = lesson(self, X, y, {"levels": levels, "corpora": corpora, "clusters": clusters})
        base = self.base_weights()
        self.base_key_ = base.key
        by = finetune.reader(fetched(base))
        reads = [by.read(text, self.schedule.max_tokens) for text in taught.texts]
        taught = taught.without(self.name, [read.reason for read in reads])
        reads = [read for read in reads if read.reason is None]
        aside = validation_rows(self.name, taught, self.validation, self.schedule.seed)
        sides = [
            Examples([reads[i] for i in np.flatnonzero(rows)], taught.targets.above[rows]) for rows in (~aside, aside)
        ]
        done = finetune.fine_tune(base, sides[0], sides[1], self.schedule, self.work(taught, base), teller(self.name))
        self.folder_ = str(done.folder)
        told = {**taught.told, **self.story(done, aside, reads)}
        self.note_training(replace(taught, digest=with_clusters(taught), told=told))
        self.threshold_ = 0.0
        if len(self.steps_) > 1:
            self.threshold_ = best_threshold(self(taught.texts), taught.machine)
        self.training_ |= direction(self)
        return self

    def work(self, taught: Lesson, base: Weights) -> Path:
        """Named after all that decides the weights."""
        parts = (base.key, self.schedule, self.validation, self.labels, taught.digest, taught.clusters)
        return cache_dir() / "finetuned" / blake2b(repr(parts).encode(), digest_size=16).hexdigest()

    def story(self, done: finetune.Outcome, aside: NDArray[np.bool_], reads: Sequence[finetune.Read]) -> dict[str, Any]:
        schedule = self.schedule
        told: dict[str, Any] = {
            **{"recipe": self.recipe, "epochs": schedule.epochs, "batch": schedule.batch, "lr": schedule.lr},
            "validation": int(aside.sum()),
            "validation_share": self.validation,
            "truncated": sum(read.truncated for read in reads),
            "losses": done.losses,
            "kept_epoch": done.kept,
        }
        if done.steps <= self.schedule.warmup:
            told["note"] = (
                f"{done.steps} steps, no more than the {self.schedule.warmup} of the warm-up: lr was never reached"
            )
        return told

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        folder = self.fitted("folder_")
        by = finetune.classifier(folder, device_of(self.base))
        return [self.judge_one(by, text) for text in check_texts(texts)]

    def judge_one(self, by: finetune.Classifier, text: str) -> Judgement:
        read = by.reader.read(text, self.schedule.max_tokens)
        if read.reason:
            return Judgement(math.nan, "abstained", read.reason)
        odds = step_odds(finetune.logits(by, read), len(self.fitted("steps_")))
        score = float(odds[0]) if len(odds) == 1 else float(expit(odds).sum())
        note = f"only the first {len(read.ids)} tokens were read" if read.truncated else None
        return Judgement(score, "ok", note, len(read.ids), read.truncated)

    def predict_proba(self, X: Sequence[str]) -> NDArray[np.float64]:
        """Shape (n, 2): below, above; NaN where it abstained. For levels the score, scaled to [0, 1]."""
        scores: Scores = self(X)
        return with_complement(expit(scores) if len(self.steps_) == 1 else scores / len(self.steps_))

    def write_files(self, folder: Path) -> None:
        shutil.copytree(self.folder_, folder / "model")

    def read_files(self, folder: Path) -> None:
        self.folder_ = str(folder / "model")


def device_of(spec: str) -> str:
    """As a model spec asks; the model need not be there."""
    found = re.search(r"device=([a-z]+(?::\d+)?)", spec.partition("[")[2])
    return found[1] if found else "cpu"


def step_odds(logits: NDArray[np.float64], n_steps: int) -> NDArray[np.float64]:
    """Log-odds of being above each step."""
    return np.array([logits[1] - logits[0]]) if n_steps == 1 else logits


def validation_rows(name: str, taught: Lesson, share: float, seed: int) -> NDArray[np.bool_]:
    """Which texts are set aside: whole clusters, in an order of the seed, until ``share`` of the texts is reached.

    Raises DataError where a side would miss a class.
    """
    groups = sorted(set(taught.clusters), key=lambda cluster: seed_of("validation", cluster, seed))
    sizes = Counter(taught.clusters)
    chosen: set[str] = set()
    reached = 0
    for cluster in groups:
        if reached >= share * len(taught.clusters):
            break
        chosen.add(cluster)
        reached += sizes[cluster]
    aside = np.array([cluster in chosen for cluster in taught.clusters])
    for side, rows in (("validation", aside), ("training", ~aside)):
        above = taught.targets.above[rows]
        if not len(above) or (above.all(axis=0) | ~above.any(axis=0)).any():
            raise DataError(
                f"{name}: of {len(aside)} texts in {len(groups)} clusters, the {side} side would have one class only; give "
                "more clusters of both classes, or another validation share or seed"
            )
    return aside


def with_clusters(taught: Lesson) -> str:
    """The digest of the training set, clusters included: they decide what is set aside, and so the weights that are kept."""
    return blake2b(repr((taught.digest, taught.clusters)).encode(), digest_size=8).hexdigest()


TOLD_EVERY = 15.0
"""Seconds between lines where no terminal reads them; a training that is shorter says nothing."""


def teller(name: str) -> finetune.Progress:
    """Tells on standard error what a training will cost, once its first step is timed, and then how each epoch went."""
    last = [time.monotonic()]

    def tell(done: int, epochs: int, loss: float | None, left: float) -> None:
        now = time.monotonic()
        if not sys.stderr.isatty() and left < TOLD_EVERY and now - last[0] < TOLD_EVERY:
            return
        last[0] = now
        so_far = (
            f"{epochs - done} epochs to go" if loss is None else f"epoch {done} of {epochs}: validation loss {loss:.4f}"
        )
        print(f"{name}: {so_far}, about {minutes(left)} left", file=sys.stderr, flush=True)

    return tell


def minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


RECIPE_NOTES = (
    "the recipes' numbers as printed (GEDE: 5, 5 and 8 epochs, 32 texts, 5e-5, weights by validation loss; IDMGSP: 2 epochs in "
    "the paper, 1 in the code, 16 texts, 5e-6, 1,000 steps of warm-up); validation is by cluster, where both papers split by text"
)


@dataclass(frozen=True, eq=False)
class EncoderClassifier(FineTuned):
    name: ClassVar[str] = "encoder"
    card: ClassVar[Card] = Card(
        "An encoder fine-tuned on the split 'train'; base='embedded' is all-MiniLM-L6-v2; the papers' is "
        "'hub:FacebookAI/roberta-base'.",
        source="GEDE, app. B; IDMGSP, sec. 4.1; the authors' codes",
        family="trained",
        needs="torch; a split 'train' with both classes",
        follows=RECIPE_NOTES,
        pitfalls="reads the first max_tokens only; learns topic and formatting; minutes to hours on a processor; IDMGSP's "
        "warm-up is longer than its training on small corpora, so its learning rate is never reached",
    )

    def base_weights(self) -> Weights:
        return resolve_encoder(self.base)

    def fetch(self) -> str:
        """Brings the base into the cache; gives its folder."""
        return str(fetched(self.base_weights()))


@dataclass(frozen=True, eq=False)
class CausalClassifier(FineTuned):
    """The head reads the state of the last token. ``checkpointing`` keeps a state a layer and computes the rest again on the way
    back; ``accumulate`` adds up so many passes of ``batch`` texts before a step (None: the recipe's)."""

    name: ClassVar[str] = "causal_classifier"
    card: ClassVar[Card] = Card(
        "A causal language model with a classification head, fine-tuned on the split 'train'.",
        source="IDMGSP, sec. 4.1 (Galactica 125m), the authors' code",
        family="trained",
        needs="torch; a split 'train' with both classes",
        follows="recipe='idmgsp_galactica' has the paper's numbers (2 texts x 4 passes, 2,048 tokens, 4 epochs, 5e-6, 1,000 "
        "steps of warm-up); validation is by cluster",
        pitfalls="all weights are trained: four times the model's size in memory, and the activations of a batch, of which "
        "checkpointing=True keeps few; hours on a processor",
    )
    checkpointing: bool = False
    accumulate: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.accumulate is not None and (not isinstance(self.accumulate, int) or self.accumulate < 1):
            raise SpecError(
                f"{self.name}: accumulate must be None or a whole number from 1 on, got {self.accumulate!r}"
            )

    def saving_memory(self) -> dict[str, Any]:
        passes = {} if self.accumulate is None else {"accumulate": self.accumulate}
        return {"checkpointing": self.checkpointing, **passes}

    def base_weights(self) -> Weights:
        return resolve(self.base)
