"""The three sections of a paper, and the one text that holds them: "Abstract:\\n\\n...\\n\\nIntroduction:\\n\\n...".

The form is that of IDMGSP's classifiers (code; the paper says 'concatenated').
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

SECTIONS = ("abstract", "introduction", "conclusion")
_HEADING = re.compile(r"^[ \t]*(Abstract|Introduction|Conclusion):[ \t]*", re.MULTILINE)


def join_sections(parts: Mapping[str, str]) -> str:
    """The sections that have a text, each under its name, in the order of a paper."""
    return "\n\n".join(f"{name.capitalize()}:\n\n{parts[name]}" for name in SECTIONS if parts.get(name))


def split_sections(text: str) -> dict[str, str]:
    """Section -> its text, for a text in the form of ``join_sections``; empty where a heading stands twice, in another
    order, or nothing under it. What stands before the first heading (a title) is left out."""
    found = list(_HEADING.finditer(text))
    names = [match[1].lower() for match in found]
    if names != [name for name in SECTIONS if name in names]:
        return {}
    bounds = [*(match.start() for match in found), len(text)]
    parts = {
        name: text[match.end() : end].strip()
        for name, match, (_, end) in zip(names, found, pairwise(bounds), strict=True)
    }
    return parts if all(parts.values()) else {}


def spans_of(parts: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Section -> the characters of its text (start, end) in ``join_sections(parts)``."""
    places, start = {}, 0
    for name in (name for name in SECTIONS if parts.get(name)):
        first = start + len(f"{name}:\n\n")
        places[name] = (first, first + len(parts[name]))
        start = places[name][1] + len("\n\n")
    return places
