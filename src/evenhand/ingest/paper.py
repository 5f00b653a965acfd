"""From blocks of text to the sections of a paper: what was found, under which heading, and what was not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..sections import SECTIONS
from .blocks import Block, Content
from .clean import without_emails
from .headings import (
    Heading,
    follows,
    goes_on,
    heading_of,
    is_entry,
    is_keywords,
    known,
    numbered_section,
    run_in_abstract,
    section_of,
)  # fmt: skip

NEARLY = {"summary", "discussion", "summaryanddiscussion", "discussionandfuturework", "summaryandoutlook"}
"""Headings that may stand in a conclusion's place: said, not taken."""


@dataclass(frozen=True, slots=True)
class Paper:
    """``sections`` holds those of abstract, introduction and conclusion that were found, ``headings`` as what they
    stood; ``missing`` says why the others are not there; ``body`` is all text in reading order."""

    sections: dict[str, str]
    headings: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    body: str = ""
    emails: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """A heading and the blocks up to the next one."""

    title: str
    heading: Heading
    blocks: tuple[Block, ...]


def paper_of(content: Content) -> Paper:
    """The sections by the rules of docs/papers-from-files.md; nothing is taken whose heading does not name it."""
    parts = _nested(list(_parts(content.blocks)))
    found = {name: place for name in SECTIONS if (place := _place(parts, name)) is not None}
    texts = {name: _text(parts, place) for name, place in found.items()}
    sections, emails = {}, 0
    for name, text in texts.items():
        sections[name], count = without_emails(text)
        emails += count
    kept = {name: text for name, text in sections.items() if text}
    return Paper(
        sections=kept,
        headings={name: parts[found[name]].title for name in kept},
        missing={name: _why(parts, name, name in found) for name in SECTIONS if name not in kept},
        body=without_emails(_body(content.blocks, parts, found))[0],
        emails=emails,
    )


def _body(blocks: Sequence[Block], parts: Sequence[Part], found: Mapping[str, int]) -> str:
    """All text; of a paper with an abstract from there on, since authors stand before it."""
    if "abstract" in found:
        blocks = [block for part in parts[found["abstract"] :] for block in part.blocks]
    return "\n\n".join(block.text for block in blocks if block.kind == "text")


def _parts(blocks: Sequence[Block]) -> Iterator[Part]:
    """The text cut at its headings; what stands before the first one comes under an empty name."""
    title, heading, inside = "", Heading(1, "", ""), list[Block]()
    number, told = "", any(block.kind == "heading" for block in blocks)
    for block in blocks:
        made = _heading(block, number, told)
        aside = "Keywords" if is_keywords(block.text) else "Contents" if is_entry(block.text) else ""
        opened = run_in_abstract(block.text) if made is None and not aside and heading.key != "abstract" else None
        if made is None and opened is None and not aside:
            inside.append(block)
            continue
        yield Part(title, heading, tuple(inside))
        title = block.text if made else "Abstract" if opened else aside
        heading = made or Heading(1, "", title.lower())
        inside = [Block(opened)] if opened else [block] if aside == "Contents" else []
        number = heading.number or number
    yield Part(title, heading, tuple(inside))


def _nested(parts: list[Part]) -> list[Part]:
    """Where sections have roman numbers, those with letters are inside them (IEEE); elsewhere letters are appendices."""
    if not any(part.heading.roman for part in parts):
        return parts
    lettered = (part.heading.number[:1].isalpha() and not part.heading.roman for part in parts)
    return [
        replace(part, heading=replace(part.heading, depth=part.heading.depth + 1)) if inside else part
        for part, inside in zip(parts, lettered, strict=True)
    ]


def _heading(block: Block, before: str, told: bool) -> Heading | None:
    """The heading that a block is, if it is one. ``told``: the file says which blocks are; then plain ones are by a section's
    name alone, else by a number that goes on from the last one too."""
    read = heading_of(block.text)
    if block.kind == "heading":
        read = read or Heading(1, "", "")
        return replace(read, depth=max(1, block.level, read.depth if read.number else 1))
    if read is None or block.kind == "title":
        return None
    if known(read):
        return read
    plain = block.text.rstrip()
    looks = not told and read.number[:1].isdigit() and plain[-1:].isalpha() and _capital(plain)
    ours = numbered_section(read, plain) and goes_on(read, before)
    return read if ours or (looks and follows(read, before)) else None


def _capital(text: str) -> bool:
    first = next((c for c in text if c.isalpha()), "")
    return first.isupper()


def _place(parts: Sequence[Part], name: str) -> int | None:
    """Which part is this section: the outermost that has a text (a list of contents has the name alone); of equals the first,
    for the conclusion the last."""
    named = [i for i, part in enumerate(parts) if section_of(part.heading) == name]
    places = [i for i in named if _text(parts, i)] or named
    if not places:
        return None
    outermost = min(parts[i].heading.depth for i in places)
    outer = [i for i in places if parts[i].heading.depth == outermost]
    return outer[-1] if name == "conclusion" else outer[0]


def _text(parts: Sequence[Part], place: int) -> str:
    """The section with what is inside it: up to the next heading that is not deeper. An abstract has nothing inside."""
    own, end = parts[place].heading, place + 1
    while end < len(parts) and parts[end].heading.depth > own.depth and own.key != "abstract":
        end += 1
    texts = [block.text for part in parts[place:end] for block in part.blocks if block.kind != "title"]
    return "\n\n".join(text for text in texts if text.strip())


def _why(parts: Sequence[Part], name: str, empty: bool) -> str:
    if empty:
        return "its heading is there, but no text under it"
    if name == "conclusion" and (near := [part.title for part in parts if part.heading.key in NEARLY]):
        return f"no heading names it ({near[-1]!r} is not taken for one)"
    return "no heading names it"
