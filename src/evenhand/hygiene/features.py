"""Surface features of one text: what a classifier may learn instead of who wrote it, and the damage that files bring.

A value is a number; a flag is 1 or 0. Whether a feature tells the classes apart is asked elsewhere (``lint``, or
``stats.auroc`` on ``feature_values``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


def mend(step: str) -> str:
    return f"mend both classes alike with repair(steps=({step!r},)) or `evenhand lint --repair {step}`"


DROP = "drop these texts, or ask for them again"


@dataclass(frozen=True, slots=True)
class Feature:
    """``what`` completes 'texts with ...'; ``cure`` says what to do. ``damage``: worth a word even in both classes.

    ``flag``: the value is 1 or 0.
    """

    name: str
    what: str
    value: Callable[[str], float]
    cure: str
    damage: bool = False
    flag: bool = True


def found(pattern: str, flags: int = 0) -> Callable[[str], float]:
    search = re.compile(pattern, flags).search
    return lambda text: float(search(text) is not None)


def capitals(text: str) -> float:
    """Share of the letters that have a case."""
    upper, lower = sum(map(str.isupper, text)), sum(map(str.islower, text))
    return upper / (upper + lower) if upper + lower else 0.0


def digits(text: str) -> float:
    """Share of the characters that are no blanks."""
    blanks = sum(map(str.isspace, text))
    return sum(map(str.isdecimal, text)) / (len(text) - blanks) if len(text) > blanks else 0.0


def long_token(text: str) -> float:
    return float(any(len(word) >= 25 and word.isascii() and word.isalpha() for word in text.split()))


def unfinished(text: str) -> float:
    return float(text.rstrip()[-1:] not in tuple(".!?\"”’')]"))


LENGTH = "compare texts of one length: cut the longer class, or use the length-matched AUROC"
BREAKS = mend("flatten")
EDGES = mend("edges")
CASE = "restore or lower the case of both classes alike; do not pool with texts of natural case"

FEATURES: tuple[Feature, ...] = (
    Feature("words", "more words", lambda t: float(len(t.split())), LENGTH, flag=False),
    Feature("newlines", "more line breaks", lambda t: float(t.count("\n")), BREAKS, flag=False),
    Feature(
        "capitals",
        "a larger share of capital letters",
        capitals,
        CASE,
        flag=False,
    ),
    Feature(
        "digits",
        "a larger share of digits",
        digits,
        "match the topics of the classes, or report results with numbers masked",
        flag=False,
    ),
    Feature("short", "under 50 words", lambda t: float(len(t.split()) < 50), LENGTH),
    Feature("empty", "nothing but blanks", lambda t: float(not t.strip()), DROP, damage=True),
    Feature("blank_line", "a blank line", found(r"\n\n"), BREAKS),
    Feature("leading_blank", "a blank at the start", lambda t: float(t[:1].isspace()), EDGES),
    Feature("trailing_blank", "a blank at the end", lambda t: float(t[-1:].isspace()), EDGES),
    Feature("double_space", "two spaces together", lambda t: float("  " in t), mend("spaces")),
    Feature(
        "lead_in",
        "a lead-in (Title:, Abstract, Here is, Sure) or an opening quotation mark",
        found(r"""\A\s*(?:["“]|title\b|here(?:['’]s| is| are)\b|sure\b|abstract\b)""", re.I),
        "cut lead-ins off before scoring; a quotation mark around a whole answer is the model's, not the author's",
    ),
    Feature("title_prefix", "'Title:' at the start", found(r"\A\s*title:", re.I), "cut it off in both classes"),
    Feature(
        "no_final_punctuation",
        "no closing punctuation at the end (cut off?)",
        unfinished,
        "cut both classes at a sentence end",
    ),
    Feature("curly_quotes", "typographic quotes", found("[‘’“”]"), "make the quotes of both classes one kind"),
    Feature("non_ascii", "characters outside ASCII", lambda t: float(not t.isascii()), "look at them before trusting"),
    Feature("all_lower", "no capital letter", lambda t: float(t == t.lower()), CASE),
    Feature("bom", "a byte order mark U+FEFF", lambda t: float("\ufeff" in t), mend("bom"), damage=True),
    Feature("carriage_return", "carriage returns", found("\r"), mend("line_ends"), damage=True),
    Feature(
        "missing_space",
        "a sentence glued to the next (end.Next)",
        found(r"(?<=[a-z])[.!?][A-Z][a-z]"),
        mend("full_stops"),
        damage=True,
    ),
    Feature(
        "long_token",
        "a word of 25 letters or more (words glued by lost line breaks?)",
        long_token,
        mend("glued"),
        damage=True,
    ),
    Feature(
        "line_hyphen",
        "words hyphenated for a line (pro- cess)",
        found(r"(?<=[a-z])- [a-z]"),
        "join them in both classes",
    ),
    Feature(
        "treebank_spacing",
        "spaces as in a treebank (did n't, word ,)",
        found(r" n't |``| ,"),
        "detokenize both classes alike",
        damage=True,
    ),
    Feature(
        "control_characters",
        "control characters (wrong encoding)",
        found("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"),
        "read the file in its own encoding, or mend it with ftfy, in both classes",
        damage=True,
    ),
    Feature(
        "replacement", "U+FFFD (a lost character)", found("\ufffd"), "read the file in its own encoding", damage=True
    ),
    Feature(
        "zero_width",
        "zero-width characters",
        found("[\u200b-\u200d\u2060]"),
        "if it is no attack, strip both classes with the sanitizer zero_width",
        damage=True,
    ),
    Feature("no_break_space", "no-break spaces", found("\u00a0"), "make them spaces in both classes"),
    Feature("ideographic_space", "ideographic spaces (U+3000)", found("\u3000"), "read the file in its own encoding"),
    Feature(
        "markup",
        "HTML tags or entities",
        found(r"&(?:[a-z]+|#\d+);|</?(?:[a-z]+|h[1-6])>"),
        "strip the mark-up of both classes",
        damage=True,
    ),
    Feature(
        "lost_escapes",
        "'nn' before a capital: a line break whose backslashes were lost",
        found(r"(?<![A-Za-z])nn(?=[A-Z])"),
        "put the line breaks back, or drop these texts",
        damage=True,
    ),
    Feature(
        "anonymised",
        "anonymisation tokens (@CAPS1)",
        found(r"@[A-Z]+\d"),
        "replace them by names in both classes",
        damage=True,
    ),
    Feature(
        "refusal",
        "a refusal or a model speaking of itself",
        found(
            r"\bas an? (?:ai|artificial intelligence|(?:large )?language model)\b|\b(?:i'?m|i am) (?:only |just )?"
            r"an? (?:large )?(?:ai|language model)\b|\b(?:i'?m|i am) (?:sorry, (?:but )?i(?:'m| am) )?(?:unable|not able)"
            r" to (?:help|assist|generate|provide|fulfil|create|write|complete)",
            re.I,
        ),
        DROP,
        damage=True,
    ),
)
BY_NAME = {feature.name: feature for feature in FEATURES}
