"""One offline page a document: the score and what moved it. No script, no network; only its own style sheet is allowed."""

from __future__ import annotations

from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from ..markup import environment, markup, policy
from . import tokens
from .heat import largest, runs, shade
from .methods import Account
from .parts import Explanation, Part

TEMPLATES = Path(__file__).parent / "templates"
PLAINLY = (
    "A weight says what moved this score of this detector. It does not say who wrote the text, and a high score is no proof "
    "that a machine did."
)
HOW = {
    "coefficients": "Exact: a linear model's score is its intercept and these shares.",
    "lime": "LIME: a linear model of how the score changes when words or sentences are taken out. Only as true as its fit (R²).",
    "shap": "Shapley values: what each part adds to the score, averaged over the orders of putting the parts back.",
}
NAMES = {"coefficients": "Shares of the score", "lime": "LIME", "shap": "SHAP"}
LISTED = 20


def page(account: Account, title: str) -> str:
    """The page as a text; the same account gives the same text."""
    style = (TEMPLATES / "explain.css").read_text(encoding="utf-8")
    return str(
        _template().render(
            title=title,
            account=account,
            scored=isfinite(account.score),
            plainly=PLAINLY,
            how=HOW,
            names=NAMES,
            style=markup(style),
            policy=policy(style),
            maps=[heat_map(account.text, found) for found in account.explanations],
            token_marks=token_marks(account),
            token_legend=tokens.NAMES,
            token_summary=tokens.summary(account.tokens) if account.tokens else "",
            listed=LISTED,
            number=number,
        )
    )


def heat_map(text: str, found: Explanation) -> list[tuple[str, str, str]]:
    """(characters, class, tooltip) in order; empty where no part has a place in the text."""
    if not any(part.spans for part in found.parts):
        return []
    pieces = list(runs(text, found.parts))
    most = largest(pieces)
    return [
        (text[run.start : run.end], shade(run.weight, most), "; ".join(told(part) for part in run.parts[:4]))
        for run in pieces
    ]


def told(part: Part) -> str:
    bounds = f" [{number(part.low)}, {number(part.high)}]" if isfinite(part.low) else ""
    return f"{part.name[:40]}: {number(part.weight)}{bounds}"


def token_marks(account: Account) -> list[tuple[str, str, str]]:
    """The same of tokens by rank."""
    if account.tokens is None:
        return []
    return [
        (account.text[mark.start : mark.end], mark.shade, mark.told)
        for mark in tokens.marks(account.text, account.tokens)
    ]


def number(value: Any) -> str:
    """Three significant digits, a sign for what is below 0; '-' for what is not there. Pairs in brackets."""
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(number, value))}]"
    if isinstance(value, str | int):
        return str(value)
    return f"{value:.3g}".replace("-", "−") if isfinite(value) else "–"


@cache
def _template() -> Any:
    return environment(TEMPLATES).get_template("explain.html.j2")
