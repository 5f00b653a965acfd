"""Writers: what answers chat prompts, be it a local model or any OpenAI-compatible endpoint, with answers kept on disk.

A writer gives every request an answer or a reason; it never drops one and never gives one twice.
"""

from __future__ import annotations

import json
import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from ..errors import DataError, MissingError, MissingExtra, SpecError, StoreError
from ..seeds import rng
from .causal import context_length
from .generation import Generated, Message, Sampling, chat_ids, continue_ids
from .loading import tokenizer
from .seq2seq import seq2seq_model, transduce
from .weights import Weights, resolve

LONGEST_WAIT = 3600.0
"""Seconds for one answer, at most."""
SHORTEST_SECRET = 8


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer. ``finish_reason`` is 'stop', 'length', an endpoint's other word, or 'error', and then ``error`` says why."""

    text: str
    finish_reason: str
    n_tokens: int | None = None
    model: str = ""
    error: str | None = None


@dataclass(frozen=True)
class Request:
    """``text_digest``: that of the text asked about, so that ``forget`` finds the answers kept of it; it changes no answer."""

    messages: list[Message]
    seed: int
    sampling: Sampling
    text_digest: str = ""


class Writer(ABC):
    """``model`` names what answers, as precisely as it is known: it is part of the key of every answer. ``counts_only``: no
    model stands behind it, it tells what would be asked."""

    model: str
    counts_only: ClassVar[bool] = False

    @property
    def key(self) -> str:
        """What is part of the key under which an answer is kept."""
        return self.model

    @property
    def about(self) -> dict[str, str]:
        """What a document tells of its writer beside the model: 'provider', 'quantization'."""
        return {}

    @abstractmethod
    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        """(index of the request, answer) once for each request, in the order in which they come in."""

    def complete(
        self,
        prompts: Sequence[list[Message]],
        seeds: Sequence[int],
        sampling: Sampling | None = None,
    ) -> list[Completion]:
        """One answer per prompt, in the order of the prompts."""
        chosen = sampling or Sampling()
        return self.reply([Request(prompt, seed, chosen) for prompt, seed in zip(prompts, seeds, strict=True)])

    def reply(self, requests: Sequence[Request]) -> list[Completion]:
        """One answer per request, in their order."""
        sent = [index for index, request in enumerate(requests) if _encodable(request)]
        lost = Completion("", "error", 0, self.model, "the text has lone surrogates, which no model can be sent")
        answers = dict.fromkeys(range(len(requests)), lost)
        answers |= {sent[place]: answer for place, answer in self.answer([requests[index] for index in sent])}
        return [answers[index] for index in range(len(requests))]


def _encodable(request: Request) -> bool:
    try:
        return bool("".join(message["content"] for message in request.messages).encode())
    except UnicodeEncodeError:
        return False


@dataclass(frozen=True)
class LocalChat(Writer):
    """A local model: 'embedded', 'hub:NAME@REVISION' or a folder, with what weights.resolve understands.

    Requests of one call that share their sampling share batches; the same call gives the same texts.
    """

    source: str = "embedded"
    batch: int = 16

    @property
    def model(self) -> str:  # type: ignore[override]
        return resolve(self.source).key

    @property
    def about(self) -> dict[str, str]:
        weights = resolve(self.source)
        return {"provider": f"local ({weights.kind})", "quantization": weights.quantization}

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        weights = resolve(self.source)
        longest = context_length(weights)
        fits: dict[Sampling, dict[int, list[int]]] = {}
        for index, request in enumerate(requests):
            ids = self.ids(request, weights)
            if (needed := len(ids) + request.sampling.max_new_tokens) <= longest:
                fits.setdefault(request.sampling, {})[index] = ids
            else:
                yield index, Completion("", "error", 0, weights.key, f"{needed} tokens needed, the model has {longest}")
        for sampling, prompts in fits.items():
            for chosen in self.portions(prompts):
                given, seeds = [prompts[i] for i in chosen], [requests[i].seed for i in chosen]
                made = self.write(given, weights, seeds=seeds, sampling=sampling, batch=self.batch)
                for index, one in zip(chosen, made, strict=True):
                    yield index, Completion(one.text, one.finish_reason, one.n_tokens, weights.key)

    def ids(self, request: Request, weights: Weights) -> list[int]:
        """The request as token ids."""
        return chat_ids(request.messages, weights)

    def portions(self, prompts: Mapping[int, list[int]]) -> Iterator[list[int]]:
        """The requests, a few at a time: a kill loses at most these."""
        places = list(prompts)
        for start in range(0, len(places), 4 * self.batch):
            yield places[start : start + 4 * self.batch]

    @property
    def write(self) -> Callable[..., list[Generated]]:
        return continue_ids


