"""Scores that were computed elsewhere, from a file. A text is looked up by its digest, so the scorer needs to see no label."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self

from ...documents import Judgement, digest
from ...errors import DataError
from ...files import Row, csv_rows, json_rows, opened, separator, table_reader
from ...registry import Card, format_spec, shorten
from ..base import Detector

DIGEST = re.compile("[0-9a-f]{32}")
NO_SCORE = frozenset({"", "na", "nan", "none", "null"})
"""How tables write that there is none."""


class Given(NamedTuple):
    """What a line says of a text; NaN where it says that there is no score."""

    score: float
    reason: str | None
    line: int


@dataclass(frozen=True)
class ScoresFile(Detector):
    """``path``: JSON lines, CSV or TSV, plain or gzip, with ``score``, ``digest`` or ``text``, and ``reason`` where there is no
    score. ``higher``: what the file's higher scores mean."""

    name: ClassVar[str] = "scores"
    card: ClassVar[Card] = Card(
        "Scores that were computed elsewhere, read from a file and looked up by the text.",
        licence="that of the detector which made them",
        family="external",
        needs="the file; `evenhand texts PLAN -o texts.jsonl` writes what is to be scored, without labels",
        follows="no publication",
        pitfalls="another plan makes other texts, of which the file holds no score; whether their scorer has learnt from them, "
        "nothing here can tell",
    )
    model_fields: ClassVar[tuple[str, ...]] = ()
    path: str
    higher: Literal["machine", "human"] = "machine"

    @cached_property
    def known(self) -> dict[str, Given]:
        """Read once; it goes with the detector to other processes, so that no later file answers under this one's key."""
        return read(self.path)

    @property
    def key(self) -> str:
        """Whatever the file answers is in it, and nothing of where it lies or how it is written."""
        lines = [(name, given.score, given.reason) for name, given in sorted(self.known.items())]
        content = blake2b(json.dumps(lines).encode(), digest_size=16).hexdigest()
        return format_spec(self.name, {"content": content, "higher": self.higher})

    def set_params(self, **parameters: Any) -> Self:
        super().set_params(**parameters)
        self.__dict__.pop("known", None)
        return self

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        return [judgement(self.known.get(digest(text)), -1.0 if self.higher == "human" else 1.0) for text in texts]


def judgement(given: Given | None, sign: float) -> Judgement:
    if given is None:
        return Judgement(math.nan, "abstained", "the file of scores holds none of this text")
    told = given.reason and f"told by the file of scores: {given.reason}"
    if math.isnan(given.score):
        return Judgement(math.nan, "abstained", told or "the file of scores says that there is none, and no reason")
    return Judgement(sign * given.score, reason=told)


def read(path: str) -> dict[str, Given]:
    """Digest of a text -> what the file says of it; a score goes before none (tried again). Raises DataError with the line."""
    found: dict[str, Given] = {}
    for line, row in rows_of(path):
        where = f"{path}, line {line}"
        name, given = text_of(row, where), Given(score_of(row, where), reason_of(row), line)
        before = found.setdefault(name, given)
        if math.isnan(before.score):
            found[name] = given
        elif not math.isnan(given.score) and given.score != before.score:
            raise DataError(
                f"{where}: the score {given.score} is that of a text which has {before.score} on line {before.line}; leave one"
            )
    if not found:
        raise DataError(f"{path} holds no score; write a line for each text")
    return found


def rows_of(path: str) -> Iterator[tuple[int, Row]]:
    kind = table_reader(Path(path))
    if kind not in ("csv", "jsonl"):
        raise DataError(
            f"{path}: scores are read from .jsonl, .csv or .tsv, plain or with .gz behind; write one of these"
        )
    with opened(path, newline="\n" if kind == "jsonl" else "") as stream:
        yield from json_rows(stream, path) if kind == "jsonl" else csv_rows(stream, path, separator(path))


def text_of(row: Row, where: str) -> str:
    """The digest of the text that a row is about."""
    name, text = row.get("digest"), row.get("text")
    if name in (None, ""):
        if not isinstance(text, str):
            raise DataError(f"{where}: neither a digest nor a text, so whose score is it? {columns(row)}")
        return digest(text)
    if not isinstance(name, str) or not DIGEST.fullmatch(name):
        raise DataError(
            f"{where}: {shorten(name)} is no digest of a text; copy it from what `evenhand texts` wrote (32 of 0-9 and a-f)"
        )
    if isinstance(text, str) and text and digest(text) != name:
        raise DataError(
            f"{where}: the text is not that of the digest; were lines shifted? Where only the text was altered on its way, leave "
            "the column text out"
        )
    return name


def score_of(row: Row, where: str) -> float:
    if "score" not in row:
        raise DataError(f"{where}: no score; where there is none, write null and a reason. {columns(row)}")
    value = row["score"]
    if value is None or (isinstance(value, str) and value.strip().lower() in NO_SCORE):
        return math.nan
    try:
        score = math.inf if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        score = math.inf
    if math.isinf(score):
        raise DataError(
            f"{where}: the score {shorten(value)} is no finite number; write one such as 0.97, or null and a reason where there "
            "is none"
        )
    return score


def reason_of(row: Row) -> str | None:
    return str(row["reason"])[:500] if row.get("reason") not in (None, "") else None


def columns(row: Row) -> str:
    return f"The columns are to be named digest (or text), score and reason; here they are {', '.join(map(repr, row))}"
