"""Markdown removed, as when the answer of a chat is pasted into a plain field."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..documents import Edited
from ..registry import Card
from .base import Attack, dose, unchanged
from .splice import rows_of, splice

# Each pattern's groups are the marks; what stands between them stays. Inner lengths are bounded: no mark without its
# partner costs more than one line.
_MARKS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^(#{1,6}[ \t]+)", r"^([ \t]{0,3}>[ \t]?)", r"^[ \t]*([-*+][ \t]+)(?=\S)", r"^([-*_]{3,}[ \t]*(?:\n|\Z))",
        r"(\*\*)(?=\S)[^*\n]{1,300}(?<=\S)(\*\*)", r"(?<!\w)(__)(?=\S)[^_\n]{1,300}(?<=\S)(__)(?!\w)",
        r"(?<![*\w])(\*)(?=[^\s*])[^*\n]{1,300}(?<=[^\s*])(\*)(?![*\w])",
        r"(?<![_\w])(_)(?=[^\s_])[^_\n]{1,300}(?<=[^\s_])(_)(?![_\w])",
        r"(~~)(?=\S)[^~\n]{1,300}(?<=\S)(~~)", r"(!?\[)[^\[\]\n]{1,300}(\]\([^()\s]{1,500}\))", r"(?<!`)(`)[^`\n]{1,300}(`)(?!`)",
    )
)  # fmt: skip
_FENCE = re.compile(r"^([ \t]*```[^\n]*(?:\n|\Z))", re.MULTILINE)


@dataclass(frozen=True)
class StripMarkdown(Attack):
    name: ClassVar[str] = "strip_markdown"
    card: ClassVar[Card] = Card(
        "Removes the marks of Markdown: headings, lists, quotes, bold, italics, links, code.",
        family="layout",
        pitfalls="All marks go: there is no rate; what stands in a code block stays as it is; tables and numbered lists too.",
    )

    def edit(self, text: str, seed: int = 0) -> Edited:
        marks = _marks(text)
        if not marks:
            return unchanged(text, "no-op: no Markdown to strip")
        edited, spans = splice(text, rows_of(marks), [""] * len(marks))
        return Edited(edited, spans, len(marks), len(marks), dose(len(marks), text))


def _marks(text: str) -> list[tuple[int, int]]:
    fences = [match.span() for match in _FENCE.finditer(text)]
    inside = np.zeros(len(text), dtype=bool)
    for (start, _), (_, end) in zip(fences[::2], [*fences[1::2], (0, len(text))], strict=False):
        inside[start:end] = True
    found = list(fences)
    for pattern in _MARKS:
        for match in pattern.finditer(text):
            groups = [match.span(group) for group in range(1, pattern.groups + 1)]
            if not any(inside[start:end].any() for start, end in groups):
                found += groups
                for start, end in groups:
                    inside[start:end] = True
    return sorted(found)
