"""Statistics that were computed once, on disk: a new formula on old texts runs no model.

One small file a text (and one more for each thing asked beyond the plain statistics), written under another name and
renamed. A file that cannot be read is as good as none. The cache holds token ids, so it holds the texts: ``forget`` removes one,
EVENHAND_STATISTICS_CACHE=0 keeps none, and above ``LIMIT`` bytes the oldest half goes.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from ..documents import digest
from .home import cache_dir
from .statistics import Cross, Draw, Pieces, Request, TokenStatistics

FORMAT = 3
"""Counts changes of the numbers that are kept under one key: the order of a sum moves their last digit, and with it a
score such as Lastde's, which jumps at the edges of its bins."""
LIMIT = 4 << 30
ARRAYS = ("token_ids", "offsets", "log_prob", "rank", "entropy", "variance", "top1")
FACTS = ("n_tokens", "truncated", "bos", "windows", "final_entropy")


def load(text: str, key: str, request: Request) -> TokenStatistics | None:
    """What was kept of this text, if all that is asked for is there."""
    if not enabled():
        return None
    base = read(path(text, key, "base"))
    draws = {draw: kept for draw in request.draws if (kept := values(text, key, draw)) is not None}
    pieces = {part: kept for part in request.pieces if (kept := values(text, key, part)) is not None}
    top = read(path(text, key, "top_k")) if request.top_k else {}
    if base is None or top is None or len(draws) + len(pieces) < len(request.draws) + len(request.pieces):
        return None
    if request.top_k and top["top_k"].shape[1] < request.top_k:
        return None
    found = unpacked(base, top["top_k"][:, : request.top_k] if request.top_k else None)
    return found and replace(found, draws=draws, pieces=pieces)


def values(text: str, key: str, part: Draw | Pieces) -> np.ndarray | None:
    found = read(path(text, key, str(part)))
    return None if found is None else found["values"]


def save(text: str, key: str, found: TokenStatistics) -> None:
    if not enabled():
        return
    keep_below_limit()
    facts = {name: np.asarray(getattr(found, name)) for name in FACTS}
    arrays = {name: getattr(found, name) for name in ARRAYS}
    cross = {f"cross.{f.name}": np.asarray(getattr(found.cross, f.name)) for f in fields(Cross)} if found.cross else {}
    write(path(text, key, "base"), {**facts, **arrays, **cross})
    if found.top_k is not None:
        write(path(text, key, "top_k"), {"top_k": found.top_k})
    for part, kept in [*found.draws.items(), *found.pieces.items()]:
        write(path(text, key, str(part)), {"values": kept})


def unpacked(base: Mapping[str, np.ndarray], top_k: np.ndarray | None) -> TokenStatistics | None:
    try:
        facts: dict[str, Any] = {name: base[name].item() for name in FACTS}
        arrays: dict[str, Any] = {name: base[name] for name in ARRAYS}
        parts: dict[str, Any] = {f.name: base[f"cross.{f.name}"] for f in fields(Cross)} if has_cross(base) else {}
    except (KeyError, ValueError):
        return None
    if parts:
        parts["final_cross_entropy"] = float(parts["final_cross_entropy"])
    return TokenStatistics(**arrays, **facts, top_k=top_k, cross=Cross(**parts) if parts else None)


def has_cross(base: Mapping[str, np.ndarray]) -> bool:
    return "cross.cross_entropy" in base


def enabled() -> bool:
    return os.environ.get("EVENHAND_STATISTICS_CACHE", "1").strip() not in ("0", "false", "no")


def root() -> Path:
    return cache_dir() / "statistics"


def path(text: str, key: str, part: str) -> Path:
    """A folder for the text, so that it can be forgotten; a name for everything else that decides the numbers."""
    name = digest(text)
    rest = blake2b(f"{FORMAT}|{computed_by()}|{key}|{part}".encode(), digest_size=12).hexdigest()
    return root() / name[:2] / name / f"{rest}.npz"


@lru_cache(maxsize=1)
def computed_by() -> str:
    """The release of torch: another one sums in another order."""
    try:
        return version("torch")
    except PackageNotFoundError:
        return "no torch"


def read(file: Path) -> dict[str, np.ndarray] | None:
    try:
        with np.load(file, allow_pickle=False) as kept:
            return {name: kept[name] for name in kept.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def write(file: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """A full or read-only disk costs the next run its shortcut, never this one its result."""
    temporary = file.with_name(f"{file.stem}-{os.getpid()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as stream:
            np.savez(stream, **arrays)  # type: ignore[arg-type]
        os.replace(temporary, file)
    except OSError:
        with suppress(OSError):
            temporary.unlink()


def files() -> Iterator[Path]:
    return (file for file in root().rglob("*") if file.is_file())


def size() -> int:
    """Bytes on disk."""
    return sum(file.stat().st_size for file in files())


def clear() -> int:
    """Removes all statistics; gives the bytes that were freed."""
    return sum(remove(file) for file in list(files()))


def forget(text_digest: str) -> int:
    """Removes what is kept of one text, by its digest; gives the number of files."""
    folder = root() / text_digest[:2] / text_digest
    return sum(remove(file) > 0 for file in list(folder.glob("*")))


def remove(file: Path) -> int:
    try:
        freed = file.stat().st_size
        file.unlink()
        return freed
    except OSError:
        return 0


@lru_cache(maxsize=1)
def keep_below_limit() -> None:
    """Looked at once a process."""
    found = sorted((file.stat().st_mtime, file.stat().st_size, file) for file in files())
    if sum(size for _, size, _ in found) > LIMIT:
        for _, _, file in found[: len(found) // 2]:
            remove(file)
