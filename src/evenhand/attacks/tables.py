"""Word lists and tables: those shipped in evenhand/data (see NOTICE), and those read from a path the user gives."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from ..errors import DataError, MissingError


def shipped(name: str) -> str:
    """The text of a table in evenhand/data."""
    return (files("evenhand") / "data" / name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def american_to_british() -> Mapping[str, str]:
    """1,800 spellings (MIT, American-British-English-Translator)."""
    return dict(json.loads(shipped("american_spellings.json")))


@lru_cache(maxsize=1)
def common_misspellings() -> Mapping[str, tuple[str, ...]]:
    """Words and how they are often misspelt; a list of our own."""
    rows = (line.split("\t") for line in shipped("misspellings.tsv").splitlines() if line and line[0] != "#")
    return {word: tuple(wrong.split(",")) for word, wrong in rows}


@lru_cache(maxsize=8)
def user_words(path: str) -> Mapping[str, tuple[str, ...]]:
    """A JSON object {word: [misspelling, ...]}; raises MissingError or DataError."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingError(
            f"no word list at {path!r}; give the path of a JSON file {{word: [misspelling, ...]}}"
        ) from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise DataError(
            f"cannot read the word list {path!r}: {error}; it must be JSON {{word: [misspelling, ...]}}"
        ) from error
    if not isinstance(content, dict):
        raise DataError(
            f"the word list {path!r} holds a {type(content).__name__}; it must be {{word: [misspelling, ...]}}"
        )
    return {word: _options(path, word, wrong) for word, wrong in content.items()}


def _options(path: str, word: str, wrong: object) -> tuple[str, ...]:
    if isinstance(wrong, list) and wrong and all(isinstance(one, str) for one in wrong):
        return tuple(wrong)
    raise DataError(f"the word list {path!r} has {wrong!r} for {word!r}; it must be a list of misspellings")


def trie_pattern(words: Iterable[str]) -> str:
    """A regular expression that matches the longest of the words at a place, without trying one after the other."""
    import re

    tree: dict[str, dict] = {}  # type: ignore[type-arg]
    for word in words:
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
        node[""] = {}

    def pattern(node: dict) -> str:  # type: ignore[type-arg]
        branches = [re.escape(letter) + pattern(node[letter]) for letter in sorted(node) if letter]
        if not branches:
            return ""
        inner = branches[0] if len(branches) == 1 and "" not in node else f"(?:{'|'.join(branches)})"
        return inner + ("?" if "" in node else "")

    return pattern(tree)
