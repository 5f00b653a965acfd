"""evenhand status: done, left, failed, by detector."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Json, print_json


def status(run: Annotated[str, typer.Argument(help="A run folder.")], json: Json = False) -> None:
    """What a run has done, what is left, what failed."""
    from ..store import Store

    told = Store.existing(run).progress()
    if json:
        print_json(told)
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("detector", "ok", "abstained", "failed", "left")
    for row in told["detectors"]:
        table.add_row(row["detector"], *(f"{row[name]:,}" for name in ("ok", "abstained", "failed", "left")))
    console = Console()
    whole = "" if told["documents_whole"] else " (the others are not made yet, or were deleted: run it again)"
    console.print(f"{told['documents']:,} documents, {told['texts']:,} distinct texts to score{whole}")
    console.print(table)
    console.print(f"the verification half was looked at {told['verification_uses']} time(s)")
