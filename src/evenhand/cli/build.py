"""evenhand build: texts at contribution levels, from human texts and any language model."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .files import read_documents, write_documents
from .options import Json, print_json

if TYPE_CHECKING:
    from ..build import Cost
    from ..models.chat import Writer


def build(
    source: Annotated[str, typer.Argument(help="Human texts with their tasks: a file, a folder, or a corpus spec.")],
    out: Annotated[str | None, typer.Option("--out", "-o", help="Where sources and new texts go (.jsonl).")] = None,
    level: Annotated[
        list[str] | None, typer.Option("--level", "-l", help="A level, e.g. improve_human; repeat.")
    ] = None,
    model: Annotated[
        str, typer.Option(help="A local model, or with --base-url the endpoint's name of one.")
    ] = "embedded",
    base_url: Annotated[str | None, typer.Option(help="An OpenAI-compatible endpoint.")] = None,
    key_env: Annotated[str, typer.Option(help="The variable with its key; '' for none.")] = "OPENAI_API_KEY",
    other: Annotated[
        str | None, typer.Option(help="The other model, whose texts rewrite_llm and humanize rework.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed, other texts.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would cost.")] = False,
    json: Json = False,
) -> None:
    """Make texts at contribution levels. Answers are kept: a second call asks only for what is missing."""
    from ..build import build_levels, estimate
    from ..errors import SpecError

    specs = level or ["improve_human", "rewrite_human", "summary", "task_summary", "task"]
    humans = [document for document in read_documents(source) if document.label == "human"]
    if dry_run:
        show_costs(estimate(humans, specs), json)
        return
    if out is None or Path(out).exists():
        raise SpecError(f"{out} is there already; name a new file" if out else "name the file for the texts with --out")
    second = writer(other, base_url, key_env) if other else None
    made = build_levels(humans, specs, writer(model, base_url, key_env), seed, second)
    write_documents([*humans, *made], out)
    show_counts([document.meta.get("marks", []) for document in made], out, json)


def writer(model: str, base_url: str | None, key_env: str) -> Writer:
    """The model behind its kept answers."""
    from ..models.chat import Cached, LocalChat, OpenAIChat
    from ..models.home import cache_dir

    chosen = OpenAIChat(base_url, model, key_env) if base_url else LocalChat(model)
    return Cached(chosen, cache_dir() / "answers")


def show_costs(costs: list[Cost], json: bool) -> None:
    if json:
        print_json([asdict(cost) for cost in costs])
        return
    for cost in costs:
        asked = f"{cost.requests:,} requests, about {cost.prompt_tokens:,} tokens of prompts"
        typer.echo(f"{cost.level}: {asked}, at most {cost.answer_tokens:,} of answers")


def show_counts(marks: list[list[str]], out: str, json: bool) -> None:
    """How many texts came, and what is odd about how many of them."""
    from collections import Counter

    counts = Counter(mark for one in marks for mark in one)
    if json:
        print_json({"out": out, "texts": len(marks), "marks": dict(counts)})
        return
    told = ", ".join(f"{n} {mark}" for mark, n in counts.most_common())
    typer.echo(f"{len(marks)} texts in {out}" + (f"; their answers: {told}" if told else ""))
