"""A language model asked in words whether a human or a machine wrote a text: the four prompting styles of IDMGSP."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ...documents import Judgement, digest
from ...errors import SpecError
from ...models.chat import Request
from ...models.generation import Sampling
from ...registry import Card, format_spec
from ...seeds import seed_of
from ..base import Detector, check_texts
from .asking import Cost, Reply, Speaker, ask, check, cost, first_words, of_odds
from .drawing import Known
from .prompts import ONE_WORD, Example, Profile, Style, conversation, schema, structured
from .reading import Answer, answer

UNKNOWN = "the model answered 'unknown'"
EMPTY = "the text is empty"
WORDS = ("human", "machine")
SOURCE = "Abdalla et al. 2023 (IDMGSP), sec. 4.2.6 and table A3"
NEEDS = "a chat model: local, or any OpenAI-compatible endpoint (extra llm), which is then sent every text"
FOLLOWS = (
    "the authors' notebook for the wording; profile='idmgsp' speaks of papers, 'general' of texts. temperature .7 as there (its "
    "gpt-3.5-turbo-0613 is gone); one call to mend an unreadable answer, as their OutputFixingParser. 'unknown' is an abstention "
    "here and an error in the paper: the audit `answers` counts both ways. What stays unreadable leaves the paper's denominator; "
    "here it is a row of the ledger"
)
PITFALLS = (
    "in the paper 57 to 69 of 100 right on TEST, and 0 to 7 of 100 on ChatGPT's papers; the answer is 1 or 0, so there is no "
    "threshold to set; the text may itself tell the model what to answer; texts leave the machine unless the model is local"
)


@dataclass(frozen=True)
class Prompted(Detector):
    """The score is 1 where the answer is 'machine', 0 where it is 'human' (output='answer'); or the log-odds of the two words
    as the model's whole answer, without explanation (output='log_odds'; where the author comes first: io and fs).

    profile: 'general', or 'idmgsp' (scientific papers). max_words: longer texts are cut and marked so. repairs: calls to
    mend an answer that cannot be read.
    """

    style: ClassVar[Style]

    model: str = "embedded"
    endpoint: str | None = None
    key_env: str = "OPENAI_API_KEY"
    profile: Profile = "general"
    output: Literal["answer", "log_odds"] = "answer"
    temperature: float = 0.7
    max_new_tokens: int = 512
    max_words: int | None = None
    repairs: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if post := getattr(super(), "__post_init__", None):
            post()
        check(self.name, self.temperature, self.max_new_tokens, self.repairs, self.max_words)
        if self.output == "log_odds" and self.style in ("cot", "ip"):
            raise SpecError(
                f"{self.name}: the author comes last in this style, so there are no odds of it; output='answer'"
            )

        self.classes_ = np.array([0, 1])  # nothing is learnt: the verdict itself, or even odds
        self.threshold_ = 0.5 if self.output == "answer" else 0.0

    @property
    def models(self) -> tuple[str, ...]:
        return (self.model,) if self.endpoint is None else ()

    @property
    def speaker(self) -> Speaker:
        return Speaker(self.model, self.endpoint, self.key_env)

    @property
    def key(self) -> str:
        """Every parameter but for the name of the key's variable, with the revision of a local model."""
        return self.key_of(set())

    def key_of(self, without: set[str]) -> str:
        told = self.get_params(deep=False).items()
        parameters = {name: value for name, value in told if name not in {"key_env", *without}}
        return format_spec(self.name, {**parameters, "model": self.speaker.key})

    @property
    def fields(self) -> dict[str, str]:
        return schema(self.style, self.profile)

    @property
    def examples_shown(self) -> Sequence[Example]:
        return ()

    def request(self, text: str) -> Request:
        """The question about a text whose answer is read; the seed is the text's own."""
        return self.asked(text, structured(self.fields), Sampling(self.temperature, max_new_tokens=self.max_new_tokens))

    def one_word(self, text: str) -> Request:
        """The question whose answer's odds are taken: nothing is drawn."""
        return self.asked(text, ONE_WORD, Sampling(temperature=0.0, max_new_tokens=1))

    def asked(self, text: str, form: str, sampling: Sampling) -> Request:
        shown, explain = self.examples_shown, "explanation" in self.fields
        text_shown = first_words(text, self.max_words)[0]
        messages = conversation(text_shown, self.style, self.profile, form, shown, explain=explain)
        return Request(messages, seed_of(digest(text), self.style, self.seed), sampling, digest(text))

    def replies(self, texts: Sequence[str]) -> list[Reply]:
        """What the model answered about each text, whatever ``output`` is: an Answer where it could be read. Answers are kept."""
        form = structured(self.fields)
        return ask([self.request(text) for text in texts], self.speaker.writer(), answer, lambda _: form, self.repairs)

    def cost(self, texts: Sequence[str]) -> Cost:
        """What ``judge`` would ask for; nothing is asked."""
        asked = list({digest(text): text for text in texts if text.strip()}.values())
        if self.output == "log_odds":
            return cost(self.name, [self.one_word(text) for text in asked], self.speaker.odds(WORDS), repairs=0)
        return cost(self.name, [self.request(text) for text in asked], self.speaker.writer(), self.repairs)

    def costs(self, rows: Sequence[Known], texts: Sequence[str]) -> list[Cost]:
        """All that a run would ask for: to learn from ``rows``, where anything is learnt, and to judge ``texts``."""
        return [self.cost(texts)]

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        texts = check_texts(texts)
        asked = [index for index, text in enumerate(texts) if text.strip()]
        found = [Judgement(math.nan, "abstained", EMPTY)] * len(texts)
        judged = self.odds if self.output == "log_odds" else self.answers
        for index, one in zip(asked, judged([texts[index] for index in asked]), strict=True):
            found[index] = one
        return found

    def answers(self, texts: Sequence[str]) -> list[Judgement]:
        replies = zip(texts, self.replies(texts), strict=True)
        return [judgement(reply, cut=first_words(text, self.max_words)[1]) for text, reply in replies]

    def odds(self, texts: Sequence[str]) -> list[Judgement]:
        came = self.speaker.odds(WORDS).reply([self.one_word(text) for text in texts])
        return [
            of_odds(one, "machine", "human", "words", cut=first_words(text, self.max_words)[1])
            for text, one in zip(texts, came, strict=True)
        ]

    def explain(self, text: str) -> Answer | None:
        """The model's own words for its answer: kept where the text was judged, else asked for now."""
        value = self.replies([text])[0].value
        return value if isinstance(value, Answer) else None


