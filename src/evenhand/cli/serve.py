"""evenhand serve: the local page."""

from __future__ import annotations

from functools import lru_cache
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ..documents import Judgement
    from ..store import Store


def serve(
    folder: Annotated[str, typer.Argument(help="A run folder, or a folder of run folders.")] = ".",
    port: Annotated[int, typer.Option(help="0 takes a free one.", min=0, max=65535)] = 8000,
    host: Annotated[
        str, typer.Option(help="Only this machine by default: run folders hold people's texts.")
    ] = "127.0.0.1",
) -> None:
    """The local page: reports under any policy, texts and their scores, and 'try a text'."""
    from ..errors import MissingExtra, StoreError
    from ..web import page

    if not Path(folder).is_dir():
        raise StoreError(f"there is no folder {folder}; `evenhand demo -o {folder}` makes a run")
    try:
        import uvicorn
    except ModuleNotFoundError as error:
        raise MissingExtra("the local page", "web") from error
    made = page(folder, judge, hosts=sorted({"127.0.0.1", "localhost", "[::1]", host}))
    server = uvicorn.Server(uvicorn.Config(made, host=host, port=port, log_level="warning", server_header=False))
    typer.echo(f"http://{host}:{port} (Ctrl-C ends it)")
    server.run()


def judge(run: Store, text: str) -> dict[str, Judgement]:
    """What the page is handed: the run's detectors, as they were fitted there, on one text."""
    from ..detectors.judging import judge as judged
    from ..documents import Judgement
    from ..errors import EvenhandError

    found = {}
    for spec, key in run.read_json("environment.json").get("detectors", {}).items():
        try:
            found[spec] = judged([text], [fitted(run.folder, spec, key)])[0][0]
        except EvenhandError as error:
            found[spec] = Judgement(nan, "failed", str(error))
    return found


@lru_cache(maxsize=32)
def fitted(folder: Path, spec: str, key: str) -> Any:
    """The detector, fitted once for all texts that are tried; ``key`` changes where the run scores by another."""
    from .. import training
    from ..store import Store

    return training.fitted(Store.existing(folder), spec)
