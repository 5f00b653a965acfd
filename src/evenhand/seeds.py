"""A random generator that depends only on what is made: never on the order, the batch or the machine."""

from __future__ import annotations

from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def seed_of(*parts: object) -> int:
    """A 64-bit seed from the printed parts, e.g. ``seed_of(text_digest, spec, seed)``."""
    joined = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(joined, digest_size=8).digest(), "big")


def rng(*parts: object) -> Random:
    """The standard library's generator, seeded by ``seed_of``."""
    return Random(seed_of(*parts))


def numpy_rng(*parts: object) -> np.random.Generator:
    """numpy's generator, seeded by ``seed_of``: for attacks that draw once per character."""
    import numpy as np

    return np.random.default_rng(seed_of(*parts))
