"""The texts, by kind; the same ones repaired; five folds of whole clusters; the sections of those that name all three."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from evenhand import corpora, hygiene
from evenhand.documents import Document
from evenhand.hygiene.repairs import Repaired
from evenhand.sections import SECTIONS
from evenhand.seeds import seed_of

FOLDS = 5
STATES = ("raw", "repaired")
REPAIRS = ("bom", "mojibake", "blanks", "flatten", "hyphens", "detached", "spaces", "edges", "glued", "lower")
KINDS = {
    ("GeneratedTextDetection", "human", "full"): "arxiv",
    ("GeneratedTextDetection", "machine", "full"): "gpt2",
    ("GeneratedTextDetection", "human", "hybrid"): "abstract",
    ("GeneratedTextDetection", "machine", "hybrid"): "hybrid",
    ("scigen-detection", "human", ""): "acl",
    ("scigen-detection", "machine", ""): "scigen",
    ("Binoculars", "human", ""): "pubmed",
    ("Binoculars", "machine", ""): "falcon",
}
"""What a text is. arxiv, acl and pubmed: people's papers; abstract: people's abstracts; gpt2, scigen, falcon: machine papers;
hybrid: people's abstracts with sentences of a machine."""


def kind_of(document: Document) -> str:
    part = document.id.split("/")[1] if document.corpus == "GeneratedTextDetection" else ""
    return KINDS[document.corpus, document.label, part]


@lru_cache(maxsize=2)
def documents_of(path: Path, state: str) -> tuple[Document, ...]:
    """All texts as published ('raw'), or after REPAIRS, which both classes go through alike."""
    found = list(corpora.get(f"jsonl(path={str(path)!r})"))
    return tuple(found if state == "raw" else hygiene.repair(found, REPAIRS)[0])


def repairs_told(path: Path) -> list[Repaired]:
    return hygiene.repair(list(documents_of(path, "raw")), REPAIRS)[1]


def fold_of(documents: Iterable[Document]) -> Mapping[str, int]:
    """Cluster -> fold. Clusters of like content (the kinds they hold) are dealt one by one, in a seeded order."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        kinds[document.cluster].add(kind_of(document))
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for cluster, held in kinds.items():
        alike[tuple(sorted(held))].append(cluster)
    folds: dict[str, int] = {}
    for clusters in alike.values():
        for number, cluster in enumerate(sorted(clusters, key=lambda c: seed_of("scientific", c))):
            folds[cluster] = number % FOLDS
    return folds


_NAME = r"(abstract|introduction|conclusions?|concluding)"
_MORE = r"(?:[ ,]+(?:(?:and|&|remarks?|discussions?|future|works?|directions?|limitations?|outlook|summary)\b,?\s*)*)?"
HEADING = re.compile(
    rf"(?:\A\ufeff?|(?<=[.!?)\]\"”a-zA-Z0-9:;*])\s)\s*(?:(?:\d+|[IVX]+)\.?\s+)?{_NAME}{_MORE}[:.—-]*\s+(?=[A-Z0-9\"“(\[])",
    re.IGNORECASE,
)


def sections_of(text: str) -> dict[str, str]:
    """Of a paper on one line: a section begins at its capitalised name that another capital follows, the first of each; empty
    unless all three are there, in order. To be read from the text as published: repairs take the capitals."""
    found: dict[str, re.Match[str]] = {}
    for match in HEADING.finditer(text):
        if match[1][0].isupper() and re.match(r"[A-Z0-9\"“(\[]", text[match.end() :]):
            name = "conclusion" if match[1].lower().startswith("conclu") else match[1].lower()
            found.setdefault(name, match)
    starts = [found[name].start() for name in SECTIONS if name in found]
    if len(starts) < len(SECTIONS) or starts != sorted(starts):
        return {}
    ends = [*starts[1:], len(text)]
    return {name: text[found[name].end() : end].strip() for name, end in zip(SECTIONS, ends, strict=True)}


def in_sections(path: Path, state: str) -> list[tuple[Document, dict[str, str]]]:
    """The papers of arxiv and gpt2 that name all three sections; each section repaired by itself where ``state`` says so."""
    raw = [
        (d, parts)
        for d in documents_of(path, "raw")
        if kind_of(d) in ("arxiv", "gpt2") and (parts := sections_of(d.text))
    ]
    if state == "raw":
        return raw
    apart = [_part(d, name, text) for d, parts in raw for name, text in parts.items()]
    mended = iter(hygiene.repair(apart, REPAIRS)[0])
    return [(d, {name: next(mended).text for name in parts}) for d, parts in raw]


def _part(document: Document, name: str, text: str) -> Document:
    return Document(f"{document.id}#{name}", text, document.label, cluster=document.cluster)


def chosen(documents: Sequence[Document], kinds: Iterable[str]) -> list[Document]:
    wanted = set(kinds)
    return [d for d in documents if kind_of(d) in wanted]
