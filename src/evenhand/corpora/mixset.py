"""MixSet: texts that an LLM or a human revised (Zhang et al., 2024)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from ..documents import Document, Level, digest
from ..errors import DataError
from ..files import existing
from ..registry import Card
from .base import Corpus, distinct
from .folder import inside
from .records import read_records

LEVELS = {
    "polish_token": Level.IMPROVE_HUMAN,
    "polish_sentence": Level.IMPROVE_HUMAN,
    "rewrite": Level.REWRITE_HUMAN,
    "humanize": Level.HUMANIZE,
}
EDITORS = {"gpt4": "GPT-4", "2llama": "Llama-2", "MGT": None}
_SOURCES = ("original", "HWT_sentence", "MGT_sentence")


@dataclass(frozen=True)
class Mixset(Corpus):
    """``path``: the folder data/MixSet, or one of its files. Originals are documents too, each of them once."""

    path: str
    files: str = "separated_files/*.json"
    name: ClassVar[str] = "mixset"
    card: ClassVar[Card] = Card(
        summary="MixSet: human texts polished, rewritten or continued by LLMs; machine texts humanized or edited by people.",
        source="Zhang et al. 2024, LLM-as-a-Coauthor; github Dongping-Chen/MixSet",
        licence="unclear: the repository has none",
        family="corpus",
        needs="the folder, from the authors",
        follows="levels are ours, by operation: polish = improve-human, rewrite = rewrite-human, humanize = humanize; "
        "'complete' and edits by people have none",
        pitfalls="The file's 'binary' calls humanized machine texts human; here they are machine, and meta keeps 'binary'. "
        "Human originals have their names in lower case. Under one id, 55 edited texts have another original.",
    )

    def __iter__(self) -> Iterator[Document]:
        return distinct(self._documents(), self.path)

    def _documents(self) -> Iterator[Document]:
        path = Path(self.path)
        root = existing(path.parent if path.is_file() else path, folder=True)
        files = [Path(path.name)] if path.is_file() else [Path(file) for file in sorted(inside(root, self.files))]
        originals: set[str] = set()
        for file in files:
            for number, row in enumerate(read_records(root / file, "id")):
                original, revised = _pair(row, file.stem, f"{root / file}, record {number}", number)
                if original.id not in originals:
                    originals.add(original.id)
                    yield original
                yield revised


def _pair(row: dict[str, Any], stem: str, where: str, number: int) -> tuple[Document, Document]:
    told = str(row.get("mixset_category") or stem)
    editor, _, operation = told.partition("_")
    source = next((key for key in _SOURCES if key in row), None)
    output = "revised" if "revised" in row else next((key for key in row if key.endswith("_output")), None)
    if source is None or output is None or editor not in EDITORS:
        raise DataError(f"{where}: no original and revised text of a known operation in {', '.join(row)} of {told!r}")
    machine = editor == "MGT" or operation == "humanize"
    original = _original(row, row[source], machine)
    meta = {key: row[key] for key in ("binary", "model") if key in row} | {"operation": told}
    revised = Document(
        id=f"{told}/{row['id']}/{number}",
        text=row[output],
        label="machine",
        level=None if editor == "MGT" else LEVELS.get(operation),
        generator=EDITORS[editor] or original.generator,
        corpus="mixset",
        domain=row.get("category"),
        source_id=original.id,
        cluster=original.id,
        meta=meta | {"editor": "human" if editor == "MGT" else "llm"},
    )
    return original, revised


def _original(row: dict[str, Any], text: str, machine: bool) -> Document:
    """Named by its text, because one id of the files can stand for two originals."""
    name = f"original/{digest(text)[:12]}"
    return Document(
        id=name,
        text=text,
        label="machine" if machine else "human",
        level=None if machine else Level.HUMAN,
        generator=row.get("model") if machine else None,
        corpus="mixset",
        domain=row.get("category"),
        cluster=name,
        meta={"operation": "original"},
    )
