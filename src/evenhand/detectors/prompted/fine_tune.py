"""A language model fine-tuned, at an OpenAI-compatible service, to say one token: human or machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from ...documents import Judgement, digest
from ...errors import SpecError
from ...models.chat import Completion, Request
from ...models.generation import Sampling
from ...models.home import cache_dir
from ...models.tuning import SEPARATOR, Form, Lesson, Service, tune
from ...registry import Card, format_spec
from ...seeds import seed_of
from ..base import check_texts
from ..trained.base import Trained, lesson
from .asking import TOKENS_A_WORD, Cost, Speaker, cost, first_words, of_odds
from .drawing import Known, halves, known
from .prompts import Profile, system
from .styles import EMPTY

LABELS: dict[Form, tuple[str, str]] = {"chat": ("human", "machine"), "completion": (" 0", " 1")}
"""What is taught, for a human and a machine text: words in a chat, GPT-3's label tokens in the legacy form."""


@dataclass(frozen=True, eq=False)
class ChatFineTune(Trained):
    """The score is the log-odds of the two labels as the tuned model's one token. ``fit`` writes the training file, sends it and
    follows the job, hours as it may take; what is done is kept (in ``jobs``, else the cache), so that stopping loses nothing.

    model: the base model's name at the service. form: 'chat', or 'completion' (prompt and completion, with ``endpoint``'s
    legacy completions). n_train: at most so many texts are sent, both classes in turn. patience: minutes to follow the job.
    """

    name: ClassVar[str] = "chat_fine_tune"
    card: ClassVar[Card] = Card(
        "A language model fine-tuned at an OpenAI-compatible service to answer with one token, human or machine.",
        source="Abdalla et al. 2023 (IDMGSP), sec. 4.2.2 (GPT-3 Ada); the fine-tuning API of OpenAI",
        family="prompted",
        needs="a service with files, fine-tuning jobs and log-probabilities (extra llm); money; a split 'train' with both "
        "classes",
        follows="form='completion' as the authors' notebook: the text, then '\\n\\n###\\n\\n', then ' 0' (human) or ' 1' "
        "(machine), at most 2,048 tokens (max_words=1500 is near that); text-ada-001 is gone. The score is the odds of the token "
        "(theirs is the token). Tested against a server of our own that speaks the API, never against a paid service",
        pitfalls="every training text is sent to the service, and kept there until it is deleted; learns the corpus with its "
        "topics and artefacts; a service may retire the tuned model, and its scores with it",
    )
    model_fields: ClassVar[tuple[str, ...]] = ()
    learns_from: ClassVar[tuple[str, ...]] = ("levels", "corpora", "generators")
    kept_state: ClassVar[tuple[str, ...]] = ("tuned_",)

    model: str = "gpt-4o-mini-2024-07-18"
    endpoint: str = "https://api.openai.com/v1"
    key_env: str = "OPENAI_API_KEY"
    profile: Profile = "general"
    form: Form = "chat"
    n_train: int | None = None
    max_words: int | None = None
    epochs: int | None = None
    patience: float = 360.0
    wait: float = 20.0
    jobs: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(value is not None and value < 1 for value in (self.n_train, self.max_words)):
            raise SpecError(f"{self.name}: n_train and max_words are whole numbers from 1, or None: {self.spec}")
        _ = self.service

    @property
    def service(self) -> Service:
        return Service(
            self.endpoint,
            self.model,
            self.key_env,
            epochs=self.epochs,
            wait=self.wait,
            patience=60 * self.patience,
        )

    @property
    def models(self) -> tuple[str, ...]:
        return ()

    @property
    def model_keys(self) -> dict[str, str]:
        return {}

    @property
    def key(self) -> str:
        """How patiently a job is followed, and where its notes lie, change no score."""
        aside = {"key_env", "patience", "wait", "jobs"}
        told = {name: value for name, value in self.get_params(deep=False).items() if name not in aside}
        return f"{format_spec(self.name, told)}@{self.fitted('trained_on_')}@{self.fitted('tuned_')}"

    def fit(
        self,
        X: Sequence[str],
        y: Sequence[Any] | None = None,
        *,
        levels: Sequence[Any] | None = None,
        corpora: Sequence[str] | None = None,
        generators: Sequence[str | None] | None = None,
    ) -> Self:
        """Tunes the model, or takes up the job that was begun with these texts."""
        taught = lesson(self, X, y, {"levels": levels, "corpora": corpora})
        rows = self.chosen(known(self.name, taught, X, generators))
        self.tuned_ = tune(self.lessons(rows), self.form, self.service, self.folder(taught.digest))
        self.note_training(taught)
        self.training_ = {**self.training_, "sent": len(rows), "tuned": self.tuned_}
        self.threshold_ = 0.0
        return self

    def chosen(self, rows: Sequence[Known]) -> list[Known]:
        half = None if self.n_train is None else max(1, self.n_train // 2)
        return halves([row for row in rows if row.text.strip()], "tune", self.seed, half)

    def lessons(self, rows: Sequence[Known]) -> list[Lesson]:
        """In an order of their own, so that the classes do not stand one behind the other."""
        mixed = sorted(rows, key=lambda row: seed_of(digest(row.text), "order", self.seed))
        return [self.question(row.text, LABELS[self.form][row.machine]) for row in mixed]

    def question(self, text: str, answer: str = "") -> Lesson:
        return Lesson(
            first_words(text, self.max_words)[0], answer, "" if self.form == "completion" else system(self.profile)
        )

    def folder(self, training: str) -> Path:
        """One a training set, model and service."""
        asked = f"{seed_of(self.endpoint, self.model, self.form, self.max_words, self.n_train, self.epochs, self.seed):016x}"
        return (Path(self.jobs) if self.jobs else cache_dir() / "fine_tunes") / f"{training}-{asked}"

    def request(self, text: str) -> Request:
        one = self.question(text)
        legacy = [{"role": "user", "content": one.prompt + SEPARATOR}]
        messages = legacy if self.form == "completion" else one.messages()
        sampling = Sampling(temperature=0.0, max_new_tokens=1)
        return Request(messages, seed_of(digest(text), "tuned", self.seed), sampling, digest(text))

    def writer(self) -> Any:
        speaker = Speaker(self.fitted("tuned_"), self.endpoint, self.key_env)
        return speaker.odds(LABELS[self.form], legacy=self.form == "completion")

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        texts, writer = check_texts(texts), self.writer()
        asked = [text for text in texts if text.strip()]
        came = iter(writer.reply([self.request(text) for text in asked]))
        return [
            self.judged(text, next(came)) if text.strip() else Judgement(math.nan, "abstained", EMPTY) for text in texts
        ]

    def judged(self, text: str, came: Completion) -> Judgement:
        human, machine = LABELS[self.form]
        return of_odds(came, machine, human, "labels", cut=first_words(text, self.max_words)[1])

    def cost(self, texts: Sequence[str]) -> Cost:
        """What judging would ask for."""
        asked = {digest(text): text for text in texts if text.strip()}
        if not hasattr(self, "tuned_"):
            words = sum(len(text.split()) for text in asked.values())
            return Cost(self.name, len(asked), 0, round(words * TOKENS_A_WORD), len(asked))
        return cost(self.name, [self.request(text) for text in asked.values()], self.writer(), 0)

    def costs(self, rows: Sequence[Known], texts: Sequence[str]) -> list[Cost]:
        """All that a run would ask for: to learn from ``rows``, and to judge ``texts``."""
        return [*(self.training_costs(rows) if rows else ()), self.cost(texts)]

    def training_costs(self, rows: Sequence[Known]) -> tuple[Cost]:
        """One job on so many tokens (about, one epoch); a service charges them times its epochs."""
        words = sum(len(first_words(row.text, self.max_words)[0].split()) for row in self.chosen(rows))
        return (Cost(f"{self.name}, one fine-tuning job", 1, 0, round(words * TOKENS_A_WORD), 0),)
