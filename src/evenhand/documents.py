"""The nouns: frozen records without input or output, and the three tables of a run folder.

The vocabulary is that of docs/vocabulary.md. ``label`` keeps who the author is, ``level`` how much a machine had
part in the text, ``level_after`` the level that a model-made edit leaves behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import total_ordering
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

from .errors import SpecError

if TYPE_CHECKING:
    import pyarrow as pa

Label = Literal["human", "machine", "mixed", "unknown"]
LABELS: tuple[Label, ...] = ("human", "machine", "mixed", "unknown")
"""'unknown' is for texts to be scored whose author nobody has told; no audit counts them."""
SET_ASIDE = frozenset({"train", "unused"})
"""Splits whose texts are neither scored nor audited: for learning, or on the wrong side of a held-out generator."""
DROPPED = "dropped:"
"""How the note of an edit begins that leaves no text to judge, and says why."""
Status = Literal["ok", "abstained", "failed"]


@total_ordering
class Level(Enum):
    """Contribution levels of GEDE (sec. 3), from human text to humanized machine text."""

    HUMAN = "human"
    IMPROVE_HUMAN = "improve-human"
    REWRITE_HUMAN = "rewrite-human"
    SUMMARY = "summary"
    TASK_SUMMARY = "task-summary"
    TASK = "task"
    REWRITE_LLM = "rewrite-llm"
    HUMANIZE = "humanize"

    @property
    def order(self) -> int:
        return list(Level).index(self)

    def __lt__(self, other: object) -> bool:
        return self.order < other.order if isinstance(other, Level) else NotImplemented

    def __str__(self) -> str:
        return self.value

    @classmethod
    def read(cls, spelling: str) -> Level:
        """The level of exactly this spelling; raises SpecError, which lists them."""
        try:
            return cls(spelling)
        except ValueError:
            known = ", ".join(level.value for level in cls)
            raise SpecError(f"no contribution level {spelling!r}; the levels are: {known}") from None


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` to ``end`` (exclusive) of a text were written by ``author``."""

    start: int
    end: int
    author: Literal["human", "machine"]


@dataclass(frozen=True, slots=True)
class Document:
    """A text and how it came to be.

    ``source_id`` names the text it was made from, ``cluster`` what is not independent of it (author, speech, task):
    one cluster stays on one side of every split and is one draw in every interval.
    """

    id: str
    text: str
    label: Label
    level: Level | None = None
    level_after: Level | None = None
    generator: str | None = None
    decoding: str | None = None
    corpus: str = ""
    domain: str | None = None
    task: str | None = None
    title: str | None = None
    section: str | None = None
    source_id: str | None = None
    cluster: str = ""
    attack: str = "none"
    sanitizer: str = "none"
    split: str | None = None
    truncated: bool = False
    spans: tuple[Span, ...] = ()
    licence: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        return digest(self.text)


def digest(text: str) -> str:
    """All that a detector can see of a text, and so the key under which its answer is kept."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Policy:
    """The last acceptable level, and the false-positive rate that is tolerated."""

    boundary: Level = Level.REWRITE_HUMAN
    fpr: float = 0.05

    def __post_init__(self) -> None:
        if isinstance(self.fpr, bool) or not isinstance(self.fpr, int | float) or not 0 < self.fpr < 1:
            raise SpecError(f"policy: fpr must lie between 0 and 1, got {self.fpr!r}; 0.05 tolerates 5%")

    def positive(self, label: str, level: str | Level | None) -> bool | None:
        """Is a text above the boundary? By level; where there is none, by label; None for mixed text without a level."""
        if level is not None:
            return (level if isinstance(level, Level) else Level.read(level)) > self.boundary
        return {"human": False, "machine": True}.get(label)


@dataclass(frozen=True, slots=True)
class Edited:
    """What an attack or a sanitizer made of a text.

    ``spans`` are (start, end) in the OUTPUT of what was put in (empty spans mark deletions), ``candidates`` the places
    that could have been edited, ``dose`` the edits per 1,000 words of the input (whitespace words).
    """

    text: str
    spans: tuple[tuple[int, int], ...] = ()
    edits: int = 0
    candidates: int = 0
    dose: float = 0.0
    note: str | None = None
    origin: tuple[int, ...] | None = None
    """Where asked for: for each output character, the index of the input character it stands for."""

    @property
    def changed(self) -> bool:
        return self.edits > 0


@dataclass(frozen=True, slots=True)
class Judgement:
    """A detector's answer for one text. ``score`` is NaN unless ``status`` is 'ok'; then ``reason`` says why."""

    score: float
    status: Status = "ok"
    reason: str | None = None
    n_tokens: int | None = None
    truncated: bool = False


def documents_schema() -> pa.Schema:
    """One row per document of a run; ``text`` is null in runs with store_texts = false."""
    import pyarrow as pa

    span = pa.struct([("start", pa.int32()), ("end", pa.int32()), ("author", pa.string())])
    names = (
        "id text digest label level level_after generator decoding corpus domain task title section source_id cluster "
        "attack sanitizer split licence"
    )
    columns = [(name, pa.string()) for name in names.split()]
    more = [("truncated", pa.bool_()), ("spans", pa.list_(span)), ("meta", pa.map_(pa.string(), pa.string()))]
    return pa.schema(columns + more)


def scores_schema() -> pa.Schema:
    """One row per (digest, detector); ``detector`` is the key of its results: canonical spec and weights."""
    import pyarrow as pa

    return pa.schema(
        [
            ("digest", pa.string()),
            ("detector", pa.string()),
            ("score", pa.float64()),
            ("status", pa.string()),
            ("reason", pa.string()),
            ("n_tokens", pa.int32()),
            ("truncated", pa.bool_()),
        ]
    )


def measures_schema() -> pa.Schema:
    """One row per (document, measure): doses, lengths, similarity to the source; null with a reason where it failed."""
    import pyarrow as pa

    return pa.schema([("id", pa.string()), ("measure", pa.string()), ("value", pa.float64()), ("reason", pa.string())])
