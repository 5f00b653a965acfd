"""IDMGSP's tables 3, A2 and A3 beside ours, with the n that they stand on, and where they contradict themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import ClassVar

from .. import stats
from ..registry import Card, parse_spec
from ..stats import Estimate
from .accuracy_by_set import ACCURACY, RECALL, SPECIFICITY, STRICT, AccuracyBySet, Cutting, trained
from .base import Audit, by_detector, fixed, percent
from .finding import Answer, Finding, Layout, Result
from .papers import DERIVED, SETS
from .published import tables
from .rows import Rows, Settings

PRINTED, BESIDE, BROKEN = "idmgsp_published", "beside_idmgsp", "idmgsp_contradictions"
SIZES = {"TEST": 8000, "OOD-GPT3": 1000, "OOD-REAL": 4000, "TECG": 1000, "TEST-CC": 4000}
"""Papers of each test set by table 2; starred rows were tested on 100 of each."""
SAMPLED = 100
QUANTITY = {"TEST": ACCURACY, "OOD-REAL": SPECIFICITY}
"""What 'accuracy' is on a set: of both classes, or of the real papers; of fake ones on the others."""
NAMES = {
    **{
        f"prompted_{style}": f"ChatGPT-{shown}"
        for style, shown in (("io", "IO"), ("cot", "CoT"), ("ip", "IP"), ("fs", "FS"))
    },
    "detect_gpt_idmgsp": "DetectGPT",
    "llmfe": "LLMFE",
}
INSIDE = {"section_vote": ("roberta", "RoBERTa"), "causal_classifier": ("galactica", "Galactica")}
"""Detectors that are the paper's on the base model whose name holds a word."""
TECG_SHARE = SIZES["TECG"] / SIZES["TEST"]


@dataclass(frozen=True)
class Printed:
    """One row of a published table: ``cells`` in shares, None where nothing was printed."""

    table: str
    model: str
    training: str
    cells: tuple[tuple[str, float | None], ...]

    @property
    def sampled(self) -> bool:
        return "(*)" in self.model

    def of(self, name: str) -> float | None:
        return dict(self.cells)[name]

    def n(self, name: str) -> int:
        return SAMPLED if self.sampled else SIZES[name]


def printed() -> Iterator[Printed]:
    """Every row of tables 3, A2 and A3."""
    for table in ("idm.T3", "idm.TA2", "idm.TA3"):
        for row in tables()[table]["values"]:
            cells = tuple((name, None if row[name] is None else row[name] / 100) for name in SETS)
            yield Printed(table, str(row["model"]), spelt(row["train"]), cells)


def spelt(training: str | None) -> str:
    """'TRAIN + GPT3' -> 'TRAIN+GPT3'."""
    return (training or "-").replace(" ", "")


@dataclass(frozen=True)
class BesideIdmgsp(Audit):
    """``sets``, ``cut``, ``training``: as in accuracy_by_set."""

    name: ClassVar[str] = "beside_idmgsp"
    title: ClassVar[str] = "Beside IDMGSP's tables"
    question: ClassVar[str] = (
        "Where this run measured what IDMGSP printed, how far apart are the two, and do the prints agree?"
    )
    card: ClassVar[Card] = Card(
        "IDMGSP's accuracies (tables 3, A2, A3) with the interval that their n gives, beside ours; rows that cannot all be true",
        source="IDMGSP, tables 2, 3, A2 and A3",
        follows="a cell is ours where detector, n-grams, training set and test set have the paper's names; a chat model's "
        "'unknown' is wrong, as there. n is that of table 2, 100 for the starred rows. If TECG's 1,000 papers are among TEST's "
        "8,000, then TEST <= 100 - 12.5 (1 - TECG)",
        pitfalls="printed with one decimal, so 0.05 points of every difference are rounding; ours are other papers where the "
        "run's are not the published ones",
    )

    sets: str = DERIVED
    cut: Cutting = "own"
    training: str = ""

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        published = list(printed())
        models = {
            trained(short, spec, settings, self.training): model_of(spec, settings) for short, spec in by_detector(rows)
        }
        pairs = list(matches(published, self.ours(rows, settings), models))
        found = [f for row in published for f in with_interval(row)]
        found += [f for row in published for f in contradiction(row)]
        found += [f for row, name, mine in pairs for f in beside(row, name, mine)]
        return Result(self.spec, self.title, self.question, tuple(found), layouts(), answers=tuple(said(found, pairs)))

    def ours(self, rows: Rows, settings: Settings) -> Sequence[Finding]:
        return AccuracyBySet(self.sets, self.cut, self.training)(rows, settings).findings


def with_interval(row: Printed) -> Iterator[Finding]:
    """The printed numbers with Wilson's interval of their n: what the paper did not print."""
    for name, value in row.cells:
        if value is not None:
            n = row.n(name)
            low, high = stats.wilson(round(value * n), n)
            told = Estimate(value, low, high, n, f"as printed, Wilson of n = {n:,} by table 2")
            yield Finding(PRINTED, place(row) | {"set": name}, QUANTITY.get(name, RECALL), told)


