"""What an explanation is: weights of parts of one text, towards or away from 'machine'; and how a text is cut and masked.

A weight says what moved this score of this detector. It says nothing of who wrote the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import SpecError

WORD = re.compile(r"\S+")
CUTS = ("auto", "word", "place", "sentence")
Masks = NDArray[np.bool_]
"""Rows of kept parts, shape (samples, parts)."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the text that is masked as one: every span of it. ``low`` and ``high`` bound the weight over seeds, NaN where
    it is exact; ``value`` is what the detector saw there, where that is a number (TF-IDF of a term, a feature)."""

    name: str
    spans: tuple[tuple[int, int], ...]
    weight: float = nan
    low: float = nan
    high: float = nan
    value: float = nan

    @property
    def direction(self) -> str:
        """'machine', 'human', 'none' for a weight of 0, 'unsettled' where the interval holds 0."""
        if self.low <= 0 <= self.high and self.low < self.high:
            return "unsettled"
        return "machine" if self.weight > 0 else "human" if self.weight < 0 else "none"


@dataclass(frozen=True, slots=True)
class Explanation:
    """``base`` is where the weights start: the model's intercept, or the score of the masked text; NaN where the weights do
    not add up to a score. ``calls`` counts the texts that were scored for it; ``facts`` is what its trust hangs on."""

    method: str
    detector: str
    score: float
    base: float
    parts: tuple[Part, ...]
    calls: int = 0
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def sum(self) -> float:
        """Base and all weights."""
        return self.base + float(np.sum([part.weight for part in self.parts]))

    def heaviest(self, k: int = 20) -> list[Part]:
        """The parts of largest absolute weight, largest first."""
        known = [part for part in self.parts if not np.isnan(part.weight)]
        return sorted(known, key=lambda part: (-abs(part.weight), part.name))[:k]


def cut(text: str, by: str = "auto", most: int = 150) -> tuple[Part, ...]:
    """The text in parts: each distinct ``word`` with all its places (as in LIME's paper), each ``place`` of a word, or each
    ``sentence``. 'auto' takes words where there are at most ``most``, else sentences; sentences beyond ``most`` are joined
    with their neighbours, so that there are never more than ``most``."""
    if by not in CUTS:
        raise SpecError(f"by is one of {', '.join(CUTS)}, got {by!r}")
    if isinstance(most, bool) or not isinstance(most, int) or most < 2:
        raise SpecError(f"most is a whole number of parts from 2, got {most!r}")
    if by in ("auto", "word"):
        found = words(text)
        if by == "word" or len(found) <= most:
            return tuple(Part(name, spans) for name, spans in found.items())
    spans = [match.span() for match in WORD.finditer(text)] if by == "place" else joined(sentence_spans(text), most)
    return tuple(Part(text[start:end], ((start, end),)) for start, end in spans)


def words(text: str) -> dict[str, tuple[tuple[int, int], ...]]:
    """Pieces between blanks, alike in every letter and sign, with their places, in order of their first."""
    found: dict[str, list[tuple[int, int]]] = {}
    for match in WORD.finditer(text):
        found.setdefault(match[0], []).append(match.span())
    return {word: tuple(spans) for word, spans in found.items()}


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Sentences (nupunkt), a blank line ends one; blanks between them belong to none."""
    from ..attacks.tokens import sentences
    from ..measures.tokens import BLANK_LINE

    found: list[tuple[int, int]] = []
    start = 0
    for gap in [*BLANK_LINE.finditer(text), None]:
        part = text[start : gap.start() if gap else len(text)]
        found += [(start + a, start + b) for a, b in sentences(part).tolist()]
        start = gap.end() if gap else start
    return found


def joined(spans: list[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """At most ``most`` runs of neighbours, as even in number as can be."""
    groups = np.array_split(np.arange(len(spans)), min(most, len(spans)) or 1)
    return [(spans[group[0]][0], spans[group[-1]][1]) for group in groups if len(group)]


def masked(text: str, parts: Sequence[Part], masks: Masks, mask: str = "") -> list[str]:
    """The text with the parts that a row does not keep taken out (with the blanks after them), or each of their words replaced by
    ``mask``, which keeps the number of words."""
    spans = sorted((span, i) for i, part in enumerate(parts) for span in part.spans)
    return [_masked(text, [span for span, i in spans if not row[i]], mask) for row in masks]


def _masked(text: str, gone: list[tuple[int, int]], mask: str) -> str:
    pieces, last = [], 0
    for start, end in gone:
        pieces += [text[last:start], WORD.sub(lambda _: mask, text[start:end]) if mask else ""]
        last = end
        while not mask and last < len(text) and text[last].isspace():
            last += 1
    return "".join([*pieces, text[last:]])
