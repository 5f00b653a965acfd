"""Which texts of a training split stand for it: by seed, never by their order, every generator in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...documents import digest
from ...seeds import seed_of
from ..trained.base import Lesson, checked


@dataclass(frozen=True, slots=True)
class Known:
    """A training text, who wrote it, and by which generator, where that is known."""

    text: str
    machine: bool
    generator: str = ""


def in_turn(rows: Sequence[Known], what: str, seed: int) -> tuple[list[str], list[str]]:
    """(human texts, machine texts), both in an order of their own; of the machine texts each generator's first stands before
    any one's second."""
    ordered = sorted(rows, key=lambda row: seed_of(digest(row.text), what, seed))
    by_generator: dict[str, list[str]] = {}
    for row in ordered:
        if row.machine:
            by_generator.setdefault(row.generator, []).append(row.text)
    turns = max(map(len, by_generator.values()), default=0)
    machine = [texts[turn] for turn in range(turns) for _, texts in sorted(by_generator.items()) if turn < len(texts)]
    return [row.text for row in ordered if not row.machine], machine


def halves(rows: Sequence[Known], what: str, seed: int, half: int | None) -> list[Known]:
    """At most ``half`` texts of each side (None: all of them), the machine ones of each generator in turn."""
    people, machines = in_turn(rows, what, seed)
    return [*(Known(text, False) for text in people[:half]), *(Known(text, True) for text in machines[:half])]


def known(name: str, taught: Lesson, given: Sequence[str], generators: Sequence[str | None] | None) -> list[Known]:
    """The texts of a lesson with who wrote them; ``generators`` belong to the texts as ``given`` to the detector ``name``."""
    told = [None] * len(given) if generators is None else checked(name, "generators", generators, given)
    by_text = dict(zip(map(digest, given), told, strict=True))
    sides = zip(taught.texts, taught.machine, strict=True)
    return [Known(text, bool(machine), str(by_text.get(digest(text)) or "")) for text, machine in sides]
