"""What attacks share that rewrite a whole text with a model or a program: the level they leave, and what they changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, cast

from ..documents import Edited, Label, Level
from .base import Attack, dose, unchanged

WINDOW = 2000  # tokens that are aligned at once
Code = tuple[str, int, int, int, int]
_TOKENS = re.compile(r"\s+|\S+")


class Rewriting(Attack):
    """A text written anew. By default a human text becomes rewrite-human, a machine text rewrite-llm."""

    costly: ClassVar[bool] = True

    @property
    def human_level(self) -> Level:
        return Level.REWRITE_HUMAN

    @property
    def machine_level(self) -> Level:
        return Level.REWRITE_LLM

    def rewritten(self, text: str, seed: int) -> str:
        """The new text. Raises Unanswered where the model gave none."""
        raise NotImplementedError

    def level_after(self, label: Label, level: Level | None) -> Level | None:
        """The level that the scale of GEDE gives the edited text: a text never becomes more human by a rewrite.

        Up to rewrite-human, and for human texts without a level: ``human_level``, or what it was if that is above. Above,
        and for machine texts: ``machine_level``. Mixed texts without a level have none.
        """
        if level is None:
            return {"human": self.human_level, "machine": self.machine_level}.get(label)
        return max(level, self.human_level if level <= Level.REWRITE_HUMAN else self.machine_level)

    def edit(self, text: str, seed: int = 0) -> Edited:
        if not text.strip():
            return unchanged(text, "no-op: no words to rewrite")
        try:
            return compared(text, self.rewritten(text, seed))
        except Unanswered as reason:
            return unchanged(text, f"failed: {reason}; the text is as it was")


class Unanswered(Exception):
    """The model gave no text to use for this input; the message says why."""


def encodable(text: str) -> str:
    """Lone surrogates and NUL, which no program takes, become U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


def compared(old: str, new: str) -> Edited:
    """``new`` as an edit of ``old``: words that an alignment finds changed are the spans; edits count changed words."""
    if new == old:
        return unchanged(old, "no-op: the answer is the text itself", len(old.split()))
    ours, theirs = _TOKENS.findall(old), _TOKENS.findall(new)
    starts = [0]
    for token in theirs:
        starts.append(starts[-1] + len(token))
    spans, edits = [], 0
    for (a, b), (c, d) in _differences(ours, theirs):
        spans.append((starts[c], starts[d]))
        edits += max(_words(ours[a:b]), _words(theirs[c:d]))
    edits = max(edits, 1)
    return Edited(new, _joined(spans), edits, max(edits, len(old.split())), dose(edits, old))


def _differences(ours: list[str], theirs: list[str]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """(part of ours, part of theirs) that differ. Aligned window by window, so that time grows with the length only."""
    from rapidfuzz.distance import Levenshtein

    at, to = 0, 0
    while at < len(ours) or to < len(theirs):
        codes = cast("list[Code]", list(Levenshtein.opcodes(ours[at : at + WINDOW], theirs[to : to + WINDOW])))
        if at + WINDOW < len(ours) or to + WINDOW < len(theirs):
            codes = _up_to_last_match(codes)
        for tag, a, b, c, d in codes:
            if tag != "equal":
                yield (at + a, at + b), (to + c, to + d)
        at, to = at + codes[-1][2], to + codes[-1][4]


def _up_to_last_match(codes: list[Code]) -> list[Code]:
    """Where a window ends, the alignment behind its last longer match (or any) is not to be trusted."""
    for least in (5, 1):
        matches = [
            number for number, (tag, start, end, *_) in enumerate(codes) if tag == "equal" and end - start >= least
        ]
        if matches:
            return codes[: matches[-1] + 1]
    return codes


def _words(tokens: list[str]) -> int:
    return sum(not token.isspace() for token in tokens)


def _joined(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Spans that touch become one."""
    made: list[tuple[int, int]] = []
    for start, end in spans:
        if made and start == made[-1][1]:
            made[-1] = (made[-1][0], end)
        else:
            made.append((start, end))
    return tuple(made)
