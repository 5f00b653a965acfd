"""Ghostbuster's expressions: a walk over vectors of token probabilities that ends in one number.

``u v-sub d v-div u s-avg-top-25`` reads from left to right: (u - d) / u, then the mean of its 25 largest values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import SpecError

Series = NDArray[Any]
Vectors = Mapping[str, Series]
"""Probabilities of a text's tokens, shape (T,), by the letter of the model that gives them."""

NAMES: Mapping[str, str] = {
    "u": "u", "g": "g", "a": "a", "d": "d",
    "unigram-logprobs": "u", "trigram-logprobs": "g", "ada-logprobs": "a", "davinci-logprobs": "d",
}  # fmt: skip
"""The authors' files call the vectors logprobs; they are probabilities."""
ORDER = ("d", "a", "g", "u")
"""Of two vectors the later is joined to the earlier, since a + b and b + a are one; division goes both ways."""
TOP = 25


def divided(a: Series, b: Series) -> Series:
    """0 where b is 0. What a comparison left (0 or 1) stays so, because the authors' code divides in place of its array."""
    quotient = np.divide(a, b, out=np.zeros(np.shape(a)), where=b != 0)
    return quotient != 0 if a.dtype == np.bool_ else quotient


def top_mean(x: Series) -> Series:
    kept = min(TOP, x.shape[-1])
    return np.asarray(np.partition(x, -kept, axis=-1)[..., -kept:].mean(axis=-1))


OPERATIONS: Mapping[str, Any] = {
    "v-add": lambda a, b: a + b,
    "v-sub": lambda a, b: a - b,
    "v-mul": lambda a, b: a * b,
    "v-div": divided,
    "v->": lambda a, b: a > b,
    "v-<": lambda a, b: a < b,
}
SCALARS: Mapping[str, Any] = {
    "s-max": lambda x: x.max(axis=-1),
    "s-min": lambda x: x.min(axis=-1),
    "s-avg": lambda x: x.mean(axis=-1),
    "s-avg-top-25": top_mean,
    "s-len": lambda x: np.full(x.shape[:-1], float(x.shape[-1])),
    "s-var": lambda x: x.var(axis=-1),
    "s-l2": lambda x: np.sqrt((x**2).sum(axis=-1)),
}
Walk = tuple[str, ...]
"""A vector, then operation and vector in turn."""


@dataclass(frozen=True, order=True)
class Expression:
    walk: Walk
    scalar: str

    @property
    def vectors(self) -> frozenset[str]:
        return frozenset(self.walk[::2])

    def __str__(self) -> str:
        return " ".join((*self.walk, self.scalar))


def parse(text: str) -> Expression:
    """Reads short (u, g, a, d) and the authors' long names; raises SpecError, which says what was expected where."""
    *walk, scalar = text.split() or [""]
    for i, word in enumerate(walk):
        known: Mapping[str, Any] = OPERATIONS if i % 2 else NAMES
        if word not in known:
            raise SpecError(f"expression {text!r}: word {i + 1} is {word!r}, expected one of {', '.join(known)}")
    if scalar not in SCALARS:
        raise SpecError(f"expression {text!r}: it ends in {scalar!r}, expected one of {', '.join(SCALARS)}")
    if len(walk) % 2 == 0:
        raise SpecError(f"expression {text!r}: a vector is expected before {scalar!r}, one of {', '.join(NAMES)}")
    return Expression(tuple(word if i % 2 else NAMES[word] for i, word in enumerate(walk)), scalar)


def every(names: Sequence[str], depth: int) -> list[Expression]:
    """All expressions of up to ``depth`` vectors; the length, which is the same of every walk, once.

    With the four vectors and depth 3 there are 2,173 (2,534 with each walk's own length, as in the authors' code).
    """
    walks = [walk for start in names for walk in grown((start,), names, depth)]
    found = [Expression(walk, scalar) for walk in walks for scalar in SCALARS if scalar != "s-len"]
    return [*found, Expression((names[0],), "s-len")]


def grown(walk: Walk, names: Sequence[str], depth: int) -> Iterator[Walk]:
    yield walk
    if (len(walk) + 1) // 2 < depth:
        for operation in OPERATIONS:
            for name in names:
                if allowed(walk[-1], operation, name):
                    yield from grown((*walk, operation, name), names, depth)


def allowed(last: str, operation: str, name: str) -> bool:
    """Once for each pair, the way that the authors' search goes."""
    return name != last if operation == "v-div" else ORDER.index(name) < ORDER.index(last)


def values(expressions: Sequence[Expression], vectors: Vectors) -> NDArray[np.float64]:
    """Their numbers for one text, shape (n_expressions,); what walks share is walked once."""
    walks = {walk: i for i, walk in enumerate(dict.fromkeys(e.walk for e in expressions))}
    made: dict[Walk, Series] = {}
    rows = np.array([walked(walk, vectors, made) for walk in walks], np.float64)
    wanted = {scalar: SCALARS[scalar](rows) for scalar in dict.fromkeys(e.scalar for e in expressions)}
    return np.array([wanted[e.scalar][walks[e.walk]] for e in expressions], np.float64)


def walked(walk: Walk, vectors: Vectors, made: dict[Walk, Series]) -> Series:
    if len(walk) == 1:
        return vectors[walk[0]]
    if walk not in made:
        made[walk] = OPERATIONS[walk[-2]](walked(walk[:-2], vectors, made), vectors[walk[-1]])
    return made[walk]
