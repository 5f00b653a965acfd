"""One forward pass of a causal language model over a text -> TokenStatistics; long texts in windows, memory flat.

The body of the model gives hidden states, the head is applied to blocks of positions, and each block is reduced at once
(positions.py). On a processor every text is its own batch: its score then depends on no neighbour, to the bit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import SpecError
from . import cache
from .linear import project
from .loading import causal_model, tokenizer
from .positions import Reducer, blocks
from .statistics import Cross, Request, TokenStatistics
from .weights import Weights, import_torch, resolve

BLOCK_VALUES = 6 << 20
"""Logits a block holds (25 MB in float32): enough rows to share the reading of the head's weights, and below the size from
which the allocator takes fresh pages each time."""
WINDOW = 2048
"""Tokens a window of a text that is longer than the model's context; a quarter of it is context from the window before."""
MAX_TOKENS = 200_000
"""Longer texts (about 150,000 words) are refused, unless they are truncated: each would take a quarter of an hour and more."""
SURROGATE = re.compile("[\ud800-\udfff]")
PROBE = "Ten o'clock,  I'm at the café: 3.50 €\n\tÜber 2024 — naïve 你好 👍!"
"""Two tokenizers of one vocabulary that read this alike read text alike."""


@dataclass(frozen=True)
class Encoded:
    """A text as token ids [N], special tokens that the tokenizer puts in front included, and their characters [N, 2]."""

    ids: np.ndarray
    offsets: np.ndarray
    bos: bool
    truncated: bool


def token_statistics(
    texts: Sequence[str],
    weights: Weights | str,
    *,
    reference: Weights | str | None = None,
    truncate: int | None = None,
    request: Request | None = None,
) -> list[TokenStatistics]:
    """One TokenStatistics a text, from one forward pass (two with a ``reference`` model of the same tokenizer).

    ``truncate`` keeps the first so many tokens. A text that cannot be read (a lone surrogate) or is too long comes back
    with ``refusal``. Raises SpecError where the two tokenizers differ, before any model is loaded.
    """
    weights = resolve(weights) if isinstance(weights, str) else weights
    other = resolve(reference) if isinstance(reference, str) else reference
    if other == weights:
        other = None
    if other is not None:
        check_tokenizers(weights, other)
    from .batches import many

    job = Job(weights, other, truncate, request or Request())
    found = [raised(stats) for stats in many(texts, job)]
    return [s.against_itself() for s in found] if other is None and reference is not None else found


@dataclass(frozen=True)
class Job:
    """All that decides a text's statistics, beside the text."""

    weights: Weights
    reference: Weights | None
    truncate: int | None
    request: Request

    @property
    def key(self) -> str:
        second = self.reference.key if self.reference else "-"
        return f"{self.weights.key}|{second}|{self.truncate}|{cache.FORMAT}"


def one(text: str, job: Job) -> TokenStatistics:
    """From the cache, or from the model and then into the cache."""
    read = ready(text, job)
    if isinstance(read, TokenStatistics):
        return read
    found = measure(read, job)
    cache.save(text, job.key, found)
    return found


def ready(text: str, job: Job) -> TokenStatistics | Encoded:
    """What is known of a text without a model: all of it, or its tokens."""
    if reason := unreadable(text):
        return TokenStatistics.refused(reason)
    kept = cache.load(text, job.key, job.request)
    if kept is not None:
        return kept
    encoded = encode(text, job.weights, job.truncate)
    if isinstance(encoded, str):
        return TokenStatistics.refused(encoded)
    if len(encoded.ids) < 2:
        return TokenStatistics.refused(f"{len(encoded.ids)} tokens: no token has another before it", len(encoded.ids))
    if job.reference and (unknown := int(encoded.ids.max())) >= vocabulary_width(job.reference):
        word = tokenizer(job.weights).convert_ids_to_tokens(unknown)
        return TokenStatistics.refused(f"its token {word!r} is unknown to {job.reference.key}", len(encoded.ids))
    return encoded


