"""Statistics of blocks of logits: each block is reduced where it stands, and nothing of size [T, V] is ever made.

All sums run in float32 on log-probabilities of float32, whatever the model's type; the second moment is centred.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from .statistics import Draw, Request
from .weights import import_torch

Columns = dict[str, list[np.ndarray]]

TILE = 2
"""Rows reduced at a time on a processor: 2 x 49,152 logits and their exponentials fit its second-level cache."""


OWN = {"log_prob": np.float32, "rank": np.int32, "entropy": np.float32, "variance": np.float32, "top1": np.float32}


class Reducer:
    """Takes blocks of logits of one text of ``n`` positions, in order; gives the columns of its TokenStatistics.

    The plain columns are made beforehand: small arrays kept from every tile would lie between the large ones that come and
    go, and the heap of a long text would grow by what can no longer be joined.
    """

    def __init__(self, request: Request, n: int) -> None:
        self.request = request
        self.own = {name: np.empty(n, kind) for name, kind in OWN.items()}
        self.filled = 0
        self.columns: Columns = defaultdict(list)
        torch = import_torch()
        self.generators = {draw: torch.Generator().manual_seed(draw.seed) for draw in request.draws}
        self.sums: dict[Draw, np.ndarray] = {}

    def add(self, logits: Any, ids: Any, reference: Any = None) -> None:
        """``logits`` [B, V] (overwritten), ``ids`` [B] the tokens that followed, ``reference`` [B, V] the other model's."""
        logits = logits.float()
        for tile in blocks(len(logits), TILE if logits.device.type == "cpu" else len(logits)):
            self._fill(moments(logits[tile], ids[tile]))
        if reference is None and self.request == Request():
            return
        log_p = log_q = log_softmax_(logits)
        if reference is not None:
            log_q = log_softmax_(reference.float())
            self._cross(log_p, log_q, ids)
        if self.request.top_k:
            self._keep(top_k=log_p.topk(min(self.request.top_k, log_p.shape[-1])).values)
        for draw, generator in self.generators.items():
            self._draw(draw, generator, log_p, log_q)

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

    def _fill(self, rows: dict[str, Any]) -> None:
        n = len(rows["rank"])
        for name, values in rows.items():
            self.own[name][self.filled : self.filled + n] = values.cpu().numpy() if hasattr(values, "cpu") else values
        self.filled += n

    def _keep(self, **columns: Any) -> None:
        for name, values in columns.items():
            self.columns[name].append(values.cpu().numpy() if hasattr(values, "cpu") else values)

    def column(self, name: str) -> np.ndarray | None:
        if name in self.own:
            return self.own[name]
        return np.concatenate(self.columns[name]) if self.columns.get(name) else None

    def drawn(self) -> dict[Draw, np.ndarray]:
        """Paths as [n, T], sums as [n]."""
        paths = {draw: self.column(str(draw)) for draw in self.request.draws if draw.keep == "path"}
        return {**{d: v.T.astype(np.float32) for d, v in paths.items() if v is not None}, **self.sums}


def moments(logits: Any, ids: Any) -> dict[str, Any]:
    """Log-probability, rank, entropy, variance and top-1 of a tile [R, V], which is only read: one exponential a logit.

    The mean is taken off before the second moment, so that nothing cancels. A logit of -inf has weight 0.
    """
    torch = import_torch()
    own, top = logits.gather(-1, ids[:, None]), logits.amax(-1, keepdim=True)
    rank = count_larger(logits, own) + 1
    shifted, weight = scratch(logits)
    torch.sub(logits, top, out=shifted)
    torch.exp(shifted, out=weight)
    total = weight.sum(-1)
    mean = dots(weight, shifted) / total
    if not math.isfinite(mean.sum().item()):
        shifted.masked_fill_(weight == 0, 0.0)
        mean = dots(weight, shifted) / total
    weight *= shifted.sub_(mean[:, None])
    log_total = total.log()
    return {
        "log_prob": (own - top)[:, 0] - log_total,
        "rank": rank,
        "entropy": log_total - mean,
        "variance": dots(weight, shifted) / total,
        "top1": -log_total,
    }


def scratch(like: Any) -> tuple[Any, Any]:
    """Two tiles to write in; on a processor the same ones again and again, since fresh pages cost more than the sums."""
    if like.device.type != "cpu":
        return like.new_empty(like.shape), like.new_empty(like.shape)
    first, second = _tiles(like.shape[-1])
    return first[: len(like)], second[: len(like)]


@lru_cache(maxsize=2)
def _tiles(width: int) -> tuple[Any, Any]:
    torch = import_torch()
    with torch.inference_mode(False):
        return torch.empty(TILE, width), torch.empty(TILE, width)


def dots(a: Any, b: Any) -> Any:
    """Row by row, [R]; on a processor single products beat the batched one."""
    torch = import_torch()
    if a.device.type != "cpu":
        return torch.linalg.vecdot(a, b)
    return torch.stack([torch.dot(x, y) for x, y in zip(a, b, strict=True)])


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
    rows = zip(logits.numpy(), own[:, 0].tolist(), strict=True)
    return np.array([np.count_nonzero(row > value) for row, value in rows])


def blocks(n: int, size: int) -> Iterable[slice]:
    return (slice(start, min(start + size, n)) for start in range(0, n, size))
