"""A writer that continues plain text, as base models do: no chat template, n-grams that must not come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..errors import SpecError
from .chat import LocalChat, Request
from .generation import Generated, Sampling, continue_ids
from .loading import tokenizer
from .weights import Weights


@dataclass(frozen=True, slots=True)
class Decoding(Sampling):
    """``no_repeat_ngram``: no run of so many tokens comes twice, the prompt's included (0: any may)."""

    no_repeat_ngram: int = 0

    def __post_init__(self) -> None:
        Sampling.__post_init__(self)
        if self.no_repeat_ngram < 0:
            raise SpecError(f"no_repeat_ngram must be 0 or more, got {self.no_repeat_ngram!r}")

    @property
    def told(self) -> str:
        barred = f", no_repeat_ngram={self.no_repeat_ngram}" if self.no_repeat_ngram else ""
        return f"{Sampling(self.temperature, self.top_p, self.top_k, self.max_new_tokens).told}{barred}"

    def allowed(self, logits: np.ndarray, ids: Sequence[int]) -> np.ndarray:
        """The logits [V] after ``ids``, minus infinity for what would end a run that stood before."""
        barred = repeating(ids, self.no_repeat_ngram)
        if not barred:
            return logits
        kept = logits.copy()
        kept[barred] = -np.inf
        return kept


def repeating(ids: Sequence[int], n: int) -> list[int]:
    """The tokens that stood after each earlier occurrence of the last n - 1 tokens."""
    if n < 1 or len(ids) < n:
        return []
    tail = tuple(ids[len(ids) - n + 1 :])
    return [ids[i + n - 1] for i in range(len(ids) - n + 1) if tuple(ids[i : i + n - 1]) == tail]


@dataclass(frozen=True)
class LocalContinuation(LocalChat):
    """A local causal model that goes on where the last message ends. A prompt without room in the context is an error.

    Special tokens of the model stay in the answer where ``special`` says so: some models mark the end of a section by one.
    """

    special: bool = False

    @property
    def key(self) -> str:
        return f"{self.model} going on{' with special tokens' if self.special else ''}"

    def ids(self, request: Request, weights: Weights) -> list[int]:
        return prompt_ids(request.messages[-1]["content"], weights)

    def portions(self, prompts: Mapping[int, list[int]]) -> Iterator[list[int]]:
        """Prompts of like length together, a batch at a time: a kill loses at most these."""
        places = sorted(prompts, key=lambda i: (len(prompts[i]), i))
        for start in range(0, len(places), self.batch):
            yield places[start : start + self.batch]

    @property
    def write(self) -> Callable[..., list[Generated]]:
        return partial(continue_ids, special=self.special)


def prompt_ids(text: str, weights: Weights) -> list[int]:
    """As the tokenizer has it, beginning-of-text included, without an end: the text goes on. Never empty."""
    reader: Any = tokenizer(weights)
    ids = list(reader(text)["input_ids"])
    while ids and ids[-1] in (reader.eos_token_id, reader.sep_token_id) and not text.endswith(reader.decode(ids[-1:])):
        ids.pop()
    start = reader.bos_token_id if reader.bos_token_id is not None else reader.eos_token_id
    return ids or [start or 0]
