"""A run on disk: what the computing half writes and the reading half reads.

    run/
      plan.toml            the plan as resolved; `documents.json` holds what its documents must be
      environment.json     versions, machine, weights, and how often the verification half was looked at
      documents/*.parquet  one row per text of the study
      scores/*.parquet     one row per (text digest, detector)
      measures/*.parquet   one row per (document id, measure)
      findings.json, report.html

A part is written whole (temporary file, fsync, rename) under a name that its keys decide: doing the same work twice
leaves the same file. There is no journal and no lock; what exists is not done again.
"""

from __future__ import annotations

import errno
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .documents import SET_ASIDE, Document, Level, Span, documents_schema, measures_schema, scores_schema
from .errors import StoreError

SCHEMAS = {"documents": documents_schema, "scores": scores_schema, "measures": measures_schema}
KEYS = {"documents": ("id",), "scores": ("digest", "detector"), "measures": ("id", "measure")}


@dataclass(frozen=True)
class Store:
    """A run folder. Making one touches nothing; ``create`` makes the folders."""

    folder: Path

    @classmethod
    def at(cls, folder: str | os.PathLike[str]) -> Store:
        return cls(Path(folder))

    @classmethod
    def existing(cls, folder: str | os.PathLike[str]) -> Store:
        """An existing run folder; raises StoreError where there is none."""
        if not isinstance(folder, str | os.PathLike):
            raise StoreError(f"a run is named by the path of its folder, got {folder!r}")
        path = Path(folder)
        if not (path / "plan.toml").is_file():
            raise StoreError(f"{path} is no run folder (it has no plan.toml); `evenhand run PLAN -o {path}` makes one")
        return cls(path)

    def create(self) -> None:
        with cure(self.folder):
            for name in SCHEMAS:
                (self.folder / name).mkdir(parents=True, exist_ok=True)
                for left in (self.folder / name).glob("*.tmp"):
                    left.unlink(missing_ok=True)

    # --- tables

    def append(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Writes ``rows`` as one part. The same keys in the same order overwrite their own part."""
        if not rows:
            return
        schema = SCHEMAS[name]()
        joined = "\x1e".join("\x1f".join(str(row[key]) for key in KEYS[name]) for row in rows)
        part = blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        table = pa.Table.from_pylist([dict(row) for row in rows], schema)
        target = self.folder / name / f"{part}.parquet"
        write_whole(target, lambda path: pq.write_table(table, path, compression="zstd"))

    def parts(self, name: str) -> list[Path]:
        return sorted((self.folder / name).glob("*.parquet"))

    def read(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows of a table, sorted by key: the order of writing leaves no trace."""
        schema = SCHEMAS[name]()
        if columns is not None:
            columns = list(dict.fromkeys([*columns, *KEYS[name]]))
            schema = pa.schema([schema.field(column) for column in columns])
        tables = [self._read_part(part, schema) for part in self.parts(name)]
        table = pa.concat_tables(tables) if tables else schema.empty_table()
        return table.sort_by([(key, "ascending") for key in KEYS[name]])

    def _read_part(self, part: Path, schema: pa.Schema) -> pa.Table:
        try:
            return pq.read_table(part, schema=schema)
        except (OSError, pa.ArrowException) as error:
            raise StoreError(
                f"{part} is damaged ({error}); delete that file and run again: its rows are made anew"
            ) from error

    def done(self, detector: str) -> set[str]:
        """Digests of the texts that ``detector`` has answered for, failures included."""
        table = self.read("scores", ["digest", "detector"])
        return set(table.filter(pa.compute.equal(table["detector"], detector))["digest"].to_pylist())

    def clear(self, name: str) -> None:
        for part in self.parts(name):
            part.unlink()

    def drop_failed(self) -> int:
        """Forgets failed scores, so that the next run tries them again; returns how many."""
        return self._rewrite("scores", lambda row: row["status"] != "failed")

    def forget(self, ids: Iterable[str]) -> dict[str, str]:
        """Removes documents, every text made from them, and the scores and measures of their texts.

        Gives the digests of the removed texts by document id."""
        table = self.read("documents", ["id", "digest", "source_id", "cluster"])
        rows = table.to_pylist()
        gone = set(ids)
        while more := {row["id"] for row in rows if row["source_id"] in gone} - gone:
            gone |= more
        kept = {row["digest"] for row in rows if row["id"] not in gone}
        digests = {row["digest"] for row in rows if row["id"] in gone} - kept
        self._rewrite("scores", lambda row: row["digest"] not in digests)
        self._rewrite("measures", lambda row: row["id"] not in gone)
        self._rewrite("documents", lambda row: row["id"] not in gone)
        self._recount()
        self._forget_weights()
        for derived in ("findings.json", "report.html"):
            (self.folder / derived).unlink(missing_ok=True)
        return {row["id"]: row["digest"] for row in rows if row["id"] in gone}

    def _recount(self) -> None:
        """The count of documents stands in documents.json too; without it a resumed run would make them anew."""
        told = self.read_json("documents.json")
        if "documents" in told:
            told["documents"] = self.read("documents", ["id"]).num_rows
            told.pop("content", None)  # who is forgotten here may be taken out of the corpus too
            self.write_text("documents.json", json.dumps(told, indent=1))

    def _forget_weights(self) -> None:
        """The words that weigh most in a model may be those of a removed text."""
        told = self.read_json("environment.json")
        if any([about.pop("weights", None) for about in told.get("about", {}).values()]):  # noqa: C419 - all are popped
            self.write_text("environment.json", json.dumps(told, indent=1, sort_keys=True))

    def _rewrite(self, name: str, keep: Any) -> int:
        removed = 0
        for part in self.parts(name):
            rows = self._read_part(part, SCHEMAS[name]()).to_pylist()
            kept = [row for row in rows if keep(row)]
            if len(kept) < len(rows):
                removed += len(rows) - len(kept)
                part.unlink()
                self.append(name, kept)
        return removed

    # --- the files beside the tables

    def progress(self) -> dict[str, Any]:
        """What is done, left, abstained and failed, by detector; texts of the training split are not to be scored.

        Raises StoreError where the plan or a part cannot be read.
        """
        self.settings()
        documents = self.read("documents", ["digest", "split"]).to_pylist()
        texts = {row["digest"] for row in documents if row["split"] not in SET_ASIDE}
        told, environment = self.read_json("documents.json"), self.read_json("environment.json")
        scores = self.read("scores", ["digest", "detector", "status"]).to_pylist()
        rows = []
        for spec, key in environment.get("detectors", {}).items():
            keys = {*environment.get("folds", {}).get(spec, {}).values()} or {key}
            judged = {row["digest"]: row["status"] for row in scores if row["detector"] in keys}
            found = [status for digest, status in judged.items() if digest in texts]
            counts = {status: found.count(status) for status in ("ok", "abstained", "failed")}
            rows.append({"detector": spec, **counts, "left": len(texts) - len(found)})
        return {
            "documents": len(documents),
            "documents_whole": told.get("documents") == len(documents),
            "texts": len(texts),
            "detectors": rows,
            "verification_uses": len(environment.get("verification_uses", [])),
        }

    def write_text(self, name: str, text: str) -> None:
        write_whole(self.folder / name, lambda path: path.write_text(text, encoding="utf-8"))

    def read_json(self, name: str) -> dict[str, Any]:
        path = self.folder / name
        if not path.is_file():
            return {}
        try:
            return dict(json.loads(path.read_text(encoding="utf-8")))
        except ValueError as error:
            raise StoreError(f"{path} is damaged ({error}); delete it and run again") from error

    def settings(self) -> dict[str, Any]:
        """The plan of this run as plain values; the reading half needs its policy, seed and audits."""
        try:
            return tomllib.loads((self.folder / "plan.toml").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise StoreError(
                f"{self.folder / 'plan.toml'} cannot be read ({error}); score the plan into this folder again: it writes the "
                "file anew, and nothing that is there is done twice"
            ) from error


ESCAPED = "text.json"
"""Key in ``meta`` of a text with lone surrogates, which no UTF-8 column can hold: it stands there as ASCII JSON."""


WORDS_OF_PEOPLE = frozenset({"raw", "summary", "notes"})
"""Entries of ``meta`` that hold (parts of) texts; a run without texts has none of them."""


def row_of(document: Document, *, text: bool = True) -> dict[str, Any]:
    """The row of a document. ``meta`` values are kept as JSON text, so that numbers come back as numbers."""
    row = {
        name: value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value
        for name, value in asdict(document).items()
    }
    meta = {key: value for key, value in document.meta.items() if text or key not in WORDS_OF_PEOPLE}
    if text and row["text"] != document.text:
        meta[ESCAPED] = document.text
    row["digest"] = document.digest
    row["text"] = document.text if text and ESCAPED not in meta else None
    for name in ("level", "level_after"):
        row[name] = str(row[name]) if row[name] else None
    row["meta"] = [(key, json.dumps(value, sort_keys=True, default=str)) for key, value in meta.items()]
    return row


def document_of(row: Mapping[str, Any]) -> Document:
    """The document of a row that holds its text."""
    made = ("digest", "text", "spans", "meta", "level", "level_after")
    meta = {key: json.loads(value) for key, value in row["meta"] or ()}
    return Document(
        **{name: row[name] for name in row if name not in made},
        text=meta.pop(ESCAPED, row["text"]),
        level=Level(row["level"]) if row["level"] else None,
        level_after=Level(row["level_after"]) if row["level_after"] else None,
        spans=tuple(Span(**span) for span in row["spans"] or ()),
        meta=meta,
    )


def write_whole(target: Path, write: Any) -> None:
    """Writes ``target`` whole or not at all, and says what to do when the disk does not let it."""
    temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    with cure(target):
        try:
            write(temporary)
            with temporary.open("rb") as handle:
                os.fsync(handle.fileno())
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)


class cure:  # noqa: N801 - reads as a word: `with cure(path): ...`
    """Turns an OSError about ``path`` into a StoreError that names the cure."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if not isinstance(error, OSError):
            return
        advice = {
            errno.ENOSPC: "the disk is full; free some space and run again: what is written stays",
            errno.EROFS: "the disk is read-only; choose another folder with -o",
            errno.EACCES: "no right to write there; choose another folder with -o",
            errno.EPERM: "no right to write there; choose another folder with -o",
            errno.ENOTDIR: "a file stands where a folder is needed; choose another folder with -o",
            errno.EEXIST: "a file stands where a folder is needed; choose another folder with -o",
        }.get(error.errno or 0, "check the folder and run again")
        raise StoreError(f"cannot write {self.path}: {error.strerror or error}; {advice}") from error


def batches(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Consecutive lists of at most ``size``."""
    batch: list[Any] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
