"""Where corpora, levels and writers meet: texts at contribution levels, as one Parquet table.

``python -m evenhand.build demo`` remakes the machine texts of the embedded corpus.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from . import levels
from .documents import Document
from .models.chat import Cached, LocalChat, Writer

DEMO_LEVELS = ("improve_human", "rewrite_human", "summary", "task_summary", "task")
DEMO_SEED = 0
DEMO_SETTINGS = "temperature=0.7, max_new_tokens=400"
DEMO_TEST_SOURCES = 40


def build_levels(documents: Sequence[Document], specs: Iterable[str], writer: Writer, seed: int = 0) -> list[Document]:
    """One document per source and level, level by level; every one says the digest of the text it was made from."""
    digests = {document.id: document.digest for document in documents}
    made = [one for spec in specs for one in levels.get(spec).build(documents, writer, seed)]
    return [replace(one, meta={**one.meta, "source_digest": digests[one.source_id or ""]}) for one in made]


def save(documents: Iterable[Document], path: Path) -> None:
    """Documents as one Parquet file, whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from .documents import documents_schema
    from .store import row_of

    rows = [row_of(document) for document in documents]
    half = path.with_suffix(".half")
    pq.write_table(pa.Table.from_pylist(rows, documents_schema()), half, compression="zstd", compression_level=19)
    half.replace(path)


def demo(cache: Path, source: str = "embedded") -> list[Document]:
    """The machine texts of the embedded corpus: five levels of 40 test passages, and the task level of all train ones."""
    from .corpora.embedded import chosen

    writer = Cached(LocalChat(source, batch=32), cache)
    specs = [f"{name}({DEMO_SETTINGS})" for name in DEMO_LEVELS]
    train, test = chosen("train", 1000), chosen("test", DEMO_TEST_SOURCES)
    return [*build_levels(train, specs[-1:], writer, DEMO_SEED), *build_levels(test, specs, writer, DEMO_SEED)]


def main(arguments: Sequence[str]) -> None:
    from .corpora.embedded import MACHINE
    from .levels.base import counts
    from .models.home import cache_dir

    if list(arguments) != ["demo"]:
        sys.exit("usage: python -m evenhand.build demo")
    made = demo(cache_dir() / "answers")
    save(made, MACHINE)
    for level, row in counts(made).items():
        print(level, row)


if __name__ == "__main__":
    main(sys.argv[1:])
