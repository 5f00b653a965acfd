"""Argument Annotated Essays 2.0: 402 essays of learners, from the brat archive (Stab and Gurevych, 2017)."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import ClassVar

from ..documents import Document, Level
from ..errors import DataError
from ..files import existing
from ..registry import Card
from .base import Corpus, distinct
from .sampling import check_limits, shortened

_ESSAY = re.compile(r"essay\d+\.txt")


@dataclass(frozen=True)
class Aae(Corpus):
    """``path``: brat-project-final.zip; ``prompts``: prompts.csv, by default beside it or inside it.

    ``max_words=320`` cuts at sentence ends, as GEDE does.
    """

    path: str
    prompts: str | None = None
    max_words: int | None = None
    name: ClassVar[str] = "aae"
    card: ClassVar[Card] = Card(
        summary="Argument Annotated Essays 2.0: human essays with their tasks, from the brat archive.",
        source="Stab and Gurevych 2017, CL 43(3); read as GEDE reads it (appendix A and code)",
        licence="academic use only, no redistribution",
        family="corpus",
        needs="the archive, from the authors",
        follows="GEDE's code: the first two lines (title and a blank) are no text; the title is kept in its own field. A second "
        "line that is not blank is text",
        pitfalls="Entries of macOS are passed over. prompts.csv is Mac Roman with lone carriage returns.",
    )

    def __post_init__(self) -> None:
        check_limits(self.name, max_words=self.max_words)

    def __iter__(self) -> Iterator[Document]:
        return distinct(shortened(self._documents(), self.max_words), self.path)

    def _documents(self) -> Iterator[Document]:
        path = existing(self.path)
        try:
            with zipfile.ZipFile(path) as archive:
                names = sorted(filter(_is_essay, archive.namelist()))
                tasks = self._tasks(path, archive)
                for name in names:
                    yield _document(PurePosixPath(name).stem, archive.read(name), tasks)
        except UnicodeDecodeError as error:
            raise DataError(f"{self.path}, {name}: {error}; the essays are UTF-8: fetch the archive again") from None
        except zipfile.BadZipFile as error:
            raise DataError(f"{self.path} is no readable zip archive ({error}); fetch it again") from None

    def _tasks(self, path: Path, archive: zipfile.ZipFile) -> dict[str, str]:
        beside = Path(self.prompts) if self.prompts else path.with_name("prompts.csv")
        inside = [name for name in archive.namelist() if name.endswith("prompts.csv") and "__MACOSX" not in name]
        if self.prompts or beside.is_file():
            return read_prompts(existing(beside).read_bytes())
        return read_prompts(archive.read(inside[0])) if inside else {}


def _is_essay(name: str) -> bool:
    path = PurePosixPath(name)
    return "__MACOSX" not in path.parts and _ESSAY.fullmatch(path.name) is not None


def read_prompts(content: bytes) -> dict[str, str]:
    """Essay -> task. The byte 0xCA, a no-break space in Mac Roman, becomes a space."""
    text = content.decode("mac_roman").replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ")
    rows = csv.reader(io.StringIO(text), delimiter=";")
    return {
        row[0].removesuffix(".txt"): ";".join(row[1:]).strip() for row in rows if row and row[0].startswith("essay")
    }


def _document(name: str, content: bytes, tasks: dict[str, str]) -> Document:
    title, _, text = content.decode("utf-8").replace("\r\n", "\n").partition("\n")
    return Document(
        id=name,
        text=text.strip(),
        label="human",
        level=Level.HUMAN,
        corpus="aae",
        domain="argumentative essay",
        task=tasks.get(name),
        title=title.strip(),
        cluster=tasks.get(name) or name,
        licence=Aae.card.licence,
    )
