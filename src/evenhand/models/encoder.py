"""Embeddings of texts by an encoder, pooled as its own configuration says, without the sentence-transformers package.

``embedded`` is all-MiniLM-L6-v2 here; ``hub:NAME@REVISION`` and folders come through the one door (``weights.resolve``).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..documents import digest
from ..errors import DataError, SpecError
from . import minilm
from .loading import load_arguments, quiet
from .weights import Weights, import_torch, resolve

Vectors = NDArray[np.float32]
Long = Literal["windows", "truncate"]
KEPT = 20_000
"""Vectors kept in memory: a source stands beside each of its attacked forms."""
_kept: dict[tuple[str, str], Vectors] = {}


@dataclass(frozen=True)
class Recipe:
    """How token vectors become one: ``pooling`` is mean, cls or max; ``max_length`` counts special tokens too."""

    pooling: str
    max_length: int
    lower: bool = False


@dataclass(frozen=True)
class Encoder:
    tokenizer: Any
    model: Any
    recipe: Recipe


def embed(texts: Sequence[str], model: str = "embedded", long: Long = "windows", batch: int | None = None) -> Vectors:
    """Unit vectors of the texts, float32, shape (n, d).

    ``long``: a text over the encoder's length is read in windows, whose vectors are averaged by their tokens; or it is
    truncated (what the sentence-transformers package does; for shorter texts both are the same). ``batch``: windows a
    forward pass, None for 1 on a CPU (there the result does not depend on the other texts) and 32 elsewhere.
    Raises SpecError, DataError (a model with a head that is not known), OfflineError, MissingError.
    """
    if long not in ("windows", "truncate"):
        raise SpecError(f"embed: long is 'windows' or 'truncate', got {long!r}")
    weights = resolve_encoder(model)
    kind, names = f"{weights.key} {long}", [digest(text) for text in texts]
    have = {name: vector for name in names if (vector := _kept.get((kind, name))) is not None}
    missing = {name: text for name, text in zip(names, texts, strict=True) if name not in have}
    if missing:
        made = dict(zip(missing, _embed(list(missing.values()), encoder(weights), long, batch), strict=True))
        have |= made
        if len(_kept) + len(made) > KEPT:
            _kept.clear()
        _kept.update({(kind, name): vector for name, vector in list(made.items())[:KEPT]})
    if not names:
        return np.empty((0, encoder(weights).model.config.hidden_size), np.float32)
    return np.stack([have[name] for name in names])


def token_vectors(text: str, model: str = "embedded", max_tokens: int = 512) -> tuple[Vectors, bool]:
    """The last hidden states of a text's tokens, without the first and the last one (the special ones), shape (n, d), and
    whether the text was longer than what was read."""
    torch = import_torch()
    by = encoder(resolve_encoder(model))
    longest = min(max_tokens, positions(by.model.config), by.tokenizer.model_max_length)
    plain = _plain(text.lower() if by.recipe.lower else text)
    ids = by.tokenizer(plain, truncation=True, max_length=longest)["input_ids"]
    whole = by.tokenizer(plain, add_special_tokens=False, verbose=False)["input_ids"]
    with torch.inference_mode():
        states = by.model(input_ids=torch.tensor([ids], device=by.model.device)).last_hidden_state[0, 1:-1]
    return states.float().cpu().numpy(), len(whole) > max(0, len(ids) - 2)


def resolve_encoder(spec: str) -> Weights:
    """As ``weights.resolve``, but 'embedded' is the embedded encoder. Fetches nothing."""
    weights = resolve(spec)
    if weights.kind != "embedded":
        return weights
    return replace(weights, source=str(minilm.path()), revision=minilm.REVISION)


def fetched(weights: Weights) -> Path:
    """The folder of an encoder's files; fetches them when they are not in the cache."""
    return minilm.folder() if weights.source == str(minilm.path()) else weights.folder()


