"""How likely a model holds each of a few given answers, where it would say one word: the odds, not the word.

The answer of these writers is a JSON object, option -> natural log-probability; they are kept and resumed as any answer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DataError, MissingError
from .causal import apply_head, context_length, hidden
from .chat import Completion, OpenAIChat, Request, Writer
from .generation import chat_ids
from .loading import tokenizer
from .weights import Weights, import_torch, resolve

Options = tuple[str, ...]
TOP = 20
"""The most alternatives that an OpenAI-compatible chat endpoint lists."""
TOP_LEGACY = 5


@dataclass(frozen=True)
class LocalOdds(Writer):
    """log P(option | prompt) under a local model, summed over the option's tokens, as the first words of its answer."""

    source: str = "embedded"
    options: Options = ("human", "machine")

    @property
    def model(self) -> str:  # type: ignore[override]
        return resolve(self.source).key

    @property
    def key(self) -> str:
        return f"{self.model} odds of {'|'.join(self.options)}"

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        weights = resolve(self.source)
        longest = context_length(weights)
        for index, request in enumerate(requests):
            ids = chat_ids(request.messages, weights)
            if len(ids) + 8 > longest:
                yield index, Completion("", "error", 0, weights.key, f"{len(ids)} tokens, the model has {longest}")
            else:
                found = log_probabilities(ids, self.options, weights)
                yield index, Completion(json.dumps(found), "stop", 1, weights.key)


def log_probabilities(ids: Sequence[int], options: Options, weights: Weights) -> dict[str, float]:
    """log P of each option's tokens behind ``ids``; options that share all but their last token share a pass."""
    read = tokenizer(weights)
    tokens = {option: read(option, add_special_tokens=False)["input_ids"] for option in options}
    passes = {start: _after(ids, start, weights) for start in {tuple(found[:-1]) for found in tokens.values()}}
    return {
        option: float(sum(passes[tuple(found[:-1])][place, token] for place, token in enumerate(found)))
        for option, found in tokens.items()
    }


def _after(ids: Sequence[int], start: tuple[int, ...], weights: Weights) -> np.ndarray:
    """Log-probabilities [len(start) + 1, V] of the tokens behind ``ids`` and behind each token of ``start``."""
    torch = import_torch()
    with torch.inference_mode():
        states = hidden(weights, torch.tensor([*ids, *start], dtype=torch.long))
        logits = apply_head(weights, states[-len(start) - 1 :]).float()
        return np.asarray(logits.log_softmax(-1).cpu().numpy())


@dataclass(frozen=True)
class OpenAIOdds(OpenAIChat):
    """The same from the listed alternatives of an endpoint's first token. An option that is not among them gets the least
    likely alternative's probability, its upper bound, and is named under 'bounded'."""

    options: Options = ("human", "machine")
    legacy: bool = False
    """Text completion (POST /completions) in place of chat: the prompt is the last message alone."""

    @property
    def key(self) -> str:
        return f"{super().key} odds of {'|'.join(self.options)}"

    def _send(self, client: Any, request: Request) -> Completion:
        if self.legacy:
            response = client.completions.create(
                model=self.model,
                prompt=request.messages[-1]["content"],
                max_tokens=1,
                temperature=0,
                logprobs=TOP_LEGACY,
                seed=request.seed % 2**31,
            )
            listed = first_legacy(response)
        else:
            asked = self._arguments(request) | {"max_tokens": 1, "temperature": 0, "logprobs": True}
            listed = first_token(client.chat.completions.create(**asked, top_logprobs=TOP))
        if not listed:
            raise MissingError(
                f"{self.base_url} gives no log-probabilities for {self.model!r}; take the answer itself: output='answer'"
            )
        return Completion(json.dumps(odds_of(listed, self.options)), "stop", 1, self.model)

    def _may_pass(self, error: Exception, reason: str) -> bool:
        if isinstance(error, MissingError):
            raise error
        return super()._may_pass(error, reason)


def first_token(response: Any) -> dict[str, float]:
    """The alternatives listed for the first token of a chat answer; empty where the endpoint lists none."""
    if not getattr(response, "choices", None):
        raise DataError(f"the endpoint answered without a choice: {response!r:.100}")
    told = getattr(response.choices[0].logprobs, "content", None) or []
    return {one.token: one.logprob for one in told[0].top_logprobs} if told else {}


def first_legacy(response: Any) -> dict[str, float]:
    if not getattr(response, "choices", None):
        raise DataError(f"the endpoint answered without a choice: {response!r:.100}")
    told = getattr(response.choices[0].logprobs, "top_logprobs", None) or []
    return dict(told[0]) if told else {}


def odds_of(listed: Mapping[str, float], options: Options) -> dict[str, Any]:
    """log P of each option: of the listed tokens that begin it (in any case, quotes and blanks aside) and no other."""
    found: dict[str, float] = {}
    for option in options:
        mine = [value for token, value in listed.items() if begins(token, option, options)]
        if mine:
            found[option] = float(np.logaddexp.reduce(mine))
    if not found:
        return {"bounded": list(options)}
    least = min(listed.values())
    missing = [option for option in options if option not in found]
    return {**found, **dict.fromkeys(missing, least), **({"bounded": missing} if missing else {})}


def begins(token: str, option: str, options: Options) -> bool:
    plain = token.strip(" \t\n\"'`{").lower()
    others = [other.strip().lower() for other in options if other != option]
    return bool(plain) and option.strip().lower().startswith(plain) and not any(o.startswith(plain) for o in others)


def bounded(text: str) -> bool:
    """Whether a kept answer has a bound in place of an option that was not listed."""
    return "bounded" in json.loads(text)


def log_odds(text: str, positive: str, negative: str) -> float:
    """log P(positive) - log P(negative) of a kept answer; NaN where neither was among the alternatives."""
    told = json.loads(text)
    if positive not in told or negative not in told:
        return math.nan
    return float(told[positive] - told[negative])
