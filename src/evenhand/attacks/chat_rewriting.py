"""Rewriting by a chat model: a text in pieces of whole paragraphs, one request each, the answers put together again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ..seeds import seed_of
from .rewriting import Unanswered, encodable
from .tokens import sentences

if TYPE_CHECKING:
    from ..models.chat import Writer

_PARAGRAPH_END = re.compile(r"\n\s*\n\s*")
_LEAD_IN = re.compile(
    r"(?:(?:sure|certainly|of course|okay)\b[^\n.:!]{0,40}[.!,:]\s*)?"
    r"(?:here(?:'s|’s| is| are)|below is|the following is)\b[^\n:]{0,120}:\s*"
    r"|(?:polished|paraphrased|improved|revised|rewritten)[ \w]{0,30}:\s*",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\bas an ai\b|\bi(?:'m| am) (?:sorry|unable)\b|\bi can(?:not|'t|’t) (?:assist|help|fulfil)", re.IGNORECASE
)


def paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """(paragraph, the blank behind it); together they are the text."""
    start = 0
    for match in _PARAGRAPH_END.finditer(text):
        yield text[start : match.start()], match[0]
        start = match.end()
    if start < len(text):
        yield text[start:], ""


def units(text: str, longest: int) -> Iterator[tuple[str, str]]:
    """(sentence, the blank behind it); a sentence of more than ``longest`` words comes in parts."""
    starts = [start for start, _ in sentences(text).tolist()] or [0]
    for start, end in pairwise([0, *starts[1:], len(text)]):
        for match in re.finditer(rf"(\s*(?:\S+\s+){{0,{longest - 1}}}\S+)(\s*)", text[start:end]):
            yield match[1], match[2]


def pieces(text: str, words: int) -> list[tuple[str, str]]:
    """(piece, the blank behind it): paragraphs joined, or long ones parted, so that each has ``words`` or fewer."""
    made: list[tuple[str, str]] = []
    for paragraph, gap in paragraphs(text):
        parts = [(paragraph, "")] if len(paragraph.split()) <= words else list(units(paragraph, words))
        for number, (part, blank) in enumerate(parts, 1):
            behind = blank + gap if number == len(parts) else blank
            if made and len(made[-1][0].split()) + len(part.split()) <= words:
                made[-1] = (made[-1][0] + made[-1][1] + part, behind)
            else:
                made.append((part, behind))
    return made


def by_pieces(text: str, words: int, rewrite: Callable[[list[str]], list[str]]) -> str:
    """The text with its pieces rewritten; what is blank stays."""
    parts = pieces(text, words)
    new = iter(rewrite([part for part, _ in parts if part.strip()]))
    return "".join((next(new) if part.strip() else part) + gap for part, gap in parts)


def chat(writer: str, endpoint: str | None, key_env: str) -> Writer:
    """A local model by its spec, or the model ``writer`` of an OpenAI-compatible endpoint."""
    from ..models.chat import LocalChat, OpenAIChat

    return LocalChat(writer) if endpoint is None else OpenAIChat(endpoint, writer, key_env)


def ask(prompts: Sequence[str], writer: Writer, seed: int, sampling: tuple[float, float, int]) -> list[str]:
    """One answer a prompt; ``sampling``: temperature, top_p, most new tokens.

    Raises Unanswered where an answer is missing, empty or cut.
    """
    from ..models.generation import Sampling

    temperature, top_p, most = sampling
    told = [[{"role": "user", "content": encodable(prompt)}] for prompt in prompts]
    seeds = [seed_of(seed, number) for number in range(len(prompts))]
    drawn = Sampling(temperature=temperature, top_p=top_p, max_new_tokens=most)
    answers = writer.complete(told, seeds, drawn)
    for answer in answers:
        if answer.finish_reason == "error" or not answer.text.strip():
            raise Unanswered(f"{writer.model} gave no answer ({answer.error or 'empty'})")
        if answer.finish_reason == "length":
            raise Unanswered(f"the answer of {writer.model} was cut at {most} tokens")
    return [answer.text.strip() for answer in answers]


def cleaned(answer: str) -> str:
    """Without 'Here is the text:' and the quotes around all of it. Raises Unanswered for a refusal."""
    if _REFUSAL.search(answer[:200]):
        raise Unanswered("the model refused")
    text = _LEAD_IN.sub("", answer, count=1) if _LEAD_IN.match(answer) else answer
    if len(text) > 2 and text[0] in '"“' and text[-1] in '"”' and not set('"“”') & set(text[1:-1]):
        text = text[1:-1]
    if not text.strip():
        raise Unanswered("the model gave no text")
    return text.strip()
