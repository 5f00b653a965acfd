"""What a job found, in a file of its own: whole or not at all, so that a study that was stopped goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.store import write_whole


def keep(file: Path, found: Mapping[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, lambda temporary: temporary.write_text(json.dumps(found, indent=0), encoding="utf-8"))


def kept(file: Path) -> dict[str, Any] | None:
    """None where the job was not run."""
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
