"""Real papers of arXiv: the metadata of the Kaggle snapshot with PDFs beside it, as IDMGSP's real class (sec. 3.1)."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, ClassVar

from .. import ingest
from ..documents import Document
from ..errors import DataError, SpecError
from ..files import opened
from ..ingest import FileRead, Found, Limits
from ..registry import Card
from ..sections import SECTIONS
from .base import Corpus, distinct

_NEW = r"\d{4}\.\d{4,5}"
_OLD = r"(?P<archive>[a-z][a-z.-]*?(?:\.[A-Z]{2})?)[_/]?(?P<number>\d{7})"
_NAME = re.compile(rf"^(?:(?P<new>{_NEW})|{_OLD}|(?P<bare>\d{{7}}))(?:v(?P<version>\d{{1,3}}))?$")
_ID = re.compile(r'"id"\s*:\s*"([^"]+)"')


@dataclass(frozen=True)
class Arxiv(Corpus):
    """``metadata``: arxiv-metadata-oai-snapshot.json (JSON lines). ``pdfs``: a folder of files named as arXiv names them:
    0704.0001v2.pdf, 0704.0001.pdf, hep-th_9901001v1.pdf, hep-th/9901001v1.pdf, or in the folders of its bucket,
    hep-th/pdf/9901/9901001v1.pdf. ``before``: only versions that were submitted before this day; of several versions of a
    paper, the last such one. ``unit``: 'sections' or 'whole'.
    """

    metadata: str
    pdfs: str
    before: str = "2022-11-30"
    parser: str = "layout"
    unit: str = "sections"
    name: ClassVar[str] = "arxiv"
    card: ClassVar[Card] = Card(
        summary="Abstracts from arXiv's metadata, introductions and conclusions from its PDFs.",
        source="IDMGSP (scientific papers), sec. 3.1; kaggle Cornell-University/arxiv",
        licence="CC0 (metadata); each paper has a licence of its own, kept in the field licence",
        family="corpus",
        needs="the snapshot and PDFs, from Kaggle or its bucket; evenhand[files]",
        follows="the paper: nothing from after November 2022 (here by the day of the version; the code goes by the year), "
        "title and abstract from the metadata, papers that lack introduction or conclusion are left out",
        pitfalls="Abstracts come from metadata and never hold a PDF's traces, the other sections do: a detector can learn that. "
        'What was left out, and why, stands in the ledger of `evenhand import "arxiv(...)" -o FILE`.',
    )

    def __post_init__(self) -> None:
        ingest.reading.check_parser(self.parser)
        if self.unit not in ("sections", "whole"):
            raise SpecError(f"{self.name}: unit is 'sections' or 'whole', got {self.unit!r}")
        try:
            date.fromisoformat(self.before)
        except (ValueError, TypeError):
            raise SpecError(f"{self.name}: before is a day such as '2022-11-30', got {self.before!r}") from None

    def reads(self) -> Iterator[Path]:
        """The metadata alone: the bucket of all PDFs is a terabyte."""
        yield Path(self.metadata).expanduser()

    def __iter__(self) -> Iterator[Document]:
        return distinct(self.read()[1], self.pdfs)

    def read(self, limits: Limits | None = None, jobs: int = 1) -> tuple[list[FileRead], list[Document]]:
        """What each PDF gave, and the documents of the papers that are whole."""
        found = ingest.find([self.pdfs])
        records = _records(self.metadata, {name[0] for one in found if (name := paper_of(one.name))})
        chosen, refused = _chosen(found, records, date.fromisoformat(self.before))
        reads = {read.file: read for read in ingest.read_files(chosen, self.parser, limits, jobs)}
        documents: list[Document] = []
        for one, (record, day) in chosen.items():
            reads[one.name], made = self._documents(reads[one.name], record, day)
            documents += made
        rows = {**{row.file: row for row in refused}, **reads}
        return [rows[one.name] for one in found], documents

    def _documents(self, read: FileRead, record: Mapping[str, Any], day: date) -> tuple[FileRead, list[Document]]:
        """The row and the documents: the abstract and the title are the metadata's."""
        read = replace(read, title=_flat(record.get("title")), title_from="metadata")
        found = {**read.sections, "abstract": _flat(record.get("abstract"))}
        if missing := [name for name in SECTIONS if not found.get(name)]:
            lost = f"left out: no {' and no '.join(missing)} was found"
            return replace(read, reason=read.reason or lost), []
        sections = {name: found[name] for name in SECTIONS}
        whole = replace(read, sections=sections, status="ok", missing={})
        make = ingest.Make(self.unit, "human", corpus="arxiv")
        return whole, [_document(made, record, day) for made in ingest.documents(whole, make)]


