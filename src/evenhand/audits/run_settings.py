"""How were the texts made, and what judged them? GEDE's tables 7 to 9, the two-sided paper's 10, from the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..documents import Level
from ..registry import Card
from ..stats import Estimate
from ..stats.proportions import proportion
from .base import Audit, by_detector, none
from .families import family_of
from .finding import Answer, Finding, Layout, Result
from .keyed import value, word
from .rows import Mask, Rows, Settings

TEXTS, DETECTORS = "run_texts", "run_detectors"
TOLD = ("system", "prompt", "profile", "model", "revision", "quantization", "summary_from", "pool", "job")
"""What meta may tell of how a text was made; keys that no text has are left out."""
CUT = ("length", "max_tokens")
"""Finish reasons of an answer that ran into the limit."""


@dataclass(frozen=True)
class RunSettings(Audit):
    name: ClassVar[str] = "run_settings"
    title: ClassVar[str] = "How this run was made"
    question: ClassVar[str] = (
        "Which prompts, models and settings made the texts, and which detectors, on which weights, judged them?"
    )
    card: ClassVar[Card] = Card(
        "Texts by level, generator, decoding and what their meta tells of their making; detectors with the key of their scores",
        source="GEDE, tables 7, 8 and 9; 'Attacking Only Half the Data', table 10",
        follows="read from the run, never from the plan alone: what a corpus does not tell stands as '-'",
        pitfalls="a published corpus tells of its prompts only what its authors wrote into it",
    )

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        keys = [key for key in TOLD if any(key in meta for meta in rows.meta)]
        made = tuple(texts(rows, keys))
        judged = tuple(detectors(rows, settings))
        layouts = (
            Layout(
                TEXTS,
                "Texts",
                "Unedited texts outside the training split. Cut: answers that ran into the limit of tokens. Marks: what their "
                "builder saw in them (refusals, lead-ins, loops, ...).",
                ("level", "generator", "decoding", *keys),
                ("metric",),
            ),
            Layout(
                DETECTORS,
                "Detectors",
                "Family as in the two-sided paper's tables 4 and 10; scores are kept under the key.",
                ("detector", "family", "source", "key", "training"),
                ("metric",),
            ),
        )
        return Result(self.spec, self.title, self.question, (*made, *judged), layouts, answers=tuple(said(made)))


def texts(rows: Rows, keys: list[str]) -> Iterator[Finding]:
    columns = [rows["level"], rows["generator"], rows["decoding"]]
    columns += [np.array([word(meta, key) for meta in rows.meta], object) for key in keys]
    ways = sorted({*zip(*(column[rows.clean] for column in columns), strict=True)}, key=by_level)
    for way in ways:
        mine: Mask = rows.clean.copy()
        for column, one in zip(columns, way, strict=True):
            mine &= column == one
        where = dict(zip(("level", "generator", "decoding", *keys), (one or "-" for one in way), strict=True))
        n = int(mine.sum())
        yield Finding(TEXTS, where, "texts", Estimate(n, np.nan, np.nan, n, "a count"), note="a count")
        reasons = [word(rows.meta[i], "finish_reason") for i in np.flatnonzero(mine)]
        ended = [one for one in reasons if one]
        if ended:
            cut = sum(one in CUT for one in ended)
            yield Finding(TEXTS, where, "cut", proportion(cut, len(ended), what="share cut"), {"told": len(ended)})
        marks = Counter(str(mark) for i in np.flatnonzero(mine) for mark in value(rows.meta[i], "marks") or ())
        for mark, count in sorted(marks.items()):
            yield Finding(TEXTS, where, f"mark: {mark}", Estimate(count, np.nan, np.nan, n, "a count"), note="a count")


def by_level(way: tuple[Any, ...]) -> tuple[Any, ...]:
    return (Level(way[0]).order if way[0] else -1, *way[1:])


def detectors(rows: Rows, settings: Settings) -> Iterator[Finding]:
    keys = settings.environment.get("detectors", {})
    for short, spec in by_detector(rows):
        about = settings.environment.get("about", {}).get(spec, {})
        where = {
            "detector": short,
            "family": family_of(spec),
            "source": str(about.get("source") or "-"),
            "key": str(keys.get(spec, "-")),
            "training": settings_of(about.get("training")),
        }
        for status in ("ok", "abstained", "failed", "missing"):
            n = int((rows.status[spec] == status).sum())
            if n or status == "ok":
                yield Finding(DETECTORS, where, status, Estimate(n, np.nan, np.nan, n, "a count"), note="a count")
        if not len(rows):
            yield Finding(DETECTORS, where, "ok", none("no text"))


def settings_of(training: Any) -> str:
    """What a detector tells of its training: texts, recipe, the epoch whose weights were kept."""
    return "; ".join(f"{key} {told}" for key, told in sorted(training.items())) if training else "-"


def said(found: tuple[Finding, ...]) -> Iterator[Answer]:
    """Texts cut at the limit are shorter and end mid-sentence, which a detector may see."""
    for one in found:
        if one.metric == "cut" and one.estimate.value > 0:
            e = one.estimate
            yield Answer(
                "warning",
                f"{one.where['level']} by {one.where['generator']}: {e.value * e.n:.0f} of {e.n} answers were cut at the limit "
                "of tokens.",
            )
