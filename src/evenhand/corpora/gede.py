"""GEDE: essays at eight contribution levels, from the authors' SQLite database or one of its CSV exports."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from ..documents import Document, Level
from ..errors import DataError, SpecError
from ..files import csv_rows, existing, opened
from ..registry import Card
from .base import Corpus, distinct, some

MODES = {
    "improve-human": Level.IMPROVE_HUMAN,
    "rewrite-human": Level.REWRITE_HUMAN,
    "summary": Level.SUMMARY,
    "task+summary": Level.TASK_SUMMARY,
    "task": Level.TASK,
    "rewrite": Level.REWRITE_LLM,
    "dipper": Level.HUMANIZE,
}
DROPPED = ("task+resource", "intrinsic-dim")
CORPORA = {"argument-annotated-essays": "aae", "brat-project": "aae"}
"""What the database and the exports call a corpus -> its name in the paper, where the two are not alike."""
OF_QUESTIONS = ("module", "discipline", "discipline_group", "course")
"""Columns of 'questions' that tell of a text, human or machine, what it is about; a database may lack them."""
NEEDED = {
    "answers": ("id", "question_id", "job_id", "is_human", "answer"),
    "questions": ("id", "dataset_id", "question"),
    "datasets": ("id", "name"),
    "jobs": ("id", "model", "prompt_mode"),
}
_QUERY = """
    SELECT a.id, a.is_human, a.answer, a.job_id, q.id AS question_id, q.question, d.name AS dataset, j.model, j.prompt_mode
    FROM answers AS a JOIN questions AS q ON q.id = a.question_id JOIN datasets AS d ON d.id = q.dataset_id
    LEFT JOIN jobs AS j ON j.id = a.job_id ORDER BY a.id
"""


@dataclass(frozen=True)
class Gede(Corpus):
    """``path``: database.db, or a job's data.csv with its info.json beside it. ``newlines='space'`` reads as the paper does."""

    path: str
    newlines: str = "space"
    orphans: str = "refuse"
    """Answers whose question or corpus is not in the database: 'refuse', or 'drop', as the authors' code does."""
    name: ClassVar[str] = "gede"
    card: ClassVar[Card] = Card(
        summary="GEDE: human essays and seven levels of machine contribution.",
        source="GEDE (contribution levels); github lukasgehring/Assessing-LLM-Text-Detection-in-Educational-Contexts",
        licence="CC BY-NC-SA",
        family="corpus",
        needs="the database, from the authors",
        follows="the code: line breaks become spaces for all detectors; the modes task+resource and intrinsic-dim are dropped; "
        "the corpus that it calls argument-annotated-essays or brat-project is aae",
        pitfalls="Neither form says which human essay a text was made from: the cluster is the task. In exports of the mode "
        "improve-human the column 'human' holds the improved text. Both are read so.",
    )

    def __post_init__(self) -> None:
        if self.newlines not in ("space", "keep"):
            raise SpecError(f"{self.name}: newlines must be 'space' or 'keep', got {self.newlines!r}")
        if self.orphans not in ("refuse", "drop"):
            raise SpecError(f"{self.name}: orphans must be 'refuse' or 'drop', got {self.orphans!r}")

    def __iter__(self) -> Iterator[Document]:
        path = existing(self.path)
        with path.open("rb") as stream:
            database = stream.read(15) == b"SQLite format 3"
        return distinct(self._database(path) if database else self._export(path), self.path)

    def _database(self, path: Path) -> Iterator[Document]:
        try:
            with sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True) as connection:
                connection.row_factory = sqlite3.Row
                _check_tables(connection, path)
                if self.orphans == "refuse":
                    _check_orphans(connection, path)
                told, about = _persons(connection), _questions(connection)
                for row in connection.execute(_QUERY):
                    mode = "human" if row["is_human"] else str(row["prompt_mode"])
                    if mode not in DROPPED:
                        yield self._document(dict(row), mode, about[row["question_id"]] | told.get(row["id"], {}))
        except sqlite3.Error as error:
            raise DataError(f"{path} is no readable SQLite database: {error}") from None

    def _export(self, path: Path) -> Iterator[Document]:
        info = path.with_name("info.json")
        if not info.is_file():
            raise DataError(f"{path}: no info.json beside it, which says the model and the mode; fetch both")
        job = _job(info, dipper="dipper" in path.parts)
        with opened(path) as stream:
            for number, row in csv_rows(stream, str(path), ";"):
                if missing := [column for column in ("question", "human", "llm") if column not in row]:
                    raise DataError(f"{path}, line {number}: no column {some(missing)} among {some(row)}")
                yield from self._exported(row, job)

    def _exported(self, row: Mapping[str, str], job: Mapping[str, Any]) -> Iterator[Document]:
        mode = str(job["prompt_mode"])
        shared = {"question": row["question"], "question_id": row["question"], "dataset": job["dataset"]}
        made = {**shared, "model": job["model"], "job_id": job["job_id"]}
        identity = f"{job['dataset']}/{row.get('', '')}"
        if mode == "improve-human":
            yield self._document({**made, "id": f"{identity}/{mode}", "answer": row["human"]}, mode, {})
            return
        yield self._document({**shared, "id": f"{identity}/human", "answer": row["human"]}, "human", {})
        yield self._document({**made, "id": f"{identity}/{mode}", "answer": row["llm"]}, mode, {})

    def _document(self, row: Mapping[str, Any], mode: str, told: Mapping[str, Any]) -> Document:
        human, corpus = mode == "human", CORPORA.get(row["dataset"], row["dataset"])
        text = str(row["answer"] or "")
        return Document(
            id=str(row["id"]),
            text=text.replace("\n", " ") if self.newlines == "space" else text,
            label="human" if human else "machine",
            level=Level.HUMAN if human else _level(mode, self.path),
            generator=None if human else row["model"],
            corpus="gede",
            domain=corpus,
            task=row["question"],
            cluster=f"{corpus}/{row['question_id']}",
            licence=self.card.licence,
            meta={**told, **({} if human else {"mode": mode, "job": row["job_id"], "pool": pool(row, mode)})},
        )


