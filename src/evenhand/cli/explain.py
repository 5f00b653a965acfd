"""evenhand explain: why one text got its score."""

from __future__ import annotations

from dataclasses import asdict, replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Json, print_json
from .try_text import read_text

if TYPE_CHECKING:
    from ..explain import Account
    from ..store import Store


def explain(
    file: Annotated[str, typer.Argument(help="A text file, PDF, DOCX, ODT, RTF or LaTeX; - for standard input.")],
    detector: Annotated[str, typer.Option("--detector", "-d", help="A detector, e.g. log_rank or saved(path='DIR').")],
    method: Annotated[
        str | None,
        typer.Option(
            "--method", help="coefficients,importances,words,lime,shap,tokens; those that cost little otherwise."
        ),
    ] = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="One offline page, FILE.html.")] = None,
    run: Annotated[
        str | None, typer.Option(help="A run folder: its threshold, its human texts, what it trained.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="The text that this one was made from, to compare lengths with.")
    ] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", help="embedded, hub:NAME@REVISION or a folder.")] = None,
    by: Annotated[
        str, typer.Option(help="auto, word, place or sentence: what LIME and SHAP take out as one.")
    ] = "auto",
    most: Annotated[int, typer.Option(help="auto: above so many words, sentences.")] = 150,
    samples: Annotated[int, typer.Option(help="LIME: masked copies a run.")] = 200,
    orders: Annotated[int, typer.Option(help="SHAP: orders a run, each walked both ways.")] = 1,
    seeds: Annotated[int, typer.Option(help="LIME and SHAP: runs; their spread is the interval.")] = 5,
    seed: int = 0,
    mask: Annotated[
        str | None, typer.Option(help="What stands for a masked part; LIME takes it out, SHAP puts '...'.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many texts would be scored.")] = False,
    json: Json = False,
) -> None:
    """Why one text got its score: words that moved it, tokens, readability. It never says who wrote the text."""
    from ..explain import Settings, account, standing
    from ..explain.methods import chosen, costs
    from ..store import Store

    if out is not None:
        check_page(out)
    text, store = text_of(file), Store.existing(run) if run else None
    asked = detector_of(detector, model, store)
    settings = Settings(by, most, samples, orders, seeds, seed, mask)
    methods = chosen(asked, [name.strip() for name in method.split(",") if name.strip()] if method else [])
    if dry_run:
        tell_costs(costs(text, methods, settings), json)
        return
    before = text_of(source) if source else None
    found = account(text, asked, methods, settings, source=before, tell=lambda line: typer.echo(line, err=True))
    if store and not isnan(found.score):
        found = replace(found, standing=standing(store, detector, found.score, text))
    if store and found.importances:
        found = replace(found, importances=with_falls(found, shuffled(store, asked, detector)))
    if json:
        print_json(told(found))
    elif out is None:
        print_account(found, file)
    if out is not None:
        write_page(found, file, out)


def text_of(file: str) -> str:
    """The text of a file; of a paper its three sections where all are found, else everything, and it is said which."""
    from ..errors import DataError
    from ..ingest import find, read_files
    from ..ingest.sniff import SUFFIXES

    if SUFFIXES.get(Path(file).suffix.lower(), "txt") == "txt":
        return read_text(file)
    from ..sections import join_sections

    (read,) = read_files(find([file]))
    if not read.body:
        raise DataError(
            f"{file} gave no text: {read.reason or read.status}; `evenhand import {file} -o x.jsonl` tells more"
        )
    whole = read.status == "ok"
    typer.echo(f"{file}: {'abstract, introduction and conclusion' if whole else 'all of its text'}", err=True)
    return join_sections(read.sections) if whole else read.body


def detector_of(spec: str, model: str | None, store: Store | None) -> Any:
    """The detector, fitted as the run fitted it where it learns."""
    from .. import detectors
    from ..errors import DataError

    if store is not None:
        from ..training import fitted

        typer.echo(f"{spec}: fitted again on the run's training texts, where it learns", err=True)
        return fitted(store, spec)
    found = detectors.get(spec, model=model)
    if getattr(found, "learns", False):
        raise DataError(
            f"{spec} has learnt nothing yet: name a run that trained it with --run DIR, or -d \"saved(path='DIR')\""
        )
    return found


