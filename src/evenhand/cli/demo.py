"""evenhand demo: the main job on the embedded corpus and model."""

from __future__ import annotations

from .options import Engine, Json, Out


def demo(out: Out = "runs/demo", engine: Engine = "auto", json: Json = False) -> None:
    """Study, audit and report on the embedded corpus and model: five minutes on two cores; resumes by itself."""
    from importlib.resources import files

    from ..plan import Plan
    from ..run import Options
    from .options import progress
    from .run import execute

    text = (files("evenhand") / "data" / "demo.toml").read_text(encoding="utf-8")
    execute(Plan.parse(text, "the demo's plan"), out, Options(engine, progress=progress()), json=json)
