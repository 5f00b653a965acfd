"""Many texts through a model: one by one on a processor, in padded batches on a card.

Padding stands on the right and is masked, so that a text's hidden states differ from those it has alone by rounding only;
the head and the statistics then see each text by itself. On a processor a batch gains nothing, and alone a score is the same
to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import EvenhandError
from . import cache
from .causal import Encoded, Job, context, measure, models_of, one, ready
from .loading import causal_model
from .statistics import TokenStatistics
from .weights import Weights, import_torch

BATCH_TOKENS = 16_384
"""Tokens of a batch on a card, padding included."""

Found = TokenStatistics | Exception


def many(texts: Sequence[str], job: Job) -> list[Found]:
    """Of each text its statistics, or what went wrong with it. Raises EvenhandError for what is wrong with the set-up."""
    if job.weights.device == "cpu":
        return [attempt(text, job) for text in texts]
    found: dict[int, Found] = {}
    waiting: dict[int, Encoded] = {}
    for place, text in enumerate(texts):
        read = ready(text, job)
        if isinstance(read, TokenStatistics):
            found[place] = read
        else:
            waiting[place] = read
    for places in groups({place: len(read.ids) for place, read in waiting.items()}, context(job)):
        together = batch({place: waiting[place] for place in places}, job)
        for place in places:
            found[place] = together.get(place) or attempt(texts[place], job)
            if place in together:
                cache.save(texts[place], job.key, together[place])
    return [found[place] for place in range(len(texts))]


def attempt(text: str, job: Job) -> Found:
    try:
        return one(text, job)
    except EvenhandError:
        raise
    except Exception as error:
        return error


def groups(lengths: dict[int, int], longest: int) -> Iterator[list[int]]:
    """Places of texts of like length, as many as BATCH_TOKENS holds; a text longer than the context stands alone."""
    chosen: list[int] = []
    for place in sorted(lengths, key=lambda place: (lengths[place], place)):
        if (chosen and (len(chosen) + 1) * lengths[place] > BATCH_TOKENS) or lengths[place] > longest:
            if chosen:
                yield chosen
            chosen = []
        chosen.append(place)
    if chosen:
        yield chosen


def batch(texts: dict[int, Encoded], job: Job) -> dict[int, TokenStatistics]:
    """All of them from one padded pass per model; none where anything fails (out of memory): each is then tried alone."""
    if len(texts) < 2:
        return {}
    try:
        states = [padded_states(w, list(texts.values())) for w in models_of(job)]
        return {
            place: measure(read, job, [rows[i, : len(read.ids)] for rows in states])
            for i, (place, read) in enumerate(texts.items())
        }
    except EvenhandError:
        raise
    except Exception:
        return {}


def padded_states(weights: Weights, texts: Sequence[Encoded]) -> Any:
    """Last hidden states [texts, longest, d]; the mask, not the padding's id, says what is text."""
    torch, model = import_torch(), causal_model(weights)
    width = max(len(read.ids) for read in texts)
    ids = torch.zeros(len(texts), width, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, read in enumerate(texts):
        ids[row, : len(read.ids)] = torch.from_numpy(read.ids.astype("int64"))
        mask[row, : len(read.ids)] = 1
    with torch.inference_mode():
        out = model.base_model(input_ids=ids.to(model.device), attention_mask=mask.to(model.device), use_cache=False)
    return out.last_hidden_state
