"""Small texts of our own for the tests of hygiene."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from evenhand.documents import Document

NOUNS = "boat harbour meadow winter letter garden kitchen neighbour river engine lantern orchard valley teacher".split()
VERBS = "painted mended carried forgot borrowed watched opened counted followed measured".split()
PLACES = "behind the barn,near the old mill,before the long winter,after the first snow,under a grey sky".split(",")
Make = Callable[..., Document]


def make_text(seed: object, sentences: int = 12) -> str:
    """Sentences of which two seeds share no eight words in a row: each holds a number of its own."""
    draw = Random(str(seed))
    return " ".join(
        f"The {draw.choice(NOUNS)} {draw.choice(VERBS)} {draw.randrange(10**9)} times a {draw.choice(NOUNS)} "
        f"{draw.choice(PLACES)}."
        for _ in range(sentences)
    )


def make_document(name: str, label: str = "human", text: str | None = None, **more: object) -> Document:
    made = make_text(name) if text is None else text
    return Document(id=name, text=made, label=label, **{"cluster": name, **more})  # type: ignore[arg-type]


def make_both(n: int = 40) -> list[Document]:
    return [make_document(f"{label[0]}{i}", label) for i in range(n) for label in ("human", "machine")]


@pytest.fixture(scope="session")
def text() -> Callable[..., str]:
    return make_text


@pytest.fixture(scope="session")
def document() -> Make:
    return make_document


@pytest.fixture(scope="session")
def both() -> Callable[..., list[Document]]:
    """n human and n machine texts, each its own cluster."""
    return make_both
