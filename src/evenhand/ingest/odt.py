"""ODT: paragraphs and headings of content.xml in order; tables, notes, tracked deletions and lists of contents are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from ..errors import DataError
from .blocks import Block, Content, Limits
from .clean import tidy
from .container import Container, attribute, local

LEFT_OUT = {
    "table": "tables", "note": "footnotes", "tracked-changes": "deleted passages", "annotation": "comments",
    "table-of-content": "lists of contents",
}  # fmt: skip


def read(path: Path, limits: Limits) -> Content:
    container = Container(path, limits)
    manifest = container.xml_if_there("META-INF/manifest.xml")
    if manifest is not None and any(local(e) == "encryption-data" for e in manifest.iter()):
        raise DataError("protected by a password; save it without one")
    root = container.xml("content.xml")
    parents = _parents(root)
    left_out: Counter[str] = Counter()
    body = next((e for e in root if local(e) == "body"), root)
    blocks = tuple(_blocks(body, parents, left_out))
    title = next((block.text for block in blocks if block.kind == "title"), None)
    return Content(blocks, title, "style" if title else None, library="odt (own)", left_out=dict(left_out))


def _parents(root: Element) -> dict[str, str]:
    """Automatic style -> the named one it comes from: 'P1' -> 'Title'."""
    styles = (e for e in root.iter() if local(e) == "style")
    return {attribute(style, "name"): attribute(style, "parent-style-name") for style in styles}


def _blocks(element: Element, parents: dict[str, str], left_out: Counter[str]) -> Iterator[Block]:
    for child in element:
        name = local(child)
        if name in LEFT_OUT:
            left_out[LEFT_OUT[name]] += 1
        elif name not in ("p", "h"):
            yield from _blocks(child, parents, left_out)
        elif text := tidy("".join(_text(child, left_out))):
            style = attribute(child, "style-name")
            if "Title" in (style, parents.get(style)):
                yield Block(text, "title")
            elif name == "h":
                yield Block(text, "heading", _level(attribute(child, "outline-level")))
            else:
                yield Block(text)


def _level(told: str) -> int:
    return int(told) if told.isdigit() and 0 < int(told) < 11 else 1


def _text(element: Element, left_out: Counter[str]) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        name = local(child)
        if name in LEFT_OUT:
            left_out[LEFT_OUT[name]] += 1
        elif name in ("s", "tab", "line-break"):
            yield " "
        elif name not in ("p", "h", "change", "frame"):
            yield from _text(child, left_out)
        yield child.tail or ""
