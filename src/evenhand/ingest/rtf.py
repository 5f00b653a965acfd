"""RTF by striprtf, which gives text alone: headings are found by number and name. Notes and page furniture are cut first."""

from __future__ import annotations

import re
from collections import Counter
from importlib.metadata import version
from pathlib import Path

from ..errors import MissingExtra
from .blocks import Block, Content, Limits
from .clean import tidy
from .latex import braced

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
        at = braced(source, found.start())[1]
        left_out[_DROPPED[re.sub(r"(?<=er)[lrf]$", "", found[1])]] += 1
    return "".join([*kept, source[at:]]), dict(left_out)