def raised(found: TokenStatistics | Exception) -> TokenStatistics:
    if isinstance(found, Exception):
        raise found
    return found


def unreadable(text: str) -> str | None:
    """Why a text is not scored, whatever the model."""
    if bad := SURROGATE.search(text):
        return f"a lone surrogate at character {bad.start()}: the text is no valid Unicode; repair or replace it"
    if text and not any(letter.isprintable() and not letter.isspace() for letter in text):
        return "nothing to read in it: white space, controls and invisible characters alone"
    return None


def encode(text: str, weights: Weights, truncate: int | None = None) -> Encoded | str:
    """The text's tokens, or why it has none."""
    if reason := unreadable(text):
        return reason
    read = tokenizer(weights)(text, return_offsets_mapping=True, verbose=False)
    ids = np.asarray(read["input_ids"], np.int32)
    if truncate is None and len(ids) > MAX_TOKENS:
        return f"{len(ids)} tokens, more than the {MAX_TOKENS} that are scored whole; set truncate"
    offsets = np.asarray(read["offset_mapping"], np.int32).reshape(-1, 2)
    bos = len(ids) > 0 and int(ids[0]) in special_ids(weights) and offsets[0, 1] == 0
    cut = truncate is not None and len(ids) > truncate
    return Encoded(ids[:truncate], offsets[:truncate], bool(bos), cut)


@lru_cache(maxsize=8)
def special_ids(weights: Weights) -> frozenset[int]:
    return frozenset(tokenizer(weights).all_special_ids)


def check_tokenizers(first: Weights, second: Weights) -> None:
    """Raises SpecError unless both models read text into the same ids: else their distributions are of different things.

    Tokens that one of them has beside its vocabulary may differ, as GPT-J's 143 more than GPT-Neo's do.
    """
    a, b = vocabulary(first), vocabulary(second)
    if (a.items() ^ b.items()) - added(first).items() - added(second).items():
        told = f"{len(a)} and {len(b)} tokens, {len(a.items() & b.items())} alike"
    elif tokenizer(first)(PROBE)["input_ids"] != tokenizer(second)(PROBE)["input_ids"]:
        told = "one vocabulary, but text is split, or begun, in two ways"
    else:
        return
    raise SpecError(
        f"the tokenizers of {first.source} and {second.source} differ ({told}); "
        "a two-model detector needs a pair with one tokenizer"
    )


@lru_cache(maxsize=4)
def vocabulary(weights: Weights) -> dict[str, int]:
    return dict(tokenizer(weights).get_vocab())


def added(weights: Weights) -> dict[str, int]:
    """Special tokens and others that stand beside the vocabulary."""
    return dict(tokenizer(weights).get_added_vocab())


def one_shape(first: Weights, second: Weights) -> bool:
    """Do both have one context and vocabularies of one width, so that neither reads a text otherwise beside the other?"""
    return (vocabulary_width(first), context_length(first)) == (vocabulary_width(second), context_length(second))


def vocabulary_width(weights: Weights) -> int:
    return int(text_config(weights).vocab_size)


def context_length(weights: Weights) -> int:
    names = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length")
    return int(next((v for name in names if (v := getattr(text_config(weights), name, None))), WINDOW))


@lru_cache(maxsize=8)
def text_config(weights: Weights) -> Any:
    """The configuration of the language model, read without its weights."""
    import_torch()
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(weights.folder(), local_files_only=True).get_text_config()


def measure(encoded: Encoded, job: Job, states: Sequence[Any] | None = None) -> TokenStatistics:
    """The statistics of a text; ``states`` are its hidden states per model, where a batch has made them already."""
    torch = import_torch()
    reducer, last = Reducer(job.request, len(encoded.ids) - 1), Reducer(Request(), 1)
    ids = torch.from_numpy(encoded.ids.astype(np.int64))
    plan = [Window(0, 0, len(ids))] if states else list(windows(len(ids), context(job)))
    with torch.inference_mode():
        for window in plan:
            made = states or [hidden(w, ids[window.start : window.stop]) for w in models_of(job)]
            for rows in blocks(window.stop - window.first, block_size(job)):
                place = slice(window.first + rows.start, window.first + rows.stop)
                local = slice(place.start - window.start, place.stop - window.start)
                logits = shared_width([apply_head(w, h[local]) for w, h in zip(models_of(job), made, strict=True)])
                feed(reducer, last, logits, ids[place.start + 1 : place.stop + 1])
    return gather(encoded, reducer, last, len(plan))


