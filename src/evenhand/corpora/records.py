"""A JSON file that holds one list of objects, as published corpora like to be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..files import read_text


def read_records(path: Path, *needed: str) -> list[dict[str, Any]]:
    """The objects of the list; raises DataError where it is none, or where one lacks a key in ``needed``."""
    try:
        rows = json.loads(read_text(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise DataError(f"{path} is no JSON: {error}") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{path} holds no list of objects")
    for number, row in enumerate(rows):
        if missing := [key for key in needed if key not in row]:
            raise DataError(f"{path}, record {number}: no key {', '.join(missing)} among {', '.join(row)}")
    return rows
