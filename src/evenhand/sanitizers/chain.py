"""Sanitizers one after the other, as ``a + b`` spells them, with one offset map through them all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ..documents import Edited
from ..errors import ContractError
from ..registry import Card
from .base import Sanitizer, dose, unchanged

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Chain(Sanitizer):
    """``steps`` in the order of application; edits and candidates are the sums over the steps."""

    steps: tuple[Sanitizer, ...]
    name: ClassVar[str] = "chain"
    card: ClassVar[Card] = Card("Applies its sanitizers from left to right.", family="composition")

    @property
    def spec(self) -> str:
        return " + ".join(step.spec for step in self.steps)

    def clean(self, text: str) -> Edited:
        done = unchanged(text)
        for step in self.steps:
            done = follow(text, done, step(done.text))
        return done


def follow(text: str, first: Edited, second: Edited) -> Edited:
    """What ``second``, made of the output of ``first``, made of ``text``."""
    if first.origin is None or second.origin is None:
        raise ContractError(
            "a sanitizer of a chain gave no origin; return Edited(..., origin=...), as base.edited does"
        )
    edits, candidates = first.edits + second.edits, first.candidates + second.candidates
    note = "; ".join(done.note for done in (first, second) if done.edits and done.note) or None
    if not edits:
        return replace(first, candidates=candidates, note="nothing to change")
    if not first.edits or not second.edits:
        return replace(first if first.edits else second, candidates=candidates, note=note)
    origin = tuple(map(first.origin.__getitem__, second.origin))
    spans = merge(carry(first.spans, second), second.spans)
    return Edited(second.text, spans, edits, candidates, dose(edits, text), note, origin)


def carry(spans: Spans, second: Edited) -> Spans:
    """Spans of the text that ``second`` was given, as they stand in its output."""
    import numpy as np

    if not spans:
        return spans
    edges = np.searchsorted(np.array(second.origin, dtype=np.int64), np.array(spans, dtype=np.int64))
    return tuple(map(tuple, edges.tolist()))


def merge(*groups: Spans) -> Spans:
    """All spans sorted, overlapping ones made one; spans that only touch stay apart."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted({span for group in groups for span in group}):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
