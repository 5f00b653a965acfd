"""evenhand score: scores alone, from a plan or from a file of texts."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .costs import tell
from .options import Batch, Device, DryRun, Dtype, Engine, Json, Limit, changed, print_json, with_runtime
from .try_text import read_text

if TYPE_CHECKING:
    from ..plan import Plan


def score(
    source: Annotated[str, typer.Argument(help="A plan (.toml), a file of texts, a folder, or - for standard input.")],
    detector: Annotated[list[str] | None, typer.Option("--detector", "-d", help="A detector; may be repeated.")] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="The run folder; without it, scores are printed.")
    ] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", help="embedded, hub:NAME@REVISION or a folder.")] = None,
    engine: Engine = "auto",
    device: Device = None,
    dtype: Dtype = None,
    batch: Batch = 16,
    limit: Limit = None,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Score a plan's texts, or `evenhand score texts.csv -d log_rank -o DIR` without a plan."""
    from ..errors import SpecError
    from ..plan import Plan
    from ..run import Options
    from ..run import score as score_plan
    from .options import progress

    plan = Plan.read(source) if source.endswith(".toml") else None
    if not detector and not (plan and plan.detectors):
        raise SpecError("name at least one detector, with -d or in the plan; `evenhand list detectors` shows them")
    plan = plan or Plan(corpus_of(source, out), audits=())
    plan = replace(plan, detectors=tuple(detector) if detector else plan.detectors, model=model or plan.model)
    plan = with_runtime(changed(plan, limit=limit), device=device, dtype=dtype)
    tell(plan)
    if dry_run:
        return
    if out is None:
        print_scores(plan, json)
        return
    score_plan(plan, out, Options(engine, batch, progress=progress()))
    typer.echo(f"scores: {Path(out) / 'scores'}")


def corpus_of(source: str, out: str | None) -> str:
    """The corpus spec of a path. Its reader is decided by the suffix alone, never by a look inside; where a file names
    no labels its texts are 'unknown': they are scored, and no audit counts them."""
    from .. import corpora
    from ..registry import format_spec

    name, parameters = reader_of(source, out)
    rows = corpora.get(format_spec(name, parameters)).rows()
    labelled = any(row.get("label") not in (None, "") for _, row in islice(rows, 1000))
    return format_spec(name, parameters if labelled else parameters | {"labels": "unknown"})


def reader_of(source: str, out: str | None) -> tuple[str, dict[str, str]]:
    from ..errors import DataError
    from ..files import READERS, table_reader

    if source == "-":
        text = read_text("-")
        kept = Path(out or tempfile.mkdtemp()) / "stdin.txt"
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(text, encoding="utf-8")
        return "folder", {"path": str(kept.parent), "pattern": kept.name}
    path = Path(source)
    if not path.exists():
        raise DataError(f"no such file or folder: {source}")
    if path.is_dir():
        return "folder", {"path": source}
    if path.name.removesuffix(".gz").endswith(".txt"):
        return "folder", {"path": str(path.parent), "pattern": path.name}
    if (reader := table_reader(path)) is None:
        known = ", ".join([*READERS, ".txt", "a folder"])
        raise DataError(
            f"cannot tell how to read {source}: known are {known}; or write a plan with a corpus of your own"
        )
    return reader, {"path": source}


def print_scores(plan: Plan, json: bool) -> None:
    from ..detectors.judging import score_texts

    documents = list(plan.documents())
    rows: list[dict[str, Any]] = score_texts(
        [d.text for d in documents], list(plan.detectors), model=plan.model
    ).to_pylist()
    for row in rows:
        row["id"] = documents[row.pop("text_index")].id
    if json:
        print_json(rows)
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("id", "detector", "score", "tokens", "note")
    for row in rows:
        value = "-" if row["status"] != "ok" else f"{row['score']:.6g}"
        note = "; ".join(filter(None, (row["reason"], "truncated" if row["truncated"] else "")))
        table.add_row(row["id"], row["detector"], value, str(row["n_tokens"] or ""), note)
    Console().print(table)
