"""The questions of IDMGSP's four prompting styles (sec. 4.2.6; their wording, and that of the answer's schema, as in the
authors' classifier notebook), for scientific papers or, in the profile 'general', for texts of any kind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...models.generation import Message

Profile = Literal["general", "idmgsp"]
Style = Literal["io", "cot", "ip", "fs"]
FENCE = "```"


@dataclass(frozen=True, slots=True)
class Example:
    """A text whose author is known, for few-shot prompts."""

    text: str
    author: str
    explanation: str = ""


def noun(profile: Profile) -> str:
    return "scientific paper" if profile == "idmgsp" else "text"


def system(profile: Profile) -> str:
    return f"Your task is to guess if a {noun(profile)} was written by a machine language model."


def question(profile: Profile) -> str:
    return (
        f"Was this {noun(profile)} written by a human or by a machine language model? You must decide for either 'human' or "
        "'machine'. It is not allowed to give 'unknown' as an answer."
    )


def presented(text: str, profile: Profile) -> str:
    what = "scientific paper with its abstract, introduction, and conclusion" if profile == "idmgsp" else "text"
    return f"Here is a {what}:\n\n{text}"


def approach(style: Style, profile: Profile) -> str:
    if style == "cot":
        return "Let's think step by step."
    if style == "ip":
        return (
            "First, identify indications for a human author and indications for a machine author. Second, considering these "
            f"indications, conclude whether the {noun(profile)} was written by a human or machine."
        )
    return ""


def schema(style: Style, profile: Profile, explain: bool = True) -> dict[str, str]:
    """The fields of the answer, in their order, and what each holds."""
    what = noun(profile)
    who = {"author": f"most likely author of the {what} (either 'human' or 'machine')"}
    if style == "cot":
        return {"thoughts": "thoughts on approach and reasons", **who}
    if style == "ip":
        seen = {
            f"{one}_indications": f"concrete observations that indicate that the {what} was written by a {one}"
            for one in ("human", "machine")
        }
        return {**seen, **who}
    why = f"elaborate explanation why the {what} was most likely written by the author stated above"
    return {**who, "explanation": why} if explain else who


def structured(fields: dict[str, str]) -> str:
    """How the answer is to be given: the words of LangChain's StructuredOutputParser (MIT), which the authors used."""
    lines = "\n".join(f'\t"{name}": string  // {what}' for name, what in fields.items())
    return (
        "The output should be a markdown code snippet formatted in the following schema, including the leading and trailing "
        f'"{FENCE}json" and "{FENCE}":\n\n{FENCE}json\n{{\n{lines}\n}}\n{FENCE}'
    )


ONE_WORD = "Answer with one word: 'human' or 'machine'."
"""In place of the schema, where the odds of the two words are read in place of an answer."""


def asked(text: str, style: Style, profile: Profile, form: str) -> Message:
    words = f"{question(profile)} {approach(style, profile)}".strip()
    return {"role": "user", "content": f"{presented(text, profile)}\n\n{words}\n\n{form}"}


def shown(example: Example, profile: Profile, form: str, explain: bool) -> list[Message]:
    """An example as a turn of the conversation: the question about it, and the right answer."""
    if form == ONE_WORD:
        return [asked(example.text, "fs", profile, form), {"role": "assistant", "content": example.author}]
    why = f',\n\t"explanation": {json.dumps(example.explanation, ensure_ascii=False)}' if explain else ""
    told = f'{FENCE}json\n{{\n\t"author": "{example.author}"{why}\n}}\n{FENCE}'
    return [asked(example.text, "fs", profile, form), {"role": "assistant", "content": told}]


def conversation(
    text: str, style: Style, profile: Profile, form: str, examples: Sequence[Example] = (), explain: bool = False
) -> list[Message]:
    """All messages of one request: the task, the examples where there are any, the question."""
    before = [message for example in examples for message in shown(example, profile, form, explain)]
    return [{"role": "system", "content": system(profile)}, *before, asked(text, style, profile, form)]