@lru_cache(maxsize=2)
def encoder(weights: Weights) -> Encoder:
    """Tokenizer and model in memory, in evaluation mode, without gradients."""
    torch = import_torch(f"the encoder {weights.source!r}")
    from transformers import AutoModel, AutoTokenizer

    folder = fetched(weights)
    quiet()
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    arguments = load_arguments(torch, weights)
    model = AutoModel.from_pretrained(folder, local_files_only=True, use_safetensors=True, **arguments)
    if "device_map" not in arguments:
        model = model.to(weights.device)
    most = min(tokenizer.model_max_length, positions(model.config))
    return Encoder(tokenizer, model.eval().requires_grad_(False), recipe(folder, most))


def positions(config: Any) -> int:
    """The most tokens that a model has places for; RoBERTa's kind begins to count behind the padding token."""
    most = int(getattr(config, "max_position_embeddings", None) or 1 << 30)
    return most - (config.pad_token_id + 1) if "roberta" in config.model_type else most


def recipe(folder: Path, most: int) -> Recipe:
    """What the folder's modules.json asks for; mean pooling where there is none (a plain encoder)."""
    modules = _read(folder / "modules.json")
    known = ("Transformer", "Pooling", "Normalize")
    kinds = [str(module["type"]).rsplit(".", 1)[-1] for module in modules or []]
    if unknown := [kind for kind in kinds if kind not in known]:
        raise DataError(
            f"{folder.name}: its module {unknown[0]!r} is not known (known: {', '.join(known)}); use another"
        )
    paths = [folder / module["path"] for module, kind in zip(modules or [], kinds, strict=True) if kind == "Pooling"]
    flags = _read(paths[0] / "config.json") if paths else {}
    chosen = [key.removeprefix("pooling_mode_") for key, on in (flags or {}).items() if on is True and "_mode_" in key]
    names = {"mean_tokens": "mean", "cls_token": "cls", "max_tokens": "max"}
    if len(chosen) > 1 or (chosen and chosen[0] not in names):
        raise DataError(
            f"{folder.name}: its pooling {chosen} is not known (known: {', '.join(names)}); use another model"
        )
    settings = _read(folder / "sentence_bert_config.json") or {}
    length = min(most, settings.get("max_seq_length") or most)
    return Recipe(names[chosen[0]] if chosen else "mean", length, bool(settings.get("do_lower_case")))


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8")) if path.is_file() else None


@dataclass(frozen=True)
class _Window:
    """Token ids of a piece of text ``index``."""

    index: int
    ids: list[int]


def _embed(texts: list[str], by: Encoder, long: Long, batch: int | None) -> Vectors:
    windows = sorted(_windows(texts, by, long), key=lambda window: len(window.ids))
    size = batch or (1 if by.model.device.type == "cpu" else 32)
    sums = np.zeros((len(texts), by.model.config.hidden_size))
    for start in range(0, len(windows), size):
        some = windows[start : start + size]
        for window, vector in zip(some, _pooled(some, by), strict=True):
            sums[window.index] += len(window.ids) * vector
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return (sums / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _windows(texts: list[str], by: Encoder, long: Long) -> Iterator[_Window]:
    for index, text in enumerate(texts):
        told = by.tokenizer(
            _plain(text.lower() if by.recipe.lower else text),
            truncation=True,
            max_length=by.recipe.max_length,
            return_overflowing_tokens=True,
        )
        for ids in told["input_ids"][: None if long == "windows" else 1]:
            yield _Window(index, ids)


def _plain(text: str) -> str:
    """Lone surrogates are no text to a tokenizer: each becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _pooled(windows: list[_Window], by: Encoder) -> Vectors:
    """One vector a window, shape (n, d), over its tokens, the special ones included."""
    torch = import_torch()
    longest = max(len(window.ids) for window in windows)
    pad = by.tokenizer.pad_token_id or 0
    ids = torch.tensor([w.ids + [pad] * (longest - len(w.ids)) for w in windows], device=by.model.device)
    mask = torch.tensor([[1] * len(w.ids) + [0] * (longest - len(w.ids)) for w in windows], device=by.model.device)
    with torch.inference_mode():
        tokens = by.model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
        if by.recipe.pooling == "cls":
            pooled = tokens[:, 0]
        elif by.recipe.pooling == "max":
            pooled = tokens.masked_fill(mask[..., None] == 0, float("-inf")).max(dim=1).values
        else:
            pooled = (tokens * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
    vectors: Vectors = pooled.cpu().numpy()
    return vectors
