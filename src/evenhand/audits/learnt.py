"""What the detectors of a run with an evaluation learnt from, as the run folder tells it."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from .. import evaluations
from ..errors import SpecError
from .rows import Settings

Told = Callable[[str], str]
"""A fold, or the group that it tests -> what its detectors learnt from, in a word."""


def told_by_evaluation(spec: str, settings: Settings) -> Told | None:
    """Of a column of scores that folds share, as their evaluation tells it; None for any other column."""
    if spec not in settings.environment.get("folds", {}):
        return None
    training = settings.about(spec).get("training") or {}
    try:
        return cast(Told, evaluations.get(str(training.get("evaluation"))).learnt_from)
    except SpecError:  # a plug-in that is not installed here
        return lambda _: "other texts"
