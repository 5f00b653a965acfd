"""evenhand report: a run's findings as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    run: Annotated[str, typer.Argument(help="A run folder with findings.json.")],
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="FILE.html, .md, .tex, .json or .csv; report.html in the run otherwise."),
    ] = None,
) -> None:
    """Write a run's findings as one offline HTML file, Markdown, LaTeX, JSON or CSV."""
    from ..errors import StoreError
    from ..reports import report as make
    from ..reports.json_form import from_json

    told = Path(run) / "findings.json"
    if not told.is_file():
        raise StoreError(f"{run} holds no findings.json; `evenhand audit {run}` makes it")
    target = Path(out) if out else Path(run) / "report.html"
    make(from_json(told.read_text(encoding="utf-8"))).save(target)
    typer.echo(f"report: {target}")
