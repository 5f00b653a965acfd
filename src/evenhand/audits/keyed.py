"""What each text is told to be under a key: a column of the documents, or an entry of their meta."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from .rows import Rows

Words = npt.NDArray[Any]


def told(rows: Rows, key: str) -> Words:
    """One word a row, '' where nothing is told. Raises DataError, which lists the keys, where no row has this one."""
    if key in rows.columns:
        return rows[key]
    found = np.array([word(meta, key) for meta in rows.meta], object)
    if len(found) and not (found != "").any():
        known = sorted({*rows.columns, *(name for meta in rows.meta for name in meta)})
        raise DataError(f"no text of this run is told its {key!r}; by= is one of: {', '.join(known)}")
    return found


def value(meta: Mapping[str, str], key: str) -> Any:
    """An entry of ``meta``, which holds JSON texts; None where it is not told."""
    try:
        return json.loads(meta[key]) if key in meta else None
    except ValueError:
        return meta[key]


def word(meta: Mapping[str, str], key: str) -> str:
    """The same as a word, '' where it is not told."""
    found = value(meta, key)
    return "" if found is None else str(found)


def spread(rows: Rows, words: Words) -> Words:
    """The same, with texts that are told nothing under the word of their cluster, where all its told texts agree."""
    of_cluster: dict[int, set[str]] = {}
    for cluster, one in zip(rows.clusters, words, strict=True):
        if one:
            of_cluster.setdefault(int(cluster), set()).add(one)
    agreed = {cluster: next(iter(some)) for cluster, some in of_cluster.items() if len(some) == 1}
    return np.array([one or agreed.get(int(c), "") for c, one in zip(rows.clusters, words, strict=True)], object)
