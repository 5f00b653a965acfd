"""Is one generator harder to detect than another, and both together harder than each? GEDE, table 4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import Card
from .base import Audit, fixed, percent
from .changes import Drawn
from .finding import Answer, Finding, Layout, Result
from .keyed import Words, word
from .pairs import shared_resample
from .rows import Rows, Settings
from .sides import Sides, curves, measured, of_policy

TABLE, CHECKS, ALL = "by_generator", "by_generator_check", "all"
EXACT = 1e-9


@dataclass(frozen=True)
class ByGenerator(Audit):
    name: ClassVar[str] = "by_generator"
    title: ClassVar[str] = "Generators"
    question: ClassVar[str] = "Which generator's texts are the hardest to detect, and what if several are in use?"
    card: ClassVar[Card] = Card(
        "AUROC and TPR of each generator's texts, and of all together",
        source="GEDE, table 4, figure 10 and section 4.3",
        follows="negatives: human texts, and what the policy accepts of that generator's texts; a rewritten text counts under "
        "its rewriter, DIPPER's under the model that it edits (meta 'pool', where a corpus tells it)",
        pitfalls="'all' has other negatives than each generator alone: that it is harder may lie in the scale of the scores",
    )

    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        sides = list(of_generators(rows, settings, pools(rows)))
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        whole = Sides({"generator": ALL}, *both(of_policy(rows, settings.policy.boundary)))
        found = measured(TABLE, sides, rows, settings, drawn)
        checks = list(check(found, measured("boundary", [whole], rows, settings, drawn, held_out=False)))
        layout = Layout(
            TABLE,
            "Generators",
            f"Policy: the last acceptable level is {settings.policy.boundary}. In sample: the threshold holds "
            f"{percent(settings.policy.fpr)} of the cell's negatives.",
            ("detector", "metric"),
            ("generator",),
        )
        same = Layout(
            CHECKS,
            "Self-check",
            "All generators together are the policy's row of the table of boundaries, so the difference is zero.",
            ("detector",),
            ("metric",),
        )
        figures = tuple(curves("roc-generators", "generator", sides, rows))
        return Result(
            self.spec, self.title, self.question, (*found, *checks), (layout, same), figures, tuple(said(checks))
        )


def pools(rows: Rows) -> Words:
    """The generator under which each text counts."""
    return np.array([word(meta, "pool") or own for meta, own in zip(rows.meta, rows["generator"], strict=True)], object)


def both(sides: Sides) -> tuple[np.ndarray, np.ndarray]:
    return sides.positive, sides.negative


def of_generators(rows: Rows, settings: Settings, pool: Words) -> Iterator[Sides]:
    """A cell for each generator that has texts above the boundary, and one for all of them."""
    positive, negative = both(of_policy(rows, settings.policy.boundary))
    human = rows.clean & rows.human
    for name in sorted({*pool[positive]} - {""}):
        mine = pool == name
        yield Sides({"generator": name}, positive & mine, human | (negative & mine))
    named = np.isin(pool, sorted({*pool[positive]} - {""}))
    yield Sides({"generator": ALL}, positive & named, human | (negative & named))


def check(found: Sequence[Finding], whole: Sequence[Finding]) -> Iterator[Finding]:
    here = {(f.where["detector"], f.metric): f for f in found if f.where["generator"] == ALL}
    for other in whole:
        mine = here[other.where["detector"], other.metric]
        value = mine.estimate.value - other.estimate.value
        why = "all generators less the policy's row of the boundaries: no estimate, and zero if the cells are the same"
        where = {"detector": other.where["detector"]}
        yield fixed(CHECKS, where, mine.metric, value, mine.estimate.n, why)


def said(checks: Sequence[Finding]) -> Iterator[Answer]:
    for one in checks:
        if abs(one.estimate.value) > EXACT:
            yield Answer(
                "warning",
                f"{one.where['detector']}: all generators together are not the row of the boundaries ({one.metric} differs by "
                f"{one.estimate.value:+.4f}): some texts name no generator, or one that wrote acceptable texts only.",
            )
