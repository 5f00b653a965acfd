"""evenhand fetch: models into the cache, for offline work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer


def fetch(
    what: Annotated[
        str, typer.Argument(help="A plan (.toml), or a model: embedded, minilm (the encoder), hub:NAME@REVISION.")
    ],
) -> None:
    """Bring a plan's models into the cache, so that EVENHAND_OFFLINE=1 works."""
    from ..models import minilm, weights

    found = of_plan(what) if what.endswith(".toml") else [(what, minilm.folder if what == "minilm" else None)]
    for name, bring in found:
        typer.echo(f"{name}: {bring() if bring else weights.fetch(name)}")


def of_plan(file: str) -> Iterator[tuple[str, Any]]:
    """Each model once, and each component that brings its own."""
    from .. import detectors, measures
    from ..plan import Plan

    plan = Plan.read(file)
    chosen = [detectors.get(spec, model=plan.model) for spec in plan.detectors]
    own = [(part.spec, part.fetch) for part in [*chosen, *map(measures.get, plan.measures)] if hasattr(part, "fetch")]
    models = dict.fromkeys(m for part in chosen if not hasattr(part, "fetch") for m in getattr(part, "models", ()))
    yield from ((model, None) for model in models)
    yield from own
