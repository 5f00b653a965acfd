"""What came back from a model: recognised, cleaned, and never silently dropped.

Marks of an answer: 'error' (none came), 'empty', 'refusal', 'cut' (at the token limit), 'echo' (of the prompt),
'lead-in' ('Here is the text:', a title, thinking aloud), 'lead-out' ('Let me know if ...'), 'quoted', 'comment' (it speaks of the
text instead of giving it), 'loop' (it repeats itself), 'copy' (the source itself). What is no lead-in, lead-out, echo or quote
stays in the text; raw and cleaned text are both kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..models.chat import Completion

_THOUGHT = re.compile(r"\A.*?</think(?:ing)?>\s*|\A\s*<think(?:ing)?>.*", re.IGNORECASE | re.DOTALL)
"""What a reasoning model thinks aloud; templates may keep its opening, and a limit its end, and then nothing else came."""
_WHAT = r"(?:text|version|essay|passage|paragraph|message|summary|draft|rewrite|task|answer|response|output)"
_YES = r"(?:sure(?: thing)?|certainly|of course|absolutely|okay|ok|got it)"
_OPENING = re.compile(
    rf"{_YES}!\s+|{_YES}\b[^\n.:!]{{0,40}}(?:[.!:][ *]*\n\s*|[.!,:]\s+(?=here\b|below\b|the following\b))|"  # a line, or a lead
    rf"{_YES}\b[^\n.:!]{{0,20}}\b(?:help|happy|glad|assist)\b[^\n.:!]{{0,40}}[.!:]\s+",
    re.IGNORECASE,
)
_THEIRS = r"(?![^\n:]*\b(?:reasons?|examples?|ways|facts|things|steps|arguments|benefits|questions?|why)\b)"
_ITEM = r"\s*(?:[-*•+]|\d{1,2}[.)])\s"
_END_OF_LEAD = (
    rf"(?:[^\n:]{{0,80}}\b(?:{_WHAT}|(?:bullet|key|main) points)\b[^\n:]{{0,100}}:\s+|"  # names it
    rf"{_THEIRS}[^\n:]{{0,160}}:[ *]*\n(?!{_ITEM})\s*|"  # ends the line; before a list, as essays have them, it must name it
    rf"[^\n:.]{{0,60}}\b{_WHAT}\b[^\n:.]{{0,60}}\.[ *]*\n\s*)"
)
_HERE_IS = r"(?:here(?:'s|’s| is| are)|here (?:it is|you go)|below is|the following is)\b"
_HERE = re.compile(
    rf"{_HERE_IS}{_END_OF_LEAD}|this is\b[^\n:.]{{0,80}}\b{_WHAT}\b[^\n:.]{{0,80}}:[ *]*\n\s*",
    re.IGNORECASE,
)
_SAID = re.compile(rf"(?:the|this|your|i)\b[^\n.:]{{0,160}}[.:]\s+(?={_HERE_IS}{_END_OF_LEAD})", re.IGNORECASE)
_MADE = r"(?:re-?written|revised|improved|corrected|edited|polished|updated)"
_HEADING = re.compile(
    rf"[*#\s]*(?:{_MADE} {_WHAT}[*]*:[*\s]+|(?!(?:in|my|our)\b)(?:[\w-]+ ){{0,4}}{_WHAT}\b[^\n:.]{{0,60}}:[* ]*\n\s*)",
    re.IGNORECASE,
)
_TITLE = re.compile(r"[*#\s]*title[*]*:[^\n]*\n\s*", re.IGNORECASE)
_LEAD_IN = (_OPENING, _SAID, _HERE, _HEADING, _TITLE)
_COMMENT = re.compile(
    rf"(?:(?:the|this|your) (?:\w+ ){{0,2}}{_WHAT} (?:is|was|has been|can be|you provided|aims|highlights|discusses|describes)\b|"
    r"i(?:'ve| have)? (?:made|changed|corrected|rewrote|rewritten|revised|improved|reworked|reorganized)\b)",
    re.IGNORECASE,
)
_CHANGES = r"(?:changes|improvements|corrections|edits|revisions|modifications)"
_WORK = rf"(?:{_CHANGES}|{_WHAT}|grammar\w*|wording|sentences?|structure|words?|tone|clarity|language|flow)"
_LEAD_OUT = re.compile(
    rf"(?:\n[ ]?[-*_]{{3,9}}[ ]*)?\n[\s*#_]{{0,20}}(?P<said>(?:please )?let me know|"
    r"i hope (?:this|that|these) (?:[\w-]+ ){0,3}?(?:helps?|meets?|works|suits?|is helpful|is what you)\b|"
    r"(?:please )?feel free to|is there anything (?:else |more )?(?:you|i can)\b|"
    rf"note[*]*:[*]* (?:i|this|that|please|the (?:[\w-]+ )?{_WHAT})\b|"
    r"this (?:revised|rewritten|improved) (?:version|text|essay)|changes made:|"
    rf"(?:here(?:'s|’s| is| are) )?(?:[\w-]+ ){{0,4}}{_CHANGES}\b[^\n:.]{{0,60}}:(?=[ *_]*(?:\n|$))|"
    r"i(?:'ve|’ve| have)? (?:made|changed|corrected|rewrote|revised|improved)\b(?![^\n]*\b(?:my|me)\b)"
    rf"[^\n.]{{0,60}}\b{_WORK}\b)",
    re.IGNORECASE,
)
LONGEST_REMARK = 25
"""Words of a line after a lead-out's first, but items of a list: what is longer is a paragraph of the text."""
_REFUSAL = re.compile(
    r"\b(?:as an ai(?: language model| assistant)?|as a (?:large )?language model|i must (?:respectfully )?decline|"
    r"i(?:'m| am) (?:just |only )?an? (?:ai|language model)|"
    r"i(?:'m| am) (?:sorry|afraid)[^.\n]{0,60}\b(?:can(?:not|'t|’t)|unable|not able)|"
    r"i (?:can(?:not|'t|’t)|am unable to|am not able to|won't|will not) (?:assist|help(?! (?:but|\w+ing)\b)|provide|write|"
    r"rewrite|fulfil|comply|generate|create|complete|do that)|"
    r"i(?:'m|’m) (?:unable|not able) to|unable to (?:assist|help|fulfil|comply))",
    re.IGNORECASE,
)
_REFUSAL_WITHIN = 240  # characters: a refusal comes first; later such words belong to the text
_LOOP = 0.25
_QUOTES = {'"': '"', "“": "”", "'": "'", "```": "```"}
_END = re.compile(r"[.!?][\"'”’)\]]*(?=\s|$)")


