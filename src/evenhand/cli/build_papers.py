"""evenhand build papers, evenhand build section-models: fake and co-created papers, and models that write their sections."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .files import check_new, write_documents
from .options import Json, print_json
from .writers import Endpoint, writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..build import Cost
    from ..documents import Document


def papers(
    titles: Annotated[
        str,
        typer.Argument(help="Titles: a .txt with one a line, a table with a column title, a corpus, made_up(n=40)."),
    ],
    out: Annotated[str | None, typer.Option("--out", "-o", help="Where the papers go (.parquet, .jsonl).")] = None,
    generator: Annotated[
        list[str] | None, typer.Option("--generator", "-g", help="A maker, e.g. chat_papers or co_created; repeat.")
    ] = None,
    model: Annotated[str, typer.Option(help="The chat model, local or with --base-url an endpoint's.")] = "embedded",
    base_url: Annotated[str | None, typer.Option(help="An OpenAI-compatible endpoint.")] = None,
    key_env: Annotated[str, typer.Option(help="The variable with its key; '' for none.")] = "OPENAI_API_KEY",
    concurrency: Annotated[int, typer.Option(help="Requests side by side at an endpoint.", min=1)] = 4,
    beside: Annotated[
        str | None, typer.Option(help="Human texts that the papers will stand beside: no title may be in both.")
    ] = None,
    sections: Annotated[bool, typer.Option("--sections", help="A document a section, not one a paper.")] = False,
    seed: Annotated[int, typer.Option(help="Another seed, other papers.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would cost.")] = False,
    json: Json = False,
) -> None:
    """Make fake papers from titles, or paraphrase sections of human ones. Answers are kept: a second call asks only for what is
    missing. A title whose answers cannot be used is skipped; its row stands in the file with an empty text and the reason."""
    from ..build_papers import build_papers, estimate_papers, read_titles, sections_apart
    from ..errors import SpecError
    from .files import read_documents

    specs = generator or ["grammar_papers"]
    given = read_titles(titles)
    costs = estimate_papers(given, specs)
    if dry_run or not json:
        show_costs(costs, json, err=not dry_run)
    if dry_run:
        return
    if out is None:
        raise SpecError("name the file for the papers with --out")
    check_new(out, parquet=True)
    others = read_documents(beside) if beside else [document for document in given if document.text]
    started = time.monotonic()
    made = build_papers(given, specs, writer(model, Endpoint(base_url, key_env, concurrency)), seed, others)
    write_papers(sections_apart(made) if sections else made, out)
    show_outcome(made, out, time.monotonic() - started, json)


def write_papers(made: Sequence[Document], out: str) -> None:
    from ..build import save

    if out.endswith(".parquet"):
        save(made, Path(out))
    else:
        write_documents(made, out)


def show_costs(costs: Sequence[Cost], json: bool, err: bool) -> None:
    if json:
        print_json([asdict(one) for one in costs])
        return
    for one in costs:
        room = f"about {one.prompt_tokens:,} tokens of prompts, at most {one.answer_tokens:,} of answers"
        told = f"{one.requests:,} requests, {room}, if no answer has to be asked for again"
        typer.echo(f"{one.level}: {told if one.requests else 'asks no model'}", err=err)


def show_outcome(made: Sequence[Document], out: str, seconds: float, json: bool) -> None:
    """Per maker: papers asked for, accepted, at the first try, skipped; the reasons of the skipped."""
    from collections import Counter

    from ..levels.papers.base import outcome

    by_maker: dict[str, list[Document]] = {}
    for paper in made:
        by_maker.setdefault(str(paper.meta["prompt"]), []).append(paper)
    table = {spec: outcome(rows) for spec, rows in by_maker.items()}
    why = Counter(reason(str(paper.meta["error"])) for paper in made if paper.meta.get("error"))
    if json:
        print_json({"out": out, "seconds": round(seconds, 1), "makers": table, "skipped_for": dict(why)})
        return
    for spec, row in table.items():
        marks = ", ".join(f"{n} {mark}" for mark, n in list(row.items())[5:])
        typer.echo(
            f"{spec.partition('(')[0]}: {row['accepted']} of {row['n']} papers, {row['at once']} without a second try, "
            f"{row['skipped']} skipped, {row['tries']} answers" + (f"; {marks}" if marks else "")
        )
    for text, n in why.most_common():
        typer.echo(f"  skipped ({n}): {text}")
    typer.echo(f"{out}: {len(made)} rows in {seconds:,.0f} s")


def reason(error: str) -> str:
    """Without the numbers that differ from title to title."""
    import re

    return re.sub(r" \(\d+\)", "", error)[:160]


def section_models(
    corpus: Annotated[str, typer.Argument(help="Human papers with titles, and the headings Abstract: and so on.")],
    out: Annotated[str, typer.Option("--out", "-o", help="A new folder for the three models.")],
    model: Annotated[str, typer.Option(help="The base; IDMGSP's is hub:openai-community/gpt2.")] = "embedded",
    epochs: Annotated[int, typer.Option(help="Rounds over the papers.", min=1)] = 6,
    batch: Annotated[int, typer.Option(help="Papers a step.", min=1)] = 16,
    max_tokens: Annotated[int, typer.Option(help="A paper's section is cut to so many, title included.", min=8)] = 1024,
    seed: Annotated[int, typer.Option(help="Another order, another validation side.")] = 0,
    json: Json = False,
) -> None:
    """Fine-tune a model a section on title -> section; `-g "causal_papers(model='DIR')"` then writes with them."""
    from dataclasses import replace

    from ..build_papers import tune_sections
    from ..errors import SpecError
    from ..models.language_tuning import GPT2_SECTIONS
    from .files import read_documents

    if Path(out).exists():
        raise SpecError(f"{out} is there already; name a new folder")
    recipe = replace(GPT2_SECTIONS, epochs=epochs, batch=batch, max_tokens=max_tokens, seed=seed)
    if not json:
        typer.echo(f"recipe: {recipe}", err=True)

    def told(epoch: int, epochs: int, loss: float | None, seconds: float) -> None:
        end = "" if loss is None else f", validation loss {loss:.4f}"
        typer.echo(f"{epoch} of {epochs} epochs{end}, about {seconds / 60:,.0f} minutes left of this section", err=True)

    found = tune_sections(read_documents(corpus), model, Path(out), recipe, progress=None if json else told)
    if json:
        print_json(found)
    else:
        typer.echo(f"{out}: three models, from {found['papers']} papers; recipe.json says how")
