"""Texts that share wording: MinHash (Broder 1997) over shingles of eight words, then checked exactly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from ..errors import SpecError
from ..seeds import numpy_rng
from .normal import normal_words

Hashes = NDArray[np.uint64]
SHINGLE, HASHES, CROWD = 8, 128, 64
"""Words a shingle; hash functions; how many texts may share one minimum before only neighbours are compared (boilerplate
that hundreds of texts share would make every pair a candidate)."""


def near_duplicates(texts: Sequence[str], share: float = 0.1) -> list[tuple[int, int, float]]:
    """(i, j, overlap), i < j, for pairs that share at least ``share`` of the shorter one's shingles; exact copies are 1.0.

    A pair is looked at when one of 128 minima is equal: a pair of Jaccard similarity s is missed with probability
    (1 - s)^128, 0.1% at s = .05. Texts of fewer than eight words have no shingle and are never near another. Raises SpecError
    for a share that no pair, or every pair, has.
    """
    if not 0 < share <= 1:
        raise SpecError(f"the part of the wording that makes near-duplicates lies above 0 and up to 1, got {share}")
    sets = [shingles(text) for text in texts]
    found = [(i, j, overlap(sets[i], sets[j])) for i, j in sorted(candidates(sets))]
    return [(i, j, value) for i, j, value in found if value >= share]


def shingles(text: str) -> Hashes:
    """The distinct hashes of all runs of eight words, sorted; case and punctuation ignored."""
    words = np.array([_word_hash(word) for word in normal_words(text)], np.uint64)
    count = len(words) - SHINGLE + 1
    if count < 1:
        return np.empty(0, np.uint64)
    total = np.zeros(count, np.uint64)
    for place in range(SHINGLE):
        total = _mix(total ^ words[place : place + count])
    return np.unique(total)


def overlap(a: Hashes, b: Hashes) -> float:
    """The share of the smaller set that the other one holds."""
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / min(len(a), len(b)) if len(a) and len(b) else 0.0


def candidates(sets: Sequence[Hashes]) -> set[tuple[int, int]]:
    """Pairs of which one of the minima is equal."""
    rows = [i for i, found in enumerate(sets) if len(found)]
    if len(rows) < 2:
        return set()
    joined, starts = np.concatenate([sets[i] for i in rows]), np.cumsum([0, *(len(sets[i]) for i in rows[:-1])])
    pairs: set[tuple[int, int]] = set()
    for salt in numpy_rng("minhash", SHINGLE, HASHES).integers(0, 1 << 63, HASHES, dtype=np.uint64):
        minima = np.minimum.reduceat(_mix(joined ^ salt), starts)
        pairs.update((rows[a], rows[b]) for a, b in _equal(minima.tolist()))
    return pairs


def _equal(values: Iterable[int]) -> Iterator[tuple[int, int]]:
    groups: dict[int, list[int]] = defaultdict(list)
    for place, value in enumerate(values):
        groups[value].append(place)
    for group in groups.values():
        if len(group) > CROWD:
            yield from pairwise(group)
        elif len(group) > 1:
            yield from combinations(group, 2)


def _word_hash(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _mix(values: Hashes) -> Hashes:
    """The finalizer of splitmix64 (Steele, Lea and Flood 2014): every bit depends on every bit."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
