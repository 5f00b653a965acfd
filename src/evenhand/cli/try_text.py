"""evenhand try: one text through a chain, in the terminal."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Json, print_json

if TYPE_CHECKING:
    from ..models.statistics import TokenStatistics


def try_text(
    file: Annotated[str, typer.Argument(help="A text file, or - for standard input.")],
    attack: Annotated[list[str] | None, typer.Option("--attack", "-a", help="An attack; may be repeated.")] = None,
    sanitizer: Annotated[
        list[str] | None, typer.Option("--sanitizer", "-s", help="A sanitizer; after the attacks.")
    ] = None,
    detector: Annotated[list[str] | None, typer.Option("--detector", "-d", help="A detector; may be repeated.")] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", help="embedded, hub:NAME@REVISION or a folder.")] = None,
    tokens: Annotated[
        bool,
        typer.Option(
            "--tokens", help="Every token with its surprisal and rank under the model; so without any option."
        ),
    ] = False,
    html: Annotated[str | None, typer.Option(help="Write the tokens as one offline HTML file.")] = None,
    seed: int = 0,
    json: Json = False,
) -> None:
    """One text through attacks, sanitizers and detectors: what each step changes, how scores move, each token's surprisal."""
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
    tokens = tokens or not (steps or detector or html or json)
    statistics = read_tokens(stages[-1]["text"], model or "embedded", html) if tokens or html else None
    if json:
        if tokens and statistics:
            stages[-1]["tokens"] = token_rows(stages[-1]["text"], statistics)
        print_json(stages)
        return
    print_stages(stages)
    if tokens and statistics:
        print_tokens(stages[-1]["text"], statistics)
    if html:
        typer.echo(f"tokens: {html}")


def read_tokens(text: str, model: str, html: str | None) -> TokenStatistics:
    """The last stage token by token, written as a page where a file is named."""
    from ..explain import tokens
    from ..models.causal import token_statistics
    from ..store import write_whole

    statistics = token_statistics([text], model)[0]
    if html:
        page = tokens.page(text, statistics, model=model)
        write_whole(Path(html), lambda path: path.write_text(page, encoding="utf-8", errors="replace"))
    return statistics


def token_rows(text: str, statistics: TokenStatistics) -> list[dict[str, Any]]:
    from ..explain import tokens

    return [
        {"text": text[mark.start : mark.end], "bits": mark.surprisal, "rank": mark.rank}
        for mark in tokens.marks(text, statistics)
    ]


def print_tokens(text: str, statistics: TokenStatistics) -> None:
    """Token by token, then the text in the same colours; without colours where the output is no terminal."""
    from rich.console import Console

    from ..explain import tokens

    console = Console()
    console.print(tokens.listing(text, statistics), soft_wrap=True)
    console.print(tokens.terminal(text, statistics))


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
        stage = stages[row["text_index"]]
        stage.setdefault("scores", {})[row["detector"]] = row["score"] if row["status"] == "ok" else row["reason"]
        if row["status"] == "ok" and (note := "; ".join(filter(None, (row["reason"], "truncated" * row["truncated"])))):
            stage.setdefault("score_notes", {})[row["detector"]] = note


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
            note = stage.get("score_notes", {}).get(name)
            console.print(f"  {name}: {shown}" + (f" ({note})" if note else ""), markup=False)
        console.print()
