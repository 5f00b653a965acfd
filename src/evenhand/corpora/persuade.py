"""PERSUADE 2.0: argumentative essays of US students in grades 6 to 12 (Crossley et al., 2024)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..documents import Document, Level
from ..errors import DataError
from ..files import csv_rows, opened
from ..registry import Card
from .base import Corpus, distinct, some
from .sampling import check_limits, drawn, shortened

NEEDED = ("essay_id_comp", "full_text", "prompt_name")
PERSON = (
    "grade_level", "ell_status", "gender", "race_ethnicity", "economically_disadvantaged", "student_disability_status",
    "holistic_essay_score",
)  # fmt: skip


@dataclass(frozen=True)
class Persuade(Corpus):
    """``per_task=5, max_words=320`` is GEDE's sample; its 'about 300 words' is not defined there, so not applied here."""

    path: str
    per_task: int | None = None
    max_words: int | None = None
    seed: int = 0
    name: ClassVar[str] = "persuade"
    card: ClassVar[Card] = Card(
        summary="PERSUADE 2.0: human essays with tasks, grade, first-language status; one document an essay.",
        source="Crossley et al. 2024, PERSUADE 2.0; sampled as in GEDE (sec. 3.2.1)",
        licence="CC BY-NC-SA 4.0",
        family="corpus",
        needs="the CSV file, from the authors",
        pitfalls="The file has a row per discourse element, so each essay comes many times: it is read once. Essays share "
        "15 tasks; cluster is the essay, because students are independent and tasks are fixed.",
    )

    def __post_init__(self) -> None:
        check_limits(self.name, per_task=self.per_task, max_words=self.max_words)

    def __iter__(self) -> Iterator[Document]:
        sample = drawn(self._documents(), lambda document: document.title, self.per_task, self.seed)
        return distinct(shortened(sample, self.max_words), self.path)

    def _documents(self) -> Iterator[Document]:
        texts: dict[str, str] = {}
        with opened(self.path) as stream:
            for number, row in csv_rows(stream, self.path):
                if missing := [column for column in NEEDED if column not in row]:
                    raise DataError(f"{self.path}, line {number}: no column {some(missing)} among {some(row, 40)}")
                name, text = row["essay_id_comp"], row["full_text"]
                if name not in texts:
                    texts[name] = text
                    yield _document(row)
                elif texts[name] != text:
                    raise DataError(f"{self.path}, line {number}: essay {name} has two different texts")


def _document(row: Mapping[str, str]) -> Document:
    return Document(
        id=row["essay_id_comp"],
        text=row["full_text"],
        label="human",
        level=Level.HUMAN,
        corpus="persuade",
        domain="argumentative essay",
        task=row.get("assignment") or row["prompt_name"],
        title=row["prompt_name"],
        cluster=row["essay_id_comp"],
        licence=Persuade.card.licence,
        meta={key: row[key] for key in PERSON if row.get(key)},
    )
