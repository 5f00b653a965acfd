"""Do we measure what was published? The numbers of the two-sided paper beside ours, where cells match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..errors import SpecError
from ..registry import Card, parse_spec
from ..stats import Estimate
from .backbones import MODELS
from .base import Audit, by_detector, percent
from .finding import Answer, Finding, Layout, Result
from .pairs import attacks_of
from .published import Published, cells
from .rows import Rows, Settings
from .two_sided import AUROC, FPR, TPR, TwoSided

TABLE = "beside_published"
PUBLISHED_FPR = 0.01
"""The tolerated rate of the paper's thresholds: TPR and FPR under another policy are other quantities."""
DETECTORS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "Binoculars": ("binoculars", ("falcon-7b-instruct",)),
    "FDG-neo": ("fast_detect_gpt", ("gpt-neo-2.7b",)),
    "FDG-gpt2xl": ("fast_detect_gpt", ("gpt2-xl",)),
    "FDG-gpt2": ("fast_detect_gpt", ("gpt2",)),
    "FDG (neo)": ("fast_detect_gpt", ("gpt-neo-2.7b",)),
    "FDG (gpt2-xl)": ("fast_detect_gpt", ("gpt2-xl",)),
    "FDG (gpt2)": ("fast_detect_gpt", ("gpt2",)),
    "Fast-DetectGPT, gpt-neo": ("fast_detect_gpt", ("gpt-neo-2.7b",)),
    "Fast-DetectGPT, falcon-7b": ("fast_detect_gpt", ("falcon-7b-instruct",)),
    "Lastde": ("lastde", ("gpt-neo-2.7b",)),
    "LogLik": ("log_likelihood", ("gpt-neo-2.7b",)),
    "DetectGPT": ("detect_gpt", ("gpt2-xl",)),
    "Fast-DetectGPT": ("fast_detect_gpt", ("gpt-neo-2.7b",)),
}
"""Published name -> (formula, names of its scoring model)."""
ATTACKS: Mapping[str, tuple[str, ...]] = {
    "paraphrase": ("paraphrase",),
    "zero-width": ("zero_width", "zero_width_space"),
    "upper-lower": ("upper_lower",),
    "insert-paragraphs": ("insert_paragraphs",),
    "article-deletion": ("article_deletion",),
    "alternative-spelling": ("alternative_spelling",),
    "misspelling": ("misspelling", "perplexity_misspelling"),
    "DIPPER": ("dipper", "paraphrase"),
    "back-translation": ("back_translation",),
    "char": ("character",),
}
"""Published name -> our names, where they differ."""


@dataclass(frozen=True)
class BesidePublished(Audit):
    """``models``: 'same' compares a detector only with the model that the paper names, 'any' also with another model."""

    name: ClassVar[str] = "beside_published"
    title: ClassVar[str] = "Beside the published numbers"
    question: ClassVar[str] = "Where this run measured what a paper printed, how far apart are the two?"
    card: ClassVar[Card] = Card(
        "Published AUROC, TPR and FPR beside ours, with the tolerance of each",
        source="'Attacking Only Half the Data', tables 1, 2, 7-9 and 12-14",
        follows="cells match by corpus, formula, model, attack and, for rates, a policy of 1% FPR; an attack of ours "
        "matches in its profile 'raid' only. Tolerances: AUROC .01 (.005 where three digits are printed), TPR .02, FPR .005",
        pitfalls="the papers drew other samples of the corpora, so a difference beyond the tolerance may be sampling: see "
        "whether our interval holds the published number",
    )

    models: str = "same"
    replicates: int = 2000

    def __post_init__(self) -> None:
        if self.models not in ("same", "any"):
            raise SpecError(f"beside_published: models is 'same' or 'any', got {self.models!r}")

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        ours = list(measured(rows, settings, self.replicates))
        pairs = list(matches(ours, rows, settings, self.models == "any"))
        found = tuple(f for cell, one, same in pairs for f in beside(cell, one, same))
        layout = Layout(
            TABLE,
            "Published and ours",
            "Published numbers carry the marks of their papers, and no interval was printed with them.",
            ("table", "detector", "quantity", "condition"),
            ("metric",),
        )
        note = f"TPR and FPR were printed at {percent(PUBLISHED_FPR)} FPR, and this policy tolerates another rate: not compared."
        notes = () if settings.policy.fpr == PUBLISHED_FPR else (note,)
        return Result(self.spec, self.title, self.question, found, (layout,), answers=tuple(said(pairs)), notes=notes)


