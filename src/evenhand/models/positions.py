"""Statistics of blocks of logits: each block is reduced where it stands, and nothing of size [T, V] is ever made.

All sums run in float32 on log-probabilities of float32, whatever the model's type; the second moment is centred.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from .statistics import Draw, Request
from .weights import import_torch

Columns = dict[str, list[np.ndarray]]

TILE = 2
"""Rows reduced at a time on a processor: 2 x 49,152 logits and their exponentials fit its second-level cache."""


class Reducer:
    """Takes blocks of logits of one text, in order; gives the columns of its TokenStatistics."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.columns: Columns = defaultdict(list)
        torch = import_torch()
        self.generators = {draw: torch.Generator().manual_seed(draw.seed) for draw in request.draws}
        self.sums: dict[Draw, np.ndarray] = {}

    def add(self, logits: Any, ids: Any, reference: Any = None) -> None:
        """``logits`` [B, V] (overwritten), ``ids`` [B] the tokens that followed, ``reference`` [B, V] the other model's."""
        log_p = self._own(logits, ids)
        log_q = log_p
        if reference is not None:
            log_q = log_softmax_(reference.float())
            self._cross(log_p, log_q, ids)
        if self.request.top_k:
            self._keep(top_k=log_p.topk(min(self.request.top_k, log_p.shape[-1])).values)
        for draw, generator in self.generators.items():
            self._draw(draw, generator, log_p, log_q)

    def _own(self, logits: Any, ids: Any) -> Any:
        """The plain statistics, in tiles of rows that stay in the processor's cache; ``logits`` become log p."""
        logits = logits.float()
        for tile in blocks(len(logits), TILE if logits.device.type == "cpu" else len(logits)):
            self._keep(**moments_(logits[tile], ids[tile]))
        return logits

    def _cross(self, log_p: Any, log_q: Any, ids: Any) -> None:
        q = log_q.exp()
        mean = dot(q, log_p)
        variance = dot(q, (log_p - mean[:, None]).square_())
        token = log_q.gather(-1, ids[:, None])[:, 0]
        self._keep(
            cross_entropy=-mean,
            cross_variance=variance,
            cross_entropy_back=-dot(log_p.exp(), log_q),
            reference_log_prob=token,
        )

    def _draw(self, draw: Draw, generator: Any, log_p: Any, log_q: Any) -> None:
        """Draws run over the positions in order, so that the blocks do not change them."""
        chosen = log_q.exp().cpu().multinomial(draw.n, replacement=True, generator=generator)
        values = log_p.cpu().gather(-1, chosen).numpy()
        if draw.keep == "path":
            self.columns[str(draw)].append(np.ascontiguousarray(values))
        else:
            self.sums[draw] = self.sums.get(draw, 0.0) + values.sum(0, dtype=np.float64)

    def _keep(self, **columns: Any) -> None:
        for name, values in columns.items():
            self.columns[name].append(values.cpu().numpy() if hasattr(values, "cpu") else values)

    def column(self, name: str) -> np.ndarray | None:
        return np.concatenate(self.columns[name]) if self.columns.get(name) else None

    def drawn(self) -> dict[Draw, np.ndarray]:
        """Paths as [n, T], sums as [n]."""
        paths = {draw: self.column(str(draw)) for draw in self.request.draws if draw.keep == "path"}
        return {**{d: v.T.astype(np.float32) for d, v in paths.items() if v is not None}, **self.sums}


def moments_(z: Any, ids: Any) -> dict[str, Any]:
    """Log-probability, rank, entropy, variance and top-1 of a tile [R, V], which becomes log p in place.

    One exponential a logit. The mean is taken off before the second moment, so that nothing cancels.
    """
    torch = import_torch()
    own = z.gather(-1, ids[:, None])
    rank = count_larger(z, own) + 1
    top = z.amax(-1, keepdim=True)
    z -= top
    weight = z.exp()
    total = weight.sum(-1)
    mean = torch.linalg.vecdot(weight, z) / total
    if not bool(torch.isfinite(mean).all()):  # a logit of -inf: its weight is 0, and 0 times -inf is 0 here
        return moments_of_finite(z, weight, total, own - top, rank)
    z -= mean[:, None]
    weight *= z
    variance = torch.linalg.vecdot(weight, z) / total
    log_total = total.log()
    z += (mean - log_total)[:, None]
    return {
        "log_prob": (own - top)[:, 0] - log_total,
        "rank": rank,
        "entropy": log_total - mean,
        "variance": variance,
        "top1": -log_total,
    }


def moments_of_finite(z: Any, weight: Any, total: Any, own: Any, rank: Any) -> dict[str, Any]:
    torch = import_torch()
    finite = torch.where(weight == 0, 0.0, z)
    mean = torch.linalg.vecdot(weight, finite) / total
    variance = torch.linalg.vecdot(weight, (finite - mean[:, None]).square_()) / total
    log_total = total.log()
    z -= log_total[:, None]
    return {
        "log_prob": own[:, 0] - log_total,
        "rank": rank,
        "entropy": log_total - mean,
        "variance": variance,
        "top1": -log_total,
    }


def log_softmax_(logits: Any) -> Any:
    """In place, float32 [B, V]; the largest value is taken off first."""
    logits -= logits.amax(-1, keepdim=True)
    logits -= logits.exp().sum(-1, keepdim=True).log_()
    return logits


def dot(p: Any, values: Any) -> Any:
    """sum p v over the vocabulary, 0 where p is 0 (even against -inf): [B]."""
    torch = import_torch()
    product = torch.linalg.vecdot(p, values)
    if not bool(torch.isfinite(product).all()):
        product = torch.where(p == 0, 0.0, p * values).sum(-1)
    return product


def count_larger(logits: Any, own: Any) -> Any:
    """How many logits are larger than the text's own token's: [B]. Counted, not sorted; ties count as better."""
    if logits.device.type != "cpu":
        return (logits > own).sum(-1)
    rows = zip(logits.numpy(), own.numpy(), strict=True)
    return np.fromiter((np.count_nonzero(row > value) for row, value in rows), np.int64, len(logits))


def blocks(n: int, size: int) -> Iterable[slice]:
    return (slice(start, min(start + size, n)) for start in range(0, n, size))
