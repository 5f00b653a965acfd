"""Paraphrased by DIPPER, or by a chat model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, ClassVar

from ..documents import Level
from ..errors import MissingError, SpecError
from ..registry import Card
from ..seeds import seed_of
from .chat_rewriting import ask, by_pieces, chat, cleaned, paragraphs
from .dipper import head, paraphrased, paraphrased_by_raid, windows
from .rewriting import Rewriting, Unanswered, encodable
from .tokens import sentences, strings

if TYPE_CHECKING:
    from ..models.chat import Writer

DIPPER = "hub:kalpeshk2011/dipper-paraphraser-xxl"
LONGEST = 512  # tokens of a request
PIECE = 250  # words that a chat model paraphrases in one request
_PROMPT = "Paraphrase the following text. Keep its meaning and its length. Answer with the new text alone.\n\n"
_DIVERSITY = {"default": (60, 0), "raid": (60, 0), "detectrl": (60, 60)}


@dataclass(frozen=True)
class Paraphrase(Rewriting):
    """``model``: DIPPER, or another model asked as DIPPER is. ``lexical``, ``order``: its diversities, 0 to 100; None: those
    of the profile. ``writer``: a chat model ('embedded', hub:NAME@REVISION or a folder; with ``endpoint``, the address of an
    OpenAI-compatible server, the name of its model) that paraphrases in DIPPER's place; None: DIPPER."""

    profile: str = "default"
    model: str = DIPPER
    writer: str | None = None
    lexical: int | None = None
    order: int | None = None
    endpoint: str | None = None
    key_env: str = "OPENAI_API_KEY"

    name: ClassVar[str] = "paraphrase"
    card: ClassVar[Card] = Card(
        "Paraphrases the text with DIPPER (or with a chat model, which is then named in the spec).",
        source="DIPPER (Krishna et al. 2023); RAID (Dugan et al. 2024); DetectRL (Wu et al. 2024)",
        family="model",
        needs="DIPPER: 11 billion parameters, about 22 GB in half precision; its weights must lie as safetensors, with the "
        "tokenizer of google/t5-v1_1-xxl in the same folder (model='FOLDER[dtype=bfloat16,device=cuda]'); or writer='embedded'",
        follows="profile='raid': lexical 60, order 0, three sentences a request, sampled with top_p 0.75; all line breaks are "
        "lost. profile='detectrl': 60 and 60, the likeliest tokens; the first sentence is context only, and lost",
        pitfalls="RAID never seeded the sampling, so its texts cannot be made again; by default paragraphs are kept and each is "
        "paraphrased with what came before as context; sentences are split by nupunkt, not by Punkt.",
    )

    def __post_init__(self) -> None:
        if self.profile not in _DIVERSITY:
            raise SpecError(f"{self.name}: no profile {self.profile!r}; it has: {', '.join(_DIVERSITY)}")
        if self.writer is not None and self.profile != "default":
            raise SpecError(f"{self.name}: profile={self.profile!r} is DIPPER's; leave out writer={self.writer!r}")
        if self.writer is None and self.endpoint is not None:
            raise SpecError(f"{self.name}: endpoint needs writer, the name of the model there")
        for key, value in (("lexical", self.lexical), ("order", self.order)):
            if value is not None and (isinstance(value, bool) or value not in range(0, 101, 20)):
                raise SpecError(f"{self.name}: {key} must be 0, 20, 40, 60, 80 or 100, got {value!r}")
        lexical, order = _DIVERSITY[self.profile]
        object.__setattr__(self, "lexical", lexical if self.lexical is None else self.lexical)
        object.__setattr__(self, "order", order if self.order is None else self.order)

    @property
    def machine_level(self) -> Level:
        """GEDE's humanize is DIPPER on machine text; any other model's rewrite is rewrite-llm."""
        return Level.HUMANIZE if self.writer is None else Level.REWRITE_LLM

    def rewritten(self, text: str, seed: int) -> str:
        if self.writer is not None:
            return by_pieces(text, PIECE, partial(_by_chat, chat(self.writer, self.endpoint, self.key_env), seed))
        fits, answer = _asked(self.model, seed, greedy=self.profile == "detectrl")
        return self.by_windows(encodable(text), fits, answer)

    def by_windows(self, text: str, fits: Callable[[str], bool], answer: Callable[[str], str]) -> str:
        """The whole text, window by window; ``answer`` is the model, ``fits`` tells whether a request is short enough."""
        opening = head(self.lexical or 0, self.order or 0)
        if self.profile == "raid":
            return " ".join(paraphrased_by_raid(windows(text, 3), opening, fits, answer))
        if self.profile == "detectrl":
            first, *rest = strings(text, sentences(text))
            parts = windows(" ".join(rest), 3)
            return "".join(f" {one}" for one in paraphrased(parts, opening, " ".join(first.split()), fits, answer))
        context, made = "", []
        for part, gap in paragraphs(text):
            new = paraphrased(windows(part, 3), opening, context, fits, answer)
            context = " ".join([context, *new]).strip()
            made += [" ".join(new), gap]
        return "".join(made)


def _by_chat(writer: Writer, seed: int, parts: list[str]) -> list[str]:
    return [cleaned(one) for one in ask([_PROMPT + part for part in parts], writer, seed, (0.7, 0.9, 2 * LONGEST))]


def _asked(model: str, seed: int, greedy: bool) -> tuple[Callable[[str], bool], Callable[[str], str]]:
    """(does a request fit, the answer to a request), for one text."""
    from ..models.generation import Sampling
    from ..models.loading import tokenizer
    from ..models.seq2seq import transduce
    from ..models.weights import resolve

    weights = resolve(model)
    if not any(weights.folder().glob("*.safetensors")) or not any(weights.folder().glob("tokenizer*.json")):
        raise MissingError(
            f"{model} holds no safetensors weights beside a tokenizer; make them once: save dipper-paraphraser-xxl and "
            "the tokenizer of google/t5-v1_1-xxl with save_pretrained('FOLDER'), and give model='FOLDER'"
        )
    sampling = Sampling(temperature=0.0 if greedy else 1.0, top_p=1.0 if greedy else 0.75, max_new_tokens=LONGEST)
    numbers = count()

    def fits(request: str) -> bool:
        return len(tokenizer(weights)(request)["input_ids"]) <= LONGEST

    def answer(request: str) -> str:
        (ids,) = transduce([request], weights, seeds=[seed_of(seed, next(numbers))], sampling=sampling)
        text = str(tokenizer(weights).decode(ids, skip_special_tokens=True)).strip()
        if not text:
            raise Unanswered(f"{model} gave an empty answer")
        return text

    return fits, answer
