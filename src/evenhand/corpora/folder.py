"""A folder of text files, one text a file; the sub-folder says the label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import ClassVar

from ..errors import DataError
from ..files import Row, existing, read_text
from ..registry import Card
from .table import TextTable


@dataclass(frozen=True)
class Folder(TextTable):
    """Files that match ``pattern`` below ``path``. The columns of a file are id (its path inside the folder, without
    the suffix), label (the first folder of that path), name, and text."""

    pattern: str = "**/*.txt"
    name: ClassVar[str] = "folder"
    card: ClassVar[Card] = Card(
        summary="Reads a folder of text files, one document a file; the sub-folder names the label.",
        family="reader",
        pitfalls="Files of the operating system (._name, __MACOSX, .DS_Store) are passed over.",
    )

    def reads(self) -> Iterator[Path]:
        root = Path(self.path).expanduser()
        yield from (root / file for file in sorted(inside(root, self.pattern)))

    def rows(self) -> Iterator[tuple[int, Row]]:
        root = existing(self.path, folder=True)
        found = sorted(inside(root, self.pattern))
        if not found:
            raise DataError(f"{self.path}: no file matches {self.pattern!r}; name the files with pattern=...")
        for number, path in enumerate(found, 1):
            text = read_text(root / path, self.encoding) if (root / path).stat().st_size else ""
            label = path.parts[0] if len(path.parts) > 1 else ""
            yield number, {"id": str(path.with_suffix("")), "label": label, "name": path.name, "text": text}


def inside(root: Path, pattern: str) -> Iterator[PurePosixPath]:
    """The files below ``root`` that match, without what operating systems leave behind."""
    for path in root.glob(pattern):
        parts = PurePosixPath(path.relative_to(root).as_posix())
        if path.is_file() and "__MACOSX" not in parts.parts and not parts.name.startswith("."):
            yield parts
