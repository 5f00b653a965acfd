"""evenhand forget: a text removed from a run, everywhere; or all that the statistics cache holds of any text."""

from __future__ import annotations

from typing import Annotated

import typer


def forget(
    run: Annotated[str | None, typer.Argument(help="A run folder.")] = None,
    ids: Annotated[list[str] | None, typer.Argument(help="Ids of documents.")] = None,
    cache: Annotated[bool, typer.Option("--cache", help="Clear the statistics cache instead, for all texts.")] = False,
) -> None:
    """Remove documents, the texts made from them, their scores, measures, statistics, edits and answers; not what was built."""
    from ..errors import SpecError

    if cache == bool(run) or bool(run) != bool(ids):
        raise SpecError("forget takes a run folder and the ids of documents, or --cache alone")
    if cache:
        clear()
    else:
        forget_documents(str(run), ids or [])


def clear() -> None:
    from ..models import cache

    typer.echo(f"statistics cache cleared: {cache.clear() / 1e6:.1f} MB; the next run of a model fills it anew")


def forget_documents(run: str, ids: list[str]) -> None:
    from .. import kept, pseudonyms
    from ..errors import DataError
    from ..models import cache, chat
    from ..models.home import cache_dir
    from ..store import Store

    store = Store.existing(run)
    known = set(store.read("documents", ["id"])["id"].to_pylist())
    if store.settings().get("pseudonyms"):
        secret = pseudonyms.key()
        ids = [name if name in known else pseudonyms.pseudonym(name, secret) for name in ids]
    if unknown := [name for name in ids if name not in known]:
        raise DataError(f"{run} holds no document {unknown[0]!r}; ids stand in its documents/*.parquet")
    removed = store.forget(ids)
    files = sum(cache.forget(digest) for digest in removed.values())
    for folder in (cache_dir() / "answers", kept.folder()):
        files += sum(chat.forget(folder, digest) for digest in removed.values())
    typer.echo(f"{len(removed)} documents and {files} files of the cache removed, and the findings with them;")
    typer.echo(f"`evenhand audit {run}` makes findings of what is left")
