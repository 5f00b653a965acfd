"""What every corpus is: an iterable of documents; and what can be said of documents before they are used."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path

from ..documents import Document
from ..errors import DataError
from ..registry import Component


class Corpus(Component):
    """Base of every corpus. Iterating reads it anew, in a fixed order; DataError says what cannot be used."""

    @abstractmethod
    def __iter__(self) -> Iterator[Document]:
        """Yields documents with unique ids."""

    def reads(self) -> Iterator[Path]:
        """What it reads, where that is files at hand: here the file ``path``, or all below that folder but hidden ones."""
        path = getattr(self, "path", None)
        if not isinstance(path, str | os.PathLike):
            return
        root = Path(path).expanduser()
        if root.is_file():
            yield root
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))


def content(corpus: Corpus, apart: Path) -> str:
    """A digest of names, sizes and times of all files that a corpus reads, but those in the folder ``apart``; '' where it reads
    none. Nothing is opened: where it differs the files may have changed, and it takes reading them to know."""
    found, own = [], os.path.realpath(apart)
    for file in corpus.reads():
        if file.is_file() and not Path(os.path.realpath(file.parent)).is_relative_to(own):
            about = file.stat()
            found.append(f"{file.name} {about.st_size} {about.st_mtime_ns}")
    return blake2b("\n".join(found).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest() if found else ""


def distinct(documents: Iterable[Document], where: str) -> Iterator[Document]:
    """The same documents; raises DataError where there is none, or where an id comes back."""
    seen: set[str] = set()
    for document in documents:
        if document.id in seen:
            raise DataError(f"{where}: the id {document.id!r} stands more than once; is a file there twice?")
        seen.add(document.id)
        yield document
    if not seen:
        raise DataError(f"{where} holds no document of this corpus")


def check(documents: Iterable[Document]) -> list[str]:
    """What is odd about these documents, one sentence each; empty if nothing is. None of it stops a run."""
    kept = list(documents)
    if not kept:
        return ["there is no document"]
    by_id = {document.id: document for document in kept}
    return [*_classes(kept), *_ids(kept), *_sources(kept, by_id), *_clusters(kept, by_id)]


def some(names: Iterable[str], most: int = 5) -> str:
    """``'a', 'b' and 7 more``: enough to find them, few enough to read."""
    found = list(names)
    shown = ", ".join(repr(name) for name in found[:most])
    return shown if len(found) <= most else f"{shown} and {len(found) - most} more"


def _classes(documents: list[Document]) -> Iterator[str]:
    counts = Counter(document.label for document in documents)
    if not {"human", "machine"} <= counts.keys():
        found = ", ".join(f"{label} {n}" for label, n in counts.items())
        yield f"one class only ({found}): no rate that compares human and machine text can be measured"
    empty = [document.id for document in documents if not document.text.strip()]
    if empty:
        yield f"{len(empty)} texts are empty ({some(empty)}): detectors abstain on them"


def _ids(documents: list[Document]) -> Iterator[str]:
    counts = Counter(document.id for document in documents)
    twice = [name for name, n in counts.items() if n > 1]
    if twice:
        yield f"{len(twice)} ids stand more than once: {some(twice)}"


def _sources(documents: list[Document], by_id: Mapping[str, Document]) -> Iterator[str]:
    lost = [d.id for d in documents if d.source_id is not None and d.source_id not in by_id]
    if lost:
        yield f"the source of {len(lost)} documents is not in the corpus: {some(lost)}"


def _clusters(documents: list[Document], by_id: Mapping[str, Document]) -> Iterator[str]:
    away = [d.id for d in documents if d.source_id and by_id.get(d.source_id, d).cluster != d.cluster]
    if away:
        yield f"{len(away)} documents lie in another cluster than their source: {some(away)}"
    splits: dict[str, set[str | None]] = {}
    for document in documents:
        splits.setdefault(document.cluster, set()).add(document.split)
    torn = [cluster for cluster, found in splits.items() if len(found) > 1]
    if torn:
        yield f"{len(torn)} clusters lie on two sides of the split: {some(torn)}"
