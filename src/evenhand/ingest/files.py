"""Which files a user means: those named, and those in the folders named; each once, in a fixed order."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import DataError
from .sniff import SUFFIXES

_PASSED = ("__MACOSX",)


@dataclass(frozen=True, slots=True)
class Found:
    """``name`` is how the file is called in corpus and ledger: its path inside the folder that was named, never that of
    the machine. ``problem`` says why it is not opened."""

    path: Path
    name: str
    problem: str = ""


def find(paths: Sequence[str | Path]) -> list[Found]:
    """Raises DataError where a path is not there, or where there is no file at all."""
    found: list[Found] = []
    for path in map(Path, paths):
        if not path.exists():
            raise DataError(f"no such file or folder: {path}; give the path as seen from where the command runs")
        prefix = f"{shown(path.resolve().name)}/" if len(paths) > 1 else ""
        found += _inside(path, prefix) if path.is_dir() else [Found(path, shown(path.name), _problem(path, named=True))]
    if not found:
        raise DataError(f"no file in {', '.join(map(str, paths))}; read are {', '.join(SUFFIXES)}")
    return list(_once(found))


def shown(name: str) -> str:
    """The name in characters that every file and terminal can hold; bytes that are no UTF-8 and control characters as \\xNN."""
    name = os.fsencode(name).decode("utf-8", "backslashreplace")
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda sign: f"\\x{ord(sign[0]):02x}", name)


def _inside(root: Path, prefix: str) -> Iterator[Found]:
    inner = os.path.realpath(root)
    closed: list[OSError] = []
    for folder, folders, names in os.walk(
        root, onerror=closed.append
    ):  # links to folders are not followed: no loop is walked
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _PASSED)
        for name in sorted(names):
            path = Path(folder, name)
            if not name.startswith("."):
                problem = _problem(path, named=False) or _leads_out(path, inner)
                yield Found(path, prefix + shown(path.relative_to(root).as_posix()), problem)
    for error in closed:
        path = Path(error.filename)
        yield Found(
            path, prefix + shown(path.relative_to(root).as_posix()), f"a folder that cannot be read: {error.strerror}"
        )


def _leads_out(path: Path, root: str) -> str:
    """A folder of uploads must not reach the machine's own files."""
    real = os.path.realpath(path)
    return (
        "" if os.path.commonpath([real, root]) == root else "a link that leads out of the folder; name the file itself"
    )


def _problem(path: Path, *, named: bool) -> str:
    try:
        if not path.is_file():
            return "a link to nothing, or no regular file"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if not named and path.suffix.lower() not in ("", *SUFFIXES):
        return f"passed over: files in folders are read if they end in {', '.join(SUFFIXES)} or have no suffix"
    return ""


def _once(found: Sequence[Found]) -> Iterator[Found]:
    """A file that is reached twice (by a link, by two paths) stays under its first name; equal names are told apart."""
    seen: dict[str, str] = {}
    names: dict[str, int] = {}
    for one in found:
        real = os.path.realpath(one.path)
        names[one.name] = names.get(one.name, 0) + 1
        name = one.name if names[one.name] == 1 else f"{one.name} ({names[one.name]})"
        problem = one.problem or (f"the same file as {seen[real]}" if real in seen else "")
        seen.setdefault(real, name)
        yield Found(one.path, name, problem)
