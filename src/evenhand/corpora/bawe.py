"""BAWE: assessed writing of British university students in 35 disciplines (Nesi and Gardner, 2012)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ..documents import Document, Level
from ..errors import DataError
from ..files import csv_rows, existing, opened, read_text
from ..registry import Card
from .base import Corpus, distinct, some
from .sampling import check_limits, drawn, shortened

NEEDED = ("id", "title", "discipline")
PERSON = ("disciplinary group", "level", "grade", "genre family", "L1", "gender", "year of birth", "course", "module")


@dataclass(frozen=True)
class Bawe(Corpus):
    """``path``: the folder with CORPUS_TXT; ``holdings``: documentation/BAWE.xls saved as CSV.

    ``per_discipline=25, max_words=320`` is GEDE's sample.
    """

    path: str
    holdings: str | None = None
    per_discipline: int | None = None
    max_words: int | None = None
    seed: int = 0
    name: ClassVar[str] = "bawe"
    card: ClassVar[Card] = Card(
        summary="BAWE: human student texts with discipline, level, grade and first language; the cluster is the student.",
        source="Nesi and Gardner 2012, BAWE (Oxford Text Archive 2539); sampled as in GEDE (sec. 3.2.1)",
        licence="research use, by agreement",
        family="corpus",
        needs="the corpus, from the Oxford Text Archive",
        pitfalls="GEDE's sample cannot be drawn again: it says 25 a discipline 'or all', and its table 6 has 4 for two large "
        "disciplines. The title stands for the task, as there.",
    )

    def __post_init__(self) -> None:
        check_limits(self.name, per_discipline=self.per_discipline, max_words=self.max_words)

    def __iter__(self) -> Iterator[Document]:
        group = lambda document: document.meta.get("discipline")  # noqa: E731
        sample = drawn(self._documents(), group, self.per_discipline, self.seed)
        return distinct(shortened(sample, self.max_words), self.path)

    def _documents(self) -> Iterator[Document]:
        root = existing(self.path, folder=True)
        texts = existing(root / "CORPUS_TXT", folder=True)
        for row in self._holdings(root):
            file = texts / f"{row['id']}.txt"
            if not file.is_file():
                raise DataError(f"{self.path}: the holdings name {row['id']}, but CORPUS_TXT/{file.name} is not there")
            yield _document(row, read_text(file))

    def _holdings(self, root: Path) -> Iterator[Mapping[str, str]]:
        path = Path(self.holdings) if self.holdings else root / "documentation" / "BAWE.csv"
        if not path.is_file():
            raise DataError(
                f"no such file: {path}; save the sheet of documentation/BAWE.xls as CSV there, or name holdings="
            )
        if path.suffix.lower() in (".xls", ".xlsx", ".ods"):
            raise DataError(f"{path} is a spreadsheet; save its sheet as CSV (UTF-8) and name that file: holdings=...")
        with opened(path) as stream:
            for number, row in csv_rows(stream, str(path)):
                if missing := [column for column in NEEDED if column not in row]:
                    raise DataError(f"{path}, line {number}: no column {some(missing)} among {some(row, 40)}")
                yield row


def _document(row: Mapping[str, str], text: str) -> Document:
    student = row.get("student_id") or row["id"].rstrip("abcdefghijklmnopqrstuvwxyz")
    return Document(
        id=row["id"],
        text=" ".join(text.split()),
        label="human",
        level=Level.HUMAN,
        corpus="bawe",
        domain="academic writing",
        task=row["title"] or None,
        title=row["title"] or None,
        cluster=student,
        licence=Bawe.card.licence,
        meta={"discipline": row["discipline"]} | {key: row[key] for key in PERSON if row.get(key)},
    )
