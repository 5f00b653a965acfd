"""Words that a masked language model puts in a gap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..errors import DataError
from .encoder import positions
from .loading import _arguments, _quiet, tokenizer
from .weights import Weights, import_torch, resolve


@dataclass(frozen=True, slots=True)
class Filling:
    """A token that fits the gap, blanks around it removed, and its probability under the model."""

    token: str
    probability: float


@lru_cache(maxsize=1)
def _model(weights: Weights) -> Any:
    torch = import_torch(f"the masked model {weights.source!r}")
    from transformers import AutoModelForMaskedLM

    _quiet()
    model = AutoModelForMaskedLM.from_pretrained(
        weights.folder(), local_files_only=True, use_safetensors=True, **_arguments(torch, weights)
    )
    if weights.device not in ("cpu", "auto"):
        model = model.to(weights.device)
    return model.eval().requires_grad_(False)


def fill(gaps: Sequence[tuple[str, str]], model: str, top: int = 20, batch: int = 32) -> list[tuple[Filling, ...]]:
    """The ``top`` likeliest tokens for each gap, given the text before and behind it.

    ``model`` is a spec of weights.resolve. A gap cut off by the model's longest input gets no filling. Raises DataError
    for a model without a mask token.
    """
    weights = resolve(model)
    reader = tokenizer(weights)
    if reader.mask_token_id is None:
        raise DataError(
            f"{weights.source} has no mask token; a masked model such as hub:google-bert/bert-base-cased is needed"
        )
    longest = positions(_model(weights).config)
    texts = [f"{_plain(before)}{reader.mask_token}{_plain(behind)}" for before, behind in gaps]
    encoded = [ids[:longest] for ids in reader(texts)["input_ids"]] if texts else []
    order = sorted(range(len(encoded)), key=lambda at: (len(encoded[at]), at))
    found: dict[int, tuple[Filling, ...]] = {}
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        found.update(zip(chosen, _fill_batch([encoded[at] for at in chosen], weights, top), strict=True))
    return [found[at] for at in range(len(texts))]


def _plain(text: str) -> str:
    """Lone surrogates are no text to a tokenizer: each becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _fill_batch(rows: list[list[int]], weights: Weights, top: int) -> list[tuple[Filling, ...]]:
    torch = import_torch()
    reader, model = tokenizer(weights), _model(weights)
    padded = reader.pad({"input_ids": rows}, return_tensors="pt").to(model.device)
    is_gap = padded["input_ids"] == reader.mask_token_id
    with torch.inference_mode():
        logits = model(**padded).logits.float()
    made: list[tuple[Filling, ...]] = []
    for row, gaps in zip(logits, is_gap, strict=True):
        places = torch.nonzero(gaps).flatten().tolist()
        made.append(_likeliest(row[places[0]], reader, top) if places else ())
    return made


def _likeliest(logits: Any, reader: Any, top: int) -> tuple[Filling, ...]:
    probabilities = logits.softmax(-1).topk(min(top, logits.shape[-1]))
    pairs = zip(probabilities.indices.tolist(), probabilities.values.tolist(), strict=True)
    return tuple(Filling(reader.decode([token]).strip(), probability) for token, probability in pairs)