@dataclass(frozen=True)
class Ours:
    """A finding of this run under the names that published cells go by."""

    spec: str
    condition: str
    quantity: str
    finding: Finding


def measured(rows: Rows, settings: Settings, replicates: int) -> Iterator[Ours]:
    specs, attacks = dict(by_detector(rows)), attacks_of(rows)
    for f in TwoSided(replicates)(rows, settings).findings:
        quantity = quantity_of(f)
        if quantity is not None:
            clean = quantity == "AUROC clean" or f.where.get("texts") == "unedited" or f.where["attack"] == "none"
            if not clean or f.where["attack"] in (attacks[0], "none"):
                yield Ours(specs[f.where["detector"]], "none" if clean else f.where["attack"], quantity, f)


def quantity_of(f: Finding) -> str | None:
    if f.table == AUROC:
        return f"AUROC {f.where['protocol']}"
    if f.table == TPR:
        return "TPR"
    if f.table == FPR and (f.where["reading"] == "human author" or f.where["attack"] == "none"):
        return "FPR"
    return None


def matches(
    ours: Sequence[Ours], rows: Rows, settings: Settings, any_model: bool
) -> Iterator[tuple[Published, Ours, bool]]:
    """(published cell, our finding, is the model the same?)."""
    corpora = " ".join(rows.values("corpus")).lower()
    for cell in cells():
        rate = not cell.quantity.startswith("AUROC")
        if (
            cell.corpus not in corpora
            or cell.detector not in DETECTORS
            or (rate and settings.policy.fpr != PUBLISHED_FPR)
        ):
            continue
        formula, models = DETECTORS[cell.detector]
        for one in ours:
            if one.quantity != cell.quantity or one.spec.partition("(")[0] != formula:
                continue
            same = model_of(one.spec, settings) in models
            if (same or any_model) and same_condition(cell, one.condition) and not np.isnan(one.finding.estimate.value):
                yield cell, one, same


def model_of(spec: str, settings: Settings) -> str:
    """The name of the (scoring) model, without source, owner or revision, in small letters."""
    try:
        parameters = parse_spec(spec)[1]
    except SpecError:
        return ""
    named = next((str(parameters[key]) for key in MODELS if parameters.get(key)), settings.plan.get("model") or "")
    return named.lower().removeprefix("hub:").partition("@")[0].partition("[")[0].rpartition("/")[2]


def same_condition(cell: Published, ours: str) -> bool:
    try:
        name, parameters = parse_spec(ours)
    except SpecError:
        return False
    known = ATTACKS.get(cell.condition, (cell.condition,))
    return name in known and (not parameters or parameters.get("profile") == "raid")


def beside(cell: Published, one: Ours, same: bool) -> Iterator[Finding]:
    where = {
        "table": cell.table.partition(".")[2],
        "detector": cell.detector if same else f"{cell.detector} (ours: {one.spec})",
        "quantity": cell.quantity,
        "condition": cell.condition,
    }
    mine = one.finding.estimate
    printed = Estimate(cell.value, np.nan, np.nan, 0, "as printed, without an interval")
    yield Finding(TABLE, where, "published", printed, {}, (cell.mark,) if cell.mark else ())
    yield replace(one.finding, table=TABLE, where=where, metric="ours")
    low, high = mine.low - cell.value, mine.high - cell.value
    apart = Estimate(mine.value - cell.value, low, high, mine.n, f"ours less published; {mine.method}", mine.level)
    side = "within" if agrees(cell, one) else "beyond"
    yield Finding(TABLE, where, "difference", apart, {}, note=f"{side} the tolerance of {cell.tolerance:g}")


def agrees(cell: Published, one: Ours) -> bool:
    return abs(one.finding.estimate.value - cell.value) <= cell.tolerance + 1e-9


def said(pairs: Sequence[tuple[Published, Ours, bool]]) -> Iterator[Answer]:
    same = [(cell, one) for cell, one, model in pairs if model]
    if not same:
        yield Answer("missing", "No cell of this run has the corpus, formula, model and attack of a published number.")
        return
    within = sum(agrees(cell, one) for cell, one in same)
    held = sum(one.finding.estimate.low <= cell.value <= one.finding.estimate.high for cell, one in same)
    yield Answer(
        "shown" if within == len(same) else "warning",
        f"{within} of {len(same)} published numbers lie within their tolerance of ours; {held} lie in our 95% interval.",
    )
