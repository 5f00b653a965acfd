"""evenhand audit: questions asked of a run folder, without any model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Boundary, Fpr, Json

PUBLISHED = ("beside_published", "beside_gede")


def audit(
    run: Annotated[str, typer.Argument(help="A run folder.")],
    audits: Annotated[
        list[str] | None, typer.Argument(help="Audits, e.g. two_sided 'clean'; the plan's otherwise.")
    ] = None,
    policy: Boundary = None,
    fpr: Fpr = None,
    beside: Annotated[
        str | None,
        typer.Option(
            help="'published' lays the two-sided paper's and GEDE's numbers beside this run's, where cells match; "
            "IDMGSP's are an audit of their own, beside_idmgsp."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Ask questions of a run folder: seconds, no model, no GPU. Leaves findings.json there."""
    from ..audits import audit as ask
    from ..documents import Level
    from ..errors import SpecError
    from ..reports import report
    from ..store import Store

    if beside not in (None, "published"):
        raise SpecError(f"--beside knows 'published' alone, got {beside!r}")
    store = Store.existing(run)
    chosen = [*(audits or store.settings().get("audits", ())), *(PUBLISHED if beside else ())]
    if not chosen:
        raise SpecError(f"the plan of {run} names no audit; name some, as in `evenhand audit {run} clean`")
    findings = ask(store, chosen, boundary=Level.read(policy) if policy else None, fpr=fpr)

    made = report(findings)
    made.save(Path(run) / "findings.json")
    if json:
        from ..reports.json_form import to_json

        typer.echo(to_json(findings))
        return
    typer.echo(made.to_markdown())
    typer.echo(f"findings: {Path(run) / 'findings.json'}")