@dataclass(frozen=True)
class Seq2SeqChat(Writer):
    """An encoder-decoder model (T5, BART) that reads the last message; what its encoder has no room for is an error."""

    source: str
    batch: int = 8
    longest: int = 512

    @property
    def model(self) -> str:  # type: ignore[override]
        return resolve(self.source).key

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        weights = resolve(self.source)
        fits: dict[Sampling, list[int]] = {}
        for index, request in enumerate(requests):
            if (needed := len(tokenizer(weights)(request.messages[-1]["content"])["input_ids"])) <= self.longest:
                fits.setdefault(request.sampling, []).append(index)
            else:
                yield index, Completion("", "error", 0, weights.key, f"{needed} tokens, the model reads {self.longest}")
        for sampling, chosen in fits.items():
            for start in range(0, len(chosen), self.batch):
                yield from self._batch(requests, chosen[start : start + self.batch], sampling, weights)

    def _batch(
        self, requests: Sequence[Request], chosen: list[int], sampling: Sampling, weights: Weights
    ) -> Iterator[tuple[int, Completion]]:
        texts, seeds = [requests[i].messages[-1]["content"] for i in chosen], [requests[i].seed for i in chosen]
        made = transduce(texts, weights, seeds=seeds, sampling=sampling)
        for index, ids in zip(chosen, made, strict=True):
            text = tokenizer(weights).decode(ids, skip_special_tokens=True).strip()
            ended = len(ids) < sampling.max_new_tokens or ids[-1] == seq2seq_model(weights).config.eos_token_id
            yield index, Completion(text, "stop" if ended else "length", len(ids), weights.key)


@dataclass(frozen=True)
class OpenAIChat(Writer):
    """Any OpenAI-compatible endpoint. The key stands in the environment variable ``key_env``, and nowhere else.

    Requests run side by side. What may pass (429, 5xx, time-outs, broken or unreadable answers) is tried ``attempts``
    times with growing waits and time-outs (a small server answers one after the other, and goes on with what nobody waits
    for any more); what cannot (a refused key, an unknown model) stops the run; what is wrong with one text
    (400) becomes that text's error.
    """

    base_url: str
    model: str
    key_env: str = "OPENAI_API_KEY"
    concurrency: int = 4
    attempts: int = 6
    timeout: float = 120.0
    wait: float = 1.0

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.attempts < 1 or self.timeout <= 0 or self.wait < 0:
            raise SpecError(f"concurrency and attempts of 1 or more, timeout > 0 and wait >= 0 are needed: {self}")
        address = urlsplit(self.base_url)
        if address.username or address.password or address.query:
            raise SpecError(
                "base_url holds a user, a password or a query, and is kept with every text: keys go into key_env"
            )

    @property
    def key(self) -> str:
        return f"{self.model} at {self.base_url}"

    @property
    def about(self) -> dict[str, str]:
        return {"provider": self.base_url}

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        from concurrent.futures import ThreadPoolExecutor, as_completed

        client = self._client()
        with ThreadPoolExecutor(self.concurrency) as pool:
            futures = {pool.submit(self._ask, client, request): index for index, request in enumerate(requests)}
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def _client(self) -> Any:
        try:
            from openai import OpenAI
        except ImportError as error:
            raise MissingExtra(f"the endpoint {self.base_url}", "llm") from error
        return OpenAI(base_url=self.base_url, api_key=self._secret(), max_retries=0, timeout=self.timeout)

    def _secret(self) -> str:
        if not self.key_env:
            return "none"
        if not os.environ.get(self.key_env):
            raise MissingError(
                f"no key in the environment variable {self.key_env}; set it, or key_env='' if none is needed"
            )
        if not re.fullmatch(r"[!-~]+", os.environ[self.key_env]):
            raise MissingError(
                f"the key in {self.key_env} holds a space, a line break or a letter that no header may hold; set it anew"
            )
        return os.environ[self.key_env]

    def _ask(self, client: Any, request: Request) -> Completion:
        reason = ""
        for attempt in range(self.attempts):
            try:
                return self._send(client.with_options(timeout=min(self.timeout * 2**attempt, LONGEST_WAIT)), request)
            except Exception as error:
                reason = self._plain(error)
                if not self._may_pass(error, reason):
                    break
                if attempt + 1 < self.attempts:
                    time.sleep(_pause(error, self.wait * 2**attempt, request.seed + attempt))
        return Completion("", "error", 0, self.model, reason)

    def _send(self, client: Any, request: Request) -> Completion:
        made = _completion(client.chat.completions.create(**self._arguments(request)), self.model)
        return replace(made, text=self._hidden(made.text)) if self.key_env else made

    def _arguments(self, request: Request) -> dict[str, Any]:
        sampling = request.sampling
        more = {"extra_body": {"top_k": sampling.top_k}} if sampling.top_k else {}
        return {
            "model": self.model,
            "messages": request.messages,
            "seed": request.seed % 2**31,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_new_tokens,
            **more,
        }

    def _plain(self, error: Exception) -> str:
        """What went wrong, without the key, which some servers repeat."""
        text = f"{type(error).__name__}: {error}"
        return (self._hidden(text) if self.key_env else text)[:300]

    def _hidden(self, text: str) -> str:
        """Without the key; one of a few letters is a stand-in ('none'), and a word that texts may hold."""
        return text.replace(self._secret(), "[key]") if len(self._secret()) >= SHORTEST_SECRET else text

    def _may_pass(self, error: Exception, reason: str) -> bool:
        """Whether to try again; raises for what no other text would survive either."""
        status = getattr(error, "status_code", None)
        if status in (401, 403):
            raise MissingError(
                f"{self.base_url} refuses the key in {self.key_env or 'no variable'}: {reason}"
            ) from None
        if status == 404:
            raise MissingError(
                f"{self.base_url} knows no model {self.model!r}, or is no such endpoint: {reason}"
            ) from None
        return status is None or status in (408, 409, 425, 429) or status >= 500