def feed(reducer: Reducer, last: Reducer, logits: list[Any], following: Any) -> None:
    """The rows that a token follows go to ``reducer``; the row after the text's last token goes to ``last``."""
    following = following.to(logits[0].device)
    n = len(following)
    if n < len(logits[0]):
        end = [part[n:] for part in logits]
        last.add(end[0].clone(), end[0].argmax(-1), end[1].clone() if len(end) > 1 else None)
    if n:
        reducer.add(logits[0][:n], following, logits[1][:n] if len(logits) > 1 else None)


@dataclass(frozen=True)
class Window:
    """Positions ``start`` to ``stop`` go through the model; those from ``first`` on are kept."""

    start: int
    first: int
    stop: int


def windows(n: int, context_length: int) -> Iterator[Window]:
    """One window where the text fits the context; else overlapping ones that keep every position once."""
    if n <= context_length:
        yield Window(0, 0, n)
        return
    size = min(WINDOW, context_length)
    done = 0
    while done < n:
        start = max(0, done - size // 4)
        stop = min(n, start + size)
        yield Window(start, done, stop)
        done = stop


def models_of(job: Job) -> list[Weights]:
    return [job.weights] if job.reference is None else [job.weights, job.reference]


def context(job: Job) -> int:
    return min(context_length(w) for w in models_of(job))


def block_size(job: Job) -> int:
    width = int(causal_model(job.weights).get_output_embeddings().weight.shape[0])
    on_cpu = causal_model(job.weights).device.type == "cpu"
    return max(1, (BLOCK_VALUES if on_cpu else BLOCK_VALUES << 3) // width)


def hidden(weights: Weights, ids: Any) -> Any:
    """The last hidden states [n, d], final norm included."""
    model = causal_model(weights)
    return model.base_model(input_ids=ids[None].to(model.device), use_cache=False).last_hidden_state[0]


def apply_head(weights: Weights, states: Any) -> Any:
    """Logits [n, V] as the model itself would give them: some families scale or cap what the head puts out."""
    model = causal_model(weights)
    head, config = model.get_output_embeddings(), model.config.get_text_config()
    logits = project(head, states.to(head.weight.device))
    if scale := getattr(config, "logit_scale", None):
        logits = logits * scale
    if scaling := getattr(config, "logits_scaling", None):
        logits = logits / scaling
    if cap := getattr(config, "final_logit_softcapping", None):
        logits = (logits / cap).tanh() * cap
    return logits


def shared_width(logits: list[Any]) -> list[Any]:
    """Vocabularies padded to different widths are cut to the smaller one before the softmax, as Fast-DetectGPT does."""
    width = min(part.shape[-1] for part in logits)
    return [part[..., :width].to(logits[0].device) for part in logits]


def gather(encoded: Encoded, reducer: Reducer, last: Reducer, n_windows: int) -> TokenStatistics:
    column, cross = reducer.column, None
    if column("cross_entropy") is not None:
        parts = ("cross_entropy", "cross_variance", "cross_entropy_back", "reference_log_prob")
        cross = Cross(*[column(name) for name in parts], float(last.column("cross_entropy")[0]))  # type: ignore
    return TokenStatistics(
        token_ids=encoded.ids[1:],
        offsets=encoded.offsets[1:],
        **reducer.own,
        n_tokens=len(encoded.ids),
        truncated=encoded.truncated,
        bos=encoded.bos,
        windows=n_windows,
        final_entropy=float(last.own["entropy"][0]),
        top_k=column("top_k"),
        draws=reducer.drawn(),
        pieces=reducer.cut(),
        cross=cross,
    )
