"""DOCX: paragraphs in order with the style they have; tables, notes, deleted text and page furniture are left out.

Own reader over the XML: a heading is known by its style or outline level, which text extractors drop.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from .blocks import Block, Content, Kind, Limits
from .clean import tidy
from .container import Container, attribute, local

LEFT_OUT = {
    "tbl": "tables",
    "footnoteReference": "footnotes",
    "endnoteReference": "footnotes",
    "del": "deleted passages",
}
_SKIPPED = {*LEFT_OUT, "Fallback", "instrText", "delText", "moveFrom", "commentReference", "pPr", "rPr"}


def read(path: Path, limits: Limits) -> Content:
    container = Container(path, limits)
    root = container.xml("word/document.xml")
    styles = _styles(container.xml_if_there("word/styles.xml"))
    left_out: Counter[str] = Counter()
    blocks = tuple(_blocks(root, styles, left_out))
    title = next((block.text for block in blocks if block.kind == "title"), None)
    return Content(blocks, title, "style" if title else None, library="docx (own)", left_out=dict(left_out))


def _styles(root: Element | None) -> dict[str, str]:
    """Style id -> its name in lower case; names are 'heading 1' in every language of the program."""
    if root is None:
        return {}
    names = {}
    for style in (e for e in root.iter() if local(e) == "style"):
        name = next((attribute(e, "val") for e in style if local(e) == "name"), "")
        names[attribute(style, "styleId")] = name.lower()
    return names


def _blocks(root: Element, styles: dict[str, str], left_out: Counter[str]) -> Iterator[Block]:
    for paragraph in _paragraphs(root, left_out):
        if _style(paragraph, styles).startswith("toc "):
            left_out["lists of contents"] += 1
            continue
        text = tidy("".join(_text(paragraph, left_out)))
        if text:
            yield Block(text, *_kind(paragraph, styles))


def _paragraphs(element: Element, left_out: Counter[str]) -> Iterator[Element]:
    for child in element:
        name = local(child)
        if name == "p":
            yield child
        elif name in LEFT_OUT:
            left_out[LEFT_OUT[name]] += 1
        elif name not in _SKIPPED:
            yield from _paragraphs(child, left_out)


def _text(element: Element, left_out: Counter[str]) -> Iterator[str]:
    for child in element:
        name = local(child)
        if name == "t":
            yield child.text or ""
        elif name in ("tab", "br", "cr"):
            yield " "
        elif name == "noBreakHyphen":
            yield "-"
        elif name in LEFT_OUT:
            left_out[LEFT_OUT[name]] += 1
        elif name not in _SKIPPED:
            yield from _text(child, left_out)


def _told(paragraph: Element) -> dict[str, str]:
    """Style id and outline level of a paragraph; of those inside it (text boxes), none."""
    properties = next((e for e in paragraph if local(e) == "pPr"), ())
    return {local(e): attribute(e, "val") for e in properties}


def _style(paragraph: Element, styles: dict[str, str]) -> str:
    named = _told(paragraph).get("pStyle", "")
    return styles.get(named, named.lower())


def _kind(paragraph: Element, styles: dict[str, str]) -> tuple[Kind, int]:
    told, style = _told(paragraph), _style(paragraph, styles)
    if found := re.fullmatch(r"heading ?(\d)", style):
        return "heading", int(found[1])
    if told.get("outlineLvl", "9").isdigit() and int(told.get("outlineLvl", "9")) < 9:
        return "heading", int(told["outlineLvl"]) + 1
    return ("title", 0) if style == "title" else ("text", 0)
