"""What a language model's structured answer says, read tolerantly: JSON in or out of a code block, whole or cut off, with
the slips that models make; else plain words, where they leave no doubt. What leaves a doubt is not read."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

AUTHORS = ("human", "machine", "unknown")
LONGEST = 20_000
"""Characters of an answer that are looked at."""
_KEY = r"[\"'`*]*\b{name}\b[\"'`*]*\s*[:=][\s*]*"
_VALUE = r"(?:\"(?P<double>(?:\\.|[^\"\\])*)|'(?P<single>(?:\\.|[^'\\\n])*)'|(?P<bare>[^\n,}]*))"
_LEARNING = r"(?!\s+learning\b(?!\s+(?:language\s+)?(?:model|system|algorithm)))"
"""'by machine learning researchers' names people."""
_HUMAN = rf"(?:a\s+|an\s+|the\s+)?(?P<who>human|person|machine{_LEARNING}|unknown)\b"
_SAID = (
    re.compile(
        rf"\b(?:(?:was|is|were)\s+(?:most\s+likely\s+|likely\s+|probably\s+|clearly\s+)?(?:written|generated|created)\s+by"
        rf"|(?:answer|author|verdict|conclusion)(?:\s*(?:is|was|:))+)\s*[\"'*`]*{_HUMAN}(?!\s+or\b)",
        re.IGNORECASE,
    ),
)
_NOT = re.compile(r"\b(?:not|n't|whether|if)\b[^.\n]{0,30}$", re.IGNORECASE)
_WORDS = {
    "human": {
        "human",
        "a human",
        "human author",
        "person",
        "human-written",
        "human written",
        "written by a human",
        "real",
    },
    "machine": {
        *{"machine", "a machine", "machine author", "machine language model", "a machine language model", "ai", "llm"},
        *{"language model", "machine-generated", "machine generated", "machine-written", "fake", "computer"},
    },
    "unknown": {"unknown", "unclear", "uncertain", "undecided", "cannot tell", "not known", "undetermined"},
}


@dataclass(frozen=True, slots=True)
class Answer:
    """``author`` is human, machine or unknown; the rest is what the style asked to be told besides."""

    author: str
    explanation: str = ""
    thoughts: str = ""
    human_indications: tuple[str, ...] = ()
    machine_indications: tuple[str, ...] = ()


def answer(text: str) -> Answer | None:
    """The answer that ``text`` gives; None where it names no author, or more than one."""
    text = text[:LONGEST]
    told = [one for one in objects(text) if "author" in one]
    authors = {author(one["author"]) for one in told}
    if len(authors) == 1 and None not in authors:
        return _answer(told[-1], str(author(told[-1]["author"])))
    if not told and (who := author(field(text, "author")) or said(text)):
        return _answer({name: field(text, name) for name in ("explanation", "thoughts")}, who)
    return None


def _answer(told: Mapping[str, Any], who: str) -> Answer:
    return Answer(
        who,
        _text(told.get("explanation")),
        _text(told.get("thoughts")),
        _texts(told.get("human_indications")),
        _texts(told.get("machine_indications")),
    )


def author(value: Any) -> str | None:
    """human, machine or unknown, as ``value`` spells it; None for anything else, such as 'human or machine'."""
    if not isinstance(value, str):
        return None
    plain = " ".join(re.sub(r"[\"'`*.]", "", value).lower().split())
    return next((name for name, words in _WORDS.items() if plain in words), None)


def said(text: str) -> str | None:
    """The author that the sentences of an answer without JSON name, if they name one and the same."""
    if (alone := author(text)) is not None:
        return alone
    found = [match for pattern in _SAID for match in pattern.finditer(text)]
    who = {match["who"].lower() for match in found if not _NOT.search(text[: match.start()])}
    named = {"human" if name == "person" else name for name in who}
    return named.pop() if len(named) == 1 and not any(_NOT.search(text[: match.start()]) for match in found) else None


def objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects of an answer, outermost first; one that was cut off at the end is closed."""
    start, tried = text.find("{"), 0
    while start >= 0 and tried < 50:
        end = _closing(text, start)
        found = loads(text[start:end] if end else _closed(text[start:]))
        if isinstance(found, dict):
            yield found
        tried += 1
        start = text.find("{", end if end and isinstance(found, dict) else start + 1)


def loads(text: str) -> Any:
    """JSON with the slips of models: line ends in strings, comments, commas too many, Python's quotes; None where it is none."""
    for tidy in (text, _tidied(text)):
        try:
            return json.loads(tidy, strict=False, object_pairs_hook=_unambiguous)
        except (ValueError, RecursionError):
            continue
    try:  # literals only: nothing is run
        return ast.literal_eval(_tidied(text))
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a field that is told twice, and differs, holds nothing."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        found[name] = value if name not in found or found[name] == value else None
    return found


def _tidied(text: str) -> str:
    text = text.translate({0x201C: '"', 0x201D: '"', 0x2019: "'"})
    text = re.sub(r"(?m)(?<=[\",\d\]}])\s*//[^\n\"]*$", "", text)
    text = re.sub(r"\"([ \t]*\n[ \t]*)\"", r'",\1"', text)
    return re.sub(r",(\s*[}\]])", r"\1", text)


def _closing(text: str, start: int) -> int | None:
    """Behind the brace that closes the one at ``start``; None where none does."""
    depth, quoted, escaped = 0, False, False
    for place in range(start, len(text)):
        sign = text[place]
        if quoted:
            quoted, escaped = escaped or sign != '"', not escaped and sign == "\\"
        elif sign == '"':
            quoted = True
        elif sign in "{}":
            depth += 1 if sign == "{" else -1
            if depth == 0:
                return place + 1
    return None


def _closed(text: str) -> str:
    """A cut-off object with its string, lists and braces closed."""
    stack, quoted, escaped = [], False, False
    for sign in text:
        if quoted:
            quoted, escaped = escaped or sign != '"', not escaped and sign == "\\"
        elif sign == '"':
            quoted = True
        elif sign in "{[":
            stack.append("}" if sign == "{" else "]")
        elif sign in "}]" and stack:
            stack.pop()
    return text.rstrip("\\") + ('"' if quoted else "") + "".join(reversed(stack))


def field(text: str, name: str) -> str | None:
    """The value behind a field's name in an answer whose JSON is broken; None where it stands there twice and differs."""
    pattern = re.compile(_KEY.replace("{name}", name) + _VALUE, re.IGNORECASE)
    values = {next(found for found in match.groups() if found is not None).strip() for match in pattern.finditer(text)}
    return values.pop() if len(values) == 1 else None


def _text(value: Any) -> str:
    return "\n".join(_texts(value))


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, list | tuple):
        return tuple(str(one).strip() for one in value if str(one).strip())
    return (str(value).strip(),) if value is not None and str(value).strip() else ()
