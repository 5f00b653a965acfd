"""RTF by striprtf, which gives text alone: headings are found by number and name. Notes and page furniture are cut first."""

from __future__ import annotations

import re
from collections import Counter
from importlib.metadata import version
from pathlib import Path

from ..errors import MissingExtra
from .blocks import Block, Content, Limits
from .clean import tidy

_DROPPED = {"footnote": "footnotes", "header": "running heads", "footer": "running heads", "annotation": "comments"}
_GROUP = re.compile(r"\{\\(?:\*\\)?(footnote|header[lrf]?|footer[lrf]?|annotation)(?![a-z])")


def read(path: Path, limits: Limits) -> Content:
    try:
        from striprtf.striprtf import rtf_to_text
    except ImportError:
        raise MissingExtra("reading RTF", "files") from None
    source, left_out = without_groups(path.read_bytes().decode("latin-1"))
    text: str = rtf_to_text(source, errors="replace")
    blocks = tuple(Block(made) for line in text.split("\n") if (made := tidy(line)))
    return Content(blocks, library=f"striprtf {version('striprtf')}", left_out=left_out)


def without_groups(source: str) -> tuple[str, dict[str, int]]:
    """The source without the groups that hold footnotes, running heads and comments; each counted."""
    kept, left_out, at = [], Counter[str](), 0
    while found := _GROUP.search(source, at):
        kept.append(source[at : found.start()])
        at = _end(source, found.start())
        left_out[_DROPPED[re.sub(r"(?<=er)[lrf]$", "", found[1])]] += 1
    return "".join([*kept, source[at:]]), dict(left_out)


def _end(source: str, start: int) -> int:
    """Where the group that opens at ``start`` ends; braces behind a backslash are text."""
    depth = 0
    for found in re.compile(r"\\.|[{}]", re.DOTALL).finditer(source, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return len(source)
