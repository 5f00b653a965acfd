"""Names that only the holder of a key can link to the ids of a corpus (HMAC-SHA-256).

A run folder with ``pseudonyms = true`` holds no id, source, cluster, title, author or file name of the corpus. Attacks and
samples are drawn before the names change, so a pseudonymous run has the scores of an open one. Texts are another matter: leave
them out by ``store_texts = false``.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Sequence
from dataclasses import replace

from .documents import Document
from .errors import MissingError

KEY = "EVENHAND_PSEUDONYM_KEY"
SHORTEST = 16
NAMING = ("author", "name", "email", "student", "student_id", "file", "path", "url", "doi")
"""Keys of ``meta`` that name a person or a place; their values change as ids do."""


def key() -> bytes:
    """The secret in the environment; raises MissingError without one, or with one that could be guessed."""
    found = os.environ.get(KEY, "")
    if len(found) < SHORTEST:
        raise MissingError(
            f"pseudonyms need a secret of at least {SHORTEST} characters in the environment variable {KEY}; keep it apart from "
            "the run folder: whoever has both can link the names to the ids"
        )
    return found.encode()


def pseudonym(name: str, secret: bytes) -> str:
    """The same name and key give the same pseudonym; what follows an id after '|' (its edits) stays readable."""
    own, bar, edits = name.partition("|")
    return hmac.new(secret, own.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[:16] + bar + edits


def pseudonymous(document: Document, secret: bytes, naming: Sequence[str] = ()) -> Document:
    """``naming``: further keys of ``meta`` whose values change."""

    def renamed(name: str | None) -> str | None:
        return pseudonym(name, secret) if name else name

    meta = {k: pseudonym(str(v), secret) if k in (*NAMING, *naming) and v else v for k, v in document.meta.items()}
    return replace(
        document,
        id=pseudonym(document.id, secret),
        source_id=renamed(document.source_id),
        cluster=renamed(document.cluster) or "",
        title=renamed(document.title),
        meta=meta,
    )
