"""evenhand build levels: texts at contribution levels, from human texts and any language model."""

from __future__ import annotations

from dataclasses import asdict, replace
from math import inf
from typing import TYPE_CHECKING, Annotated

import typer

from . import build_papers
from .files import check_new, read_documents, write_documents
from .options import Json, print_json
from .writers import Endpoint, writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..build import Cost
    from ..documents import Document

REWORKED = ("rewrite_llm", "humanize")
app = typer.Typer(help="Make texts.", no_args_is_help=True, pretty_exceptions_enable=False)
app.command("papers")(build_papers.papers)
app.command("section-models")(build_papers.section_models)


@app.command("levels")
def build(
    source: Annotated[str, typer.Argument(help="Human texts with their tasks: a file, a folder, or a corpus spec.")],
    out: Annotated[str | None, typer.Option("--out", "-o", help="Where sources and new texts go (.jsonl).")] = None,
    level: Annotated[
        list[str] | None,
        typer.Option("--level", "-l", help="A level, e.g. improve_human; repeat. All, if none is named."),
    ] = None,
    model: Annotated[
        str, typer.Option(help="A local model, or with --base-url the endpoint's name of one.")
    ] = "embedded",
    base_url: Annotated[str | None, typer.Option(help="An OpenAI-compatible endpoint.")] = None,
    key_env: Annotated[str, typer.Option(help="The variable with its key; '' for none.")] = "OPENAI_API_KEY",
    concurrency: Annotated[int, typer.Option(help="Requests side by side at an endpoint.", min=1)] = 4,
    other: Annotated[
        str | None, typer.Option(help="The other model, whose texts rewrite_llm and humanize rework.")
    ] = None,
    other_base_url: Annotated[
        str | None, typer.Option(help="Its endpoint; by default that of --base-url, '' for a local model.")
    ] = None,
    max_words: Annotated[int, typer.Option(help="Human texts are cut at sentence ends to so many; 0: whole.")] = 320,
    seed: Annotated[int, typer.Option(help="Another seed, other texts.")] = 0,
    price: Annotated[str | None, typer.Option(help="Of a million tokens of prompts/answers, e.g. 0.15/0.60.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would cost.")] = False,
    json: Json = False,
) -> None:
    """Make texts at contribution levels, after saying what it costs. Answers are kept: a second call asks only for what is
    missing."""
    from ..build import FROM_HUMANS, build_levels, estimate
    from ..errors import SpecError

    specs = [*map(named, level or ())] or [*FROM_HUMANS, *(REWORKED if other else ())]
    humans = cut(human_texts(source), max_words)
    costs, prices = estimate(humans, specs), prices_of(price)
    if dry_run or not json:
        show_costs(costs, prices, json, err=not dry_run)
    if dry_run:
        return
    if out is None:
        raise SpecError("name the file for the texts with --out")
    check_new(out)
    place = Endpoint(base_url, key_env, concurrency)
    elsewhere = place if other_base_url is None else replace(place, base_url=other_base_url or None)
    second = writer(other, elsewhere) if other else None
    made = build_levels(humans, specs, writer(model, place), seed, second)
    write_documents([*humans, *made], out)
    show_counts(humans, made, out, json)


def named(spec: str) -> str:
    """The level's spec, whose name may be spelt as levels are everywhere else: 'rewrite-human'."""
    name, bracket, parameters = spec.partition("(")
    return name.replace("-", "_") + bracket + parameters


def human_texts(source: str) -> list[Document]:
    """The documents of a source that humans alone wrote, without edits of them; raises DataError where there is none."""
    from ..documents import Level
    from ..errors import DataError

    found = [document for document in read_documents(source) if document.label == "human"]
    alone = (None, Level.HUMAN)
    humans = [one for one in found if one.level in alone and one.attack == one.sanitizer == "none"]
    if not humans:
        why = "with the label 'human'" if not found else "of the label 'human' that nobody edited"
        raise DataError(f"{source} holds no text {why}, which levels are made from")
    return humans


def cut(humans: list[Document], max_words: int) -> list[Document]:
    """As GEDE does, whose detectors and models take no more."""
    from ..corpora.sampling import shortened
    from ..errors import SpecError

    if max_words < 0:
        raise SpecError(f"--max-words is 0 (whole texts) or more, got {max_words}")
    return list(shortened(humans, max_words or None))


def prices_of(price: str | None) -> tuple[float, float] | None:
    """Of one token of a prompt and of an answer."""
    from ..errors import SpecError

    if price is None:
        return None
    try:
        prompt, answer = (float(one) / 1e6 for one in price.split("/"))
        if not 0 <= prompt < inf or not 0 <= answer < inf:
            raise ValueError
    except ValueError:
        raise SpecError(
            f"--price is two numbers, prompts/answers of a million tokens, e.g. 0.15/0.60; got {price!r}"
        ) from None
    return prompt, answer


def show_costs(costs: list[Cost], prices: tuple[float, float] | None, json: bool, err: bool) -> None:
    rows = [asdict(one) | ({"price": round(priced(one, prices), 4)} if prices else {}) for one in costs]
    if json:
        print_json(rows)
        return
    for row in rows:
        asked = f"{row['requests']:,} requests, about {row['prompt_tokens']:,} tokens of prompts"
        most = f", at most {row['price']:,.2f}" if prices else ""
        typer.echo(f"{row['level']}: {asked}, at most {row['answer_tokens']:,} of answers{most}", err=err)
    if prices:
        typer.echo(f"in all at most {sum(row['price'] for row in rows):,.2f}", err=err)


def priced(cost: Cost, prices: tuple[float, float]) -> float:
    return cost.prompt_tokens * prices[0] + cost.answer_tokens * prices[1]


def show_counts(humans: Sequence[Document], made: Sequence[Document], out: str, json: bool) -> None:
    """How many texts came of each level, and what is odd about how many of them."""
    from ..levels.base import counts

    table = counts(made)
    short = sum(document.truncated for document in humans)
    if json:
        print_json({"out": out, "texts": len(made), "sources": len(humans), "sources_cut": short, "levels": table})
        return
    typer.echo(f"{len(made)} texts from {len(humans)} human ones ({short} of them cut at a sentence end) in {out}")
    for level, row in table.items():
        told = ", ".join(f"{n} {mark}" for mark, n in sorted(row.items(), key=lambda one: -one[1]) if mark != "n")
        typer.echo(f"{level}: {row['n']}" + (f"; their answers: {told}" if told else ""))
    if lost := sum(row.get("error", 0) for row in table.values()):
        typer.echo(
            f"{lost} texts did not come (meta 'error' says why); the same call with another --out asks again where a request "
            "failed, and for nothing else"
        )
