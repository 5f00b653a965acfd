"""How are the run's measures distributed over the sources? IDMGSP, figures 5b, 6, 7 and 8."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import SpecError
from ..registry import Card, parse_spec
from ..stats import Estimate
from ..stats.means import bootstrap_means
from .base import Audit
from .changes import Drawn
from .corpus_statistics import known, mean
from .finding import Answer, Figure, Finding, Layout, Result, Series
from .keyed import Words, told
from .pairs import shared_resample
from .papers import HUMAN, paraphrased, sources
from .rows import Floats, Rows, Settings

TABLE = "by_source"
SOURCE = "source"
QUANTILES = ((0.25, "lower quartile"), (0.5, "median"), (0.75, "upper quartile"))


@dataclass(frozen=True)
class BySource(Audit):
    """``by``: 'source' (people, each generator, co-created), or a column or meta entry. ``measures``: names or specs of measures,
    such as ['gunning_fog'], () for all of the run."""

    name: ClassVar[str] = "by_source"
    title: ClassVar[str] = "Measures by source"
    question: ClassVar[str] = (
        "How do the sources differ in readability, in the length of sections, in the run's other measures?"
    )
    card: ClassVar[Card] = Card(
        "Mean, quartiles and distribution of every measure of the run for each source, and each mean less that of people",
        source="IDMGSP, sections 4.4.3 to 4.4.5, figures 5b (features of LLMFE), 6 (readability), 7 (section lengths), 8 (length "
        "ratios of paraphrases)",
        follows="the paper draws its figures without numbers; its are flesch_kincaid, gunning_fog, section_words(section=...) "
        "and length_ratio(section=...), and the scores of an llmfe detector of the run",
        pitfalls="readability formulas are for English prose: lost line breaks and formulas move them more than style does",
    )

    by: str = SOURCE
    measures: tuple[str, ...] = ()
    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        wanted = set(self.measures)
        taken = {spec: v for spec, v in rows.measures.items() if not wanted or wanted & names_of(spec)}
        lacking = tuple(self.lacking(rows))
        if not taken:
            return Result(self.spec, self.title, self.question, (), (), answers=lacking)
        groups = sources(rows) if self.by == SOURCE else told(rows, self.by)
        drawn = Drawn(shared_resample(rows, settings, self.replicates))
        taken = {spec: paraphrases_only(rows, spec, values) for spec, values in taken.items()}
        found = [f for spec, values in taken.items() for f in of_measure(rows, spec, values, groups, drawn)]
        layout = Layout(
            TABLE,
            "By source",
            "Unedited texts. Less people: the mean less that of human texts, both from one resample of the clusters.",
            ("measure", "source"),
            ("metric",),
        )
        figures, notes = tuple(clouds(rows, taken, groups)), tuple(untaken(rows, taken, groups))
        return Result(self.spec, self.title, self.question, tuple(found), (layout,), figures, lacking, notes)

    def lacking(self, rows: Rows) -> Iterator[Answer]:
        """Measures that were asked for and not taken."""
        known = sorted(shown(spec) for spec in rows.measures)
        absent = set(self.measures).difference(*map(names_of, rows.measures))
        if not known:
            why = 'This run took no measure; add measures = ["flesch_kincaid", "gunning_fog"] to the plan.'
            yield Answer("missing", why)
        elif absent:
            yield Answer("missing", f"This run took no {', '.join(sorted(absent))}; it took: {', '.join(known)}.")


def named(spec: str) -> str:
    return spec.partition("(")[0]


def names_of(spec: str) -> set[str]:
    """How a measure may be asked for."""
    return {spec, shown(spec), named(spec)}


def of_measure(rows: Rows, spec: str, values: Floats, groups: Words, drawn: Drawn) -> Iterator[Finding]:
    human = known(values, rows, rows.clean & rows.human)
    for name in groups_of(rows, groups):
        mask = rows.clean & (groups == name)
        one, where = known(values, rows, mask), {"measure": shown(spec), "source": name}
        if not one.n:
            continue  # a note says so
        counts = {"texts": one.n} | ({"not taken": one.missing} if one.missing else {})
        yield Finding(TABLE, where, "mean", mean(one, drawn), counts)
        for share, label in QUANTILES:
            yield Finding(TABLE, where, label, quantile(one.scores, share), counts)
        if human.n and not (mask & rows.human).any():
            gap = bootstrap_means([drawn.rows(one)], drawn.resample) - bootstrap_means(
                [drawn.rows(human)], drawn.resample
            )
            yield Finding(TABLE, where, "mean less people", gap.estimates()[0], {**counts, "human": human.n})


def paraphrases_only(rows: Rows, spec: str, values: Floats) -> Floats:
    """A section's length ratio only where the section was paraphrased, where the paper tells which were: others are copies."""
    if named(spec) != "length_ratio":
        return values
    section = parse_spec(spec)[1].get("section")
    anew = [paraphrased(meta) for meta in rows.meta]
    copied = np.array([bool(section and names and section not in names) for names in anew], bool)
    return np.where(copied, np.nan, values)


def untaken(rows: Rows, taken: Mapping[str, Floats], groups: Words) -> Iterator[str]:
    for spec, values in taken.items():
        lost = [name for name in groups_of(rows, groups) if np.isnan(values[rows.clean & (groups == name)]).all()]
        if lost:
            yield f"{shown(spec)} was taken of no text of {', '.join(lost)}."


def groups_of(rows: Rows, groups: Words) -> list[str]:
    """People first."""
    return sorted({*groups[rows.clean]} - {""}, key=lambda name: (not name.startswith(HUMAN), name))


def quantile(values: Floats, share: float) -> Estimate:
    """Without an interval: it describes these texts."""
    return Estimate(float(np.quantile(values, share)), np.nan, np.nan, len(values), "of these texts; no interval")


def shown(spec: str) -> str:
    """A measure as tables name it; of a detector's feature the feature's own name."""
    try:
        name, parameters = parse_spec(spec)
    except SpecError:
        return spec
    return f"{parameters['name']} ({parameters['detector']})" if name == "feature" else spec.removesuffix("()")


def clouds(rows: Rows, taken: Mapping[str, Floats], groups: Words) -> Iterator[Figure]:
    for number, (spec, values) in enumerate(taken.items(), 1):
        series = []
        for name in groups_of(rows, groups):
            mine = values[rows.clean & (groups == name)]
            if len(mine := mine[~np.isnan(mine)]):
                series.append(Series(name, tuple(map(float, mine)), ()))
        if series:
            yield Figure(
                f"by-source-{number}", "density", f"{shown(spec)} by source", shown(spec), "density", tuple(series)
            )
