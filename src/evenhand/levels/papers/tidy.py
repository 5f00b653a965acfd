"""What is taken out of a generated section: line breaks, further sections, the end of a sentence that stands at its start."""

from __future__ import annotations

import re

_NAMES = (
    r"(?:abstract|introduction|background|related works?|methods?|methodology|results?|experiments?|discussion|conclusions?|"
    r"acknowledge?ments?|references|bibliography|appendix|keywords?|title)"
)
HEADING = re.compile(
    rf"(?:^|\n)[ \t]*(?:\#+ *|\*\*|(?:\d+|[IVX]+)\.? +)?{_NAMES}\b[ \t]*(?:\*\*)?(?::[ \t]*(?:\*\*)?|[ \t]*(?=\n))",
    re.IGNORECASE,
)
"""A line that is a section's name, or opens with one and a colon."""
_SENTENCE = re.compile(r"[.!?][\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z])")
ENDS = ("<END>", "<|sep|>", "<|endoftext|>", "</s>", "<|im_end|>")
GALACTICA = re.compile(r"\[(?:START|END)_(?:REF|SUP|SUB|DNA|AMINO|SMILES|I_SMILES)\]|<work>|</work>|<pad>|<s>")
_CITED = re.compile(r"\[START_REF\].*?(?:\[END_REF\]|$)", re.DOTALL)


def cut_at_end(text: str) -> tuple[str, bool]:
    """The text before the first end mark, and whether there was one."""
    places = [place for mark in ENDS if (place := text.find(mark)) >= 0]
    return (text[: min(places)], True) if places else (text, False)


def own_section(text: str, name: str) -> str:
    """Without the section's own heading at the start, and without the sections that follow."""
    text = re.sub(rf"\A[\s#*]*{name}s?\b[\s*]*:[\s*]*", "", text, flags=re.IGNORECASE)
    found = HEADING.search(text)
    if found and not text[: found.start()].strip():  # some other heading stands first: what it heads is no such section
        return ""
    return (text[: found.start()] if found else text).strip()


def without_fragment(text: str) -> str:
    """Without the rest of a sentence at the start, which its lower-case letter gives away (IDMGSP, section 3.2.2). Where no
    sentence follows, what the authors' code does: all before the first capital goes."""
    text = text.lstrip(" \t\n.,;:)-–—")
    if not text[:1].islower():
        return text
    if found := _SENTENCE.search(text):
        return text[found.end() :]
    capital = re.search(r"[A-Z]", text)
    return text[capital.start() :] if capital else ""


def numbered_references(text: str) -> str:
    """Galactica's references as numbers, equal ones alike, and without its other special tokens (authors' code)."""
    numbers: dict[str, int] = {}
    text = _CITED.sub(lambda found: str(numbers.setdefault(found[0], len(numbers) + 1)), text)
    return GALACTICA.sub("", text)


def one_line(text: str) -> str:
    return " ".join(text.split())
