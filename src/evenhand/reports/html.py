"""Findings as one HTML file that needs nothing else: no network, no script, no font.

The page forbids by its own Content-Security-Policy everything but the one style sheet inside it, named by its digest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..audits.finding import Answer, Figure, Findings, Result
from ..errors import MissingExtra
from ..markup import environment, markup, policy
from . import facts, figures, tables, words

TEMPLATES = Path(__file__).parent / "templates"
FEW_NOTES = 12
"""More notes than this are folded away under their table."""
TALL = 24
"""Tables of more rows than this scroll under their head."""


@dataclass(frozen=True, slots=True)
class Drawn:
    figure: Figure
    svg: Any


@dataclass(frozen=True, slots=True)
class Section:
    """One audit on the page; ``anchor`` is the id that links lead to."""

    anchor: str
    result: Result
    grids: tuple[tables.Grid, ...]
    drawings: tuple[Drawn, ...]


def to_html(findings: Findings) -> str:
    """The page, as a text. The same findings give the same text."""
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    sections = [_section(i, result) for i, result in enumerate(findings.results, start=1)]
    return str(
        _template().render(
            words=words,
            style=markup(style),
            policy=policy(style),
            answers=answers(sections),
            reading=words.READING,
            glossary=words.glossary(f.metric for r in findings.results for f in r.findings),
            sections=sections,
            ledger=facts.ledger_tables(findings.ledger),
            provenance=facts.provenance_sections(findings.provenance),
            missing=tables.MISSING,
            few_notes=FEW_NOTES,
            tall=TALL,
        )
    )


def answers(sections: list[Section]) -> list[tuple[str, str, list[tuple[Answer, Section]]]]:
    """(kind, heading, answers with the section they come from) of each kind that occurs."""
    every = [(answer, section) for section in sections for answer in section.result.answers]
    kinds = [(kind, heading, [pair for pair in every if pair[0].kind == kind]) for kind, heading in words.KINDS.items()]
    return [kind for kind in kinds if kind[2]]


def _section(number: int, result: Result) -> Section:
    anchor = f"audit-{number}"
    drawings = [
        Drawn(figure, drawn(figure, f"{anchor}-figure-{i}")) for i, figure in enumerate(result.figures, start=1)
    ]
    return Section(anchor, result, tables.grids(result), tuple(drawings))


def drawn(figure: Figure, name: str) -> Any:
    """The figure, or its description in words where nothing is installed that draws it."""
    from markupsafe import escape

    try:
        return markup(figures.draw(figure, name))
    except MissingExtra as error:
        return escape(f"{figures.describe(figure)} Not drawn: {error}")


def breakable(text: str) -> Any:
    """``text``, escaped, which may break after the signs that part a spec."""
    from markupsafe import escape

    return markup(re.sub(r"(?<=\w)([(@/])", r"\1<wbr>", str(escape(words.clean(text)))))


@cache
def _template() -> Any:
    made = environment(
        TEMPLATES,
        finalize=lambda value: (
            words.clean(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
        ),
    )
    made.filters["name"] = tables.key_name
    made.filters["ledger_caption"] = facts.ledger_caption
    made.filters["breakable"] = breakable
    return made.get_template("report.html.j2")
