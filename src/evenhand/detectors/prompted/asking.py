"""Questions to a language model whose answers must be read: asked once, mended once, kept, and counted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...documents import Judgement
from ...errors import SpecError
from ...models.chat import Cached, Completion, LocalChat, OpenAIChat, Request, Writer
from ...models.home import cache_dir
from ...models.odds import LocalOdds, OpenAIOdds, bounded, log_odds
from ...models.weights import resolve
from ...seeds import seed_of

TOKENS_A_WORD = 4 / 3
"""A rule of thumb for English; a tokenizer says 1.2 to 1.5."""
BATCH = 8
"""Requests a pass of a local model; a stop loses at most four times as many."""
PATIENCE = 600.0
"""Seconds for one answer of an endpoint: a model on somebody's processor takes minutes over long examples."""
NO_ANSWER = "no answer"
NO_ODDS = "neither answer is among the alternatives that the endpoint lists"
UNREADABLE = "the answer could not be read"
CUT = "the answer was cut off before it could be read: raise max_new_tokens"


@dataclass(frozen=True, slots=True)
class Reply:
    """What was read, or None with the reason. ``failed`` is true where no answer came at all, which may pass."""

    value: Any
    raw: str = ""
    repaired: bool = False
    requests: int = 1
    reason: str | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Cost:
    """What a detector will ask for: requests and how many of them are kept already, tokens of prompts (about) and of
    answers (at most), and the requests to mend unreadable answers that may come on top."""

    detector: str
    requests: int
    kept: int
    prompt_tokens: int
    answer_tokens: int
    repairs: int = 0

    def __str__(self) -> str:
        kept = f" ({self.kept:,} of them answered before and kept)" if self.kept else ""
        more = f"; up to {self.repairs:,} more to mend answers that cannot be read" if self.repairs else ""
        return (
            f"{self.detector}: {self.requests:,} requests{kept}, about {self.prompt_tokens:,} tokens of prompts, at most "
            f"{self.answer_tokens:,} of answers{more}"
        )


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who is asked: a local ``model``, or one by its name at an OpenAI-compatible ``endpoint``. The key stands in the
    environment variable ``key_env`` ('' where none is needed) and is neither kept nor shown."""

    model: str
    endpoint: str | None = None
    key_env: str = "OPENAI_API_KEY"

    @property
    def key(self) -> str:
        return resolve(self.model).key if self.endpoint is None else f"{self.model} at {self.endpoint}"

    def writer(self) -> Cached:
        if self.endpoint is None:
            return kept(LocalChat(self.model, batch=BATCH))
        return kept(OpenAIChat(self.endpoint, self.model, self.key_env, timeout=PATIENCE))

    def odds(self, options: tuple[str, ...], legacy: bool = False) -> Cached:
        if self.endpoint is None:
            return kept(LocalOdds(self.model, options))
        endpoint, model, key_env = self.endpoint, self.model, self.key_env
        return kept(OpenAIOdds(endpoint, model, key_env, timeout=PATIENCE, options=options, legacy=legacy))


def kept(writer: Writer) -> Cached:
    return Cached(writer, cache_dir() / "answers")


def ask(
    requests: Sequence[Request], writer: Writer, read: Callable[[str], Any], form: Callable[[int], str], repairs: int
) -> list[Reply]:
    """One reply a request. An answer that ``read`` makes nothing of goes back to the model ``repairs`` times, with ``form(i)``,
    what was asked for (the authors' OutputFixingParser does so once)."""
    came = writer.reply(requests)
    replies = [_read(answer, read) for answer in came]
    for _ in range(repairs):
        todo = [i for i, reply in enumerate(replies) if reply.value is None and not reply.failed and reply.raw.strip()]
        again = writer.reply([_repair(requests[i], replies[i].raw, form(i)) for i in todo])
        for i, answer in zip(todo, again, strict=True):
            replies[i] = _mended(replies[i], _read(answer, read))
    return replies


def _read(answer: Completion, read: Callable[[str], Any]) -> Reply:
    if answer.finish_reason == "error":
        return Reply(None, reason=f"{NO_ANSWER}: {answer.error}", failed=True)
    value = read(answer.text)
    if value is None:
        return Reply(None, answer.text, reason=CUT if answer.finish_reason == "length" else UNREADABLE)
    return Reply(value, answer.text)


def _mended(before: Reply, after: Reply) -> Reply:
    if after.value is None:  # a second failure does not make the first answer one that never came
        return replace(before, requests=before.requests + 1)
    return replace(after, raw=before.raw, repaired=True, requests=before.requests + 1)


def _repair(request: Request, answer: str, form: str) -> Request:
    content = (
        f"This was asked for:\n--------------\n{form}\n--------------\n\nThis came:\n--------------\n{answer}\n--------------\n\n"
        "It does not have the form that was asked for. Give it again, in that form and with nothing else."
    )
    return Request(
        [{"role": "user", "content": content}], seed_of(request.seed, "repair"), request.sampling, request.text_digest
    )


def of_odds(answer: Completion, machine: str, human: str, what: str, cut: bool) -> Judgement:
    """The log-odds of two ``what`` (words, labels) as an answer of odds gives them; ``cut`` texts are marked."""
    if answer.finish_reason == "error":
        return Judgement(math.nan, "failed", f"{NO_ANSWER}: {answer.error}", truncated=cut)
    value = log_odds(answer.text, machine, human)
    if math.isnan(value):
        return Judgement(math.nan, "abstained", NO_ODDS, truncated=cut)
    note = f"one of the two {what} is not listed: a bound" if bounded(answer.text) else None
    return Judgement(value, "ok", note, truncated=cut)


def cost(detector: str, requests: Sequence[Request], writer: Cached, repairs: int) -> Cost:
    open_ones = [request for request in requests if not writer.has(request)]
    words = sum(len(message["content"].split()) for request in open_ones for message in request.messages)
    answers = sum(request.sampling.max_new_tokens for request in open_ones)
    done = len(requests) - len(open_ones)
    return Cost(detector, len(requests), done, round(words * TOKENS_A_WORD), answers, repairs * len(open_ones))


def check(name: str, temperature: float, max_new_tokens: int, repairs: int, max_words: int | None) -> None:
    if temperature < 0 or max_new_tokens < 1 or repairs < 0 or (max_words is not None and max_words < 1):
        raise SpecError(
            f"{name}: temperature >= 0, max_new_tokens >= 1, repairs >= 0 and max_words >= 1 (or None) are needed"
        )


def first_words(text: str, most: int | None) -> tuple[str, bool]:
    """The text up to its word ``most``, blanks as they are, and whether anything was cut."""
    if most is None or len(text.split()) <= most:
        return text, False
    parts = text.split(maxsplit=most)
    return text[: len(text) - len(parts[-1])].rstrip(), True
