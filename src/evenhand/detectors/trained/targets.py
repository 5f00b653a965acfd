"""What a detector is taught: which training texts, and above which steps of the scale of levels each of them stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...documents import Level
from ...errors import DataError, SpecError
from ..classes import two_classes

LABELS = ("policy", "usual", "ordinal")


@dataclass(frozen=True)
class Targets:
    """``rows`` of the training texts that are used; ``above`` [n_rows, n_steps] says above which steps each stands.

    One step where two classes are learnt. ``step`` is that of the policy, ``classes`` the two labels as given.
    """

    rows: tuple[int, ...]
    above: NDArray[np.bool_]
    steps: tuple[str, ...]
    step: int
    classes: NDArray[Any]


def check_labels(name: str, labels: str) -> None:
    if labels not in LABELS:
        raise SpecError(f"{name}: labels is one of {', '.join(LABELS)}; got {labels!r}")


def targets(name: str, labels: str, y: Sequence[Any], levels: Sequence[Any] | None) -> Targets:
    """What is learnt of the texts with labels ``y`` (of two numbers the larger is positive) and contribution levels.

    policy: every text, y. usual: people's own texts against those at the level 'task' (where there is none, against all
    positives), as the field trains. ordinal: one step below each level above the lowest (Frank and Hall 2001).
    Raises DataError where that cannot be learnt.
    """
    classes, machine = two_classes(name, y)
    known = read_levels(name, len(machine), levels)
    check_order(name, machine, known)
    if labels == "ordinal":
        return ordinal(name, machine, known, classes)
    rows = usual_rows(machine, known) if labels == "usual" else tuple(range(len(machine)))
    if machine[list(rows)].all():  # positives are left by their own rule
        raise DataError(
            f"{name}: labels='usual' learns people's own texts against machine texts, and none of the {len(machine)} training "
            "texts has the level human; use labels='policy', or add such texts"
        )
    return Targets(rows, machine[list(rows), None], ("positive",), 0, classes)


def read_levels(name: str, n: int, levels: Sequence[Any] | None) -> list[Level | None]:
    if levels is None:
        return [None] * n
    if len(levels) != n:
        raise DataError(
            f"{name}: {n} texts and {len(levels)} levels; one level for each text is needed (None: unknown)"
        )
    return [level if level is None or isinstance(level, Level) else Level.read(level) for level in levels]


def check_order(name: str, machine: NDArray[np.bool_], levels: Sequence[Level | None]) -> None:
    """A boundary cuts the scale once: no negative text stands above a positive one."""
    highest = max((level for level, up in zip(levels, machine, strict=True) if level and not up), default=None)
    lowest = min((level for level, up in zip(levels, machine, strict=True) if level and up), default=None)
    if highest is not None and lowest is not None and highest >= lowest:
        raise DataError(
            f"{name}: a text of the level {highest} is labelled negative and one of {lowest} positive, which no boundary "
            "does: are the labels swapped?"
        )


def usual_rows(machine: NDArray[np.bool_], levels: Sequence[Level | None]) -> tuple[int, ...]:
    typical = (None, Level.TASK)
    some = any(up and level in typical for level, up in zip(levels, machine, strict=True))
    return tuple(
        i
        for i, (level, up) in enumerate(zip(levels, machine, strict=True))
        if (up and (not some or level in typical)) or (not up and level in (None, Level.HUMAN))
    )


def ordinal(name: str, machine: NDArray[np.bool_], levels: Sequence[Level | None], classes: NDArray[Any]) -> Targets:
    if None in levels:
        raise DataError(
            f"{name}: labels='ordinal' learns the level, and {sum(level is None for level in levels)} of {len(levels)} "
            "training texts have none; use labels='policy', or texts with levels"
        )
    orders = np.array([level.order for level in levels if level])
    present = sorted({level for level in levels if level})
    above = np.column_stack([orders >= level.order for level in present[1:]])
    lowest_positive = int(orders[machine].min())
    step = next(i for i, level in enumerate(present[1:]) if level.order >= lowest_positive)
    return Targets(tuple(range(len(orders))), above, tuple(level.value for level in present[1:]), step, classes)


def counts(y: NDArray[np.bool_], levels: Sequence[Level | None], corpora: Sequence[str] | None) -> Mapping[str, Any]:
    """What a card tells of the texts that were learnt from."""
    return {
        "negative": int((~y).sum()),
        "positive": int(y.sum()),
        "levels": dict(sorted(Counter(level.value if level else "unknown" for level in levels).items())),
        "corpora": dict(sorted(Counter(corpora or ()).items())),
    }
