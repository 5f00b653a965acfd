"""XML parts of a zip container, read within limits: no bombs, no entities, no outside references."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

from ..errors import DataError
from .blocks import Limits

MOST_PARTS = 10_000
_ENCRYPTED = 1


class _Guarded(TreeBuilder):
    """Refuses a document type: DOCX and ODT have none, and entities live in it."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise DataError("its XML declares a document type (entities), which no word processor writes; not read")


class Container:
    """The parts of an opened container. Raises DataError for damaged, encrypted and oversized ones."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._limits = limits
        self._zip = opened(path)
        parts = self._zip.infolist()
        if len(parts) > MOST_PARTS:
            raise DataError(f"{len(parts):,} parts in the container; at most {MOST_PARTS:,} are read")
        self._parts = {part.filename: part for part in parts}

    def xml(self, name: str) -> Element:
        """The root of a part. Raises DataError for one that is not there."""
        if name not in self._parts:
            raise DataError(f"the container has no {name}")
        size, most = self._parts[name].file_size, self._limits.unpacked
        if size > most:
            raise DataError(f"{name} unpacks to {size / 2**20:,.0f} MB; at most {most / 2**20:,.0f} are read")
        return _parsed(self._read(name), name)

    def xml_if_there(self, name: str) -> Element | None:
        return self.xml(name) if name in self._parts else None

    def _read(self, name: str) -> bytes:
        if self._parts[name].flag_bits & _ENCRYPTED:
            raise DataError("protected by a password; save it without one")
        # zipfile stops at the size that the header tells, so that a header that lies only cuts the part off
        try:
            return self._zip.read(name)
        except MemoryError:
            raise
        except Exception as error:  # zlib.error and its relatives have no common base
            raise DataError(f"{name} is damaged: {error}") from None


def opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise DataError(f"a damaged or cut-off zip container: {error}") from None


def _parsed(content: bytes, name: str) -> Element:
    parser = XMLParser(target=_Guarded())
    try:
        parser.feed(content)
        root: Element = parser.close()
    except ParseError as error:
        raise DataError(f"{name} is no XML: {error}") from None
    return root


def local(element: Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: Element, name: str) -> str:
    """An attribute by its name without the namespace; '' where it is not there."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