@dataclass(frozen=True)
class Answer:
    """``text`` is cleaned, on one line; ``raw`` is what came."""

    text: str
    raw: str
    marks: tuple[str, ...] = ()


def read_answer(completion: Completion, prompt: str = "", source: str = "") -> Answer:
    """Cleans one answer to ``prompt`` (its last user message), made from the text ``source`` where there is one."""
    if completion.finish_reason == "error":
        return Answer("", completion.text, ("error",))
    if not completion.text.strip():
        return Answer("", completion.text, ("empty",))
    marks = ["refusal"] if _REFUSAL.search(completion.text[:_REFUSAL_WITHIN]) else []
    text = completion.text.strip()
    for mark, clean in (("echo", _without_echo), ("lead-in", _without_lead_in), ("lead-out", _without_lead_out)):
        cleaned = clean(text, prompt)
        marks += [mark] if cleaned != text else []
        text = cleaned
    marks += ["comment"] if source and _COMMENT.match(text) else []
    if (bare := _without_quotes(text)) != text:
        marks, text = [*marks, "quoted"], bare
    if completion.finish_reason == "length":
        marks, text = [*marks, "cut"], whole_sentences(text)
    text = " ".join(text.split())
    marks += ["loop"] if repeats(text) > _LOOP else [] if text else ["empty"]
    marks += ["copy"] if text and text == " ".join(source.split()) else []
    return Answer(text, completion.text, tuple(marks))


def _without_echo(text: str, prompt: str) -> str:
    """Without the prompt at the start; where nothing but the prompt came, without its instruction."""
    instruction = prompt.partition(":")[0] + ":" if ":" in prompt[:80] else ""
    for echo in (prompt, instruction):
        rest = text[len(echo) :].lstrip()
        if len(echo) > 8 and rest and text.lower().startswith(echo.lower()):
            return rest
    return text


def _without_lead_in(text: str, prompt: str) -> str:
    """Without what is said before the text begins; it may take several turns ('Sure! Here is the text:', a title). What
    stands in the prompt too was the source's own beginning."""
    text = _THOUGHT.sub("", text, count=1)
    for _turn in range(4):
        matches = (found for pattern in _LEAD_IN if (found := pattern.match(text)))
        ends = (found.end() for found in matches if found.group().strip() not in prompt)
        text = text[next((end for end in ends if end < len(text)), 0) :]
    return text


def _without_lead_out(text: str, prompt: str) -> str:
    """Without what is said after the text ends. No paragraph of the text follows it, and the source does not speak so."""
    for found in _LEAD_OUT.finditer(text):
        after = text[found.end() :].split("\n")[1:]
        if found.start() and found["said"].lower() not in prompt.lower() and not any(map(_is_paragraph, after)):
            return text[: found.start()]
    return text


def _is_paragraph(line: str) -> bool:
    return len(line.split()) > LONGEST_REMARK and not re.match(rf"{_ITEM}|\s*\*\*", line)


def _without_quotes(text: str) -> str:
    for opening, closing in _QUOTES.items():
        inner = text[len(opening) : -len(closing)]
        if text.startswith(opening) and text.endswith(closing) and inner and closing not in inner:
            return inner.strip()
    return text


def repeats(text: str, n: int = 6) -> float:
    """The share of word n-grams that stood in the text before; 0 for texts shorter than n words."""
    words = text.lower().split()
    grams = [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
    return 1 - len(set(grams)) / len(grams) if grams else 0.0


def whole_sentences(text: str) -> str:
    """The text up to its last sentence end; all of it, if that lies in its first half."""
    ends = [found.end() for found in _END.finditer(text)]
    return text[: ends[-1]] if ends and ends[-1] * 2 >= len(text) else text
