"""Fine-tuning at an OpenAI-compatible service: examples as JSONL, uploaded, a job begun, followed and taken up again.

What is done is noted in the job's folder (``job.json``), and looked up at the service before anything is made twice: a file of
the same name and size, a job on the same file. No key is written anywhere; the local copy of the examples goes when the job is
done.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from ..errors import DataError, MissingError, SpecError, StoreError
from .chat import OpenAIChat
from .generation import Message

Form = Literal["chat", "completion"]
SEPARATOR = "\n\n###\n\n"
"""Ends the prompt in the legacy form, as OpenAI's preparation tool asked for; IDMGSP's notebooks have it too."""
ENDED = {"succeeded", "failed", "cancelled"}
FEWEST = 10
"""OpenAI refuses a training file of fewer examples."""
MOST_BYTES = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Lesson:
    """One example: what is asked, and the answer that is taught. ``system`` is left out of the legacy form."""

    prompt: str
    answer: str
    system: str = ""

    def messages(self) -> list[Message]:
        """The question alone, as it is asked of the tuned model."""
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, {"role": "user", "content": self.prompt}]

    def line(self, form: Form) -> str:
        told: dict[str, Any]
        if form == "completion":
            told = {"prompt": self.prompt + SEPARATOR, "completion": self.answer}
        else:
            told = {"messages": [*self.messages(), {"role": "assistant", "content": self.answer}]}
        return json.dumps(told, ensure_ascii=False)


def to_jsonl(lessons: Iterable[Lesson], form: Form) -> str:
    """Raises DataError for an example without a prompt or an answer, and for fewer than ten."""
    found = list(lessons)
    if len(found) < FEWEST:
        raise DataError(f"{len(found)} examples to tune with; a service takes {FEWEST} or more")
    if empty := sum(not one.prompt.strip() or not one.answer.strip() for one in found):
        raise DataError(f"{empty} of {len(found)} examples have an empty prompt or answer; take them out")
    text = "\n".join(one.line(form) for one in found) + "\n"
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise DataError("the examples are over 512 MB, more than a service takes; give fewer, or shorter ones")
    return text


@dataclass(frozen=True)
class Service:
    """Where and how to tune. ``model`` is the base model's name there, ``epochs`` None leaves their number to the service.

    wait: seconds between two looks at the job; patience: seconds after which following it is given up (the job itself goes on,
    and the next call takes it up again).
    """

    endpoint: str
    model: str
    key_env: str = "OPENAI_API_KEY"
    suffix: str = "evenhand"
    epochs: int | None = None
    wait: float = 20.0
    patience: float = 6 * 3600.0
    attempts: int = 6

    def __post_init__(self) -> None:
        if self.wait < 0 or self.patience <= 0 or self.attempts < 1 or (self.epochs is not None and self.epochs < 1):
            raise SpecError(f"wait >= 0, patience > 0, attempts >= 1 and epochs >= 1 (or None) are needed: {self}")

    def chat(self) -> OpenAIChat:
        return OpenAIChat(self.endpoint, self.model, self.key_env, attempts=self.attempts)


def tune(lessons: Sequence[Lesson], form: Form, service: Service, folder: Path) -> str:
    """The tuned model's name. Each step that is done is noted in ``folder`` and not done again.

    Raises DataError where the service refuses the file or the job fails (with its words), MissingError where it cannot be
    reached, has no such model or endpoint, or is not done after ``service.patience``.
    """
    text = to_jsonl(lessons, form)
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    notes = Notes(folder, digest, "" if service.epochs is None else f"-{service.epochs}-epochs")
    if model := notes.read().get("fine_tuned_model"):
        return str(model)
    asked = Patient(service)
    if not notes.read().get("file"):
        notes.add(file=upload(asked, text, notes.training_file(text)))
    if not notes.read().get("job"):
        notes.add(job=begin(asked, service, notes.read()["file"]))
    model = follow(asked, service, notes)
    notes.add(fine_tuned_model=model)
    notes.training_path.unlink(missing_ok=True)
    return model


@dataclass(frozen=True)
class Notes:
    """``job.json`` of a folder: which file, job and model belong to the examples of this digest. ``suffix`` gives other epochs
    a file of their own at the service, where a job is found again by its file: a job of other epochs is another job."""

    folder: Path
    digest: str
    suffix: str = ""

    @property
    def path(self) -> Path:
        return self.folder / "job.json"

    def read(self) -> dict[str, Any]:
        """Empty where nothing is noted; raises StoreError where the folder is that of other examples."""
        try:
            told: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        if told.get("examples") != self.digest:
            raise StoreError(f"{self.folder} holds the job of other examples; choose another folder, or delete it")
        return told

    def add(self, **more: str) -> None:
        self.write(self.path, json.dumps({**self.read(), "examples": self.digest, **more}, indent=1, sort_keys=True))

    @property
    def training_path(self) -> Path:
        return self.folder / f"evenhand-{self.digest}{self.suffix}.jsonl"

    def training_file(self, text: str) -> Path:
        self.write(self.training_path, text)
        return self.training_path

    def write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(f".{os.getpid()}.half")
        half.write_text(text, encoding="utf-8")
        half.replace(path)

    def drop(self, *names: str) -> None:
        left = {name: value for name, value in self.read().items() if name not in names}
        self.write(self.path, json.dumps(left, indent=1, sort_keys=True))


@dataclass(frozen=True)
class Patient:
    """Calls of the service's client, tried again where that may help, with the cure where it cannot."""

    service: Service

    def __call__(self, what: str, call: Callable[[Any], Any]) -> Any:
        chat = self.service.chat()
        client, reason = chat._client(), ""
        for attempt in range(self.service.attempts):
            try:
                found = call(client)
                found.id  # noqa: B018  (an answer that is no JSON comes back as a string)
                return found
            except (AttributeError, TypeError):
                raise DataError(
                    f"{self.service.endpoint} answers ({what}) with something that is no answer of this API; check the address"
                ) from None
            except Exception as error:
                reason = chat._plain(error)
                status = getattr(error, "status_code", None)
                if status == 404:
                    raise MissingError(
                        f"{self.service.endpoint} has no such thing ({what}), or no fine-tuning at all: {reason}"
                    ) from None
                if not chat._may_pass(error, reason):
                    raise DataError(f"{self.service.endpoint} refuses ({what}): {reason}") from None
                time.sleep(min(2.0**attempt, 30.0) * min(1.0, self.service.wait))
        raise MissingError(
            f"{self.service.endpoint} cannot be asked ({what}): {reason}; the same call goes on from here"
        )


