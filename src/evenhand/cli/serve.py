"""evenhand serve: the local page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..documents import Judgement


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


def judge(text: str, specs: Sequence[str], model: str | None) -> list[Judgement]:
    """What the page is handed: the detectors of a run on one text. One that must be trained first tells so."""
    import math

    from .. import detectors
    from ..detectors.judging import judge as judged
    from ..documents import Judgement
    from ..errors import EvenhandError

    answers = []
    for spec in specs:
        try:
            answers.append(judged([text], [detectors.get(spec, model)])[0][0])
        except EvenhandError as error:
            answers.append(Judgement(math.nan, "failed", str(error)))
    return answers
