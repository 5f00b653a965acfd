"""evenhand doctor: what is installed and what is missing."""

from __future__ import annotations

import os
import shutil
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

import typer

from .options import Json, print_json

PROGRAMS = {"apertium": "back_translation, mt_draft without a model (Debian: apertium apertium-eng-spa)"}


def doctor(json: Json = False) -> None:
    """What is installed, what is missing and what it would bring, where the cache is, and whether the network may be used."""
    from ..models import cache
    from ..models.home import cache_dir, offline

    told: dict[str, Any] = {
        "extras": {
            extra: packages(extra)
            for extra in ("figures", "torch", "llm", "everyday", "files", "explain", "web", "ray")
        },
        "programs": {name: shutil.which(name) or f"missing: {what}" for name, what in PROGRAMS.items()},
        "models": sorted(path.name for path in (cache_dir() / "models").glob("*") if path.is_dir()),
        "cache": str(cache_dir()),
        "statistics_bytes": cache.size(),
        "offline": offline(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
    }
    if json:
        print_json(told)
        return
    for extra, found in told["extras"].items():
        missing = [name for name, number in found.items() if number is None]
        cure = f"missing {', '.join(missing)}: pip install 'evenhand[{extra}]'" if missing else "complete"
        typer.echo(f"extra {extra:<10} {cure}")
    for name, where in told["programs"].items():
        typer.echo(f"program {name:<8} {where}")
    typer.echo(
        f"cache {told['cache']}: {', '.join(told['models']) or 'no model yet; `evenhand fetch embedded` brings one'}"
    )
    typer.echo(
        f"statistics of texts {told['statistics_bytes'] / 1e6:.1f} MB of at most {cache.LIMIT / 1e6:.0f} (they hold "
        f"the texts' tokens); {'kept' if cache.enabled() else 'none are added now'}; `evenhand forget --cache` clears them"
    )
    typer.echo(
        f"network {'switched off by EVENHAND_OFFLINE' if told['offline'] else 'may be used'}; {told['cores']} cores"
    )


def packages(extra: str) -> dict[str, str | None]:
    """Name -> installed version (None where it is missing) of what an extra brings."""
    marked = [line for line in requires("evenhand") or [] if f"extra == '{extra}'" in line.replace('"', "'")]
    names = [line.split(";")[0].split("[")[0].split(">")[0].split("=")[0].split("<")[0].strip() for line in marked]
    return {name: installed(name) for name in names if name != "evenhand"}


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
