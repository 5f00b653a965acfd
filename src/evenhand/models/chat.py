"""Writers: what answers chat prompts, be it a local model or any OpenAI-compatible endpoint, with answers kept on disk.

A writer gives every request an answer or a reason; it never drops one and never gives one twice.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path

from ..errors import StoreError
from .generation import Message, Sampling, generate
from .weights import resolve


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer. ``finish_reason`` is 'stop', 'length', another word of the endpoint, or 'error': then ``error`` says why."""

    text: str
    finish_reason: str
    n_tokens: int | None = None
    model: str = ""
    error: str | None = None


@dataclass(frozen=True)
class Request:
    messages: list[Message]
    seed: int
    sampling: Sampling


class Writer(ABC):
    """``model`` names what answers, as precisely as it is known: it is part of the key of every answer."""

    model: str

    @abstractmethod
    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        """(index of the request, answer) once for each request, in the order in which they come in."""

    def complete(
        self, prompts: Sequence[list[Message]], seeds: Sequence[int], sampling: Sampling | None = None
    ) -> list[Completion]:
        """One answer per prompt, in the order of the prompts."""
        chosen = sampling or Sampling()
        requests = [Request(prompt, seed, chosen) for prompt, seed in zip(prompts, seeds, strict=True)]
        answers = dict(self.answer(requests))
        return [answers[index] for index in range(len(requests))]


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

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        weights = resolve(self.source)
        for sampling in dict.fromkeys(request.sampling for request in requests):
            chosen = [index for index, request in enumerate(requests) if request.sampling == sampling]
            prompts, seeds = [requests[i].messages for i in chosen], [requests[i].seed for i in chosen]
            made = generate(prompts, weights, seeds=seeds, batch=self.batch, **asdict(sampling))
            for index, one in zip(chosen, made, strict=True):
                yield index, Completion(one.text, one.finish_reason, one.n_tokens, weights.key)


@dataclass(frozen=True)
class Cached(Writer):
    """Any writer, whose answers are kept in ``folder``, one JSON file each, and not asked for again.

    The key is (messages, model, sampling, seed). Failures are not kept. Equal requests of one call are asked once.
    """

    writer: Writer
    folder: Path

    @property
    def model(self) -> str:  # type: ignore[override]
        return self.writer.model

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
        key = json.dumps([request.messages, self.model, asdict(request.sampling), request.seed], sort_keys=True)
        name = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return Path(self.folder) / name[:2] / f"{name}.json"


def _read(path: Path) -> Completion | None:
    """The kept answer; a file that a crash left half-written counts as none."""
    try:
        return Completion(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


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
