"""evenhand audit: questions asked of a run folder, without any model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Boundary, Fpr, Json, print_json


def audit(
    run: Annotated[str, typer.Argument(help="A run folder.")],
    audits: Annotated[
        list[str] | None, typer.Argument(help="Audits, e.g. two_sided 'clean'; the plan's otherwise.")
    ] = None,
    policy: Boundary = None,
    fpr: Fpr = None,
    json: Json = False,
) -> None:
    """Ask questions of a run folder: seconds, no model, no GPU. Leaves findings.json there."""
    from ..audits import audit as ask
    from ..documents import Level
    from ..store import Store

    boundary = Level.read(policy) if policy else None
    findings = ask(Store.existing(run), audits, boundary=boundary, fpr=fpr)
    if json:
        from ..reports.json_form import plain

        print_json(plain(findings))
        return
    from ..reports import report

    typer.echo(report(findings).to_markdown())
    typer.echo(f"findings: {Path(run) / 'findings.json'}")