def upload(asked: Patient, text: str, path: Path) -> str:
    """The id of the training file; one that is there already, of this name and size, is taken."""
    size = len(text.encode("utf-8", "surrogatepass"))

    def once(client: Any) -> Any:
        there = client.files.list(purpose="fine-tune")
        same = (one for one in there if (one.filename, one.bytes) == (path.name, size) and one.status != "error")
        return next(same, None) or client.files.create(file=(path.name, path.read_bytes()), purpose="fine-tune")

    return str(asked("upload the examples", once).id)


def begin(asked: Patient, service: Service, file: str) -> str:
    """The id of the job; one on the same file and model that has not failed is taken, so that a lost answer, or a second try,
    costs no second job."""
    more = {"hyperparameters": {"n_epochs": service.epochs}} if service.epochs else {}

    def once(client: Any) -> Any:
        there = client.fine_tuning.jobs.list()
        mine = (one for one in there if (one.training_file, one.model) == (file, service.model))
        alive = next((one for one in mine if one.status not in ("failed", "cancelled")), None)
        return alive or client.fine_tuning.jobs.create(
            training_file=file, model=service.model, suffix=service.suffix, **more
        )

    return str(asked("begin a job", once).id)


def follow(asked: Patient, service: Service, notes: Notes) -> str:
    """Waits until the job has ended; the name of its model."""
    job, until = notes.read()["job"], time.monotonic() + service.patience
    while (found := asked("look at the job", lambda client: client.fine_tuning.jobs.retrieve(job))).status not in ENDED:
        if time.monotonic() >= until:
            raise MissingError(
                f"job {job} at {service.endpoint} is {found.status!r} after {service.patience:.0f} s; it goes on there, and the "
                "same call takes it up again"
            )
        time.sleep(service.wait)
    if found.status == "succeeded" and found.fine_tuned_model:
        return str(found.fine_tuned_model)
    notes.drop("job")  # so that the next call begins another
    why = getattr(found.error, "message", None) or "no reason was given"
    raise DataError(f"job {job} at {service.endpoint} {found.status}: {why}")