def _check_orphans(connection: sqlite3.Connection, path: Path) -> None:
    lost = connection.execute(f"SELECT count(*) FROM answers WHERE id NOT IN (SELECT id FROM ({_QUERY}))").fetchone()[0]
    if lost:
        raise DataError(
            f"{path}: {lost} answers name a question or a corpus that is not there, so their level and cluster are unknown; "
            "orphans='drop' leaves them out, as the authors' code does"
        )


def _job(info: Path, *, dipper: bool) -> dict[str, Any]:
    """What info.json tells of the model, the mode and the corpus; early ones leave the job to the folder's name."""
    try:
        job = dict(json.loads(info.read_text(encoding="utf-8"))["info"])
        job = {"job_id": info.parent.name, **job, **({"prompt_mode": "dipper", "model": "dipper"} if dipper else {})}
        return {key: str(job[key]) for key in ("model", "prompt_mode", "dataset", "job_id")}
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{info} does not tell model, prompt_mode and dataset under 'info' ({type(error).__name__}: {error}); fetch it "
            "again, or fill in what an early export leaves out"
        ) from None


def _level(mode: str, path: str) -> Level:
    base = mode if mode in MODES else mode.partition("-")[0]
    if base not in MODES:
        raise DataError(f"{path}: unknown prompt mode {mode!r}; GEDE's are {', '.join(MODES)}")
    return MODES[base]


def pool(row: Mapping[str, Any], mode: str) -> str:
    """The LLM under which the paper counts a text: its model; for DIPPER, that of the job it edits (by the job's number)."""
    if not mode.startswith("dipper"):
        return str(row["model"])
    job = mode.partition("-")[2] or str(row["job_id"])
    return "gpt-4o-mini-2024-07-18" if job.isdigit() and int(job) >= 20_000_000 else "meta-llama/Llama-3.3-70B-Instruct"


def _check_tables(connection: sqlite3.Connection, path: Path) -> None:
    for table, columns in NEEDED.items():
        there = [row["name"] for row in connection.execute(f"PRAGMA table_info({table})")]
        if missing := [column for column in columns if column not in there]:
            raise DataError(f"{path}: table {table!r} has no column {some(missing)}; is it GEDE's database.db?")


def _questions(connection: sqlite3.Connection) -> dict[Any, dict[str, Any]]:
    """What is told of each question's subject."""
    there = {row["name"] for row in connection.execute("PRAGMA table_info(questions)")}
    columns = [name for name in OF_QUESTIONS if name in there]
    rows = [dict(row) for row in connection.execute(f"SELECT {', '.join(['id', *columns])} FROM questions")]
    return {row["id"]: {name: row[name] for name in columns if row[name] is not None} for row in rows}


def _persons(connection: sqlite3.Connection) -> dict[int, dict[str, Any]]:
    """What is told of the writers, by answer; empty where the table is not there."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'human_meta'").fetchone():
        return {}
    rows = [dict(row) for row in connection.execute("SELECT * FROM human_meta")]
    return {row.pop("answer_id"): {key: value for key, value in row.items() if value is not None} for row in rows}
