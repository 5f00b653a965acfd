"""Costly transforms (paraphrase, back-translation, polish), kept by (text, spec, seed): made once, whoever asks."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .documents import Edited, digest
from .models.home import cache_dir
from .seeds import seed_of
from .store import write_whole


def edited(transform: Any, text: str, seed: int) -> Edited:
    """``transform(text, seed)``, read from the cache where it is costly and was made before. A damaged file is made
    anew; what failed is not kept, so that it is tried again."""
    if not getattr(transform, "costly", False):
        return transform(text, seed=seed)  # type: ignore[no-any-return]
    what = getattr(transform, "key", transform.spec)
    name = f"{digest(text)}-{seed_of(what, seed):016x}"
    path = folder() / name[:2] / f"{name}.json"
    if path.is_file() and (found := read(path.read_text(encoding="utf-8"))):
        return found
    made: Edited = transform(text, seed=seed)
    if (made.note or "").startswith("failed:"):
        return made
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, lambda temporary: temporary.write_text(json.dumps(asdict(made)), encoding="utf-8"))
    return made


def folder() -> Path:
    return cache_dir() / "transforms"


def read(text: str) -> Edited | None:
    try:
        told = json.loads(text)
        told["spans"] = tuple(tuple(span) for span in told["spans"])
        told["origin"] = tuple(told["origin"]) if told["origin"] is not None else None
        return Edited(**told)
    except (ValueError, TypeError, KeyError):
        return None
