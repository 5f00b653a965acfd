"""evenhand features: what LLMFE proposed, what a cut leaves of it, and the tree to choose the cut by."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Json, print_json


def features(
    detector: Annotated[str, typer.Argument(help="An llmfe of the run, as the plan has it; or saved(path='DIR').")],
    run: Annotated[str | None, typer.Option("--run", help="The run folder that trained it.")] = None,
    cut: Annotated[float | None, typer.Option(help="What another cut would leave; nothing is asked for it.")] = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Write the dendrogram (.svg).")] = None,
    json: Json = False,
) -> None:
    """The features of an LLMFE: those it kept, those another cut would keep, and their tree."""
    from ..store import write_whole

    found = fitted_llmfe(detector, run)
    kept, at = found.recut(cut), found.cut if cut is None else cut
    if out is not None:
        write_whole(Path(out), lambda path: path.write_text(found.dendrogram(cut), encoding="utf-8"))
        typer.echo(f"tree: {out}", err=True)
    told = {"proposed": len(found.proposed_), "cut": at, "kept": [one.described for one in kept]}
    if json:
        print_json(told | {"training": found.training_})
        return
    typer.echo(f"{told['proposed']} features proposed, {len(kept)} kept at the cut {at:g}")
    for one in kept:
        typer.echo(f"  {one.described}")


def fitted_llmfe(spec: str, run: str | None) -> Any:
    from ..detectors.prompted.llmfe import LLMFE
    from ..detectors.trained.weights import unwrapped
    from ..errors import SpecError
    from ..store import Store
    from .explain import detector_of

    found = unwrapped(detector_of(spec, None, Store.existing(run) if run else None))
    if not isinstance(found, LLMFE):
        raise SpecError(f"{spec} has no features of this kind: name an llmfe")
    return found
