"""A score beside the threshold and the human texts of a run folder."""

from __future__ import annotations

from os import PathLike

import numpy as np

from ..audits.rows import Settings, read_rows
from ..audits.standing import Standing, place
from ..documents import digest
from ..errors import DataError
from ..store import Store

__all__ = ["Standing", "standing"]


def standing(run: Store | str | PathLike[str], detector: str, score: float, text: str = "") -> Standing:
    """Where ``score`` stands among the run's human texts (``audits.standing``); where the ``text`` is one of the run's own, its
    cluster is left out of them.

    Raises StoreError where the run holds no scores, DataError where this detector is none of its own.
    """
    store = run if isinstance(run, Store) else Store.existing(run)
    rows, settings = read_rows(store), Settings.of(store.settings())
    if detector not in rows.scores:
        raise DataError(f"{store.folder} holds no scores of {detector!r}; it has: {', '.join(rows.scores)}")
    own = np.flatnonzero(rows["digest"] == digest(text))
    return place(rows, settings, detector, score, without=int(own[0]) if len(own) else None)
