"""evenhand audit: questions asked of a run folder, without any model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Boundary, Fpr, Json


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
    from ..reports import report

    made = report(findings)
    made.save(Path(run) / "findings.json")
    if json:
        from ..reports.json_form import to_json

        typer.echo(to_json(findings))
        return
    typer.echo(made.to_markdown())
    typer.echo(f"findings: {Path(run) / 'findings.json'}")