def judgement(reply: Reply, cut: bool = False) -> Judgement:
    if reply.value is None:
        return Judgement(math.nan, "failed" if reply.failed else "abstained", reply.reason, truncated=cut)
    if reply.value.author == "unknown":
        return Judgement(math.nan, "abstained", UNKNOWN, truncated=cut)
    note = "read after a second call" if reply.repaired else None
    return Judgement(float(reply.value.author == "machine"), "ok", note, truncated=cut)


def card(summary: str, more: str = "") -> Card:
    pitfalls = f"{PITFALLS}; {more}" if more else PITFALLS
    return Card(summary, source=SOURCE, family="prompted", needs=NEEDS, follows=FOLLOWS, pitfalls=pitfalls)


@dataclass(frozen=True)
class PromptedIO(Prompted):
    name: ClassVar[str] = "prompted_io"
    card: ClassVar[Card] = card("A chat model says who wrote a text, then why (input-output prompting).")
    style: ClassVar[Style] = "io"


@dataclass(frozen=True)
class PromptedCoT(Prompted):
    name: ClassVar[str] = "prompted_cot"
    card: ClassVar[Card] = card(
        "A chat model thinks step by step, then says who wrote a text (chain of thought).",
        "this style brought most of the paper's 'unknown'",
    )
    style: ClassVar[Style] = "cot"


@dataclass(frozen=True)
class PromptedIP(Prompted):
    name: ClassVar[str] = "prompted_ip"
    card: ClassVar[Card] = card("A chat model lists what speaks for a human and for a machine, then decides.")
    style: ClassVar[Style] = "ip"
