"""From the rows of a table to documents: which column is what, how labels are spelt, and what is wrong with a row."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

from ..documents import LABELS, Document, Label, Level, Span
from ..errors import DataError, SpecError
from ..files import Row, check_encoding
from .base import Corpus, some

Labels = Mapping[Any, str] | str | None

_WORDS = ("generator", "decoding", "domain", "task", "title", "section", "source_id", "split", "licence")
_DERIVED = {"digest"}  # stands in our own tables, and follows from the text
_FIELDS = {field.name for field in fields(Document)}


@dataclass(frozen=True)
class Table(Corpus):
    """Rows with a text each. Columns named like a field of Document fill it; all others go to ``meta``.

    ``labels`` maps the spellings of the file (``{'HWT': 'human', 'MGT': 'machine'}``), or names the one label that all
    its texts have. ``cluster`` names the column of what is not independent; by default the column ``cluster``, else
    ``doc``, else the source. ``columns`` names the columns of further fields: ``{'generator': 'model'}``.
    """

    path: str
    text: str = "text"
    label: str = "label"
    id: str = "id"
    cluster: str | None = None
    labels: Labels = None
    columns: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        label_map(self.name, self.labels)
        unknown = sorted(set(self.columns or ()) - (_FIELDS - {"meta", "spans"}))
        if unknown:
            raise SpecError(
                f"{self.name}: columns: a document has no field {some(unknown)}; it has: {some(_FIELDS, 99)}"
            )

    @abstractmethod
    def rows(self) -> Iterator[tuple[int, Row]]:
        """The rows as they stand, each with its number as an editor would count it."""

    def __iter__(self) -> Iterator[Document]:
        known = label_map(self.name, self.labels)
        clusters: dict[str, str] = {}
        for number, row in self.rows():
            where = f"{self.path}, row {number}"
            named = self._renamed(row, where)
            named["id"] = identity = self._identity(row, number, where)
            if identity in clusters:
                raise DataError(self._twice())
            named["cluster"] = clusters[identity] = _cluster(named, clusters)
            yield record(named, where, self._label(row, known), self._stem)
        if not clusters:
            raise DataError(f"{self.path} holds no document")

    @property
    def _stem(self) -> str:
        return Path(self.path).name.split(".")[0]

    def _renamed(self, row: Row, where: str) -> dict[str, Any]:
        """The row under the names of Document; raises DataError for a column that was named and is not there."""
        wanted = {"text": self.text, "label": self.label, "id": self.id, **(self.columns or {})}
        wanted |= {"cluster": self.cluster} if self.cluster else {}
        for field, column in wanted.items():
            optional = (field == "id" and column == "id") or (field == "label" and isinstance(self.labels, str))
            if column not in row and not optional:
                hint = "; if all texts have one label, say labels='human'" if field == "label" else ""
                raise DataError(f"{where}: no column {column!r}; name it with {field}=... among: {some(row, 30)}{hint}")
        taken = {*wanted.values(), *_DERIVED}
        renamed = {key: value for key, value in row.items() if key not in taken}
        return renamed | {field: row.get(column) for field, column in wanted.items()}

    def _identity(self, row: Row, number: int, where: str) -> str:
        """The id of the row; in a table without ids, file name and row number."""
        if self.id not in row:
            return f"{self._stem}/{number}"
        if row[self.id] in (None, ""):
            raise DataError(
                f"{where}: the id is empty; give every text an id of its own, or name another column with id=..."
            )
        return str(row[self.id])

    def _label(self, row: Row, known: Mapping[str, Label]) -> Label:
        found = known.get("" if isinstance(self.labels, str) else spelling(row[self.label]))
        if found is None:
            raise DataError(self._unknown_labels(known))
        return found

    def _twice(self) -> str:
        counts = Counter(str(row.get(self.id)) for _, row in self.rows())
        twice = [name for name, n in counts.items() if n > 1]
        return f"{self.path}: {len(twice)} ids stand more than once: {some(twice)}; give every text an id of its own"

    def _unknown_labels(self, known: Mapping[str, Label]) -> str:
        counts = Counter(spelling(row.get(self.label)) for _, row in self.rows())
        found = ", ".join(f"{name!r} ({n})" for name, n in counts.most_common(10))
        cure = ", ".join(f"{name!r}: ..." for name, _ in counts.most_common(10) if name not in known)
        return (
            f"{self.path}: labels are spelt {found} in column {self.label!r}; say which is which, "
            f"with 'human', 'machine' or 'mixed' for the dots: labels={{{cure}}}"
        )


@dataclass(frozen=True)
class TextTable(Table):
    """A table in a text file, plain or gzip."""

    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_encoding(self.name, self.encoding)


def spelling(value: Any) -> str:
    """How a label is spelt, whatever its type in the file: ``1`` -> ``'1'``, null -> ``''``."""
    return "" if value is None else str(value)


def label_map(name: str, labels: Labels) -> dict[str, Label]:
    """Spelling -> label; the three labels themselves are always understood. A single label stands under ``''``."""
    known: dict[str, str] = {label: label for label in LABELS}
    known |= (
        {"": labels} if isinstance(labels, str) else {spelling(key): value for key, value in (labels or {}).items()}
    )
    wrong = sorted({str(value) for value in known.values()} - set(LABELS))
    if wrong:
        raise SpecError(f"{name}: labels maps to {some(wrong)}; a label is 'human', 'machine' or 'mixed'")
    return cast(dict[str, Label], known)


def record(row: Row, where: str, label: Label, corpus: str) -> Document:
    """One row, under the names of Document, as a document; what has no field goes to ``meta``. Raises DataError."""
    level = _level(row.get("level"), where)
    if level and label == ("machine" if level is Level.HUMAN else "human" if level >= Level.SUMMARY else None):
        raise DataError(
            f"{where}: the label is {label} and the level {level}, which cannot both be: are the labels swapped? Tell them by "
            "labels={...}, or mend the level"
        )
    return Document(
        text=_text(row["text"], where),
        label=label,
        id=row["id"],
        cluster=row["cluster"],
        level=level,
        level_after=_level(row.get("level_after"), where),
        corpus=_word(row.get("corpus")) or corpus,
        attack=_word(row.get("attack")) or "none",
        sanitizer=_word(row.get("sanitizer")) or "none",
        truncated=_truth(row.get("truncated")),
        spans=_spans(row.get("spans"), where),
        meta=_meta(row),
        **{name: _word(row.get(name)) for name in _WORDS},
    )


def _text(value: Any, where: str) -> str:
    """Any string is a text, also an empty one, which null is too: detectors abstain on it, and the ledger says so."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DataError(f"{where}: the text is of type {type(value).__name__}; name the right column with text=...")
    return value


def _cluster(row: Row, known: Mapping[str, str]) -> str:
    """What the row is not independent of: as the table says, else the cluster of its source, else itself."""
    source = row.get("source_id")
    return str(row.get("cluster") or row.get("doc") or known.get(str(source)) or source or row["id"])


def _word(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)


def _truth(value: Any) -> bool:
    return value.strip().lower() in ("true", "1", "yes") if isinstance(value, str) else bool(value)


def _level(value: Any, where: str) -> Level | None:
    if value is None or value == "":
        return None
    try:
        return Level.read(str(value))
    except SpecError as error:
        raise DataError(f"{where}: {error}; leave it empty where it is not known") from None


def _spans(value: Any, where: str) -> tuple[Span, ...]:
    try:
        return tuple(Span(int(s["start"]), int(s["end"]), s["author"]) for s in value or ())
    except (TypeError, KeyError, ValueError):
        raise DataError(
            f"{where}: spans must be a list of objects with start, end and author, not {value!r:.80}"
        ) from None


def _meta(row: Row) -> dict[str, Any]:
    given = row.get("meta")
    meta = dict(given) if isinstance(given, Mapping | list) else {} if given is None else {"meta": given}
    return meta | {key: value for key, value in row.items() if key not in _FIELDS and value is not None}
