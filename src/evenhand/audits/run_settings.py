"""How were the texts made, and what judged them? GEDE's tables 7 to 9, the two-sided paper's 10, from the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..documents import Level
from ..registry import Card
from ..stats.proportions import proportion
from .base import Audit, by_detector, counted, fixed, none
from .families import family_of
from .finding import Answer, Finding, Layout, Result
from .keyed import Words, value, word
from .rows import Mask, Rows, Settings

PROMPTS, MODELS, TEXTS = "run_prompts", "run_models", "run_texts"
TRAINING, DETECTORS = "run_training", "run_detectors"
ASKED = (
    "profile",
    "system",
    "prompt",
    "summary_from",
    "summary_prompt",
    "summary_decoding",
    "task_from",
    "task_prompt",
)
"""What meta may tell of what was asked for a text; keys that no text has are left out."""
ANSWERED = ("provider", "quantization", "model", "revision")
"""The same of who answered."""
RECIPE = {
    "batch": "batch size",
    "validation_share": "test size",
    "epochs": "epochs",
    "kept_epoch": "best epoch",
    "lr": "lr",
}
"""What a fine-tuned detector tells of its training, in the words of GEDE's table 9."""
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
        "The prompts of each level, word for word; the models with their parameters; texts by level and generator; how trained "
        "detectors were trained, with the epoch that was kept; detectors with the key of their scores",
        source="GEDE, tables 7, 8 and 9; 'Attacking Only Half the Data', table 10",
        follows="read from the run, never from the plan alone: what a corpus does not tell stands as '-'",
        pitfalls="a published corpus tells of its prompts only what its authors wrote into it",
    )

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        asked, answered, counted = (
            [key for key in keys if any(key in meta for meta in rows.meta)]
            for keys in (ASKED, ANSWERED, ("pool", "job"))
        )
        made = tuple(texts(rows, counted))
        found = (
            *ways(PROMPTS, rows, columns_of(rows, ("level",), asked)),
            *ways(MODELS, rows, columns_of(rows, ("generator", "decoding"), answered)),
            *made,
            *training(rows, settings),
            *detectors(rows, settings),
        )
        layouts = (
            Layout(
                PROMPTS,
                "Prompts",
                "As they were sent, with the fields of GEDE's table 7 in braces; '-' where there is none, or none is told.",
                (*asked, "level"),
                ("metric",),
            ),
            Layout(
                MODELS,
                "Language models",
                "Version, source and parameters, as in GEDE's table 8.",
                (*answered, "decoding", "generator"),
                ("metric",),
            ),
            Layout(
                TEXTS,
                "Texts",
                "Unedited texts outside the training split. Cut: answers that ran into the limit of tokens. Marks: what their "
                "builder saw in them (refusals, lead-ins, loops, ...).",
                ("level", "generator", *counted),
                ("metric",),
            ),
            Layout(
                TRAINING,
                "Fine-tuning",
                "As in GEDE's table 9; the weights of the best epoch were kept, by the loss on the texts set aside.",
                ("trained on", "detector"),
                ("metric",),
            ),
            Layout(
                DETECTORS,
                "Detectors",
                "Family as in the two-sided paper's tables 4 and 10; scores are kept under the key.",
                ("family", "source", "key", "training", "detector"),
                ("metric",),
            ),
        )
        shown = {one.table for one in found}
        kept = tuple(layout for layout in layouts if layout.table in shown)
        return Result(self.spec, self.title, self.question, found, kept, answers=tuple(said(made)))


def columns_of(rows: Rows, columns: Sequence[str], keys: Sequence[str]) -> dict[str, Words]:
    told = {key: np.array([word(meta, key) for meta in rows.meta], object) for key in keys}
    return {name: rows[name] for name in columns} | told


def distinct(rows: Rows, columns: Mapping[str, Words]) -> Iterator[tuple[dict[str, str], Mask]]:
    """Each combination of values that unedited texts have, by level where that is among them, and its rows."""
    combinations = {*zip(*(column[rows.clean] for column in columns.values()), strict=True)}
    levels = {str(level): level.order for level in Level}
    for values in sorted(combinations, key=lambda one: (levels.get(one[0], -1), one)):
        mine: Mask = rows.clean.copy()
        for column, one in zip(columns.values(), values, strict=True):
            mine &= column == one
        yield dict(zip(columns, (one or "-" for one in values), strict=True)), mine


def ways(table: str, rows: Rows, columns: Mapping[str, Words]) -> Iterator[Finding]:
    """How many texts were made in each way."""
    for where, mine in distinct(rows, columns):
        yield counted(table, where, "texts", int(mine.sum()))


def texts(rows: Rows, keys: Sequence[str]) -> Iterator[Finding]:
    for where, mine in distinct(rows, columns_of(rows, ("level", "generator"), keys)):
        n = int(mine.sum())
        yield counted(TEXTS, where, "texts", n)
        reasons = [word(rows.meta[i], "finish_reason") for i in np.flatnonzero(mine)]
        ended = [one for one in reasons if one]
        if ended:
            cut = sum(one in CUT for one in ended)
            yield Finding(TEXTS, where, "cut", proportion(cut, len(ended), what="share cut"), {"told": len(ended)})
        marks = Counter(str(mark) for i in np.flatnonzero(mine) for mark in value(rows.meta[i], "marks") or ())
        for mark, found in sorted(marks.items()):
            yield counted(TEXTS, where, f"mark: {mark}", found, n)


def training(rows: Rows, settings: Settings) -> Iterator[Finding]:
    """GEDE's table 9, of the detectors that tell of their epochs."""
    for short, spec in by_detector(rows):
        for name, told in folds_of(settings.about(spec).get("training")).items():
            if "kept_epoch" not in told:
                continue
            where = {"detector": short, "trained on": name or ", ".join(told.get("corpora", ())) or "-"}
            n = int(told.get("negative", 0)) + int(told.get("positive", 0))
            for key, metric in RECIPE.items():
                why = "a setting" if key in told else "the detector does not tell it"
                yield fixed(TRAINING, where, metric, float(told.get(key, np.nan)), n, why, {"texts": n})


def detectors(rows: Rows, settings: Settings) -> Iterator[Finding]:
    keys = settings.environment.get("detectors", {})
    for short, spec in by_detector(rows):
        about = settings.about(spec)
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
                yield counted(DETECTORS, where, status, n)
        if not len(rows):
            yield Finding(DETECTORS, where, "ok", none("no text"))


def folds_of(training: Any) -> dict[str, dict[str, Any]]:
    """What is told of each training of a column that folds share, by fold; of any other's one training, under ''."""
    told = training or {}
    return {f"fold {name}": own or {} for name, own in told["folds"].items()} if "folds" in told else {"": told}


def settings_of(training: Any) -> str:
    """What a detector tells of its training: texts, recipe, the epoch whose weights were kept; of folds, each one's texts."""
    if training and "folds" in training:
        told = (
            f"{name}: {own.get('negative')} + {own.get('positive')} texts" for name, own in folds_of(training).items()
        )
        return "; ".join((str(training["evaluation"]), *told))
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
