"""evenhand compare: two runs over the same texts, paired."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Json


def compare(
    first: Annotated[str, typer.Argument(help="A run folder.")],
    second: Annotated[str, typer.Argument(help="Another run over the same texts.")],
    detector: Annotated[
        list[str] | None,
        typer.Option("--detector", "-d", help="NAME, or FIRST=SECOND where names differ; may be repeated."),
    ] = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="A report: .html, .md, .tex, .json or .csv.")] = None,
    json: Json = False,
) -> None:
    """What a second run does differently from a first: AUROC and accusations on the same texts, with tests."""
    from ..audits.compare import compare as ask
    from ..reports import report

    made = report(ask(first, second, read_pairs(detector or ())))
    if out is not None:
        made.save(out)
    typer.echo(made.to_json() if json else made.to_markdown())


def read_pairs(asked: tuple[str, ...] | list[str]) -> dict[str, str] | None:
    """``NAME`` pairs a detector with itself; an equals sign outside brackets parts two names."""
    found = {}
    for one in asked:
        depth, cut = 0, None
        for place, sign in enumerate(one):
            depth += (sign == "(") - (sign == ")")
            if sign == "=" and depth == 0:
                cut = place
                break
        found[one[:cut].strip() if cut is not None else one.strip()] = (
            one[cut + 1 :] if cut is not None else one
        ).strip()
    return found or None
