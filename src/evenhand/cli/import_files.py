"""evenhand import: files into a corpus, and a ledger of what each of them gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .files import check_new, write_documents
from .options import Json, print_json

if TYPE_CHECKING:
    from ..documents import Document
    from ..ingest import FileRead, Limits, Make


def import_files(
    paths: Annotated[list[str], typer.Argument(help='Files and folders, or one spec such as "arxiv(...)".')],
    out: Annotated[str, typer.Option("--out", "-o", help="Where the texts go (.jsonl or .jsonl.gz).")],
    parser: Annotated[str, typer.Option(help="For PDF: layout (ours) or idmgsp (the published rules).")] = "layout",
    sections: Annotated[bool, typer.Option("--sections", help="A text a section (the default).")] = False,
    whole: Annotated[bool, typer.Option("--whole", help="A text a paper: abstract, introduction, conclusion.")] = False,
    body: Annotated[bool, typer.Option("--body", help="A text a file: all of it, for essays and reports.")] = False,
    label: Annotated[str, typer.Option(help="human, machine, mixed or unknown: of all the files.")] = "unknown",
    generator: Annotated[str | None, typer.Option(help="Which machine wrote them.")] = None,
    max_pages: Annotated[int, typer.Option(help="Longer PDFs are refused.", min=1)] = 300,
    seconds: Annotated[float, typer.Option(help="What one file may take.", min=0.1)] = 60.0,
    memory: Annotated[float, typer.Option(help="Gigabytes that one file may take.", min=0.2)] = 2.0,
    jobs: Annotated[int, typer.Option(help="Files read at once.", min=1)] = 1,
    json: Json = False,
) -> None:
    """Read papers and other texts out of PDF, DOCX, ODT, RTF, LaTeX and plain text. Beside FILE.jsonl stands
    FILE.ledger.jsonl: what was found in each file, what was not, and why. Exit code 3: nothing was found at all."""
    from ..errors import SpecError
    from ..ingest import Limits, Make, write_ledger

    if sections + whole + body > 1:
        raise SpecError("import: choose one of --sections, --whole and --body")
    unit = "whole" if whole else "body" if body else "sections"
    make = Make(unit, label, generator)  # type: ignore[arg-type]
    ledger = ledger_of(out)
    limits = Limits(seconds=seconds, memory=int(memory * 2**30), pages=max_pages)
    reads, made = gathered(paths, parser, make, limits, jobs)
    write_ledger(reads, ledger)
    if made:
        write_documents(made, out)
    show(reads, made, unit, str(ledger), json)
    if not made:
        raise typer.Exit(3)


def ledger_of(out: str) -> Path:
    """The ledger's place beside the corpus. Raises DataError before anything is read, where they could not be written."""
    check_new(out)
    ledger = out.removesuffix(".gz").removesuffix(".jsonl") + ".ledger.jsonl"
    check_new(ledger)
    return Path(ledger)


def gathered(
    paths: Sequence[str], parser: str, make: Make, limits: Limits, jobs: int
) -> tuple[list[FileRead], list[Document]]:
    """What each file gave, and the documents, of files or of a corpus spec that reads files."""
    from .. import corpora, ingest
    from ..errors import SpecError

    if len(paths) == 1 and "(" in paths[0] and not Path(paths[0]).exists():
        if (parser, make) != ("layout", ingest.Make()):
            raise SpecError(f"import: {paths[0]} has a label and parameters of its own; say parser and unit there")
        corpus = corpora.get(paths[0])
        if not hasattr(corpus, "read"):
            raise SpecError(f"import: {paths[0]} reads no papers from files; use it as a corpus as it is")
        found: tuple[list[FileRead], list[Document]] = corpus.read(limits, jobs)
        return found
    reads: list[FileRead] = []
    made: list[Document] = []
    for read in ingest.read_files(ingest.find(paths), parser, limits, jobs):
        made += ingest.documents(read, make)
        reads.append(replace(read, body=""))
    return reads, made


def show(reads: Sequence[FileRead], made: Sequence[Document], unit: str, ledger: str, json: bool) -> None:
    counts = Counter(read.status for read in reads)
    if json:
        print_json({"files": [read.told() for read in reads], "status": counts, "texts": len(made), "ledger": ledger})
        return
    print_table(reads, unit)
    told = ", ".join(f"{n} {status}" for status, n in counts.items())
    typer.echo(f"files: {len(reads):,} ({told}); texts: {len(made):,}; ledger: {ledger}")


def print_table(reads: Sequence[FileRead], unit: str, most: int = 40) -> None:
    from rich.console import Console
    from rich.table import Table

    from ..sections import SECTIONS

    table = Table(
        "file", "kind", "status", *SECTIONS, "what is missing, and why", title="words found", title_justify="left"
    )
    for read in reads[:most]:
        words = [f"{len(read.sections[name].split()):,}" if name in read.sections else "-" for name in SECTIONS]
        missing = "; ".join(f"{name}: {why}" for name, why in read.missing.items()) if unit != "body" else ""
        table.add_row(read.file, read.kind or "-", read.status, *words, read.reason or missing or "; ".join(read.notes))
    Console(markup=False, emoji=False).print(table)  # names and reasons are text, whatever brackets they hold
    if len(reads) > most:
        typer.echo(f"... and {len(reads) - most:,} more: the ledger has them all")
