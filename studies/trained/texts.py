"""The texts of the studies: the first words of each record, on one line, with its cluster."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from evenhand.documents import Document, Level
from evenhand.errors import DataError
from evenhand.seeds import seed_of

WORDS = 100
"""So many words of each text are read by every learner: neither length nor line breaks tell the classes apart."""
SOURCES = 50
"""So many sources a class and attack, drawn, of the two-sided set."""
KEPT = ("id", "label", "domain", "generator", "attack", "source_id")
SETS = ("detectrl", "student_essays", "mixset")


def read(folder: Path, name: str, words: int | None = WORDS) -> list[Document]:
    """The documents of one of SETS, each id once. 'detectrl' is the clean texts with the sources of the two-sided ones, and
    those under their attacks."""
    readers = {"detectrl": detectrl, "student_essays": essays, "mixset": mixset}
    if name not in readers:
        raise DataError(f"no set {name!r}; there are: {', '.join(readers)}")
    return [document(row, words) for row in distinct(readers[name](folder))]


def detectrl(folder: Path) -> Iterator[dict[str, Any]]:
    """All clean texts; of the attacked ones those of SOURCES sources a class."""
    yield from records(folder / "detectrl_clean.jsonl.gz")
    rows = list(records(folder / "detectrl_two_sided.jsonl.gz"))
    clean = sorted((row for row in rows if row["attack"] == "none"), key=lambda row: seed_of("source", row["id"]))
    drawn = {r["id"] for label in ("human", "machine") for r in [c for c in clean if c["label"] == label][:SOURCES]}
    yield from (row for row in rows if row["attack"] == "none" or row["source_id"] in drawn)


def essays(folder: Path) -> Iterator[dict[str, Any]]:
    """Self-edited generated texts are the level rewrite-llm, and clean texts of it."""
    return ({**row, "attack": "none"} for row in records(folder / "student_essays.jsonl.gz"))


def mixset(folder: Path) -> Iterator[dict[str, Any]]:
    """One text a source and operation: the editor (GPT-4 or Llama-2; of edits by people, their extent) is drawn."""
    drawn: dict[tuple[str, str], dict[str, Any]] = {}
    for row in records(folder / "mixset.jsonl.gz"):
        key = (row.get("source_id") or row["id"], operation(row["operation"]))
        drawn[key] = min(drawn.get(key, row), row, key=lambda one: seed_of("editor", one["id"]))
    return ({**row, "attack": "none"} for row in drawn.values())


def operation(told: str) -> str:
    """'gpt4_rewrite' and '2llama_rewrite' are one; so are people's edits of a token or a sentence."""
    if told.startswith("MGT_"):
        return "human_edit"
    return told.partition("_")[2] or told if told.startswith(("gpt4_", "2llama_")) else told


def records(file: Path) -> Iterator[dict[str, Any]]:
    if not file.is_file():
        raise DataError(f"{file} is not there; give the folder that holds {file.name}")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def distinct(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each id once; a source that stands in two files is one text."""
    kept: dict[str, dict[str, Any]] = {}
    for row in rows:
        if kept.setdefault(row["id"], row)["text"] != row["text"]:
            raise DataError(f"two texts have the id {row['id']!r}")
    return list(kept.values())


def first_words(text: str, words: int | None) -> str:
    """On one line, without the 'Title:' that all human reports of one corpus and no generated one begin with."""
    return " ".join(text.strip().removeprefix("Title:").split()[:words])


def document(row: dict[str, Any], words: int | None) -> Document:
    told = {key: row[key] for key in KEPT if row.get(key) is not None}
    level = Level.read(row["level"]) if row.get("level") else None
    meta = {"operation": row["operation"]} if row.get("operation") else {}
    return Document(text=first_words(row["text"], words), level=level, cluster=row["doc"], meta=meta, **told)
