"""Sampling chat answers from a local causal model: batched, with one random generator per answer.

An answer depends on its prompt and its seed; its neighbours in the batch can only move it where two tokens tie within
float32 rounding. Keep batches fixed where answers must be equal to the letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal

import numpy as np

from ..errors import SpecError
from .loading import causal_model, tokenizer
from .weights import Weights, import_torch

Message = dict[str, str]


@dataclass(frozen=True, slots=True)
class Generated:
    """An answer. ``finish_reason`` is 'stop' (the model ended) or 'length' (cut at max_new_tokens)."""

    text: str
    finish_reason: Literal["stop", "length"]
    n_prompt_tokens: int
    n_tokens: int


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a token is drawn: temperature 0 takes the likeliest, top_k 0 and top_p 1 cut nothing off."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    max_new_tokens: int = 512

    def __post_init__(self) -> None:
        if self.temperature < 0 or not 0 < self.top_p <= 1 or self.top_k < 0 or self.max_new_tokens < 1:
            raise SpecError(f"temperature >= 0, 0 < top_p <= 1, top_k >= 0 and max_new_tokens >= 1 are needed: {self}")

    @property
    def told(self) -> str:
        """What a document says of its decoding; what cuts nothing off is left out."""
        cuts = [f"top_p={self.top_p}"] * (self.top_p < 1) + [f"top_k={self.top_k}"] * (self.top_k > 0)
        return ", ".join([f"temperature={self.temperature}", *cuts, f"max_new_tokens={self.max_new_tokens}"])

    def allowed(self, logits: np.ndarray, ids: Sequence[int]) -> np.ndarray:
        """The logits [V] of what may follow ``ids``: here all of them."""
        return logits


def continue_ids(
    prompts: Sequence[list[int]],
    weights: Weights,
    *,
    seeds: Sequence[int],
    sampling: Sampling | None = None,
    batch: int = 16,
    special: bool = False,
) -> list[Generated]:
    """One continuation per list of token ids; prompts of like length share a batch. ``special``: their texts keep special
    tokens."""
    if len(seeds) != len(prompts):
        raise SpecError(f"{len(prompts)} prompts need as many seeds, got {len(seeds)}")
    order = sorted(range(len(prompts)), key=lambda i: (len(prompts[i]), i))
    made: list[Generated | None] = [None] * len(prompts)
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        rows = [_Row(prompts[i], np.random.default_rng(seeds[i]), []) for i in chosen]
        answers = _batch(rows, weights, sampling or Sampling(), special)
        for index, answer in zip(chosen, answers, strict=True):
            made[index] = answer
    return [answer for answer in made if answer is not None]


def chat_ids(prompt: list[Message], weights: Weights) -> list[int]:
    """Messages of 'role' and 'content', through the model's chat template."""
    reader = tokenizer(weights)
    if reader.chat_template is None:
        raise SpecError(f"{weights.source} has no chat template; a model tuned for instructions is needed here")
    text = reader.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False)
    return list(reader(text, add_special_tokens=False)["input_ids"])


@dataclass
class _Row:
    ids: list[int]
    generator: np.random.Generator
    made: list[int]
    finish_reason: Literal["stop", "length"] = "length"


def _batch(rows: list[_Row], weights: Weights, sampling: Sampling, special: bool) -> list[Generated]:
    torch = import_torch()
    with torch.inference_mode():
        _write(rows, weights, sampling)
    decode = tokenizer(weights).decode
    return [
        Generated(
            decode(row.made, skip_special_tokens=not special).strip(), row.finish_reason, len(row.ids), len(row.made)
        )
        for row in rows
    ]


def _write(rows: list[_Row], weights: Weights, sampling: Sampling) -> None:
    """Draws token after token; rows that ended leave the batch, so the last long answers do not pay for the others."""
    torch = import_torch()
    model, ends = causal_model(weights), _end_ids(weights)
    ids, mask = _left_padded([row.ids for row in rows], model.device)
    position = (mask.cumsum(-1) - 1).clamp(min=0)
    cache, past, alive = cache_name(model), None, list(rows)
    for _ in range(sampling.max_new_tokens):
        out = model(input_ids=ids, attention_mask=mask, position_ids=position, logits_to_keep=1, **{cache: past})
        past = out[cache]
        keep = _draw(out.logits[:, -1].float().cpu().numpy(), alive, sampling, ends)
        if not keep:
            return
        if len(keep) < len(alive):
            chosen = torch.tensor(keep, device=model.device)
            past.batch_select_indices(chosen)
            mask, position, alive = mask[chosen], position[chosen], [alive[i] for i in keep]
        ids = torch.tensor([[row.made[-1]] for row in alive], device=model.device)
        mask = torch.cat([mask, mask.new_ones(len(alive), 1)], -1)
        position = position[:, -1:] + 1


def cache_name(model: Any) -> str:
    """transformers renames the argument; the older name goes with version 5.40."""
    known = signature(model.forward).parameters
    return "cache" if "cache" in known else "past_key_values"


def _draw(logits: np.ndarray, rows: list[_Row], sampling: Sampling, ends: set[int]) -> list[int]:
    """Adds a token to every row; gives the places of the rows that go on."""
    going = []
    for place, (row, values) in enumerate(zip(rows, logits, strict=True)):
        token = draw_token(sampling.allowed(values, [*row.ids, *row.made]), row.generator, sampling)
        if token in ends:
            row.finish_reason = "stop"
        else:
            row.made.append(token)
            going.append(place)
    return going


def draw_token(logits: np.ndarray, generator: np.random.Generator, sampling: Sampling) -> int:
    """One token id from logits [V].

    An exponential race (the Gumbel-max trick): the same noise meets the same token, so that a change of the logits by
    rounding changes the draw only where two tokens all but tie. A draw by cumulative sums would shift every border.
    """
    if sampling.temperature == 0:
        return int(logits.argmax())
    probability = np.exp((logits - logits.max()) / np.float32(sampling.temperature))
    probability = _nucleus(_top_k(probability, sampling.top_k), sampling.top_p)
    noise = generator.standard_exponential(logits.size, dtype=np.float32)
    return int((probability / np.maximum(noise, np.float32(1e-30))).argmax())


def _top_k(probability: np.ndarray, k: int) -> np.ndarray:
    if k <= 0 or k >= probability.size:
        return probability
    return np.where(probability >= np.partition(probability, -k)[-k], probability, np.float32(0))


def _nucleus(probability: np.ndarray, top_p: float) -> np.ndarray:
    """The likeliest tokens whose sum first reaches top_p (Holtzman et al., 2020)."""
    if top_p >= 1:
        return probability
    order = np.argsort(-probability, kind="stable")
    sums = probability[order].cumsum(dtype=np.float64)
    n_kept = int(np.searchsorted(sums, top_p * sums[-1])) + 1
    kept = np.zeros_like(probability)
    kept[order[:n_kept]] = probability[order[:n_kept]]
    return kept


def _left_padded(prompts: list[list[int]], device: Any) -> tuple[Any, Any]:
    torch = import_torch()
    width = max(map(len, prompts))
    ids = torch.tensor([[0] * (width - len(p)) + p for p in prompts], device=device)
    mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts], device=device)
    return ids, mask


def _end_ids(weights: Weights) -> set[int]:
    config = causal_model(weights).generation_config
    ends = config.eos_token_id if config is not None else None
    ends = [] if ends is None else [ends] if isinstance(ends, int) else list(ends)
    own = tokenizer(weights).eos_token_id
    return {*ends, *([] if own is None else [own])}
