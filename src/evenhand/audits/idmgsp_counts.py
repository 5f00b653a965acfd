"""How many papers and tokens does each source bring, and how many papers does each test set hold of each? IDMGSP, tables 1, 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import stats
from ..evaluations.table_two import generator_of
from ..registry import Card
from ..stats import Estimate
from ..stats.means import bootstrap_means
from .base import Audit, Cell, counted, fixed, none
from .finding import Answer, Finding, Layout, Result
from .papers import CO_CREATED, DERIVED, HUMAN, sets_of, sources
from .published import tables
from .rows import Floats, Mask, Rows, Settings

SOURCES, SETS = "idmgsp_sources", "idmgsp_sets"
ROUNDED = "as printed, rounded to thousands (tokens: to 0.1 million)"
PUBLISHED = {
    "arXiv parsing 1 (real)": f"{HUMAN} parsing 1",
    "arXiv parsing 2 (real)": f"{HUMAN} parsing 2",
    "ChatGPT (paraphrased real)": f"{CO_CREATED} by ChatGPT",
}
"""The paper's name of a source -> ours, where they differ by more than '(fake)'."""
UNITS = {"k": 1e3, "M": 1e6}


@dataclass(frozen=True)
class IdmgspCounts(Audit):
    """``sets``: as in accuracy_by_set."""

    name: ClassVar[str] = "idmgsp_counts"
    title: ClassVar[str] = "Papers and tokens by source"
    question: ClassVar[str] = "How many papers and tokens are of each source, and of which sources is each test set?"
    card: ClassVar[Card] = Card(
        "Papers, tokens and tokens a paper of each source beside the published counts; papers of each source in each test set",
        source="IDMGSP, tables 1 and 2",
        follows="tokens are those of the run's measure 'tokens', whose spec names the tokenizer; the paper names none",
        pitfalls="of the training split the run keeps counts alone, so its tokens are not in the table of sources",
    )

    sets: str = DERIVED

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        names = sources(rows)
        measured = {spec: values for spec, values in rows.measures.items() if spec.partition("(")[0] == "tokens"}
        found = [*by_source(rows, names, measured, settings), *by_set(rows, names, self.sets), *set_aside(settings)]
        layouts = (
            Layout(SOURCES, "Sources", "Unedited papers outside the training split.", ("source",), ("metric",)),
            Layout(SETS, "Sets", "Papers of each source; '-' where a set has none.", ("set", "metric"), ("source",)),
        )
        notes = () if measured else ('No measure of tokens was taken; add measures = ["tokens"] to the plan.',)
        return Result(
            self.spec, self.title, self.question, tuple(found), layouts, answers=tuple(said(found)), notes=notes
        )


def by_source(rows: Rows, names: np.ndarray, measured: Mapping[str, Floats], settings: Settings) -> Iterator[Finding]:
    printed = dict(printed_sources())
    for name in sorted({*names[rows.clean]} - {""}):
        mine, where = rows.clean & (names == name), {"source": name}
        yield counted(SOURCES, where, "papers", int(mine.sum()))
        for spec, values in measured.items():
            yield counted(SOURCES, where, f"tokens, {spec}", float(np.nansum(values[mine])))
            yield Finding(SOURCES, where, f"tokens a paper, {spec}", mean(rows, values, mine, settings.seed))
        for metric, value in printed.get(name, {}).items():
            yield fixed(SOURCES, where, f"published {metric}", value, 0, ROUNDED)


def printed_sources() -> Iterator[tuple[str, dict[str, float]]]:
    """Table 1 but for its totals."""
    for name, (papers, tokens) in tables()["idm.T1"]["values"].items():
        if not name.startswith("Total"):
            yield (
                PUBLISHED.get(name, name.removesuffix(" (fake)")),
                {"papers": number(papers), "tokens": number(tokens)},
            )


def number(printed: str) -> float:
    """'13.4 M' -> 13,400,000."""
    digits, unit = printed.split()
    return round(float(digits) * UNITS[unit])


def mean(rows: Rows, values: Floats, mask: Mask, seed: int) -> Estimate:
    taken = mask & np.isfinite(values)
    if not taken.any():
        return none("no mean: the measure was taken of none of these papers")
    one = Cell(values[taken], rows.clusters[taken], 0)
    drawn = stats.resample_clusters(one.clusters, seed=seed)
    return bootstrap_means([stats.rows(drawn, one.scores, one.clusters)], drawn).estimates()[0]


def by_set(rows: Rows, names: np.ndarray, key: str) -> Iterator[Finding]:
    for name, members in sets_of(rows, key).items():
        for source in sorted({*names[members]} - {""}):
            yield counted(SETS, {"set": name, "source": source}, "papers", int((members & (names == source)).sum()))
        yield from printed_set(name)


def printed_set(name: str) -> Iterator[Finding]:
    for row, cells in tables()["idm.T2"]["values"].items():
        if row.endswith(f"({name})"):
            for column, value in cells.items():
                if value != "-":
                    where = {"set": name, "source": ours(column, value)}
                    yield fixed(SETS, where, "published", number(" ".join(value.split()[:2])), 0, ROUNDED)


def ours(column: str, value: str) -> str:
    """A column of table 2 by our name of the source."""
    if column == "ChatGPT(co-created)":
        return f"{CO_CREATED} by ChatGPT"
    return column if not column.startswith("arXiv") else f"{HUMAN} parsing {2 if 'parsing 2' in value else 1}"


def set_aside(settings: Settings) -> Iterator[Finding]:
    """What the run learnt from, or left unused, as it noted it."""
    counts: dict[tuple[str, str], int] = {}
    for split, label, generator, n in settings.environment.get("set_aside", ()):
        source = {"human": HUMAN, "machine": generator_of(generator or ""), "mixed": CO_CREATED}.get(
            label
        ) or "not told"
        counts[split, source] = counts.get((split, source), 0) + int(n)
    for (split, source), n in sorted(counts.items()):
        yield counted(SETS, {"set": f"split '{split}'", "source": source}, "papers", n)


def said(found: list[Finding]) -> Iterator[Answer]:
    for one in found:
        papers = next((f.estimate.value for f in found if f.where == one.where and f.metric == "papers"), None)
        if one.metric == "published papers" and papers is not None and papers < one.estimate.value:
            yield Answer(
                "missing",
                f"{one.where['source']}: {papers:,.0f} papers here, {one.estimate.value:,.0f} in the paper's table 1.",
            )
