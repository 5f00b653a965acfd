"""evenhand forget: a text removed from a run, everywhere."""

from __future__ import annotations

from typing import Annotated

import typer


def forget(
    run: Annotated[str, typer.Argument(help="A run folder.")],
    ids: Annotated[list[str], typer.Argument(help="Ids of documents.")],
) -> None:
    """Remove documents, the texts made from them, and their scores, measures and kept statistics."""
    from ..errors import DataError
    from ..models import cache
    from ..store import Store

    store = Store.existing(run)
    known = set(store.read("documents", ["id"])["id"].to_pylist())
    if unknown := [name for name in ids if name not in known]:
        raise DataError(f"{run} holds no document {unknown[0]!r}; ids stand in its documents/*.parquet")
    removed = store.forget(ids)
    kept = sum(cache.forget(digest) for digest in removed.values())
    typer.echo(
        f"{len(removed)} documents and {kept} files of the statistics cache removed, and the findings with them;"
    )
    typer.echo(f"`evenhand audit {run}` makes findings of what is left")