def _completion(response: Any, model: str) -> Completion:
    """The first choice of a response; raises DataError for what is none, such as a page of HTML.

    Nothing in a response is of the kind that it should be until that is looked at.
    """
    choices = getattr(response, "choices", None)
    if not choices or choices[0].message is None or not choices[0].finish_reason:
        raise DataError(f"the endpoint answered without a choice: {response!r:.100}")
    message, usage = choices[0].message, response.usage.completion_tokens if response.usage else None
    text = message.content or getattr(message, "refusal", None) or ""  # a refusal may stand in a field of its own
    if not isinstance(text, str):
        raise DataError(f"the endpoint answered with something else than a text: {text!r:.100}")
    readable = text.encode("utf-8", "replace").decode("utf-8")  # half a character, where a stream was cut, is no text
    counted = usage if isinstance(usage, int) else None
    return Completion(readable, str(choices[0].finish_reason), counted, str(response.model or model))


def _pause(error: Exception, wait: float, seed: int) -> float:
    """Seconds to wait: ``wait``, at most one minute, varied by a half; longer where the server asks for it (at most two)."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    try:
        asked = float(headers.get("retry-after", ""))
    except ValueError:
        asked = 0.0
    own = min(wait, 60.0) * (0.5 + rng("pause", seed).random())
    return max(own, min(asked, 120.0)) if isfinite(asked) else own


@dataclass(frozen=True)
class Cached(Writer):
    """Any writer, whose answers are kept in ``folder``, one JSON file each, and not asked for again.

    The key is (messages, writer, sampling, seed). Failures are not kept. Equal requests of one call are asked once.
    """

    writer: Writer
    folder: Path

    @property
    def model(self) -> str:  # type: ignore[override]
        return self.writer.model

    @property
    def about(self) -> dict[str, str]:
        return self.writer.about

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        places: dict[Path, list[int]] = {}
        for index, request in enumerate(requests):
            places.setdefault(self._path(request), []).append(index)
        known = {path: answer for path in places if (answer := _read(path))}
        open_paths = [path for path in places if path not in known]
        for path, answer in known.items():
            yield from ((index, answer) for index in places[path])
        for place, answer in self.writer.answer([requests[places[path][0]] for path in open_paths]):
            if answer.finish_reason != "error":
                _write(open_paths[place], answer)
            yield from ((index, answer) for index in places[open_paths[place]])

    def _path(self, request: Request) -> Path:
        key = json.dumps([request.messages, self.writer.key, asdict(request.sampling), request.seed], sort_keys=True)
        name = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        if request.text_digest:
            return Path(self.folder) / request.text_digest[:2] / f"{request.text_digest}-{name}.json"
        return Path(self.folder) / name[:2] / f"{name}.json"

    def has(self, request: Request) -> bool:
        """Whether its answer is kept already."""
        return _read(self._path(request)) is not None


def forget(folder: Path, text_digest: str) -> int:
    """Removes what is kept of one text in a folder whose files are named by texts' digests; gives the number of files."""
    found = list((folder / text_digest[:2]).glob(f"{text_digest}-*.json"))
    for path in found:
        path.unlink(missing_ok=True)
    return len(found)


def _read(path: Path) -> Completion | None:
    """The kept answer; a file that a crash left half-written counts as none, and so does one without a text."""
    try:
        answer = Completion(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return answer if isinstance(answer.text, str) else None


def _write(path: Path, answer: Completion) -> None:
    """Whole or not at all, so that a kill between two answers loses neither."""
    half = path.with_suffix(f".{os.getpid()}.half")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_text(json.dumps(asdict(answer)), encoding="utf-8")
        half.replace(path)
    except OSError as error:
        half.unlink(missing_ok=True)
        raise StoreError(
            f"cannot keep an answer in {path.parent.parent}: {error.strerror}; name another folder"
        ) from None
