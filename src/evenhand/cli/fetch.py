"""evenhand fetch: models into the cache, for offline work."""

from __future__ import annotations

from typing import Annotated

import typer


def fetch(
    what: Annotated[str, typer.Argument(help="A plan (.toml), or a model: embedded, hub:NAME@REVISION.")],
) -> None:
    """Bring a plan's models into the cache, so that EVENHAND_OFFLINE=1 works."""
    from .. import detectors
    from ..models import weights
    from ..plan import Plan

    plan = Plan.read(what) if what.endswith(".toml") else None
    chosen = [detectors.get(spec, model=plan.model) for spec in plan.detectors] if plan else []
    models = [what] if plan is None else list(dict.fromkeys(m for d in chosen for m in d.models))
    for model in models:
        typer.echo(f"{model}: {weights.fetch(model)}")
