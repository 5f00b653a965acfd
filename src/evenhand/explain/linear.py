"""Linear learners: the exact share of every input in a score, and the largest coefficients. IDMGSP, section 4.4.1, figure 5a."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..detectors.judging import name_of
from ..detectors.trained.base import Learner
from ..detectors.trained.tfidf import LIGATURES, STOP_WORDS, WORDS, Tfidf
from ..detectors.trained.weights import COEFFICIENT, Weights, unwrapped, weights_of
from ..errors import DataError
from .asking import judged
from .parts import Explanation, Part

Spans = tuple[tuple[int, int], ...]
TOLERANCE = 1e-6
"""Relative to the largest share: more than this between score and sum is no rounding."""


def coefficients(text: str, detector: Any) -> Explanation:
    """What every input adds to this text's score: coefficient times input, exact; ``base`` is the intercept.

    Words are found in the text, so that the page can colour them; other inputs (statistics of tokens) have no place in it.
    Raises DataError for a detector that is not linear, and where the shares do not add up to the score.
    """
    held = linear_weights(detector)
    learner: Learner = unwrapped(detector)
    score = judged(detector, text).score
    inputs = inputs_of(learner, text)
    used = np.flatnonzero(inputs)
    places = places_of(learner, text, [held.names[i] for i in used])
    parts = tuple(
        Part(held.names[i], places.get(held.names[i], ()), float(held.values[i] * inputs[i]), value=float(inputs[i]))
        for i in used
    )
    found = Explanation("coefficients", name_of(detector), score, held.intercept, parts, 1)
    largest = max((abs(part.weight) for part in parts), default=1.0)
    if abs(found.sum - score) > TOLERANCE * max(largest, abs(score), 1.0):
        raise DataError(f"{name_of(detector)}: the shares sum to {found.sum}, its score is {score}: it is not linear")
    notes = () if places or not parts else ("The inputs are no words of the text, so it is not coloured.",)
    facts = {
        "inputs of the model": len(held.names),
        "of them in this text": len(parts),
        "sum less score": found.sum - score,
    }
    return replace(found, facts=facts, notes=notes)


def linear_weights(detector: Any) -> Weights:
    held = weights_of(detector)
    if held.kind != COEFFICIENT:
        raise DataError(f"{name_of(detector)} has no coefficients but {held.kind}s; use importances, lime or shap")
    return held


def top_coefficients(detector: Any, k: int = 10) -> list[tuple[str, float]]:
    """The ``k`` largest and the ``k`` smallest coefficients of the model, largest first."""
    return linear_weights(detector).heaviest(k)


def inputs_of(learner: Learner, text: str) -> np.ndarray:
    """The numbers that the head sees, shape (n_inputs,)."""
    readings, reasons = learner.read([text])
    if reasons[0]:
        raise DataError(f"{learner.spec} cannot read this text: {reasons[0]}")
    numbers = learner.numbers(readings)
    found: np.ndarray = np.asarray(numbers.toarray() if hasattr(numbers, "toarray") else numbers, np.float64)[0]
    return found


def places_of(learner: Learner, text: str, terms: Sequence[str]) -> dict[str, Spans]:
    """Where each term of a TF-IDF learner stands in the text as given; empty where they cannot be found again."""
    if not isinstance(learner, Tfidf):
        return {}
    tokens = located(learner, text)
    if [token for token, _ in tokens] != learner.fitted("reader_").build_tokenizer()(learner.prepared(text).lower()):
        return {}
    low, high = learner.ngrams
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for n in range(low, high + 1):
        for start in range(len(tokens) - n + 1):
            run = tokens[start : start + n]
            found[" ".join(token for token, _ in run)].append((run[0][1][0], run[-1][1][1]))
    return {term: tuple(found[term]) for term in terms if term in found}


def located(learner: Tfidf, text: str) -> list[tuple[str, tuple[int, int]]]:
    """The vectorizer's tokens with their characters, of the text before its preprocessing."""
    cut = learner.fitted("reader_").build_tokenizer()
    if learner.preprocessing == "none":
        token = re.compile(learner.fitted("reader_").token_pattern)
        return [(match[0].lower(), match.span()) for match in token.finditer(text)]
    pieces = [(LIGATURES.sub("", match[0]).lower(), match.span()) for match in WORDS.finditer(text)]
    return [(token, span) for piece, span in pieces if piece not in STOP_WORDS for token in cut(piece)]
