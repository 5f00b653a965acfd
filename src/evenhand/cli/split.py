"""evenhand split: sides that share nothing, or what two sides share."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .files import check_new, read_documents, write_documents
from .options import Json, print_json

if TYPE_CHECKING:
    from ..documents import Document
    from ..hygiene import Leak


def split(
    source: Annotated[str, typer.Argument(help="A file of labelled texts, a folder, or a corpus spec.")],
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="Where the texts go (.jsonl); without it, the split they have is checked."),
    ] = None,
    by: Annotated[
        str,
        typer.Option(help="cluster, source, author, task, title, domain, generator, generator_family or time."),
    ] = "cluster",
    shares: Annotated[str, typer.Option(help="Sides and their parts, the oldest first for --by time.")] = (
        "train=0.6,calibration=0.2,test=0.2"
    ),
    seed: Annotated[int, typer.Option(help="Another seed, other sides.")] = 0,
    near: Annotated[float, typer.Option(help="Part of the wording that makes two texts near-duplicates.")] = 0.1,
    json: Json = False,
) -> None:
    """Split texts so that no cluster, source or wording stands on two sides; or check a split. Exit code 3: it leaks."""
    from .. import hygiene

    if out is not None:
        check_new(out)
    parts, documents = read_shares(shares), read_documents(source)
    if out is not None:
        documents = hygiene.split(documents, by, parts, seed, near)
    leaks = hygiene.leaks(documents, near)
    if out is not None and not leaks:
        write_documents([d for d in documents if d.split != "unused"], out)
    show(documents, leaks, json)
    if leaks and out is not None:
        typer.echo(f"nothing was written to {out}", err=True)
    if leaks:
        raise typer.Exit(3)


def read_shares(told: str) -> dict[str, float]:
    from ..errors import SpecError

    try:
        pairs = [part.split("=") for part in told.split(",")]
        return {name.strip(): float(part) for name, part in pairs}
    except ValueError:
        raise SpecError(f"cannot read the shares {told!r}; write them like train=0.6,test=0.4") from None


def show(documents: list[Document], leaks: list[Leak], json: bool) -> None:
    counts = Counter((str(d.split), str(d.label)) for d in documents)
    if json:
        sides: dict[str, Any] = {}
        for (side, label), n in sorted(counts.items()):
            sides.setdefault(side, {})[label] = n
        print_json({"sides": sides, "clean": not leaks, "leaks": [asdict(leak) for leak in leaks]})
        return
    for side in dict.fromkeys(str(d.split) for d in documents):
        told = ", ".join(f"{n:,} {label}" for (name, label), n in sorted(counts.items()) if name == side)
        typer.echo(f"{side}: {told}{' (on the wrong side of their cluster: not written)' if side == 'unused' else ''}")
    for leak in leaks:
        typer.echo(f"leak: {leak.sentence}")
    typer.echo("this split leaks" if leaks else "clean: no cluster, source, title or wording on two sides")
