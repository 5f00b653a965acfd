"""What the GEDE paper does to human essays before it uses them: so many a task or discipline, and not too long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ..documents import Document
from ..errors import SpecError
from ..seeds import rng


def check_limits(name: str, **limits: int | None) -> None:
    for key, value in limits.items():
        if value is not None and value < 1:
            raise SpecError(f"{name}: {key} must be 1 or more, or None for no limit, got {value!r}")


def drawn(
    documents: Iterable[Document], group: Callable[[Document], object], n: int | None, seed: int
) -> list[Document]:
    """At most ``n`` random documents of each group, in their order; which ones depends on ids and seed alone."""
    kept = list(documents)
    if n is None:
        return kept
    members: dict[object, list[str]] = {}
    for document in kept:
        members.setdefault(group(document), []).append(document.id)
    chosen = {name for ids in members.values() for name in rng("draw", seed).sample(sorted(ids), min(n, len(ids)))}
    return [document for document in kept if document.id in chosen]


def shortened(documents: Iterable[Document], max_words: int | None) -> Iterator[Document]:
    """Documents cut at sentence ends to at most ``max_words`` words (white space), and marked as cut."""
    for document in documents:
        text = first_sentences(document.text, max_words) if max_words else document.text
        yield document if text == document.text else replace(document, text=text, truncated=True)


def first_sentences(text: str, max_words: int) -> str:
    """Whole sentences with at most ``max_words`` words together; the start of the first one, if it alone is longer."""
    from nupunkt import sent_spans

    if len(text.split()) <= max_words:
        return text
    end = count = 0
    for start, stop in sent_spans(text):
        count += len(text[start:stop].split())
        if count > max_words:
            break
        end = stop
    return text[:end].rstrip() if end else " ".join(text.split()[:max_words])
