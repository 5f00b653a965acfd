"""Articles left out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import Card
from .base import Sampled
from .splice import Rows, rows_of

_RAID = re.compile(r" (?:a|an|the)(?= )")
# Lower case, in the middle of a sentence, with the space before it; or opening a sentence, with the letter that then
# becomes the first. The rare letter stands first in the pattern: that keeps the search fast.
_INNER = re.compile(r" (?<=[^\s.!?:] )(?:the|an|a)(?= [^\W\d_])")
_OPENING = re.compile(r"[TA](?:(?<=^\w)|(?<=\n\w)|(?<=[.!?:] \w))(?:(?<=T)he|(?<=A)n?) [^\W\d_](?=[^\W\d_])")


@dataclass(frozen=True)
class ArticleDeletion(Sampled):
    name: ClassVar[str] = "article_deletion"
    card: ClassVar[Card] = Card(
        "Leaves out articles.",
        source="RAID (Dugan et al. 2024), article_deletion",
        family="word",
        follows="profile='raid': lower-case articles between two single spaces, deleted with the space before them; "
        "articles that open a sentence or stand at a line end, quote or bracket are never touched",
        pitfalls="The default deletes the opening article too and writes the next word with a capital.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.5, "raid": 0.5}
    unit: ClassVar[str] = "article"

    def find(self, text: str) -> Rows:
        if self.profile == "raid":
            return rows_of([match.span() for match in _RAID.finditer(text)])
        spans = [match.span() for pattern in (_INNER, _OPENING) for match in pattern.finditer(text)]
        return rows_of(sorted(spans))

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        if self.profile == "raid":
            return [""] * len(rows)
        return ["" if text[start] == " " else text[end - 1].upper() for start, end in rows.tolist()]
