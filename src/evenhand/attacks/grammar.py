"""Grammar and spelling corrected, as a writing assistant does it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from ..errors import MissingExtra, SpecError
from ..registry import Card
from .base import Sampled
from .splice import Rows, rows_of

_SPELLING = frozenset({"Spelling", "Typo"})
_TASTE = frozenset({"Style", "Readability", "Enhancement", "Regionalism", "WordChoice"})
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Grammar(Sampled):
    """``kinds``: 'errors' (all but matters of taste), 'spelling', 'grammar' (errors that are not of spelling) or 'all'.
    The first suggestion is taken."""

    kinds: str = "errors"

    name: ClassVar[str] = "grammar"
    card: ClassVar[Card] = Card(
        "Corrects grammar and spelling with Harper, taking its first suggestion.",
        source="Harper (Automattic), by harper-py",
        licence="MIT (Harper: Apache-2.0)",
        family="everyday",
        needs="harper-py (everyday extra)",
        pitfalls="Human texts hold more to correct than machine texts (6.4% and 1.6% of the words on DetectRL): a rate is not "
        "one dose; a first suggestion may be wrong, rare names that open a sentence are 'corrected' too.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 1.0}
    unit: ClassVar[str] = "error that the checker knows a correction of"
    costly: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kinds not in ("errors", "spelling", "grammar", "all"):
            raise SpecError(f"{self.name}: kinds must be 'errors', 'spelling', 'grammar' or 'all', got {self.kinds!r}")

    def find(self, text: str) -> Rows:
        return rows_of([row for row, _ in self._corrections(text)])

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        corrected = dict(self._corrections(text))
        return [corrected[start, end] for start, end in rows.tolist()]

    def _corrections(self, text: str) -> list[tuple[tuple[int, int], str]]:
        return [((start, end), new) for start, end, kind, new in _lints(text) if self._wants(kind)]

    def _wants(self, kind: str) -> bool:
        spelling, taste = kind in _SPELLING, kind in _TASTE
        return {"all": True, "spelling": spelling, "errors": not taste, "grammar": not (taste or spelling)}[self.kinds]


@lru_cache(maxsize=1)
def _linter() -> Any:
    try:
        from harper import Linter
    except ModuleNotFoundError as error:
        raise MissingExtra("attacks: 'grammar'", "everyday") from error
    return Linter()


@lru_cache(maxsize=4)
def _lints(text: str) -> tuple[tuple[int, int, str, str], ...]:
    """(start, end, kind, correction), ordered and apart; lone surrogates are shown to the checker as U+FFFD."""
    found = sorted(
        _linter().lint(_SURROGATE.sub("\ufffd", text), language="plaintext"), key=lambda lint: lint.span.start
    )
    made: list[tuple[int, int, str, str]] = []
    for lint in found:
        start, end = lint.span.start, lint.span.end
        if lint.suggestions and (not made or start >= made[-1][1]):
            new = _applied(text[start:end], lint.suggestions[0])
            if new != text[start:end]:
                made.append((start, end, lint.lint_kind, new))
    return tuple(made)


def _applied(old: str, suggestion: Any) -> str:
    kind = suggestion.kind.name
    return (
        ""
        if kind == "REMOVE"
        else old + suggestion.replacement_text
        if kind == "INSERT_AFTER"
        else suggestion.replacement_text
    )
