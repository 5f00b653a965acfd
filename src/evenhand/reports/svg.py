"""matplotlib's SVG made fit to stand inside a page: small, without styles, ids of its own, a title and a description.

Style attributes become presentation attributes, so that a page that forbids inline styles (Content-Security-Policy) draws
them, and its style sheet may recolour them for dark screens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

SVG = "http://www.w3.org/2000/svg"
HREF = "{http://www.w3.org/1999/xlink}href"
SCALE = 4 / 3
"""Pixels per point: text of 9 points is 12 pixels high where the page is wide enough."""
_DROPPED = {"font-family", "font", "-inkscape-font-specification"}
_NUMBER = re.compile(r"-?\d+\.\d+")
_REFERENCE = re.compile(r"#([\w-]+)")


def embed(source: str, name: str, title: str, description: str) -> str:
    """The SVG text ``source`` of matplotlib as an element for a page; every id in it begins with ``name``."""
    ET.register_namespace("", SVG)
    root = ET.fromstring(source)
    _remove(root, {f"{{{SVG}}}metadata", f"{{{SVG}}}style"})
    for element in root.iter():
        _plain_attributes(element)
    _rename_ids(root, name)
    _flatten(root)
    for key in ("height", "version"):
        root.attrib.pop(key, None)
    root.set("width", f"{float(root.attrib['viewBox'].split()[2]) * SCALE:.0f}")
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    root.insert(0, _told("title", f"{name}-title", title))
    root.insert(1, _told("desc", f"{name}-desc", description))
    return ET.tostring(root, encoding="unicode")


def _told(tag: str, identifier: str, text: str) -> ET.Element:
    element = ET.Element(f"{{{SVG}}}{tag}", {"id": identifier})
    element.text = text
    return element


def _remove(root: ET.Element, tags: set[str]) -> None:
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in tags:
                parent.remove(child)


def _plain_attributes(element: ET.Element) -> None:
    for part in element.attrib.pop("style", "").split(";"):
        key, _, value = part.partition(":")
        if value and key.strip() not in _DROPPED:
            element.set(key.strip(), value.strip())
    if HREF in element.attrib:
        element.set("href", element.attrib.pop(HREF))
    if re.fullmatch(r"rotate\(-?0[ ,].*\)", element.get("transform", "")):
        del element.attrib["transform"]
    for key in ("d", "x", "y", "width", "height", "transform", "points"):
        if key in element.attrib:
            element.set(key, _NUMBER.sub(_shorter, " ".join(element.attrib[key].split())))
    if not (element.text or "").strip():
        element.text = None
    element.tail = None


def _shorter(match: re.Match[str]) -> str:
    """Two decimals: a fiftieth of a millimetre on the page."""
    text = f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _references(element: ET.Element) -> Iterator[tuple[str, str]]:
    for key in ("href", "clip-path", "fill", "stroke"):
        value = element.get(key, "")
        if value.startswith("url(#") or (key == "href" and value):
            yield key, value


def _rename_ids(root: ET.Element, name: str) -> None:
    """Keeps the ids that are referred to, numbered in the order in which they stand."""
    used = {m[1] for e in root.iter() for _, v in _references(e) for m in [_REFERENCE.search(v)] if m}
    new: dict[str, str] = {}
    for element in root.iter():
        old = element.attrib.pop("id", "")
        if old in used:
            new[old] = f"{name}-{len(new) + 1}"
            element.set("id", new[old])
    for element in root.iter():
        for key, value in list(_references(element)):
            element.set(key, _REFERENCE.sub(lambda m: "#" + new[m[1]], value))


def _flatten(root: ET.Element) -> None:
    """Groups without attributes say nothing: their children take their place."""
    for child in list(root):
        _flatten(child)
    children: list[ET.Element] = []
    for child in root:
        bare = child.tag == f"{{{SVG}}}g" and not child.attrib
        children.extend(list(child) if bare else [child])
    root[:] = children
