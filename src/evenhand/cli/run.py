"""evenhand run: score, audit, report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .costs import tell
from .options import (
    Batch,
    Boundary,
    Device,
    DryRun,
    Dtype,
    Engine,
    Fpr,
    Json,
    Limit,
    Out,
    changed,
    progress,
    with_runtime,
)

if TYPE_CHECKING:
    from ..plan import Plan
    from ..run import Options


def run(
    plan: Annotated[str, typer.Argument(help="A study in TOML.")],
    out: Out,
    engine: Engine = "auto",
    device: Device = None,
    dtype: Dtype = None,
    batch: Batch = 16,
    limit: Limit = None,
    policy: Boundary = None,
    fpr: Fpr = None,
    retry_failed: Annotated[bool, typer.Option(help="Try failed texts again.")] = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Score, audit and report a plan. Stop it at any time: the same command goes on where it was."""
    from ..errors import SpecError
    from ..plan import Plan
    from ..run import Options

    study = changed(Plan.read(plan), limit=limit, boundary=policy, fpr=fpr)
    if not study.detectors:
        raise SpecError(
            f'{plan} names no detector; write detectors = ["log_rank"]; `evenhand list detectors` shows them'
        )
    study = with_runtime(study, device=device, dtype=dtype)
    tell(study)
    if dry_run:
        return
    execute(study, out, Options(engine, batch, retry_failed, progress()), json=json)


def execute(plan: Plan, out: str, options: Options, *, json: bool = False) -> None:
    from ..audits import audit
    from ..reports import report
    from ..run import score

    store = score(plan, out, options)
    findings = audit(store)
    made = report(findings)
    made.save(Path(out) / "findings.json")
    made.save(Path(out) / "report.html")
    if json:
        from ..reports.json_form import to_json

        typer.echo(to_json(findings))
        return
    for result in findings.results:
        for answer in result.answers:
            typer.echo(f"{ {'shown': '-', 'missing': '?', 'warning': '!'}[answer.kind] } {answer.text}")
    typer.echo(f"report: {Path(out) / 'report.html'}")