def shuffled(store: Store, detector: Any, spec: str) -> tuple[Any, ...]:
    from ..explain import permutation_importances
    from ..training import held_out

    texts, machine = held_out(store, spec)
    typer.echo(f"importances: {len(texts)} held-out texts of the run, each input shuffled 10 times", err=True)
    return tuple(permutation_importances(detector, texts, machine))


def with_falls(found: Account, fallen: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs with their fall of AUROC, and with their numbers in this text."""
    here = {one.name: one.value for one in found.importances}
    return tuple(replace(one, value=here.get(one.name, one.value)) for one in fallen)


def tell_costs(prices: dict[str, int], json: bool) -> None:
    if json:
        print_json(prices)
        return
    for method, price in prices.items():
        typer.echo(f"{method}: at most {price:,} text{'s' if price > 1 else ''} to score")


def told(found: Account) -> dict[str, Any]:
    """All but the text and the statistics of its tokens."""
    kept = asdict(replace(found, tokens=None))
    return {key: value for key, value in kept.items() if key not in ("text", "tokens")}


def check_page(out: str) -> None:
    """Before the first text is scored, not after the last."""
    from ..errors import DataError, SpecError

    if not out.endswith((".html", ".htm")):
        raise SpecError(f"the page is HTML: name it FILE.html, not {out}")
    if not Path(out).parent.is_dir():
        raise DataError(f"no folder {Path(out).parent}; make it first")


def write_page(found: Account, file: str, out: str) -> None:
    from ..explain import page
    from ..store import write_whole

    made = page(found, Path(file).name if file != "-" else "standard input")
    write_whole(Path(out), lambda path: path.write_text(made, encoding="utf-8", errors="replace"))
    typer.echo(f"explanation: {out}", err=True)


def print_account(found: Account, file: str) -> None:
    from rich.console import Console

    from ..explain.document import PLAINLY, number
    from ..explain.tokens import terminal

    console = Console()
    console.print(f"{found.detector}: score {number(found.score)}", markup=False, highlight=False)
    if found.standing:
        console.print(found.standing.said, markup=False, highlight=False)
    if found.note:
        console.print(f"note: {found.note}", markup=False, highlight=False)
    console.print(PLAINLY, style="italic", highlight=False)
    for one in found.explanations:
        print_weights(console, one)
    rows = [[name, number(value)] for name, value in found.top]
    print_rows(console, "the model's largest coefficients", ("input", "coefficient"), rows)
    heads = ("input", "in this text", "impurity", "fall of AUROC", "interval")
    rows = [
        [one.name, *map(number, (one.value, one.impurity, one.fall, (one.low, one.high)))] for one in found.importances
    ]
    print_rows(console, "the forest's inputs", heads, rows)
    print_rows(console, "the model's own words", ("part", "told"), [list(pair) for pair in found.words])
    if found.tokens is not None:
        console.print(terminal(found.text, found.tokens))
    rows = [[one.measure, number(one.value), one.reason or one.unit] for one in found.reading]
    print_rows(console, "the text itself", ("measure", "value", "unit"), rows)


def print_weights(console: Any, one: Any) -> None:
    from ..explain.document import number

    rows = [
        [part.name[:60], part.direction, number(part.weight), number((part.low, part.high))]
        for part in one.heaviest(10)
    ]
    print_rows(console, one.method, ("part", "towards", "weight", "interval"), rows)
    facts = {"base": one.base, "base and all weights": one.sum, "texts scored": one.calls, **one.facts}
    for line in (*(f"{key}: {number(value)}" for key, value in facts.items()), *one.notes):
        console.print(f"  {line}", markup=False, highlight=False)


def print_rows(console: Any, title: str, heads: tuple[str, ...], rows: list[list[str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    if rows:
        table = Table(*heads, title=title, title_justify="left")
        for row in rows:
            table.add_row(*map(Text, row))
        console.print(table)
