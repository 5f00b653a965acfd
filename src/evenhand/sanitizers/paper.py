"""The two compositions that the paper describes; they contradict each other, so each has its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..documents import Edited
from ..registry import Card
from .base import Sanitizer
from .chain import Chain
from .fold import PAPER, Curated47, Uts39
from .plain import Nfkc, Whitespace, ZeroWidth

CLASH = "Figure 5 says that whitespace is collapsed, Table 6 that the curated sanitizer leaves it (0-92% detection)"
HARM = (
    "does all that its steps do to Cyrillic, Greek, Persian, emoji and mathematics; order and sets are as far as known"
)


class Preset(Sanitizer):
    """A chain under a name of its own."""

    chain: ClassVar[Chain]

    def clean(self, text: str) -> Edited:
        return self.chain(text)


@dataclass(frozen=True)
class PaperFigure5(Preset):
    chain: ClassVar[Chain] = Chain((ZeroWidth(), Curated47(), Whitespace(keep_indent=False), Nfkc()))
    name: ClassVar[str] = "paper_figure5"
    card: ClassVar[Card] = Card(
        f"The paper's sanitizer as Figure 5 describes it: {chain.spec}.",
        source=f"{PAPER}, caption of Figure 5 (Table 6, column 'curated + ws')",
        family="composition",
        follows=CLASH,
        pitfalls=HARM,
    )


@dataclass(frozen=True)
class PaperTable6(Preset):
    chain: ClassVar[Chain] = Chain((ZeroWidth(), Curated47(), Nfkc()))
    name: ClassVar[str] = "paper_table6"
    card: ClassVar[Card] = Card(
        f"The paper's curated sanitizer as Tables 5 and 6 measure it: {chain.spec}.",
        source=f"{PAPER}, Table 6, column 'curated'",
        family="composition",
        follows=CLASH,
        pitfalls=HARM,
    )


@dataclass(frozen=True)
class PaperTable6Full(Preset):
    chain: ClassVar[Chain] = Chain((ZeroWidth(), Uts39(), Whitespace(keep_indent=False), Nfkc()))
    name: ClassVar[str] = "paper_table6_full"
    card: ClassVar[Card] = Card(
        f"The paper's full sanitizer: {chain.spec}.",
        source=f"{PAPER}, Table 6, column 'full UTS #39', whose 92-101% under the whitespace attack needs collapsing",
        family="composition",
        follows=CLASH,
        pitfalls=HARM,
    )
