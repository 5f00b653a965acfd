"""LIME: a linear model of the score around one text. Ribeiro, Singh and Guestrin 2016, sections 3.3 and 3.4.

Masked copies of the text are scored; a ridge regression on which parts were kept, weighted by how near a copy is to the text,
gives each part a weight. Sampling, kernel and ridge are those of the authors' package (0.2.0.1), where the paper leaves them
open: the number of parts taken out is uniform on 1..d, D is the cosine distance of the vectors of kept parts, the kernel is
exp(-D^2 / (2 width^2)) with width .25, the ridge penalty is 1. The paper's K-LASSO selection is left out: every part keeps its
weight. Not the package's: blanks after a word go with it, each copy is scored once, and copies without a score are left out and
counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..detectors.judging import name_of
from ..errors import DataError, SpecError
from ..seeds import numpy_rng
from .asking import Asked, judged
from .parts import Explanation, Masks, Part, cut, masked

WIDTH, PENALTY = 0.25, 1.0
FEWEST = 10
"""Fewer scored copies than this give no regression."""
Floats = NDArray[np.float64]


def lime(
    text: str,
    detector: Any,
    *,
    by: str = "auto",
    samples: int = 200,
    seeds: int = 5,
    seed: int = 0,
    mask: str = "",
    most: int = 150,
) -> Explanation:
    """Weights of the text's parts (``by``, ``most``: see ``parts.cut``): the mean over ``seeds`` runs of ``samples`` copies
    each, with the 95% interval of that mean (Student's t over the runs): how far another run may lie, not how true the linear
    model is. ``facts`` holds R2 of the local fit, its lowest and highest.

    Works on any detector, texts -> floats. Raises DataError where too few copies get a score, SpecError for wrong settings.
    """
    check(samples, seeds)
    parts = cut(text, by, most)
    if len(parts) < 2:
        raise DataError(f"LIME needs a text of two parts, this one has {len(parts)}; give a longer text, or by='place'")
    asked, score = Asked(detector), judged(detector, text).score
    runs = [one_run(text, parts, asked, samples, numpy_rng("lime", text, seed, i), mask) for i in range(seeds)]
    weights = np.array([run[0] for run in runs])
    found = tuple(Part(part.name, part.spans, *interval(column)) for part, column in zip(parts, weights.T, strict=True))
    fits = [run[2] for run in runs]
    facts = {
        "R2 of the local fit, mean": float(np.mean(fits)),
        "R2, lowest and highest": (min(fits), max(fits)),
        "runs": seeds,
        "copies a run": samples,
        "copies left out": int(sum(run[3] for run in runs)),
    }
    notes = (asked.silence,) if asked.silence else ()
    base = float(np.mean([run[1] for run in runs]))
    return Explanation("lime", name_of(detector), score, base, found, asked.calls, facts, notes)


def check(samples: int, seeds: int) -> None:
    if not isinstance(samples, int) or samples < FEWEST:
        raise SpecError(f"lime: samples is a whole number of copies from {FEWEST}, got {samples!r}")
    if not isinstance(seeds, int) or seeds < 1:
        raise SpecError(f"lime: seeds is a whole number of runs from 1 (2 for an interval), got {seeds!r}")


def cost(samples: int = 200, seeds: int = 5) -> int:
    """Texts scored at most, the text itself included."""
    return samples * seeds + 1


def one_run(
    text: str, parts: Sequence[Part], asked: Asked, samples: int, generator: np.random.Generator, mask: str
) -> tuple[Floats, float, float, int]:
    """Weights, intercept, R2, and the copies that got no score."""
    masks = draw(len(parts), samples, generator)
    scores = asked(masked(text, parts, masks, mask))
    known = ~np.isnan(scores)
    if known.sum() < FEWEST or not np.isfinite(scores[known]).all():
        raise DataError(
            f"only {int(known.sum())} of {samples} masked copies got a finite score ({asked.silence or 'infinite scores'}); give "
            "a longer text, more samples, or a mask that keeps its length such as mask='...'"
        )
    fit = local_fit(masks[known], scores[known])
    return (*fit, int((~known).sum()))


def draw(parts: int, samples: int, generator: np.random.Generator) -> Masks:
    """Rows of kept parts; the first keeps all, in each other a uniform number of 1..d is taken out at random."""
    masks: Masks = np.ones((samples, parts), np.bool_)
    for row, gone in zip(masks[1:], generator.integers(1, parts + 1, samples - 1), strict=True):
        row[generator.choice(parts, gone, replace=False)] = False
    return masks


def local_fit(masks: Masks, scores: Floats) -> tuple[Floats, float, float]:
    """(weights, intercept, weighted R2) of the ridge regression around the whole text."""
    from sklearn.linear_model import Ridge

    kept = masks.astype(np.float64)
    near = kernel(masks)
    model = Ridge(alpha=PENALTY).fit(kept, scores, sample_weight=near)
    centred = scores - np.average(scores, weights=near)
    spread = float(near @ centred**2)
    fit = 1 - float(near @ (scores - model.predict(kept)) ** 2) / spread if spread > 0 else nan
    return np.asarray(model.coef_, np.float64), float(model.intercept_), fit


def kernel(masks: Masks) -> Floats:
    """exp(-D^2 / (2 width^2)); D = 1 - cosine to the vector of ones = 1 - sqrt(share of parts kept), 1 where none is kept."""
    return np.asarray(np.exp(-((1 - np.sqrt(masks.mean(axis=1))) ** 2) / (2 * WIDTH**2)), np.float64)


def interval(values: Floats) -> tuple[float, float, float]:
    """Mean, and the 95% interval of the mean over the runs; NaN bounds for a single one."""
    from scipy.stats import t

    mean, n = float(values.mean()), len(values)
    if n < 2:
        return mean, nan, nan
    half = float(t.ppf(0.975, n - 1)) * float(values.std(ddof=1)) / sqrt(n)
    return mean, mean - half, mean + half
