"""Context-free grammars of sentences: reading one from a text file, and drawing a text from it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

from ...errors import DataError

Grammar = Mapping[str, Sequence[str]]
_PLACE = re.compile(r"\{([A-Z_]+)(\?|\*(\d+)-(\d+))?\}")
_DEEPEST = 40
"""A derivation that goes deeper comes from rules that call themselves without end."""


@lru_cache(maxsize=4)
def read_grammar(path: Path) -> Grammar:
    """Rule -> its alternatives. Raises DataError for an alternative without a rule and for a rule that is not there."""
    rules: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith(("#", " ")):
            current = rules.setdefault(line.strip(), [])
        elif line.strip() and not line.startswith("#"):
            if not rules:
                raise DataError(f"{path.name}: the alternative {line.strip()[:40]!r} stands under no rule")
            current.append(line.strip().replace("\\n", "\n"))
    check_grammar(rules, {"TOPIC"}, path.name)
    return rules


def check_grammar(rules: Grammar, given: set[str], name: str) -> None:
    """Raises DataError unless every rule that is called is there (or ``given`` at the time of drawing) and has alternatives."""
    for rule, alternatives in rules.items():
        if not alternatives:
            raise DataError(f"{name}: the rule {rule} has no alternative")
        called = {found[1] for text in alternatives for found in _PLACE.finditer(text)}
        if lost := sorted(called - rules.keys() - given):
            raise DataError(f"{name}: {rule} calls {lost[0]}, which is no rule")


def draw(grammar: Grammar, rule: str, chance: Random, given: Mapping[str, Sequence[str]]) -> str:
    """A text of ``rule``; ``given`` adds rules for this text alone. Sentences begin with a capital, 'a' becomes 'an'."""
    return _tidy(_derive({**grammar, **given}, rule, chance, 0))


def _derive(rules: Grammar, rule: str, chance: Random, depth: int) -> str:
    if depth > _DEEPEST:
        raise DataError(f"the grammar does not end: {rule} is {depth} rules deep")

    def put(place: re.Match[str]) -> str:
        if place[2] == "?" and chance.random() < 0.5:
            return ""
        times = chance.randint(int(place[3]), int(place[4])) if place[3] else 1
        return " ".join(_derive(rules, place[1], chance, depth + 1) for _ in range(times))

    return _PLACE.sub(put, chance.choice(rules[rule]))


def _tidy(text: str) -> str:
    text = re.sub(r" {2,}", " ", text)
    text = re.sub(r" *(\n+) *", r"\1", text).strip()
    text = re.sub(r"\b([Aa]) (?=[aeiouAEIOU](?!ni[a-z]))", r"\1n ", text)
    return re.sub(r"(?:^|(?<=[.?!] )|(?<=\n))[a-z]", lambda m: m[0].upper(), text)
