"""Conformal p-values: how unusual a score is among human ones (Vovk; Bates et al. 2023 for outliers)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import DataError
from .inputs import FloatArray, as_scores


def conformal_p_values(
    scores: ArrayLike,
    calibration: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    calibration_groups: ArrayLike | None = None,
) -> FloatArray:
    """(1 + human calibration scores at or above s) / (n + 1), for each score s.

    A human text exchangeable with the calibration texts has p <= a with probability at most a: on average over
    calibration samples, not for this one (for that, see ``threshold`` with a confidence). The smallest p is 1 / (n + 1):
    1 % needs 99 texts. With both ``groups`` each text is compared to its own group only (Mondrian), and the promise holds
    in every group; a group without calibration texts gets p = 1. For a class of essays at once apply
    ``benjamini_hochberg``. Raises DataError on NaN or an empty calibration sample.
    """
    new, human = as_scores(scores, "scores"), as_scores(calibration, "calibration")
    if groups is None and calibration_groups is None:
        return _p(new, human)
    if groups is None or calibration_groups is None:
        raise DataError("groups are given on one side only; pass both groups and calibration_groups")
    mine, theirs = np.asarray(groups), np.asarray(calibration_groups)
    if mine.shape != new.shape or theirs.shape != human.shape:
        raise DataError("groups: pass one group for each score and one for each calibration score")
    p = np.ones(len(new))
    for group in np.unique(mine):
        p[mine == group] = _p(new[mine == group], human[theirs == group])
    return p


def _p(new: FloatArray, human: FloatArray) -> FloatArray:
    at_or_above = len(human) - np.searchsorted(np.sort(human), new, "left")
    p: FloatArray = (1 + at_or_above) / (len(human) + 1)
    return p
