"""Words that a masked language model puts in a gap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..errors import DataError
from .encoder import positions
from .loading import pretrained, tokenizer
from .weights import Weights, import_torch, resolve


@dataclass(frozen=True, slots=True)
class Filling:
    """A token that fits the gap, blanks around it removed, and its probability under the model."""

    token: str
    probability: float


@lru_cache(maxsize=1)
def _model(weights: Weights) -> Any:
    return pretrained("AutoModelForMaskedLM", weights)


def fill(gaps: Sequence[tuple[str, str]], model: str, top: int = 20, batch: int = 32) -> list[tuple[Filling, ...]]:
    """The ``top`` likeliest tokens for each gap, given the text before and behind it.

    ``model`` is a spec of weights.resolve. A gap cut off by the model's longest input gets no filling. Raises DataError
    for a model without a mask token.
    """
    return [found[0] if found else () for found in fill_all(gaps, model, top, batch)]


def fill_all(
    texts: Sequence[Sequence[str]], model: str, top: int = 20, batch: int = 32
) -> list[list[tuple[Filling, ...]]]:
    """The ``top`` likeliest tokens for every gap of each text, all its gaps open at once; a text is given as the pieces between
    its gaps. Gaps cut off by the model's longest input are missing at the end. Raises DataError as ``fill`` does."""
    weights = resolve(model)
    reader = tokenizer(weights)
    if reader.mask_token_id is None:
        raise DataError(
            f"{weights.source} has no mask token; a masked model such as hub:google-bert/bert-base-cased is needed"
        )
    longest = positions(_model(weights).config)
    joined = [reader.mask_token.join(map(_plain, pieces)) for pieces in texts]
    encoded = [ids[:longest] for ids in reader(joined)["input_ids"]] if joined else []
    order = sorted(range(len(encoded)), key=lambda at: (len(encoded[at]), at))
    found: dict[int, list[tuple[Filling, ...]]] = {}
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        found.update(zip(chosen, _fill_batch([encoded[at] for at in chosen], weights, top), strict=True))
    return [found[at] for at in range(len(texts))]


def _plain(text: str) -> str:
    """Lone surrogates are no text to a tokenizer: each becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _fill_batch(rows: list[list[int]], weights: Weights, top: int) -> list[list[tuple[Filling, ...]]]:
    torch = import_torch()
    reader, model = tokenizer(weights), _model(weights)
    padded = reader.pad({"input_ids": rows}, return_tensors="pt").to(model.device)
    is_gap = padded["input_ids"] == reader.mask_token_id
    with torch.inference_mode():
        logits = model(**padded).logits.float()
    return [
        [_likeliest(row[place], reader, top) for place in torch.nonzero(gaps).flatten().tolist()]
        for row, gaps in zip(logits, is_gap, strict=True)
    ]


def _likeliest(logits: Any, reader: Any, top: int) -> tuple[Filling, ...]:
    probabilities = logits.softmax(-1).topk(min(top, logits.shape[-1]))
    pairs = zip(probabilities.indices.tolist(), probabilities.values.tolist(), strict=True)
    return tuple(Filling(reader.decode([token]).strip(), probability) for token, probability in pairs)
