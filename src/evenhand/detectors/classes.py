"""Which of two labels is the positive class: the larger number, or a word that means a machine; never a word by its spelling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError

HUMAN_NAMES = ("human", "real", "human-written", "human_written", "not_ai", "genuine")
MACHINE_NAMES = ("machine", "fake", "ai", "chatgpt", "generated", "machine-generated", "ai-generated", "llm")
MISSING = ("None", "nan", "<NA>", "NaT")
"""How Python, NumPy and pandas show that a label is not there."""
CURE = "give 0 for human and 1 for machine"


def two_classes(name: str, y: Sequence[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """(the two labels, which texts have the positive one). The second class is positive, as scikit-learn has it: of words the
    later in the alphabet, so 'ai' and 'human' would be swapped. Raises DataError there, and where there are not two classes."""
    given = listed(y)
    lost = sum(str(label) in MISSING for label in given)
    if lost:
        raise DataError(f"{name}: {lost} of {len(given)} labels are missing; {CURE}")
    labels = np.asarray(given)
    classes = np.unique(labels)
    if len(classes) != 2:
        raise DataError(
            f"{name} learns from human and machine texts and got {len(labels)} labels, the classes {classes.tolist()[:10]}; "
            "two classes are needed, in the split 'train' (`evenhand split` makes one) or in each fold of the plan's evaluation"
        )
    check_words(name, *classes.tolist())
    return classes, labels == classes[1]


def listed(y: Sequence[Any]) -> list[Any]:
    """Also of a pyarrow column, as texts are."""
    return list(y.to_pylist() if hasattr(y, "to_pylist") else y)


def check_words(name: str, negative: Any, positive: Any) -> None:
    """Numbers, also in quotes, say by their order which is which; of two words one must be known: 'human' and 'gpt-4'."""
    told = f"{name}: of the labels {[negative, positive]} {positive!r} would be the positive class"
    low, high = (str(label).strip().lower() for label in (negative, positive))
    swapped = low in MACHINE_NAMES or high in HUMAN_NAMES
    if number(negative) < number(positive) or (not swapped and (low in HUMAN_NAMES or high in MACHINE_NAMES)):
        return
    if swapped:
        raise DataError(f"{told}: the labels are swapped; {CURE}")
    raise DataError(f"{told}, and these words do not say which means a machine; {CURE}")


def number(label: Any) -> float:
    """NaN, which is below nothing, for a word."""
    try:
        return float(label)
    except (TypeError, ValueError):
        return math.nan