def _document(document: Document, record: Mapping[str, Any], day: date) -> Document:
    identity, categories = str(record["id"]), str(record.get("categories", "")).split()
    taken = {"taken_from": "metadata", "heading": None} if document.section == "abstract" else {}
    told = {**document.meta, **taken, "date": day.isoformat(), "year": day.year, "categories": " ".join(categories)}
    return replace(
        document,
        id=f"{identity}#{document.id.rpartition('#')[2]}",
        domain=categories[0] if categories else None,
        source_id=None,
        cluster=identity,
        licence=record.get("license"),
        meta={key: value for key, value in told.items() if value is not None},
    )


def paper_of(name: str) -> tuple[str, int | None] | None:
    """(id, version or None) by the name of a file; None where it is not named as arXiv names them."""
    path = name.removesuffix(".pdf").removesuffix(".PDF").split("/")
    found = _NAME.match(path[-1])
    if not found:
        return None
    version = int(found["version"]) if found["version"] else None
    if found["bare"]:  # its bucket has archive/pdf/9901/9901001v1.pdf
        folders = [part for part in path[:-1] if part not in ("pdf", found["bare"][:4])]
        return (f"{folders[-1]}/{found['bare']}", version) if folders else None
    # a subject class (math.GT) stands in no id of the metadata
    return found["new"] or f"{found['archive'].partition('.')[0]}/{found['number']}", version


def _records(path: str, wanted: set[str]) -> dict[str, dict[str, Any]]:
    """The metadata of these papers; the file has millions of lines, most of which are not parsed."""
    found: dict[str, dict[str, Any]] = {}
    with opened(path, newline="\n") as stream:
        for number, line in enumerate(stream, 1):
            identity = _ID.search(line)
            if identity is None and line.strip():
                raise DataError(f"{path}, line {number}: no 'id'; arXiv's snapshot has one JSON object a line")
            if identity is not None and identity[1].replace("\\/", "/") in wanted:
                record = _parsed(line, f"{path}, line {number}")
                found[str(record["id"])] = record
    return found


def _parsed(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is no JSON: {error}; was the snapshot cut off?") from None
    if not isinstance(record, dict) or "id" not in record:
        raise DataError(f"{where} holds no paper with an id")
    return record


Chosen = dict[Found, tuple[dict[str, Any], date]]


def _chosen(
    found: Sequence[Found], records: Mapping[str, dict[str, Any]], before: date
) -> tuple[Chosen, list[FileRead]]:
    """The files to read with their metadata and day, and a row for each of the others."""
    papers: dict[str, list[tuple[date, float, Found]]] = defaultdict(list)
    reasons: dict[str, str] = {}
    for one in found:
        identity, version = paper_of(one.name) or ("", None)
        day = _day(records[identity], version) if identity in records else None
        reason = one.problem or _refused(identity, identity in records, day, before)
        if reason or day is None:
            reasons[one.name] = reason
        else:
            papers[identity].append((day, version or math.inf, one))
    chosen: Chosen = {}
    for identity, versions in papers.items():
        day, _, last = max(versions, key=lambda version: version[:2])
        chosen[last] = records[identity], day
        reasons |= {
            one.name: "left out: the same or a later version is here too" for *_, one in versions if one != last
        }
    return chosen, [FileRead(name, "refused", reason) for name, reason in reasons.items()]


def _refused(identity: str, known: bool, day: date | None, before: date) -> str:
    if not identity:
        return "left out: not named as arXiv names its files (0704.0001v2.pdf, hep-th_9901001v1.pdf)"
    if not known:
        return f"left out: the metadata has no {identity}"
    if day is None:
        return "left out: the metadata does not say when this version was submitted"
    return f"left out: submitted on {day}, not before {before}" if day >= before else ""


def _day(record: Mapping[str, Any], version: int | None) -> date | None:
    """When a version was submitted; without a number, the last one. None where it is not told."""
    rows = [one for one in record.get("versions") or () if isinstance(one, dict)]
    versions = {str(one.get("version")): str(one.get("created", "")) for one in rows}
    told = versions.get(f"v{version}", "") if version else next(reversed(versions.values()), "")
    try:
        return parsedate_to_datetime(told).date()
    except (ValueError, TypeError):
        return None


def _flat(text: Any) -> str:
    """Line ends and runs of spaces as one space (code); nothing where the metadata have null."""
    return re.sub(r" *\n *|  +", " ", str(text or "")).strip()
