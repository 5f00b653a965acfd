"""Options that several commands share, and how they change a plan."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ..plan import Plan

Out = Annotated[str, typer.Option("--out", "-o", help="The run folder.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Engine = Annotated[str, typer.Option(help="auto, serial, processes, processes(workers=2), ...")]
Device = Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1, ...: where the models run.")]
Dtype = Annotated[str | None, typer.Option(help="float32, bfloat16, float16: how the models compute.")]
Batch = Annotated[int, typer.Option(help="Texts a work item: what a stop loses at most.", min=1)]
Limit = Annotated[int | None, typer.Option(help="At most so many clean documents of each level.", min=1)]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Only say what detectors would ask of a chat model, and what it would cost.")
]
Boundary = Annotated[str | None, typer.Option("--policy", help="The last acceptable level, e.g. rewrite-human.")]
Fpr = Annotated[float | None, typer.Option(help="The tolerated false-positive rate, e.g. 0.05.")]


def changed(
    plan: Plan,
    *,
    limit: int | None = None,
    boundary: str | None = None,
    fpr: float | None = None,
) -> Plan:
    """The plan with what the command line says instead."""
    from ..documents import Level, Policy

    policy = Policy(Level.read(boundary) if boundary else plan.policy.boundary, plan.policy.fpr if fpr is None else fpr)
    sample = replace(plan.sample, per_level=limit) if limit else plan.sample
    return replace(plan, policy=policy, sample=sample)


def with_runtime(plan: Plan, *, device: str | None, dtype: str | None) -> Plan:
    """The plan with the model's device and dtype, where its spec does not name its own; they are part of every key."""
    if device is None and dtype is None:
        return plan
    from ..models.weights import with_options

    return replace(plan, model=with_options(plan.model or "embedded", device=device, dtype=dtype))


def print_json(value: Any) -> None:
    typer.echo(json.dumps(plain(value), indent=1, ensure_ascii=False, sort_keys=True, allow_nan=False, default=str))


def plain(value: Any) -> Any:
    """The same without what JSON has no word for: NaN and infinities become null."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def progress() -> Callable[[int, int], None]:
    """A line on standard error with what is left and how long, by rich where it is a terminal."""
    import time

    started = time.monotonic()
    last = [0.0]

    def tell(done: int, total: int) -> None:
        now = time.monotonic()
        if total == 0 or (done < total and now - last[0] < (0.5 if sys.stderr.isatty() else 15)):
            return
        last[0] = now
        left = (now - started) / done * (total - done) if done else 0
        eta = f", about {left / 60:.0f} min left" if left >= 90 else f", about {left:.0f} s left" if done else ""
        end = "\n" if done == total or not sys.stderr.isatty() else "\r"
        print(f"scored {done:,} of {total:,}{eta if done < total else ''}    ", end=end, file=sys.stderr, flush=True)

    return tell
