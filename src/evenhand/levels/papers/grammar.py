"""Papers from a grammar of our own: what SCIgen stands for in IDMGSP, at hand wherever Evenhand is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ...documents import Document
from ...models.chat import Writer
from ...registry import Card
from ...sections import SECTIONS
from ...seeds import rng
from .base import IDMGSP, Made, PaperMaker
from .expand import draw, read_grammar

RULES = Path(__file__).with_name("grammar.txt")
_SMALL = frozenset(
    "a an and as at by do for from how if in into is its of on or the to towards under via what when why with".split()
)


@dataclass(frozen=True)
class GrammarPapers(PaperMaker):
    """One derivation a section, seeded by the title; phrases of the title stand where the grammar says {TOPIC}."""

    name: ClassVar[str] = "grammar_papers"
    asks: ClassVar[bool] = False
    models_asked: ClassVar[bool] = False
    card: ClassVar[Card] = Card(
        summary="Papers from a context-free grammar of our own, seeded by the title.",
        source=f"ours; it stands where SCIgen stands in {IDMGSP}, section 3.2.1: text of a grammar, easy to tell, there to "
        "check that detectors still tell it",
        family="papers",
        follows="our own sentences (grammar.txt), none of SCIgen's; unlike SCIgen's, they name the title's phrases",
        pitfalls="Not SCIgen: its words and lengths are other ones, and detectors trained on one need not know the other. "
        "Sentences recur over papers, so that neighbours in a corpus are near copies.",
    )

    def make(self, documents: list[Document], writer: Writer, seed: int) -> Iterator[tuple[Document, Made]]:
        for document in documents:
            yield document, Made(self.parts(str(document.title), seed), self.name, "grammar")

    def parts(self, title: str, seed: int) -> dict[str, str]:
        grammar, given = read_grammar(RULES), {"TOPIC": topics(title)}
        chance = rng(title, self.name, seed)
        return {section: draw(grammar, section.upper(), chance, given) for section in SECTIONS}


def topics(title: str) -> list[str]:
    """The phrases of a title: runs of words between its small words and signs, in lower case unless written otherwise."""
    runs: list[list[str]] = [[]]
    for word in re.findall(r"[\w'’/+-]+|[^\w\s]", title):
        if word.lower() in _SMALL or not re.search(r"\w", word):
            runs.append([])
        else:
            runs[-1].append(word if not word.istitle() else word.lower())
    phrases = [" ".join(run) for run in runs if run]
    return phrases or ["the present problem"]


def made_up_titles(n: int, seed: int = 0) -> list[str]:
    """``n`` different titles from the grammar's rule TITLE."""
    grammar, found, draws = read_grammar(RULES), dict[str, None](), 0
    while len(found) < n:
        title = draw(grammar, "TITLE", rng("title", seed, draws), {"TOPIC": ["science"]})
        found[title[0].upper() + title[1:]] = None
        draws += 1
    return list(found)
