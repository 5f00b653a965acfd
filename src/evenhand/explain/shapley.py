"""Shapley values of a text's parts: what each adds to the score, averaged over the orders in which parts are put back.

By the permutation explainer of the package shap (Lundberg and Lee 2017), which walks random orders forwards and backwards, so
that the values add up to f(text) - f(base) whatever the number of orders. The base is the text with every part masked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import factorial, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..detectors.judging import name_of
from ..errors import DataError, MissingExtra, SpecError
from ..seeds import seed_of
from .asking import Asked, judged
from .local_linear import interval
from .parts import Explanation, Masks, Part, cut, masked

Floats = NDArray[np.float64]
MASK = "..."
"""What stands for a masked part: the text keeps its number of words, so that detectors which abstain on short texts answer."""
EXACT = 10
"""Up to so many parts all subsets are scored and the values are exact."""


def shap(
    text: str,
    detector: Any,
    *,
    by: str = "auto",
    orders: int = 1,
    seeds: int = 5,
    seed: int = 0,
    mask: str = MASK,
    most: int = 150,
) -> Explanation:
    """Shapley values of the parts (``by``, ``most``: see ``parts.cut``): the mean over ``seeds`` runs of ``orders`` orders,
    each walked both ways, with the 95% interval of that mean. Up to 10 parts they are exact (all subsets). ``facts`` holds
    how far the sum of the values is from f(text) - f(base).

    Works on any detector that scores every masked text. Raises DataError where one gets no score, MissingExtra without shap.
    """
    for name, value in (("orders", orders), ("seeds", seeds)):
        if not isinstance(value, int) or value < 1:
            raise SpecError(f"shap: {name} is a whole number from 1, got {value!r}")
    parts = cut(text, by, most)
    if not parts:
        raise DataError("SHAP needs a text with a word")
    asked, score = Asked(detector), judged(detector, text).score

    def scored(masks: Masks) -> Floats:
        return complete(asked, masked(text, parts, masks, mask))

    base = float(scored(np.zeros((1, len(parts)), np.bool_))[0])
    if len(parts) <= EXACT:
        found = [(float(v), nan, nan) for v in exact_values(scored, len(parts))]
        how: dict[str, Any] = {"orders": "all: exact"}
    else:
        runs = np.array([permuted(scored, len(parts), orders, seed_of("shap", text, seed, i)) for i in range(seeds)])
        found, how = [interval(column) for column in runs.T], {"runs": seeds, "orders a run, both ways": orders}
    gap = base + sum(value[0] for value in found) - score
    facts = {**how, "base": f"every part replaced by {mask!r}", "sum less f(text) - f(base)": gap}
    made = tuple(Part(part.name, part.spans, *value) for part, value in zip(parts, found, strict=True))
    return Explanation("shap", name_of(detector), score, base, made, asked.calls, facts)


def cost(parts: int, orders: int = 1, seeds: int = 5) -> int:
    """Texts scored at most, the text itself included."""
    return 2**parts + 1 if parts <= EXACT else seeds * orders * 2 * (parts + 1) + 2


def complete(asked: Asked, texts: Sequence[str]) -> Floats:
    scores = asked(texts)
    if not np.isfinite(scores).all():
        raise DataError(
            f"SHAP needs a score of every masked copy ({asked.silence or 'infinite scores'}); give a longer text or another "
            "mask, or use lime, which leaves such copies out"
        )
    return scores


def exact_values(scored: Callable[[Masks], Floats], parts: int) -> Floats:
    """From all 2^n subsets: sum over S without i of |S|! (n-|S|-1)! / n! (f(S+i) - f(S)). Shapley 1953."""
    subsets = [frozenset(s) for size in range(parts + 1) for s in combinations(range(parts), size)]
    scores = dict(zip(subsets, scored(np.array([[i in s for i in range(parts)] for s in subsets])), strict=True))
    weight = [factorial(size) * factorial(parts - size - 1) / factorial(parts) for size in range(parts)]
    return np.array([
        sum(weight[len(s)] * (scores[s | {i}] - scores[s]) for s in subsets if i not in s) for i in range(parts)
    ])  # fmt: skip


def permuted(scored: Callable[[Masks], Floats], parts: int, orders: int, seed: int) -> Floats:
    """The package's values over the vector of kept parts; its masker sets parts to 0, which ``scored`` turns into text."""
    try:
        import shap as package
    except ModuleNotFoundError as error:
        raise MissingExtra("shap", "explain") from error

    explainer = package.explainers.Permutation(
        lambda rows: scored(np.asarray(rows) > 0.5),
        package.maskers.Independent(np.zeros((1, parts))),
        seed=seed % 2**32,
    )
    told = explainer(np.ones((1, parts)), max_evals=orders * (2 * parts + 1), silent=True)
    return np.asarray(told.values[0], np.float64)
