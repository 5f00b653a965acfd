"""Importances of a forest's inputs: by impurity, and by what shuffling an input costs on texts it has not learnt from.

Impurity importance favours inputs with many values and frequent terms, and is of the training texts (Strobl et al. 2007);
permutation importance (Breiman 2001) is of the texts given, and shares out what correlated inputs hold in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..detectors.trained.base import Learner
from ..detectors.trained.weights import IMPURITY, Weights, unwrapped, weights_of
from ..errors import DataError
from ..seeds import numpy_rng
from .linear import inputs_of
from .local_linear import interval

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Importance:
    """``fall``: by how much AUROC falls when the input is shuffled among the texts; mean and 95% interval (Student's t) over
    the shuffles: it tells of the shuffling, not of other texts. ``value``: the input's number in the text that is explained (a
    score of LLMFE's, a term's TF-IDF). NaN where it was not asked."""

    name: str
    impurity: float
    fall: float = np.nan
    low: float = np.nan
    high: float = np.nan
    value: float = np.nan


def importances(detector: Any, k: int = 20, text: str | None = None) -> list[Importance]:
    """The ``k`` inputs of largest impurity importance, with their numbers in ``text``. Raises DataError for what is no forest."""
    held = impurity_weights(detector)
    here = {} if text is None else dict(zip(held.names, inputs_of(unwrapped(detector), text), strict=True))
    return [
        Importance(name, weight, value=float(here.get(name, np.nan))) for name, weight in held.heaviest(k) if weight > 0
    ]


def impurity_weights(detector: Any) -> Weights:
    held = weights_of(detector)
    if held.kind != IMPURITY:
        raise DataError(f"{detector.spec} is no forest: it has {held.kind}s; use coefficients, lime or shap")
    return held


def permutation_importances(
    detector: Any, texts: Sequence[str], machine: Sequence[bool], *, k: int = 20, repeats: int = 10, seed: int = 0
) -> list[Importance]:
    """The fall of AUROC on these texts for the ``k`` inputs that weigh most in the model (largest impurity importance, or
    absolute coefficient), largest fall first. Give texts that it has not learnt from.

    Raises DataError where the detector is no learner, or a class has no readable text.
    """
    held, learner = weights_of(detector), unwrapped(detector)
    numbers, flags = readable(learner, texts, np.asarray(machine, bool))
    whole = area(learner.head_scores(numbers), flags)
    found = []
    for i in np.argsort(-np.abs(held.values), kind="stable")[:k]:
        if held.values[i]:
            generator = numpy_rng("permutation importance", held.names[i], seed)
            falls = [whole - area(learner.head_scores(shuffled(numbers, i, generator)), flags) for _ in range(repeats)]
            found.append(Importance(held.names[i], float(held.values[i]), *interval(np.array(falls))))
    return sorted(found, key=lambda one: (-one.fall, one.name))


def readable(learner: Learner, texts: Sequence[str], machine: Flags) -> tuple[Any, Flags]:
    """Inputs and classes of the texts that the learner can read."""
    if len(texts) != len(machine):
        raise DataError(f"{len(texts)} texts and {len(machine)} classes; one for each text is needed")
    readings, reasons = learner.read(list(texts))
    kept = np.array([reason is None for reason in reasons], bool)
    if not machine[kept].any() or machine[kept].all():
        raise DataError(
            f"{learner.spec} can read {int(kept.sum())} of {len(texts)} texts, of one class; both are needed"
        )
    return learner.numbers([reading for reading, ok in zip(readings, kept, strict=True) if ok]), machine[kept]


def shuffled(numbers: Any, column: int, generator: np.random.Generator) -> Any:
    """A copy whose one column is dealt out anew among the rows."""
    order = generator.permutation(numbers.shape[0])
    if hasattr(numbers, "tocsc"):
        from scipy.sparse import csr_matrix

        before = np.asarray(numbers[:, [column]].toarray()).ravel()
        change = before[order] - before
        rows = np.flatnonzero(change)
        return numbers + csr_matrix((change[rows], (rows, np.full(len(rows), column))), shape=numbers.shape)
    made = np.array(numbers)
    made[:, column] = made[order, column]
    return made


def area(scores: NDArray[np.float64], machine: Flags) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(machine, scores))
