"""evenhand texts: what a plan will score, for a detector that runs elsewhere."""

from __future__ import annotations

from typing import Annotated

import typer

from .files import check_new, write_rows
from .options import Limit, changed


def texts(
    plan: Annotated[str, typer.Argument(help="A study in TOML.")],
    out: Annotated[str, typer.Option("--out", "-o", help="Where the texts go (.jsonl or .jsonl.gz).")],
    limit: Limit = None,
) -> None:
    """Write every text that a plan will score, each once and without labels; -d "scores(path=...)" reads the scores back."""
    from ..chunks import texts_to_judge
    from ..plan import Plan

    check_new(out)
    found = texts_to_judge(changed(Plan.read(plan), limit=limit).documents())
    write_rows(({"digest": name, "text": text} for name, text in found.items()), out)
    typer.echo(f"{len(found):,} texts: {out}")
