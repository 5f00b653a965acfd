"""Polished by a language model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..documents import Level
from ..errors import SpecError
from ..registry import Card
from .chat_rewriting import ask, by_pieces, chat, cleaned
from .rewriting import Rewriting
from .tokens import sentences

# DetectRL's wording: (what the text is, the style, whether the number of sentences is asked for, the heading).
_KINDS = {
    "text": ("text", "", False, "text"),
    "abstract": ("article abstract", " to meet the academic abstract style", True, "abstract"),
    "news": ("news article", " to meet the news article style", True, "news article"),
    "story": ("story", " to meet the story style", False, "story"),
    "review": ("review", " to meet the review style", False, "review"),
}
PIECE = 250  # words that the default polishes in one request


@dataclass(frozen=True)
class Polish(Rewriting):
    """``writer``: the chat model ('embedded', hub:NAME@REVISION or a folder), or with ``endpoint`` (the address of an
    OpenAI-compatible server, its key in the environment variable ``key_env``) the name of its model. ``kind``: 'text',
    'abstract', 'news', 'story' or 'review': what DetectRL's prompt calls the text. ``temperature``: None for 0.7, and 1.0
    as published. ``max_new_tokens``: an answer that is longer is dropped."""

    writer: str = "embedded"
    kind: str = "text"
    profile: str = "default"
    temperature: float | None = None
    max_new_tokens: int = 1024
    endpoint: str | None = None
    key_env: str = "OPENAI_API_KEY"

    name: ClassVar[str] = "polish"
    card: ClassVar[Card] = Card(
        "Asks a language model to polish the text.",
        source="DetectRL (Wu et al. 2024), polish",
        family="model",
        needs="a chat model: the embedded one or another local one (torch extra), or any OpenAI-compatible endpoint (llm extra)",
        follows="profile='detectrl': the whole text in one request, the answer as it is; the number of sentences asked for is "
        "that of the text itself (DetectRL: that of the human text, for machine texts too). The exact wording of the styles of "
        "stories and reviews is ours",
        pitfalls="By default the text is polished in pieces of whole paragraphs and lead-ins are removed; a small model polishes "
        "badly; a text whose answer is cut, empty or a refusal stays as it was, with a note.",
    )

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise SpecError(f"{self.name}: no kind {self.kind!r}; there are: {', '.join(_KINDS)}")
        if self.profile not in ("default", "detectrl"):
            raise SpecError(f"{self.name}: no profile {self.profile!r}; it has: default, detectrl")
        if self.temperature is None:
            object.__setattr__(self, "temperature", 1.0 if self.profile == "detectrl" else 0.7)

    @property
    def human_level(self) -> Level:
        return Level.IMPROVE_HUMAN

    def rewritten(self, text: str, seed: int) -> str:
        sampling = (self.temperature or 0.0, 1.0, self.max_new_tokens)
        writer = chat(self.writer, self.endpoint, self.key_env)
        if self.profile == "detectrl":
            return ask([self.prompt(text)], writer, seed, sampling)[0]

        def polished(parts: list[str]) -> list[str]:
            return [cleaned(one) for one in ask([self.prompt(part) for part in parts], writer, seed, sampling)]

        return by_pieces(text, PIECE, polished)

    def prompt(self, text: str) -> str:
        what, style, counted, heading = _KINDS[self.kind]
        number = f" with {len(sentences(text))} sentences" if counted else ""
        return (
            f"Given the {what}, polish the writing{style}{number}, improve the spelling, grammar, clarity, concision and "
            f"overall readability:\n{heading}: {text}\npolished {heading}:"
        )
