"""RAID: machine texts by eleven models, in eight domains, under eleven attacks (Dugan et al., 2024)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..documents import Document, Level
from ..errors import DataError, SpecError
from ..files import csv_rows, opened
from ..registry import Card
from .base import Corpus, distinct, some

COLUMNS = (
    "id", "adv_source_id", "source_id", "model", "decoding", "repetition_penalty", "attack", "domain", "title", "prompt",
    "generation",
)  # fmt: skip


@dataclass(frozen=True)
class Raid(Corpus):
    """``where`` keeps the rows with these values: ``{'domain': 'news', 'attack': 'none'}``; the whole is some 12 GB."""

    path: str
    where: Mapping[str, str] | None = None
    name: ClassVar[str] = "raid"
    card: ClassVar[Card] = Card(
        summary="RAID, from its train.csv or extra.csv.",
        source="Dugan et al. 2024, RAID; github liamdugan/raid",
        licence="MIT (the repository); domains have terms of their own",
        family="corpus",
        needs="the file, from the authors",
        pitfalls="Labels of the test files are withheld: they have no column 'model' and cannot be read here.",
    )

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.where or ()) - set(COLUMNS)):
            raise SpecError(f"{self.name}: where names {some(unknown)}; RAID's columns are {some(COLUMNS, 20)}")

    def __iter__(self) -> Iterator[Document]:
        return distinct(self._documents(), self.path)

    def _documents(self) -> Iterator[Document]:
        wanted = (self.where or {}).items()
        with opened(self.path) as stream:
            for number, row in csv_rows(stream, self.path):
                if missing := [column for column in COLUMNS if column not in row]:
                    hint = "; RAID's test files have no labels" if "model" in missing else ""
                    raise DataError(f"{self.path}, line {number}: no column {some(missing)}{hint}")
                if all(row[key] == value for key, value in wanted):
                    yield _document(row)


def _document(row: Mapping[str, str]) -> Document:
    human, attacked = row["model"] == "human", row["attack"] != "none"
    source = row["adv_source_id"] if attacked else None if human else row["source_id"]
    return Document(
        id=row["id"],
        text=row["generation"],
        label="human" if human else "machine",
        level=Level.HUMAN if human else None,
        level_after=Level.REWRITE_HUMAN if human and row["attack"] == "paraphrase" else None,
        generator=None if human else row["model"],
        decoding=None if human else row["decoding"] or None,
        corpus="raid",
        domain=row["domain"],
        task=row["prompt"] or None,
        title=row["title"] or None,
        source_id=source or None,
        cluster=row["source_id"] or row["id"],
        attack=row["attack"],
        meta={} if human else {"repetition_penalty": row["repetition_penalty"]},
    )
