"""Few-shot prompting: examples from the training split, or from a file of one's own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, Self

from ...errors import DataError, SpecError
from ...registry import Card
from ..trained.base import Trained, lesson
from .asking import Cost, first_words
from .drawing import Known, in_turn, known
from .prompts import Example, Style, schema
from .reading import author
from .styles import Prompted, card


@dataclass(frozen=True, eq=False)
class PromptedFS(Prompted, Trained):
    """``shots`` examples, of which ``humans`` are human: drawn from the training split by seed, the machine ones from as many
    generators as there are (the paper: one human, one of each of five generators); or all of the JSONL file ``examples``,
    with text, label (human or machine) and, in all or none, explanation. Examples stand in every request."""

    name: ClassVar[str] = "prompted_fs"
    card: ClassVar[Card] = card(
        "As prompted_io, after examples whose authors are told (few-shot prompting).",
        "the prompt holds all examples: six whole papers are some 5,600 tokens; their texts are sent along with every text",
    )
    style: ClassVar[Style] = "fs"
    learns_from: ClassVar[tuple[str, ...]] = ("levels", "corpora", "generators")
    kept_state: ClassVar[tuple[str, ...]] = ("examples_",)

    examples: str | None = None
    shots: int = 6
    humans: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.humans <= self.shots or self.shots < 1:
            raise SpecError(f"{self.name}: 1 or more shots, 0 to all of them human, got {self.shots} and {self.humans}")

    @property
    def learns(self) -> bool:  # type: ignore[override]
        return self.examples is None

    @property
    def key(self) -> str:
        """With a digest of the examples: where their file lies changes nothing."""
        return f"{self.key_of(set() if self.examples is None else {'examples'})}@{self.examples_digest}"

    @property
    def examples_digest(self) -> str:
        told = repr([(one.text, one.author, one.explanation) for one in self.examples_shown])
        return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    @property
    def model_keys(self) -> dict[str, str]:
        return {"model": self.speaker.key}

    @property
    def examples_shown(self) -> Sequence[Example]:
        path = None if self.examples is None else Path(self.examples)
        found = read_examples(path, stamp(path)) if path else [Example(*one) for one in self.fitted("examples_")]
        return [Example(first_words(one.text, self.max_words)[0], one.author, one.explanation) for one in found]

    @property
    def fields(self) -> dict[str, str]:
        return schema("io", self.profile, explain=all(one.explanation for one in self.examples_shown))

    def fit(
        self,
        X: Sequence[str],
        y: Sequence[Any] | None = None,
        *,
        levels: Sequence[Any] | None = None,
        corpora: Sequence[str] | None = None,
        generators: Sequence[str | None] | None = None,
    ) -> Self:
        """Draws the examples; asks the model nothing."""
        if self.examples is not None:
            raise DataError(
                f"{self.name}: its examples stand in {self.examples}; it learns none, so there is nothing to fit"
            )
        taught = lesson(self, X, y, {"levels": levels, "corpora": corpora})
        rows = known(self.name, taught, X, generators)
        self.examples_ = self.drawn(rows)
        self.note_training(taught)
        return self

    def costs(self, rows: Sequence[Known], texts: Sequence[str]) -> list[Cost]:
        """With the examples that ``fit`` would draw from ``rows``; the detector stays as it is."""
        asker = copy(self)
        if self.learns and rows:
            asker.examples_ = self.drawn(rows)
        return [asker.cost(texts)]

    def drawn(self, rows: Sequence[Known]) -> list[list[str]]:
        return [[one.text, one.author, ""] for one in draw(rows, self.shots, self.humans, self.seed)]


def draw(rows: Sequence[Known], shots: int, humans: int, seed: int) -> list[Example]:
    """``humans`` human texts first, then machine texts, each generator in turn."""
    people, machines = in_turn(rows, "example", seed)
    if len(people) < humans or len(machines) < shots - humans:
        raise DataError(
            f"{humans} human and {shots - humans} machine examples are needed, the training split has {len(people)} and "
            f"{len(machines)}: lower shots, or give more texts"
        )
    return [
        *(Example(text, "human") for text in people[:humans]),
        *(Example(text, "machine") for text in machines[: shots - humans]),
    ]


def stamp(path: Path) -> int:
    """When the file was last written, so that it is read once and not once a text."""
    return path.stat().st_mtime_ns if path.is_file() else 0


@lru_cache(maxsize=4)
def read_examples(path: Path, written: int) -> list[Example]:
    """Raises DataError for a file that is not there, holds no examples, or explains only some of them."""
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        found = [Example(row["text"], author(row["label"]) or "", row.get("explanation") or "") for row in rows]
    except FileNotFoundError:
        raise DataError(f"no file of examples at {path}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: each line is an object with text and label (human or machine): {error!r}") from None
    if not found or any(one.author not in ("human", "machine") or not one.text.strip() for one in found):
        raise DataError(f"{path}: every example needs a text and the label human or machine")
    if len({bool(one.explanation) for one in found}) > 1:
        raise DataError(f"{path}: some examples are explained and some are not; explain all, or none")
    return found
