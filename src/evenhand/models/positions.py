"""Statistics of blocks of logits: each block is reduced where it stands, and nothing of size [T, V] is ever made.

All sums run in float32 on log-probabilities of float32, whatever the model's type; the second moment is centred.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from .pieces import piece_moments
from .rows import Moments, moments_of_row, scratch
from .statistics import Draw, Pieces, Request
from .weights import import_torch

Columns = dict[str, list[np.ndarray]]

OWN = {name: np.int32 if name == "rank" else np.float32 for name in Moments._fields}


class Reducer:
    """Takes blocks of logits of one text of ``n`` positions, in order; gives the columns of its TokenStatistics.

    The plain columns are made beforehand: small arrays kept from every tile would lie between the large ones that come and
    go, and the heap of a long text would grow by what can no longer be joined.
    """

    def __init__(self, request: Request, n: int) -> None:
        self.request = request
        self.own: dict[str, Any] = {name: np.empty(n, kind) for name, kind in OWN.items()}
        self.filled = 0
        self.columns: Columns = defaultdict(list)
        torch = import_torch()
        self.generators = {draw: torch.Generator().manual_seed(draw.seed) for draw in request.draws}
        self.sums: dict[Draw, np.ndarray] = {}

    def add(self, logits: Any, ids: Any, reference: Any = None) -> None:
        """``logits`` [B, V] (overwritten), ``ids`` [B] the tokens that followed, ``reference`` [B, V] the other model's."""
        logits = logits.float()
        if logits.device.type == "cpu":
            self._fill_rows(logits.numpy(), ids.tolist())
        else:
            self._fill(moments(logits, ids))
        if reference is None and self.request == Request():
            return
        log_p = log_q = log_softmax_(logits)
        if reference is not None:
            log_q = log_softmax_(reference.float())
            self._cross(log_p, log_q, ids)
        if self.request.top_k:
            self._keep(top_k=log_p.topk(min(self.request.top_k, log_p.shape[-1])).values)
        for pieces in self.request.pieces:
            self._keep(**{str(pieces): piece_moments(log_q.exp(), log_p, pieces)})
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

    def _fill(self, block: dict[str, Any]) -> None:
        n = len(block["rank"])
        for name, values in block.items():
            self.own[name][self.filled : self.filled + n] = values.cpu().numpy()
        self.filled += n

    def _fill_rows(self, rows: np.ndarray, tokens: list[int]) -> None:
        space = scratch(rows.shape[1])
        with np.errstate(invalid="ignore"):
            for place, (row, token) in enumerate(zip(rows, tokens, strict=True), self.filled):
                for column, value in zip(self.own.values(), moments_of_row(row, token, space), strict=True):
                    column[place] = value
        self.filled += len(rows)

    def _keep(self, **columns: Any) -> None:
        for name, values in columns.items():
            self.columns[name].append(values.cpu().numpy() if hasattr(values, "cpu") else values)

    def column(self, name: str) -> np.ndarray | None:
        """Of what was kept block by block; None where it was not asked for."""
        return np.concatenate(self.columns[name]) if self.columns.get(name) else None

    def drawn(self) -> dict[Draw, np.ndarray]:
        """Paths as [n, T], sums as [n]."""
        paths = {draw: self.column(str(draw)) for draw in self.request.draws if draw.keep == "path"}
        return {**{d: v.T.astype(np.float32) for d, v in paths.items() if v is not None}, **self.sums}

    def cut(self) -> dict[Pieces, np.ndarray]:
        """Moments by piece, [T, n, 5]."""
        return {pieces: v for pieces in self.request.pieces if (v := self.column(str(pieces))) is not None}


def moments(logits: Any, ids: Any) -> dict[str, Any]:
    """The same as moments_of_row for a block [B, V] on a card, each a column [B]."""
    torch = import_torch()
    own, top = logits.gather(-1, ids[:, None]), logits.amax(-1, keepdim=True)
    shifted = logits - top
    weight = shifted.exp()
    shifted.masked_fill_(weight == 0, 0.0)
    total = weight.sum(-1)
    mean = torch.linalg.vecdot(weight, shifted) / total
    weight *= shifted.sub_(mean[:, None])
    log_total = total.log()
    return {
        "log_prob": (own - top)[:, 0] - log_total,
        "rank": (logits > own).sum(-1) + 1,
        "entropy": log_total - mean,
        "variance": torch.linalg.vecdot(weight, shifted) / total,
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


def blocks(n: int, size: int) -> Iterable[slice]:
    return (slice(start, min(start + size, n)) for start in range(0, n, size))
