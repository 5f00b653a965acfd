"""The cleaning that MAGE's demo gives a text before its classifier: line breaks, Moses' punctuation, marks of tokenisation,
addresses, and then ASCII letters, digits and common signs alone."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterable

import regex

NOT_AS_CODE = (
    "other scripts left out, where its library transliterates them, and mis-decoded characters not repaired (of 1,920 texts of "
    "five corpora 1,820 came out as by the code)"
)
NBSP = "\u00a0"
Rule = tuple[str, str]
"""A regular expression and what stands in its place."""
SPACING: tuple[Rule, ...] = (
    (r"\r", ""), (r"\(", " ("), (r"\)", ") "), (" +", " "), (r"\) (?=[.!:?;,])", ")"), (r"\( ", "("), (r" \)", ")"),
    (r"(?<=\d) %", "%"), (" :", ":"), (" ;", ";"),
)  # fmt: skip
QUOTES: tuple[Rule, ...] = (
    ("`", "'"), ("''", ' " '), ("[„“”]", '"'), ("–", "-"), ("—", " - "), (" +", " "), ("[´‘’‚]", "'"), ("''", '"'), ("…", "..."),
    (f"{NBSP}«{NBSP}|«{NBSP}?", '"'), (f"{NBSP}»{NBSP}|{NBSP}?»", '"'),
)  # fmt: skip
PSEUDO_SPACES: tuple[Rule, ...] = (
    (f"{NBSP}(?=[%:;?!])", ""), (f"{NBSP}(?=ºC|cm)", " "), (f"(?<=nº|,){NBSP}", " "), (" +", " "),
    (r'"([,.]+)', r'\1"'), (rf"(\d){NBSP}(\d)", r"\1.\2"),
)  # fmt: skip
"""Moses' normalize-punctuation for English, quotation marks after commas and full stops included."""
TOKENISATION: tuple[tuple[str, str], ...] = (
    (" ,", ","), (" .", "."), (" ?", "?"), (" !", "!"), (" ;", ";"), (" '", "'"), (" ’ ", "'"), (" :", ":"), ("<newline>", "\n"),
    ("`` ", '"'), (" ''", '"'), ("''", '"'), (".. ", "... "), (" )", ")"), ("( ", "("), (" n't", "n't"), (" i ", " I "),
    (" i'", " I'"), ("\\'", "'"), ("\n ", "\n"),
)  # fmt: skip
MODEL_MARKS = regex.compile(r"<pad>|</?s>|<unk>|<\|endoftext\|>")
ADDRESSES: tuple[Rule, ...] = (
    (r"\b(?:https?://|ftp://|www\.)[^\s<>\"]+", ""),
    (r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b", ""),
    (
        r"(?<![\w)])(?:(?:\+?[01]|\+\d\d|00\d{1,3})[ .-]?)?(?:\(?\d{3,4}\)?/?[ .-]?)?\d{3}[ .-]?\d{4}"
        r"(?:\s?(?:ext\.?|[#x-])\s?\d{2,6})?(?!\w)",
        "",
    ),
)
FORMS = {
    "ß": "ss",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "Œ": "OE",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "đ": "d",
    "×": "x",
}
WINDOWS = {"\x91": "'", "\x92": "'", "\x93": '"', "\x94": '"', "\x96": "-", "\x97": "-"}
SIGNS = {
    **WINDOWS,
    "£": "PS",
    "€": "EUR",
    "°": "deg",
    "±": "+-",
    "µ": "u",
    **dict.fromkeys("\u2010\u2011\u2012\u2212", "-"),
}
LETTERS = str.maketrans({**FORMS, **SIGNS})
"""The ASCII forms that the code's library gives to common signs that have none of their own."""
UNCOMMON = regex.compile(r"""[^ A-Za-z0-9.?!,:;\-\[\]{}()'"]""")
RUNS = regex.compile(r"""[-\[\]{}()'"]{2,}""")


def cleaned(text: str) -> str:
    """The text as MAGE's classifier reads it; see NOT_AS_CODE for what differs."""
    text = MODEL_MARKS.sub("", one_line(text))
    text = substituted(text, (*SPACING, *QUOTES, *PSEUDO_SPACES)).strip()
    for found, instead in TOKENISATION:
        text = text.replace(found, instead)
    text = " ".join(ascii_form(unescaped(text.strip())).split())
    return " ".join(RUNS.sub("", UNCOMMON.sub("", substituted(text, ADDRESSES))).split())


def one_line(text: str) -> str:
    """A first line of at most three characters goes; runs of line ends are one space."""
    text = regex.sub(r"\n+", "\n", text)
    return str(regex.sub(r"^.{0,3}\n", "", text)).replace("\n", " ")


def substituted(text: str, rules: Iterable[Rule]) -> str:
    for pattern, instead in rules:
        text = str(regex.sub(pattern, instead, text))
    return text


def unescaped(text: str) -> str:
    """Backslashes read as in a string of Python, as the code's library does: '\\times' is a tab and 'imes'. Where they cannot be
    so read, the text as it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return text.encode("latin-1", "backslashreplace").decode("unicode-escape")
        except UnicodeDecodeError:
            return text


def ascii_form(text: str) -> str:
    """Letters without their marks; what has no ASCII form is left out."""
    text = regex.sub("Â(?=[\u00a0-\u00bf])", "", text)  # UTF-8 that was read as Latin-1
    return unicodedata.normalize("NFKD", text.translate(LETTERS)).encode("ascii", "ignore").decode()
