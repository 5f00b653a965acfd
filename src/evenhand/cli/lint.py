"""evenhand lint: the shortcuts, damage and copies of a corpus, and its repair."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .files import check_new, read_documents, write_documents
from .options import Json, print_json

if TYPE_CHECKING:
    from ..documents import Document
    from ..hygiene import Issue
    from ..stats import Estimate


def lint(
    source: Annotated[str, typer.Argument(help="A file of labelled texts, a folder, or a corpus spec.")],
    by: Annotated[
        str, typer.Option(help="Look inside each domain, corpus, task, generator or section; or none.")
    ] = "domain",
    repair: Annotated[
        str | None, typer.Option(help="Steps, e.g. bom,line_ends,flatten: mend both classes alike.")
    ] = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Where the repaired texts go (.jsonl).")] = None,
    json: Json = False,
) -> None:
    """What tells human from machine text without reading it, what files did to the texts, and which are copies."""
    from .. import hygiene
    from ..errors import SpecError

    if (repair is None) != (out is None):
        raise SpecError("--repair and --out go together: texts are never changed in place")
    if out is not None:
        check_new(out)
    documents, strata = read_documents(source), None if by == "none" else by
    if repair is not None and out is not None:
        documents, told = hygiene.repair(documents, [step.strip() for step in repair.split(",")])
        write_documents(documents, out)
        for step in told:
            typer.echo(step.sentence, err=json)
    rows = list(measured(documents, hygiene.lint(documents, by=strata), strata))
    if json:
        print_json([{**asdict(issue), "auroc": estimate and asdict(estimate)} for issue, estimate in rows])
    else:
        print_issues(rows)


def measured(documents: list[Document], issues: list[Issue], by: str | None) -> list[tuple[Issue, Estimate | None]]:
    """Each issue, and for shortcuts the AUROC of the feature alone with its interval over clusters."""
    import numpy as np

    from .. import hygiene, stats

    clean = hygiene.unedited(documents)
    values, clusters = hygiene.feature_values(clean), np.array([d.cluster for d in clean], str)
    machine = np.array([d.label == "machine" for d in clean], bool)
    places = np.array([f"{by} {getattr(d, by)}" if by else "" for d in clean], str)

    def auroc(issue: Issue) -> Estimate | None:
        if issue.role != "shortcut":
            return None
        here = (places == issue.where) if issue.where else np.ones(len(clean), bool)
        one, other = here & machine, here & ~machine
        return stats.auroc(
            values[issue.kind][one],
            values[issue.kind][other],
            positive_clusters=clusters[one],
            negative_clusters=clusters[other],
        )

    return [(issue, auroc(issue)) for issue in issues]


def print_issues(rows: list[tuple[Issue, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    if not rows:
        typer.echo("nothing found: no shortcut beyond chance, no damage, no copy")
        return
    table = Table("what", "where", "human", "machine", "AUROC of this alone", "")
    for issue, estimate in rows:
        shown = [f"{issue.counts.get(name, 0):,} of {issue.of.get(name, 0):,}" for name in ("human", "machine")]
        interval = f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]" if estimate else "-"
        table.add_row(issue.kind, issue.where, *shown, interval, issue.role)
    Console().print(table)
    for cure in dict.fromkeys(f"{issue.kind}: {issue.sentence.partition('Cure: ')[2]}" for issue, _ in rows):
        typer.echo(cure)
