"""Ghostbuster with the numbers that its authors released, from a folder that the user gives; nothing is learnt from a run.

The folder holds ``features.txt`` (an expression a line) and ``parameters.json`` or ``parameters.npz`` with ``mu`` and ``sigma``
(a number a feature, the seven by hand first), ``coef`` (one row, or one a fold), ``intercept`` (as many), and, where the model
was calibrated, ``calibration`` (rows of a and b: p = 1 / (1 + exp(a * odds + b))).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit, logsumexp

from ...errors import DataError, SpecError
from ...models.causal import Job
from ...models.statistics import TokenStatistics
from ...registry import Card
from ..base import TokenDetector
from . import expressions as ex
from .ghostbuster import CONSTANT, HAND, SOURCE, file_digest, hand_features, of_corpus, vectors_of
from .ngrams import NGrams

Floats = NDArray[np.float64]
PICKLES = ("model", "mu", "sigma")
CURE = (
    "pickle files run what they hold, so they are not read here. Where you trust them, write their numbers out: "
    "json.dump({'mu': mu.tolist(), 'sigma': sigma.tolist(), 'coef': model.coef_.tolist(), 'intercept': "
    "model.intercept_.tolist()}, open('parameters.json', 'w')); of a CalibratedClassifierCV the coef_ and intercept_ of every "
    "fold's estimator, and 'calibration': the folds' [a_, b_]"
)


@dataclass(frozen=True, eq=False)
class Parameters:
    expressions: tuple[ex.Expression, ...]
    mu: Floats
    sigma: Floats
    coef: Floats
    intercept: Floats
    calibration: Floats | None

    def log_odds(self, features: Floats) -> float:
        """Of the mean probability of the rows; of one row without calibration its linear predictor."""
        odds = self.coef @ ((features - self.mu) / self.sigma) + self.intercept
        if self.calibration is not None:
            odds = -(self.calibration[:, 0] * odds + self.calibration[:, 1])
        return float(logsumexp(log_expit(odds)) - logsumexp(log_expit(-odds)))


@dataclass(frozen=True)
class GhostbusterReleased(TokenDetector):
    """``path``: the folder; ``weak_corpus``: a UTF-8 file, empty lines between its texts, for the n-grams (the authors': Brown).
    ``model`` stands for davinci, ``second_model``, of the same tokenizer, for ada."""

    name: ClassVar[str] = "ghostbuster_released"
    own_models: ClassVar[bool] = True
    card: ClassVar[Card] = Card(
        "Ghostbuster with the released expressions, means, deviations and weights, from a folder that you give.",
        source=SOURCE,
        licence="that of the numbers you give",
        family="trained",
        needs="a folder with the released numbers, the Brown corpus as text, two causal language models of one tokenizer",
        follows=f"the code. {CONSTANT}",
        pitfalls="the numbers belong to OpenAI's ada and davinci, which are retired: on any other pair they are a guess (GEDE "
        "put babbage-002 and davinci-002 in their place); train ghostbuster anew instead. Not run with the real numbers here",
    )
    model_fields: ClassVar[tuple[str, ...]] = ("model", "second_model")
    truncate: int | None = 2047
    path: str = field(kw_only=True)
    weak_corpus: str = field(kw_only=True)
    second_model: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not all((self.path, self.weak_corpus, self.second_model)):
            raise SpecError("ghostbuster_released needs path, weak_corpus and second_model; none may be empty")

    @property
    def key(self) -> str:
        """With digests of the numbers and of the corpus: a path says nothing of what lies there."""
        files = sorted(file for file in Path(self.path).glob("*") if file.is_file())
        joined = " ".join(f"{file.name} {file_digest(str(file))}" for file in files)
        return f"{super().key}@{blake2b(joined.encode(), digest_size=8).hexdigest()}-{file_digest(self.weak_corpus)}"

    def of_text(self, text: str, stats: TokenStatistics, job: Job) -> float:
        known = parameters(self.path, stamp(self.path))
        vectors = vectors_of(stats, weak(self.weak_corpus, self.model, stamp(self.weak_corpus)))
        hand = hand_features(text, stats.offsets, vectors)
        return known.log_odds(np.array([*hand, *ex.values(known.expressions, vectors)]))


def stamp(path: str) -> float:
    """So that what is kept in memory is read again when it changes."""
    found = Path(path)
    files = [found, *found.glob("*")] if found.is_dir() else [found]
    return max((file.stat().st_mtime for file in files if file.exists()), default=0.0)


@lru_cache(maxsize=2)
def weak(path: str, model: str, when: float) -> NGrams:
    return of_corpus(path, model)


@lru_cache(maxsize=2)
def parameters(path: str, when: float) -> Parameters:
    """Reads and checks the folder; raises DataError, which says what to write, where it is not as it should be."""
    folder = Path(path)
    try:
        lines = (folder / "features.txt").read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"{folder / 'features.txt'} cannot be read: {error}; give the folder of the released numbers"
        ) from None
    try:
        expressions = tuple(ex.parse(line) for line in lines if line.strip())
    except SpecError as error:
        raise DataError(f"{folder / 'features.txt'}: {error}") from None
    numbers = read_numbers(folder)
    return checked(folder, expressions, numbers)


def read_numbers(folder: Path) -> Mapping[str, Any]:
    as_json, as_npz = folder / "parameters.json", folder / "parameters.npz"
    try:
        if as_json.is_file():
            return dict(json.loads(as_json.read_text(encoding="utf-8")))
        if as_npz.is_file():
            with np.load(as_npz, allow_pickle=False) as kept:
                return {name: kept[name] for name in kept.files}
    except (OSError, ValueError, TypeError) as error:
        raise DataError(f"the numbers in {folder} cannot be read: {error}") from None
    pickles = [f.name for f in folder.glob("*") if f.stem in PICKLES or f.suffix in (".pkl", ".pickle")]
    raise DataError(
        f"{folder} has no parameters.json or parameters.npz; "
        + (f"it has {', '.join(sorted(pickles))}: {CURE}" if pickles else CURE)
    )


def checked(folder: Path, expressions: tuple[ex.Expression, ...], numbers: Mapping[str, Any]) -> Parameters:
    n = len(HAND) + len(expressions)
    try:
        mu, sigma, coef, intercept = (
            np.asarray(numbers[name], np.float64) for name in ("mu", "sigma", "coef", "intercept")
        )
        calibration = np.asarray(numbers["calibration"], np.float64) if "calibration" in numbers else None
    except (KeyError, ValueError, TypeError) as error:
        raise DataError(f"the numbers in {folder}: {error!r}; mu, sigma, coef and intercept are needed") from None
    coef, intercept = np.atleast_2d(coef), np.atleast_1d(intercept)
    rows = len(coef)
    shapes = {"mu": (mu, (n,)), "sigma": (sigma, (n,)), "coef": (coef, (rows, n)), "intercept": (intercept, (rows,))}
    if calibration is not None:
        shapes["calibration"] = (calibration, (rows, 2))
    for name, (values, shape) in shapes.items():
        if values.shape != shape or not np.isfinite(values).all():
            raise DataError(
                f"the numbers in {folder}: {name} has the shape {values.shape} and must have {shape}, all finite: seven features "
                f"by hand and {len(expressions)} expressions"
            )
    if not (sigma > 0).all():
        raise DataError(f"the numbers in {folder}: sigma must be above 0 (1 for a constant feature)")
    return Parameters(expressions, mu, sigma, coef, intercept, calibration)