def contradiction(row: Printed) -> Iterator[Finding]:
    """By how much TEST exceeds what TECG allows, where it does by more than rounding. Starred rows are samples of 100, whose
    TECG and TEST need not share a paper."""
    test, tecg = row.of("TEST"), row.of("TECG")
    if row.table == "idm.TA2" and "1gram" in row.model:
        return  # table 3 has the same rows
    if test is None or tecg is None or row.sampled:
        return
    bound = 1 - TECG_SHARE * (1 - tecg)
    if test - bound > 0.0005 * (1 + TECG_SHARE) + 1e-9:
        note = f"TEST at most {percent(bound)} if TECG is a part of it"
        told = Estimate(test - bound, nan, nan, 0, "arithmetic of two printed numbers")
        yield Finding(BROKEN, place(row), "TEST above its bound", told, note=note)


def place(row: Printed) -> dict[str, str]:
    return {"table": f"IDMGSP {row.table.partition('.')[2]}", "model": row.model, "training": row.training}


def matches(
    published: Sequence[Printed], ours: Sequence[Finding], models: Mapping[tuple[str, str], str]
) -> Iterator[tuple[Printed, str, Finding]]:
    counted = as_printed(ours)
    for row in published:
        for name, value in row.cells:
            for (detector, training, members), f in counted.items():
                same = models.get((detector, training)) == bare(row.model) and spelt(training) == row.training
                if same and members == name and value is not None and f.estimate.n:
                    yield row, name, f


def as_printed(ours: Sequence[Finding]) -> dict[tuple[str, str, str], Finding]:
    """(detector, training, set) -> what the paper calls accuracy: an 'unknown' is wrong, what could not be read is left out."""
    found = {}
    for metric in ("", STRICT):  # the second takes the place of the first
        for f in ours:
            if f.metric == (metric or QUANTITY.get(f.where["set"], RECALL)):
                found[f.where["detector"], f.where["training"], f.where["set"]] = f
    return found


def bare(model: str) -> str:
    """'LR-1gram (tf-idf) (our)' -> 'LR-1gram'."""
    return model.partition(" ")[0]


def model_of(spec: str, settings: Settings) -> str:
    """The paper's name of a detector; '' for those that it has not."""
    told = settings.about(spec).get("saved") or spec
    name, parameters = parse_spec(str(told))
    if kind := {"tfidf_lr": "LR", "tfidf_rf": "RF"}.get(name):
        low, high = parameters.get("ngrams", (1, 1))
        return f"{kind}-{low}gram" if low == high else f"{kind}-({low},{high})gram"
    if parameters.get("output") == "log_odds":
        return ""  # the paper's models answer
    inside = str(parameters.get("base", "")).lower()
    if name in INSIDE:
        return INSIDE[name][1] if INSIDE[name][0] in inside else ""
    return NAMES.get(name, "")


def beside(row: Printed, name: str, mine: Finding) -> Iterator[Finding]:
    where = place(row) | {"set": name, "quantity": mine.metric}
    value = row.of(name) or 0.0
    yield fixed(BESIDE, where, "published", value, row.n(name), "as printed")
    yield replace(mine, table=BESIDE, where=where, metric="ours")
    e = mine.estimate
    apart = replace(
        e, value=e.value - value, low=e.low - value, high=e.high - value, method=f"ours less published; {e.method}"
    )
    yield Finding(BESIDE, where, "difference", apart, mine.counts)


def layouts() -> tuple[Layout, ...]:
    return (
        Layout(
            BESIDE,
            "Published and ours",
            "Shares of the papers.",
            ("table", "model", "training", "set", "quantity"),
            ("metric",),
        ),
        Layout(
            PRINTED,
            "As printed, with the interval of n",
            "On TEST accuracy; on OOD-REAL specificity; on the other sets recall, for they hold one class.",
            ("table", "model", "training", "metric"),
            ("set",),
        ),
        Layout(
            BROKEN,
            "Rows that cannot be",
            "TECG's papers are an eighth of TEST: what is wrong on them is wrong there too. These rows come from different runs "
            "or samples, so compare each column for itself.",
            ("table", "model", "training"),
            ("metric",),
        ),
    )


def said(found: Sequence[Finding], pairs: Sequence[tuple[Printed, str, Finding]]) -> Iterator[Answer]:
    broken = [f for f in found if f.table == BROKEN]
    rows = "; ".join(f"{f.where['model'].partition(' ')[0]} {f.where['training']}" for f in broken)
    yield Answer(
        "warning",
        f"{len(broken)} rows of IDMGSP's tables 3 and A2 cannot be true if TECG's papers are among TEST's: {rows}.",
    )
    if not pairs:
        yield Answer(
            "missing", "No detector of this run has the name, training set and test set of one of IDMGSP's cells."
        )
        return
    once = {(bare(row.model), row.training, name, f.where["detector"]): (row, name, f) for row, name, f in pairs}
    held = sum(f.estimate.low <= (row.of(name) or 0.0) <= f.estimate.high for row, name, f in once.values())
    twice = "; what two of its tables print is counted once" if len(once) < len(pairs) else ""
    yield Answer("shown", f"{held} of {len(once)} published accuracies lie in the 95% interval of ours{twice}.")
