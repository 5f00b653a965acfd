"""What a fitted learner holds against its inputs: the coefficients of a linear head, the impurity importances of a forest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError
from .base import Learner
from .saving import Saved

COEFFICIENT, IMPURITY = "coefficient", "impurity importance"
CURE = "lime and shap explain any detector"


@dataclass(frozen=True)
class Weights:
    """One number an input, in the order of the inputs. A coefficient is signed (above 0: towards the positive class); an
    importance is a share of the forest's fall in impurity, and has no direction."""

    kind: str
    names: tuple[str, ...]
    values: NDArray[np.float64]
    intercept: float = 0.0

    def heaviest(self, k: int) -> list[tuple[str, float]]:
        """The ``k`` largest and, of coefficients, the ``k`` smallest below 0, largest first; ties by name."""
        order = sorted(range(len(self.names)), key=lambda i: (-self.values[i], self.names[i]))
        top = [i for i in order if self.values[i] > 0][:k]
        low = [i for i in order if self.values[i] < 0][-k:]
        return [(self.names[i], float(self.values[i])) for i in (*top, *low)]


def unwrapped(detector: Any) -> Any:
    """A saved detector's own, anything else as it is."""
    return detector.inner if isinstance(detector, Saved) else detector


def weights_of(detector: Any) -> Weights:
    """Raises DataError where the detector has not learnt, has one head a level, or a head without such numbers."""
    learner = unwrapped(detector)
    if not isinstance(learner, Learner):
        raise DataError(f"{getattr(learner, 'spec', learner)!s} has no coefficients of its own; {CURE}")
    heads = learner.fitted("heads_")
    if len(heads) > 1:
        raise DataError(f"{learner.spec} has {len(heads)} heads, one a level, and no single list of weights; {CURE}")
    if hasattr(heads[0], "coef_"):
        kind, values, intercept = COEFFICIENT, np.ravel(heads[0].coef_), float(np.ravel(heads[0].intercept_)[0])
    elif hasattr(heads[0], "feature_importances_"):
        kind, values, intercept = IMPURITY, heads[0].feature_importances_, 0.0
    else:
        raise DataError(f"{learner.spec}: a {type(heads[0]).__name__} tells no weights; {CURE}")
    return Weights(kind, input_names(learner, len(values)), np.asarray(values, np.float64), intercept)


def input_names(learner: Learner, count: int) -> tuple[str, ...]:
    """The terms of a vectorizer; else the learner's own ``feature_names``; numbers from 1 where neither names all inputs."""
    reader = learner.fitted("reader_")
    terms = reader.get_feature_names_out() if hasattr(reader, "vocabulary_") else ()
    named: Sequence[str] = terms if len(terms) else getattr(learner, "feature_names", ())
    return tuple(map(str, named)) if len(named) == count else tuple(f"feature {i + 1}" for i in range(count))


def told(detector: Any, k: int = 20) -> dict[str, Any] | None:
    """For a run's environment.json, so that the reading half can draw them; None for what has no such weights."""
    try:
        found = weights_of(detector)
    except DataError:
        return None
    return {"kind": found.kind, "of": len(found.names), "heaviest": found.heaviest(k)}
