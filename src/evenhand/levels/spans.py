"""Who wrote which characters of an edited text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..documents import Span

_WORD = re.compile(r"\S+")
_RUN = 3  # words: a shorter run of equal words is chance ("of the"), not a passage that was kept


def kept_words(source: str, text: str) -> tuple[Span, ...]:
    """Runs of at least three words that an LCS alignment finds in both texts are the human's; the rest is the machine's.

    The alignment is ours: no paper says who wrote what. Spans cover the whole text, white space goes with what follows.
    """
    from rapidfuzz.distance import LCSseq

    words = list(_WORD.finditer(text))
    opcodes = LCSseq.opcodes(source.split(), [word.group() for word in words])
    human = [False] * len(words)
    for code in opcodes:
        if code.tag == "equal" and code.dest_end - code.dest_start >= _RUN:
            human[code.dest_start : code.dest_end] = [True] * (code.dest_end - code.dest_start)
    return tuple(_spans(words, human, len(text)))


def _spans(words: list[re.Match[str]], human: list[bool], length: int) -> Iterator[Span]:
    start = 0
    for index, word in enumerate(words):
        last = index + 1 == len(words)
        if last or human[index + 1] != human[index]:
            end = length if last else word.end()
            yield Span(start, end, "human" if human[index] else "machine")
            start = end
