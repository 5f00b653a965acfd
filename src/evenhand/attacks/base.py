"""What every attack shares: one call, a generator per text, the dose, and the level that it leaves behind.

An attack is a function text -> Edited. The same text, spec and seed give the same result whatever was edited before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from math import floor, inf
from numbers import Integral
from pathlib import Path
from typing import ClassVar

import numpy as np

from ..documents import Edited, Label, Level, digest
from ..errors import DataError, SpecError
from ..files import file_digest
from ..registry import Component, check_rate, format_spec
from ..seeds import numpy_rng
from .protect import KINDS, protected
from .splice import Rows, Spans, splice


class Attack(Component):
    """Base of the family. ``costly`` attacks run a model or program: whoever calls them keeps their results."""

    costly: ClassVar[bool] = False
    files: ClassVar[tuple[str, ...]] = ()
    """Parameters that are paths of files: their content, not their place, decides the draws."""

    @property
    def key(self) -> str:
        """The spec, with the digest of its content in place of each path."""
        if not any(getattr(self, name) for name in self.files):
            return self.spec
        known = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return format_spec(self.name, known | {name: _content(known[name]) for name in self.files if known[name]})

    def __call__(self, text: str, seed: int = 0) -> Edited:
        """The edited text; raises DataError for what is no text, SpecError for what is no seed."""
        if not isinstance(text, str):
            raise DataError(f"{self.name}: an attack takes one text (str), got {type(text).__name__}; call it per text")
        if isinstance(seed, bool) or not isinstance(seed, Integral):
            raise SpecError(f"{self.name}: the seed is a whole number, got {seed!r}")
        return self.edit(text, seed)

    def edit(self, text: str, seed: int) -> Edited:
        """What an attack is: the text edited, by this seed alone."""
        raise NotImplementedError

    def level_after(self, label: Label, level: Level | None) -> Level | None:
        """The level of the edited text; edits made without a language model leave it as it was."""
        return level

    def generator(self, text: str, seed: int) -> np.random.Generator:
        """Depends on the text, the key and the seed alone: never on other texts or their order."""
        return numpy_rng(digest(text), self.key, seed)


def _content(path: str) -> str:
    """The digest of a file; the path itself where there is none (reading it will say so)."""
    file = Path(path)
    return _digest(file, file.stat().st_mtime_ns) if file.is_file() else path


@lru_cache(maxsize=16)
def _digest(file: Path, changed: int) -> str:
    return file_digest(file)[:16]


def dose(edits: int, text: str) -> float:
    """Edits per 1,000 whitespace words of the input; 0 for a text without words."""
    words = len(text.split())
    return 1000 * edits / words if words else 0.0


def unchanged(text: str, note: str, candidates: int = 0) -> Edited:
    return Edited(text, candidates=candidates, note=note)


@dataclass(frozen=True)
class Sampled(Attack):
    """An attack that edits a share of the places it could edit.

    ``rate``: share of the candidates. ``edits_per_1000``: in place of a share, that many edits per 1,000 words (as far as
    there are candidates). A share is another dose for each class wherever the classes differ in candidates or in what is
    protected (human texts hold more names and quotations); ``edits_per_1000`` is the same dose for both.
    ``profile``: 'default', or a publication whose procedure is followed with its faults; it sets ``rate`` (unless given)
    and protects nothing. ``protect``: what is never touched, of 'url', 'code', 'quotation', 'name'.
    """

    rate: float | None = None
    edits_per_1000: float | None = None
    profile: str = "default"
    protect: tuple[str, ...] | None = None

    rates: ClassVar[Mapping[str, float]] = {"default": 0.1}
    """The profiles and the rate of each."""
    unit: ClassVar[str] = "place"
    """What a candidate is called in the note of a text that has none."""
    keeps: ClassVar[tuple[str, ...]] = KINDS
    """What the default profile protects unless ``protect`` says otherwise."""

    def __post_init__(self) -> None:
        if self.profile not in self.rates:
            raise SpecError(f"{self.name}: no profile {self.profile!r}; it has: {', '.join(self.rates)}")
        if self.rate is None:
            object.__setattr__(self, "rate", self.rates[self.profile])
        if self.protect is None:
            object.__setattr__(self, "protect", self.keeps if self.profile == "default" else ())
        check_rate(self.name, rate=self.share)
        _check_dose(self.name, self.edits_per_1000)
        if not isinstance(self.protect, tuple | list) or set(self.protect) - set(KINDS):
            raise SpecError(f"{self.name}: protect must be a tuple of {KINDS}, got {self.protect!r}")
        object.__setattr__(self, "protect", tuple(self.protect))

    @property
    def share(self) -> float:
        return self.rates[self.profile] if self.rate is None else self.rate

    def find(self, text: str) -> Rows:
        """The places that could be edited: (start, end) of the input, ordered and apart, shape (n, 2)."""
        raise NotImplementedError

    def write(self, text: str, rows: Rows, generator: np.random.Generator) -> Sequence[str]:
        """What is put in place of each row; a string stands for one character a row."""
        raise NotImplementedError

    def choose(self, text: str, rows: Rows, count: int, generator: np.random.Generator) -> Rows:
        """``count`` of the rows, in the order of the text; without replacement."""
        if count == len(rows):
            return rows
        chosen = generator.choice(len(rows), count, replace=False, shuffle=False)
        chosen.sort()
        return rows[chosen]

    def budget(self, candidates: int, text: str, generator: np.random.Generator) -> int:
        """How many edits the rate or the dose asks for.

        Published profiles round down. The default rounds up or down by chance, so that short texts (and with them the
        class that writes shorter) get the same dose on average.
        """
        fixed = self.edits_per_1000
        wanted = self.share * candidates if fixed is None else fixed * len(text.split()) / 1000
        chance = generator.random() if self.profile == "default" else 1e-9
        return min(candidates, floor(wanted + chance))

    def settle(self, text: str, chosen: Rows, generator: np.random.Generator) -> tuple[Rows, Sequence[str]]:
        """The rows that are edited in the end, and what is put in place of each."""
        return chosen, self.write(text, chosen, generator)

    def rewrite(self, text: str, rows: Rows, new: Sequence[str]) -> tuple[str, Spans]:
        """The edited text and the spans put in."""
        return splice(text, rows, new)

    def edit(self, text: str, seed: int) -> Edited:
        rows = outside(self.find(text), text, self.protect or ())
        if not len(rows):
            return unchanged(text, f"no-op: no {self.unit} to edit")
        generator = self.generator(text, seed)
        count = self.budget(len(rows), text, generator)
        if not count:
            return unchanged(text, f"no-op: {len(rows)} candidates, but the rate or dose asks for none", len(rows))
        chosen, new = self.settle(text, self.choose(text, rows, count, generator), generator)
        if not len(chosen):
            return unchanged(text, f"no-op: {len(rows)} candidates, and no change of them was accepted", len(rows))
        edited, spans = self.rewrite(text, chosen, new)
        if edited == text:
            return unchanged(text, "no-op: what was drawn is what stood there", len(rows))
        return Edited(edited, spans, len(chosen), len(rows), dose(len(chosen), text))


def _check_dose(name: str, value: float | None) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf):
        raise SpecError(f"{name}: edits_per_1000 must be a number from 0 on, or None, got {value!r}")


def outside(rows: Rows, text: str, kinds: tuple[str, ...]) -> Rows:
    """The rows that touch no protected character."""
    if not kinds or not len(rows):
        return rows
    closed = protected(text, kinds)
    if not closed.any():
        return rows
    before = np.concatenate(([0], np.cumsum(closed)))
    empty = rows[:, 0] == rows[:, 1]
    inside = before[rows[:, 1]] > before[rows[:, 0]]
    # an insertion lies inside a protected span if the characters on both of its sides are protected
    framed = np.concatenate(([False], closed, [False]))
    between = framed[rows[:, 0]] & framed[rows[:, 0] + 1]
    return rows[~np.where(empty, between, inside)]
