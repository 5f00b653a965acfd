"""IDMGSP's data sets (table 2): how many papers of which source each holds, and of which source a document is."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..documents import Document

REAL, SECOND, CO_CREATED = "arXiv", "arXiv parsing 2", "co-created"
_FAKE = {"ChatGPT": 2000, "GPT-2": 2000, "SCIgen": 2000, "Galactica": 2000}
_HALF = {name: n // 2 for name, n in _FAKE.items()}
TRAIN: Mapping[str, Mapping[str, int]] = {
    "TRAIN": {REAL: 8000, **_FAKE},
    "TRAIN-SUB": {REAL: 4000, **_HALF},
    "TRAIN-CG": {REAL: 8000, **{name: n for name, n in _FAKE.items() if name != "ChatGPT"}},
    "TRAIN+GPT3": {REAL: 8000, **_FAKE, "GPT-3": 1200},
}
TEST: Mapping[str, Mapping[str, int]] = {
    "TEST": {REAL: 4000, **_HALF},
    "OOD-GPT3": {"GPT-3": 1000},
    "OOD-REAL": {SECOND: 4000},
    "TECG": {"ChatGPT": 1000},
    "TEST-CC": {CO_CREATED: 4000},
}
"""TECG's papers are those of ChatGPT in TEST (3,000 in all are 2,000 + 1,000); TEST-CC's are paraphrases of TEST's real ones."""
NAMES = (
    (r"gpt-?2", "GPT-2"),
    (r"gpt-?3\.?5|chat-?gpt", "ChatGPT"),
    (r"gpt-?3|curie", "GPT-3"),
    (r"galactica", "Galactica"),
    (r"scigen", "SCIgen"),
)
"""What a generator's name holds -> its name in the paper, first match first."""


def generator_of(name: str) -> str:
    """The paper's name of a generator, or the name itself where it is none of the paper's."""
    return next((known for pattern, known in NAMES if re.search(pattern, name, re.IGNORECASE)), name)


def source_of(document: Document, parsers: frozenset[str] = frozenset()) -> str | None:
    """The column of table 2, or None where the document is of none. ``parsers``: those that read the corpus's files; where both
    did, the published rules are parsing 1 and our layout is parsing 2. What ``meta['parsing']`` says goes before."""
    if document.label == "mixed":
        return CO_CREATED
    if document.label == "human":
        return SECOND if parsing_of(document, parsers) == "2" else REAL
    found = generator_of(document.generator or "")
    return found if document.label == "machine" and found in {known for _, known in NAMES} else None


def parsing_of(document: Document, parsers: frozenset[str]) -> str:
    """'1' or '2': the parsing of a real paper."""
    if told := str(document.meta.get("parsing") or ""):
        return told
    return "2" if {"layout", "idmgsp"} <= parsers and document.meta.get("parser") == "layout" else "1"
