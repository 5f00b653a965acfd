"""Token by token: how surprised a model was, and how many tokens it held likelier (the colours of GLTR, Gehrmann 2019)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from ..markup import policy
from ..models.statistics import TokenStatistics

if TYPE_CHECKING:
    from rich.text import Text

BUCKETS = ((10, "top 10", "green"), (100, "top 100", "yellow"), (1000, "top 1,000", "red"))
REST = ("beyond", "magenta")
NAMES = (*(name for _, name, _ in BUCKETS), REST[0])
BITS = 1.4426950408889634
"""Nats to bits."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters ``start`` to ``end`` of a text; ``surprisal`` in bits and ``rank`` are None where nothing was scored
    (the first token, which is context only, and what was cut off)."""

    start: int
    end: int
    surprisal: float | None = None
    rank: int | None = None

    @property
    def bucket(self) -> tuple[str, str] | None:
        """(name, colour) by rank; None for what was not scored."""
        if self.rank is None:
            return None
        return next(((name, colour) for most, name, colour in BUCKETS if self.rank <= most), REST)

    @property
    def shade(self) -> str:
        """Its class in a style sheet: 'b0' to 'b3' by rank, 'none' for what was not scored."""
        return f"b{NAMES.index(self.bucket[0])}" if self.bucket else "none"

    @property
    def told(self) -> str:
        return f"{self.surprisal:.1f} bits, rank {self.rank}" if self.bucket else "not scored"


def marks(text: str, statistics: TokenStatistics) -> Iterator[Mark]:
    """The whole text in order, gaps included; tokens that stand for one character together are one mark, the rarest."""
    last = 0
    for start, end, surprisal, rank in merged(statistics):
        if start > last:
            yield Mark(last, start)
        yield Mark(max(start, last), end, surprisal, rank)
        last = end
    if last < len(text):
        yield Mark(last, len(text))


def merged(statistics: TokenStatistics) -> Iterator[tuple[int, int, float, int]]:
    """Tokens by character span. Bytes of one character share its span: their surprisals add, their worst rank counts."""
    held: tuple[int, int, float, int] | None = None
    for (start, end), nats, rank in zip(statistics.offsets, statistics.surprisal, statistics.rank, strict=True):
        one = (int(start), int(end), float(nats) * BITS, int(rank))
        if held and one[0] < held[1]:
            held = (held[0], max(held[1], one[1]), held[2] + one[2], max(held[3], one[3]))
            continue
        if held:
            yield held
        held = one
    if held:
        yield held


def listing(text: str, statistics: TokenStatistics) -> Text:
    """A line a token: surprisal in bits, rank, and the token as Python would write it, in the colour of its rank."""
    from rich.text import Text

    shown = Text("  bits    rank  token\n")
    for mark in marks(text, statistics):
        told = f"{mark.surprisal:6.1f}{mark.rank:8,}" if mark.bucket else f"{'-':>6}{'-':>8}"
        shown.append(f"{told}  ")
        shown.append(repr(text[mark.start : mark.end])[1:-1], f"black on {mark.bucket[1]}" if mark.bucket else "dim")
        shown.append("\n")
    return shown


def terminal(text: str, statistics: TokenStatistics) -> Text:
    """The text with a background colour per rank bucket, and the legend."""
    from rich.text import Text

    shown = Text()
    for mark in marks(text, statistics):
        bucket = mark.bucket
        shown.append(text[mark.start : mark.end], f"black on {bucket[1]}" if bucket else "dim")
    shown.append("\n")
    for _, name, colour in (*BUCKETS, (0, *REST)):
        shown.append(f" {name} ", f"black on {colour}")
    return shown.append(f"  {summary(statistics)}")


def summary(statistics: TokenStatistics) -> str:
    if statistics.refusal:
        return f"not scored: {statistics.refusal}"
    if not statistics.n_scored:
        return "no token was scored"
    bits = float(statistics.surprisal.mean()) * BITS
    top = float((statistics.rank <= BUCKETS[0][0]).mean())
    return f"{statistics.n_scored} tokens, {bits:.2f} bits each, {top:.0%} of them among the model's ten likeliest"


STYLE = """
body { font: 17px/1.7 Georgia, serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #111; background: #fff; }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
span { border-radius: 2px; } .b0 { background: #d9f0d3; } .b1 { background: #fff2b3; } .b2 { background: #fdcdbb; }
.b3 { background: #e0c8f0; text-decoration: underline dotted; } .none { color: #666; }
"""


def page(text: str, statistics: TokenStatistics, *, model: str) -> str:
    """One offline HTML file: the text, its tokens coloured by rank, surprisal and rank in each token's tooltip."""
    body = "".join(_token(text, mark) for mark in marks(text, statistics))
    legend = " ".join(f'<span class="b{i}">&nbsp;{escape(name)}&nbsp;</span>' for i, name in enumerate(NAMES))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Token by token</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(STYLE)}">'
        f"<style>{STYLE}</style></head><body><main><h1>Token by token</h1>"
        f"<p>How likely {escape(model)} held each token: its rank among all tokens. {legend}</p>"
        f"<p>{escape(summary(statistics))}. A likely token is no proof of a machine: plain writing is likely too.</p>"
        f"<pre>{body}</pre></main></body></html>\n"
    )


def _token(text: str, mark: Mark) -> str:
    told = f' title="{mark.told}"' if mark.bucket else ""
    return f'<span class="{mark.shade}"{told}>{escape(text[mark.start : mark.end])}</span>'
