"""Sentences of another text mixed in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from ..documents import digest
from ..errors import DataError, MissingError
from ..registry import Card
from .base import Sampled
from .splice import Rows
from .tokens import sentences, strings


@dataclass(frozen=True)
class Mixing(Sampled):
    """``donors``: path of a JSONL file. Its lines are {"text": ..., "donor": ...}: that text gets sentences of that donor
    (DetectRL pairs each human text with a machine text, and the reverse); or {"donor": ...}: a pool for all other texts,
    from which one is drawn for each."""

    donors: str | None = None

    name: ClassVar[str] = "mixing"
    card: ClassVar[Card] = Card(
        "Replaces sentences by sentences of another text.",
        source="DetectRL (Wu et al. 2024), data mixing",
        family="mixture",
        needs="a JSONL file of donors by donors=PATH; a sentence splitter (nupunkt, part of the core)",
        follows="a quarter of the sentences, drawn without replacement. profile='detectrl': the draw depends on the number of "
        "sentences alone (its generator starts anew for every document), so equal counts give equal places",
        pitfalls="The label stays that of the carrier, as in DetectRL, and the level too: the scale has none for a mixture. "
        "DetectRL's 'multi-LLM mixing' is not mixed at all.",
    )
    rates: ClassVar[Mapping[str, float]] = {"default": 0.25, "detectrl": 0.25}
    files: ClassVar[tuple[str, ...]] = ("donors",)
    unit: ClassVar[str] = "sentence"
    keeps: ClassVar[tuple[str, ...]] = ("code",)

    def find(self, text: str) -> Rows:
        if self.donors is None:
            raise MissingError(
                f'{self.name} needs donors=\'PATH\': a JSONL file of lines {{"text": ..., "donor": ...}} or {{"donor": ...}}'
            )
        return sentences(text)

    def generator(self, text: str, seed: int) -> np.random.Generator:
        if self.profile == "detectrl":
            return np.random.default_rng(2023)
        return super().generator(text, seed)

    def settle(self, text: str, chosen: Rows, generator: np.random.Generator) -> tuple[Rows, Sequence[str]]:
        donor = self._donor(text, generator)
        given = strings(donor, sentences(donor))
        count = min(len(given), len(chosen))
        drawn = generator.choice(len(given), count, replace=False) if count else np.zeros(0, dtype=np.int64)
        new = [given[at] for at in drawn.tolist()]
        pairs = [
            (row, one)
            for row, one in zip(range(count), new, strict=True)
            if one != text[chosen[row, 0] : chosen[row, 1]]
        ]
        return chosen[[row for row, _ in pairs]], [one for _, one in pairs]

    def _donor(self, text: str, generator: np.random.Generator) -> str:
        paired, pool = _read(str(self.donors))
        if (own := paired.get(digest(text))) is not None:
            return own
        if not pool:
            raise DataError(f"{self.donors}: no donor for this text; add a line with it, or lines with a donor alone")
        return pool[int(generator.integers(len(pool)))]


@lru_cache(maxsize=4)
def _read(path: str) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """(digest of a text -> its donor, the pool)."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise MissingError(f'no donors at {path!r}; give the path of a JSONL file of lines {{"donor": ...}}') from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"donors at {path!r} cannot be read as UTF-8 text: {error}") from None
    paired: dict[str, str] = {}
    pool: list[str] = []
    for number, line in enumerate(lines, 1):
        donor, text = _pair(path, number, line) if line.strip() else (None, None)
        if donor is not None and text is not None:
            paired[digest(text)] = donor
        elif donor is not None:
            pool.append(donor)
    return paired, tuple(pool)


def _pair(path: str, number: int, line: str) -> tuple[str, str | None]:
    try:
        row = json.loads(line)
        donor, text = row["donor"], row.get("text")
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError):
        raise DataError(f'{path}, line {number}: {{"donor": ...}} was expected, with or without "text"') from None
    if not isinstance(donor, str) or not isinstance(text, str | None):
        raise DataError(f"{path}, line {number}: donor and text must be strings")
    return donor, text
