"""One door to every model: a spec such as ``embedded``, ``hub:gpt2@607a30d`` or a folder, and what it stands for exactly.

Options follow in brackets: ``embedded[dtype=bfloat16,device=cuda,quantization=4bit]``. All of them, and the resolved
revision, are in the key, because each can change a score.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from ..errors import DataError, MissingError, MissingExtra, OfflineError, SpecError
from ..files import file_digest
from . import embedded
from .home import cache_dir, offline
from .precision import best_dtype

__all__ = ["Weights", "cache_dir", "fetch", "offline", "resolve", "with_options"]

DTYPES = ("float32", "bfloat16", "float16", "auto")
QUANTIZATIONS = ("none", "4bit", "8bit")
MODEL_FILES = ("*.json", "*.safetensors", "*.txt", "*.model", "*.jinja")
"""All that is read of a model: weights, configurations, the tokenizer's files, the chat template."""


@dataclass(frozen=True)
class Weights:
    """A model at one revision, and how it is run. ``source`` is 'embedded', 'hub:NAME' or the path of a folder."""

    source: str
    revision: str
    dtype: str = "float32"
    device: str = "cpu"
    quantization: str = "none"

    @property
    def key(self) -> str:
        name = Path(self.source).name if self.kind == "folder" else self.source
        options = f"dtype={self.dtype},device={self.device}"
        more = "" if self.quantization == "none" else f",quantization={self.quantization}"
        return f"{name}@{self.revision}[{options}{more}]"

    @property
    def kind(self) -> str:
        return "embedded" if self.source == "embedded" else "hub" if self.source.startswith("hub:") else "folder"

    def folder(self) -> Path:
        """The files on this machine; fetches them when they are not in the cache."""
        if self.kind == "embedded":
            return embedded.folder()
        return _hub_folder(self.source[4:], self.revision) if self.kind == "hub" else Path(self.source)


def resolve(spec: str) -> Weights:
    """What a model spec stands for. Loads no weights; asks the hub only for a revision that is no commit hash.

    Raises SpecError (unreadable spec or option), DataError (no such folder), OfflineError, MissingError.
    """
    base, options = _split(spec)
    source, revision = _locate(base)
    dtype, device = options.get("dtype", "float32"), options.get("device", "cpu")
    if dtype == "auto":
        dtype = best_dtype(device, import_torch())
    return Weights(source, revision, dtype, device, options.get("quantization", "none"))


def fetch(spec: str) -> Path:
    """Brings the model of a spec into the cache; gives its folder."""
    return resolve(spec).folder()


def with_options(spec: str, **options: str | None) -> str:
    """The spec with dtype, device or quantization set, where it does not say so itself; None leaves them."""
    base, own = _split(spec)
    merged = {**{key: value for key, value in options.items() if value is not None}, **own}
    inner = ",".join(f"{key}={value}" for key, value in sorted(merged.items()))
    return f"{base}[{inner}]" if inner else base


def name_and_options(spec: str) -> tuple[str, dict[str, str]]:
    """What a spec says by itself, asked of no hub: the model's name without its revision, and its options."""
    base, options = _split(spec)
    return base.partition("@")[0] if base.startswith("hub:") else base, options


def import_torch(what: str = "a local model"):  # type: ignore[no-untyped-def]
    """torch, or MissingExtra, which names the command that brings it.

    Its threads are told to sleep while they wait, not to spin: on a busy machine of two cores a pass took six times as
    long, and eight times the processor, with spinning ones.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import torch
        import transformers  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtra(what, "torch") from error
    return torch


def _split(spec: str) -> tuple[str, dict[str, str]]:
    """``"embedded[dtype=bfloat16]"`` -> ``("embedded", {"dtype": "bfloat16"})``."""
    found = re.fullmatch(r"\s*(?P<base>[^\[\]]+?)\s*(?:\[(?P<options>[^\[\]]*)\])?\s*", spec)
    if not found:
        raise SpecError(
            f"cannot read the model {spec!r}; write embedded, hub:NAME@REVISION or a folder, then [dtype=...]"
        )
    pairs = [part.partition("=") for part in (found["options"] or "").split(",") if part.strip()]
    options = {key.strip(): value.strip() for key, _, value in pairs}
    _check_options(spec, options)
    return found["base"], options


def _check_options(spec: str, options: dict[str, str]) -> None:
    allowed: dict[str, tuple[str, ...] | None] = {"dtype": DTYPES, "device": None, "quantization": QUANTIZATIONS}
    for key, value in options.items():
        if key not in allowed:
            raise SpecError(f"model {spec!r} has no option {key!r}; it takes {', '.join(allowed)}")
        if (values := allowed[key]) and value not in values:
            raise SpecError(f"model {spec!r}: {key} is one of {', '.join(values)}; got {value!r}")
    device = options.get("device", "cpu")
    if not re.fullmatch(r"cpu|cuda(:\d+)?|mps|auto", device):
        raise SpecError(
            f"model {spec!r}: device is cpu, cuda, cuda:N, mps or auto (spread over all cards); got {device!r}"
        )


def _locate(base: str) -> tuple[str, str]:
    if base == "embedded":
        return base, embedded.REVISION
    if base.startswith("hub:"):
        name, _, revision = base[4:].partition("@")
        return f"hub:{name}", _hub_commit(name, revision or "main")
    path = Path(base).expanduser()
    if not (path / "config.json").is_file():
        raise DataError(
            f"no model at {base!r}: a folder with a config.json was expected; "
            "other models are written embedded or hub:NAME@REVISION"
        )
    return str(path.resolve()), _folder_digest(path)


def _folder_digest(path: Path) -> str:
    files = sorted({p for pattern in MODEL_FILES for p in path.glob(pattern)})
    return _files_digest(tuple((str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in files))


@lru_cache(maxsize=64)
def _files_digest(files: tuple[tuple[str, int, int], ...]) -> str:
    """Of the contents; size and time of change only tell when to read again."""
    found = sha256()
    for name, _, _ in files:
        found.update(f"{Path(name).name} {file_digest(Path(name))}\n".encode())
    return found.hexdigest()[:16]


@lru_cache(maxsize=64)
def _hub_commit(name: str, revision: str) -> str:
    if re.fullmatch(r"[0-9a-f]{40}", revision):
        return revision
    return _snapshot(name, revision, metadata_only=True).name


@lru_cache(maxsize=64)
def _hub_folder(name: str, revision: str) -> Path:
    return _snapshot(name, revision, metadata_only=False)


def _snapshot(name: str, revision: str, metadata_only: bool) -> Path:
    """The snapshot folder of the hub's cache, whose name is the commit."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ModuleNotFoundError as error:
        raise MissingExtra(f"the hub model {name!r}", "torch") from error
    wanted = ["config.json"] if metadata_only else list(MODEL_FILES)
    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=wanted, local_files_only=offline()))
    except LocalEntryNotFoundError as error:
        if offline():
            cure = f"EVENHAND_OFFLINE is set; run `evenhand fetch hub:{name}@{revision}` once with a network"
            raise OfflineError(f"hub:{name}@{revision} is not in the cache and {cure}") from error
        raise MissingError(
            f"hub:{name}@{revision} is not in the cache and the hub cannot be reached; `evenhand fetch hub:{name}@{revision}` "
            "where there is a network, or name a folder that holds the model"
        ) from error
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise MissingError(
            f"the hub gives no {name}@{revision}: {error}; check the name, the revision, the access"
        ) from error
