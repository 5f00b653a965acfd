"""evenhand fetch: models into the cache, for offline work."""

from __future__ import annotations

from typing import Annotated

import typer


def fetch(
    what: Annotated[str, typer.Argument(help="A plan (.toml), or a model: embedded, hub:NAME@REVISION.")],
) -> None:
    """Bring a plan's models into the cache, so that EVENHAND_OFFLINE=1 works."""
    from .. import detectors, measures
    from ..models import weights
    from ..plan import Plan

    if not what.endswith(".toml"):
        typer.echo(f"{what}: {weights.fetch(what)}")
        return
    plan = Plan.read(what)
    chosen = [detectors.get(spec, model=plan.model) for spec in plan.detectors]
    for model in dict.fromkeys(model for detector in chosen for model in getattr(detector, "models", ())):
        typer.echo(f"{model}: {weights.fetch(model)}")
    for spec in plan.measures:
        if fetch_encoder := getattr(measures.get(spec), "fetch", None):
            typer.echo(f"{spec}: {fetch_encoder()}")
