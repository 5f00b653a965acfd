"""A causal model's own proposals for words of a text: the fast filler where no T5 is at hand.

Each masked word is replaced by draws from the model's next-token distributions at the places where its tokens stood, all from
one forward pass over the original text. Unlike T5 it sees nothing of what follows the gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import Abstain
from .causal import Encoded, apply_head, context_length, encode, hidden
from .generation import Sampling, draw_token
from .loading import tokenizer
from .weights import Weights, import_torch

Spans = Sequence[tuple[int, int]]


@lru_cache(maxsize=4)
def _states(text: str, weights: Weights) -> tuple[Encoded, Any] | None:
    """Tokens and hidden states. Raises Abstain for a text longer than the model's context."""
    encoded = encode(text, weights)
    if isinstance(encoded, str):
        return None
    if (n := len(encoded.ids)) > (room := context_length(weights)):
        raise Abstain(f"{n} tokens, and the model proposes words within its context of {room}: set truncate")
    torch = import_torch()
    with torch.inference_mode():
        return encoded, hidden(weights, torch.from_numpy(encoded.ids.astype(np.int64)))


def propose(text: str, spans: Spans, weights: Weights, seed: int) -> list[str | None]:
    """What the model would put at each span of characters; None where it proposes only blanks, or nothing stands before
    the place. Raises Abstain for a text longer than the model's context."""
    read = _states(text, weights)
    generator = np.random.default_rng(seed)
    return [_fill(places_of(span, read[0]), read[1], weights, generator) if read else None for span in spans]


def places_of(span: tuple[int, int], encoded: Encoded) -> np.ndarray:
    """The tokens that stand for these characters, but for the first of the text, which nothing foretells."""
    touched = (encoded.offsets[:, 0] < span[1]) & (encoded.offsets[:, 1] > span[0])
    return np.flatnonzero(touched & (np.arange(len(touched)) > 0))


def _fill(places: np.ndarray, states: Any, weights: Weights, generator: np.random.Generator) -> str | None:
    if not len(places):
        return None
    torch = import_torch()
    with torch.inference_mode():
        logits = apply_head(weights, states[torch.from_numpy(places - 1)]).float().cpu().numpy()
    reader = tokenizer(weights)
    logits[:, list(reader.all_special_ids)] = -np.inf
    drawn = [draw_token(row, generator, Sampling()) for row in logits]
    return str(reader.decode(drawn)).strip() or None
