"""Ghostbuster's weak models: a Kneser-Ney unigram, and a trigram that backs off to a bigram and then to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]
WIDEST = 2_000_000
"""Tokens of a vocabulary whose triples fit 64 bits."""


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each key was seen; ``keys`` rise."""

    keys: Ids
    values: Ids

    @classmethod
    def of_all(cls, seen: Ids, weights: Ids | None = None) -> Counts:
        """Occurrences, or with ``weights`` their sums."""
        keys, place = np.unique(seen, return_inverse=True)
        sums = np.bincount(place.ravel(), weights, minlength=len(keys))
        return cls(keys.astype(np.int64), sums.astype(np.int64))

    def of(self, wanted: Ids) -> Ids:
        """0 where a key was never seen."""
        if not len(self.keys):
            return np.zeros(len(wanted), np.int64)
        place = np.searchsorted(self.keys, wanted).clip(max=len(self.keys) - 1)
        return np.where(self.keys[place] == wanted, self.values[place], 0)


@dataclass(frozen=True, eq=False)
class Order:
    """What one order of the model needs: n-grams, and of their contexts the occurrences and the kinds that follow."""

    grams: Counts
    base: int

    @cached_property
    def totals(self) -> Counts:
        return Counts.of_all(self.grams.keys // self.base, self.grams.values)

    @cached_property
    def kinds(self) -> Counts:
        return Counts.of_all(self.grams.keys // self.base)

    def probability(self, context: Ids, gram: Ids, discount: float, lower: Floats) -> Floats:
        """(max(c - discount, 0) + discount * kinds * lower) / total; the lower order where the context was never seen."""
        total = self.totals.of(context)
        own = np.maximum(self.grams.of(gram) - discount, 0) + discount * self.kinds.of(context) * lower
        return np.where(total > 0, own / np.maximum(total, 1), lower)


@dataclass(frozen=True, eq=False)
class NGrams:
    """Kneser-Ney: the unigram is the share of the kinds of pairs that end in the word, 1/V where none does.

    Texts are learnt each by itself, without marks of their start, so that a first token's context is one never seen.
    """

    vocabulary: int
    discount: float
    pairs: Counts
    triples: Counts

    @classmethod
    def learn(cls, texts: Sequence[NDArray[np.integer]], vocabulary: int, discount: float = 0.9) -> NGrams:
        """From the token ids of texts; raises DataError where no text has three tokens."""
        if vocabulary > WIDEST:
            raise DataError(f"a vocabulary of {vocabulary} tokens is beyond the {WIDEST} that n-grams are counted for")
        base, ids = vocabulary + 1, [np.asarray(text, np.int64) for text in texts]
        if not any(len(text) > 2 for text in ids):
            raise DataError(f"n-grams are learnt from human texts, and of the {len(ids)} none has three tokens")
        pairs = np.concatenate([text[:-1] * base + text[1:] for text in ids])
        triples = np.concatenate([(text[:-2] * base + text[1:-1]) * base + text[2:] for text in ids])
        return cls(vocabulary, discount, Counts.of_all(pairs), Counts.of_all(triples))

    @property
    def base(self) -> int:
        return self.vocabulary + 1

    @cached_property
    def endings(self) -> Counts:
        return Counts.of_all(self.pairs.keys % self.base)

    @cached_property
    def orders(self) -> tuple[Order, Order]:
        return Order(self.pairs, self.base), Order(self.triples, self.base)

    def unigram(self, ids: NDArray[np.integer]) -> Floats:
        """P(token), shape (T,)."""
        kinds = self.endings.of(np.asarray(ids, np.int64))
        return np.where(kinds > 0, kinds / len(self.pairs.keys), 1 / self.vocabulary)

    def trigram(self, ids: NDArray[np.integer]) -> Floats:
        """P(token | the two before it), shape (T,); before the first stands a mark that no text holds."""
        start = np.full(2, self.vocabulary, np.int64)
        two, one, own = (np.concatenate([start, ids])[i : len(ids) + i] for i in range(3))
        second, third = self.orders
        lower = second.probability(one, one * self.base + own, self.discount, self.unigram(own))
        context = two * self.base + one
        return third.probability(context, context * self.base + own, self.discount, lower)

    # a file without pickle

    def save(self, file: Path) -> None:
        parts = {f"{name}.{part}": getattr(getattr(self, name), part) for name in PARTS for part in ("keys", "values")}
        np.savez_compressed(file, vocabulary=self.vocabulary, discount=self.discount, **parts)

    @classmethod
    def load(cls, file: Path) -> NGrams:
        try:
            with np.load(file, allow_pickle=False) as kept:
                made = (Counts(kept[f"{name}.keys"], kept[f"{name}.values"]) for name in PARTS)
                return cls(int(kept["vocabulary"]), float(kept["discount"]), *made)
        except (OSError, ValueError, KeyError) as error:
            raise DataError(f"{file} cannot be read as n-grams: {error}; save the detector anew") from None


PARTS = ("pairs", "triples")
