"""What every reader of a file format gives: blocks of text in reading order, and what it left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["text", "heading", "title"]


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or a heading. ``level``: 1 for a section, 2 for what is inside one, 0 where the file does not say."""

    text: str
    kind: Kind = "text"
    level: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may cost. ``memory`` is the address space of the child process, in bytes (not held on Windows and
    macOS); ``unpacked`` what a container may hold, in bytes; ``seconds`` wall clock."""

    seconds: float = 60.0
    memory: int = 2 * 2**30
    file_bytes: int = 100 * 2**20
    unpacked: int = 200 * 2**20
    pages: int = 300
    characters: int = 5_000_000


@dataclass(frozen=True, slots=True)
class Content:
    """``left_out`` counts what is not text of the paper (running heads, footnotes, captions, ...), by what it is."""

    blocks: tuple[Block, ...]
    title: str | None = None
    title_from: str | None = None
    pages: int | None = None
    library: str = ""
    left_out: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
