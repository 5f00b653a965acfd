"""evenhand try: one text through a chain, in the terminal."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Json, print_json


def try_text(
    file: Annotated[str, typer.Argument(help="A text file, or - for standard input.")],
    attack: Annotated[list[str] | None, typer.Option("--attack", "-a", help="An attack; may be repeated.")] = None,
    sanitizer: Annotated[
        list[str] | None, typer.Option("--sanitizer", "-s", help="A sanitizer; after the attacks.")
    ] = None,
    detector: Annotated[list[str] | None, typer.Option("--detector", "-d", help="A detector; may be repeated.")] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", help="embedded, hub:NAME@REVISION or a folder.")] = None,
    tokens: Annotated[bool, typer.Option("--tokens", help="Colour every token by its rank under the model.")] = False,
    html: Annotated[str | None, typer.Option(help="Write the coloured tokens as one offline HTML file.")] = None,
    seed: int = 0,
    json: Json = False,
) -> None:
    """One text through attacks, sanitizers and detectors: what each step changes, and how the scores move."""
    from .. import attacks, sanitizers

    text = read_text(file)
    steps = [("attack", spec, attacks.get(spec)) for spec in attack or []]
    steps += [("sanitizer", spec, sanitizers.get(spec)) for spec in sanitizer or []]
    stages: list[dict[str, Any]] = [{"step": "text", "spec": file, "text": text}]
    for kind, spec, component in steps:
        edited = component(stages[-1]["text"], seed=seed)
        told = {name: getattr(edited, name) for name in ("text", "edits", "candidates", "dose", "note")}
        stages.append({"step": kind, "spec": spec, **told})
    if detector:
        add_scores(stages, detector, model)
    if json:
        print_json(stages)
        return
    print_stages(stages)
    if tokens or html:
        show_tokens(stages[-1]["text"], model or "embedded", html)


def show_tokens(text: str, model: str, html: str | None) -> None:
    """The last stage token by token: in the terminal, or as a file."""
    from rich.console import Console

    from ..explain import tokens
    from ..models.causal import token_statistics
    from ..store import write_whole

    statistics = token_statistics([text], model)[0]
    if html is None:
        Console().print(tokens.terminal(text, statistics))
        return
    page = tokens.page(text, statistics, model=model)
    write_whole(Path(html), lambda path: path.write_text(page, encoding="utf-8", errors="replace"))
    typer.echo(f"tokens: {html}")


def read_text(file: str) -> str:
    """The text of a file or of standard input. A byte order mark at the start belongs to the file and is dropped, as it is where
    a corpus is read."""
    from ..errors import DataError

    path = Path(file)
    if file != "-" and not path.is_file():
        found = (
            "it is a folder; name one file in it"
            if path.is_dir()
            else "there is no such file; use - for standard input"
        )
        raise DataError(f"cannot read {file}: {found}")
    try:
        raw = sys.stdin.buffer.read() if file == "-" else path.read_bytes()
        return StringIO(raw.decode("utf-8-sig"), newline=None).read()  # line ends as Python reads text
    except OSError as error:
        raise DataError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        name = "standard input" if file == "-" else file
        raise DataError(
            f"{name} is no UTF-8 text (byte {error.start}): save it as UTF-8, or turn a PDF, DOCX or other document into text "
            "by `evenhand import`"
        ) from None


def add_scores(stages: list[dict[str, Any]], detectors: list[str], model: str | None) -> None:
    from ..detectors.judging import score_texts

    for row in score_texts([stage["text"] for stage in stages], detectors, model=model).to_pylist():
        told = row["score"] if row["status"] == "ok" else row["reason"]
        stages[row["text_index"]].setdefault("scores", {})[row["detector"]] = told


def print_stages(stages: list[dict[str, Any]]) -> None:
    from rich.console import Console

    console = Console()
    for stage in stages:
        told = (
            f" {stage['edits']} of {stage['candidates']} places, {stage['dose']:.1f} per 1,000 words"
            if "edits" in stage
            else ""
        )
        console.print(f"[bold]{stage['step']}[/bold] {stage['spec']}{told}", highlight=False)
        if stage.get("note"):
            console.print(f"  {stage['note']}", markup=False)
        console.print(stage["text"], markup=False, highlight=False)
        for name, value in stage.get("scores", {}).items():
            shown = f"{value:.4f}" if isinstance(value, float) else f"no score: {value}"
            console.print(f"  {name}: {shown}", markup=False)
        console.print()
