"""Made-up findings as rich as those of a real run, and as hostile: markup, quotes, table signs, right-to-left, NaN.

The numbers come from a seeded generator, through the formulas that fit them (binomial draws, normal intervals), so that
tables and figures look like real ones. Nothing here is a result.
"""

from __future__ import annotations

import math
from random import Random

import pytest

from evenhand.audits.finding import Answer, Figure, Finding, Findings, Layout, Result, Series
from evenhand.stats.estimate import Estimate

HOSTILE = (
    "<script>alert('x')</script>",
    "\"quoted\" & 'single' | pipe",
    r"100% of $x_1^2$ \input{secret} #1 {~}",
    "مرحبا بالعالم \u202eabc",
    "=HYPERLINK(1)",
    "[link](javascript:alert(1)) **bold** `code` _it_ <!-- c -->",
    "nul \x00 and lone \ud800 surrogate\nsecond line",
)
LONG = "fast_detect_gpt(dtype='float32', model='hub:organisation/a-rather-long-model-name@0123456789abcdef', truncation=512)"
DETECTORS = ("log_likelihood(model='embedded')", "log_rank(model='embedded')", "tfidf_lr(seed=0)", LONG)
ATTACKS = ("homoglyph(rate=0.1)", "zero_width(rate=0.2)", "whitespace(rate=0.2)", "upper_lower(rate=0.05)")
LEVELS = ("human", "improve-human", "rewrite-human", "summary", "task")


def share(random: Random, rate: float, n: int, method: str = "Clopper-Pearson") -> Estimate:
    hits = sum(random.random() < rate for _ in range(n))
    value = hits / n
    half = 1.96 * math.sqrt(value * (1 - value) / n + 1 / (4 * n * n))
    return Estimate(value, max(0.0, value - half), min(1.0, value + half), n, method)


def clean(random: Random) -> Result:
    found, curves, scores = [], [], []
    for i, detector in enumerate(DETECTORS):
        area = 0.71 + 0.08 * i
        counts = {
            "human": 59,
            "machine": 59,
            "clusters": 59,
            "abstained": i % 2,
            "failed": 0,
            "truncated": 2 * (i == 3),
        }
        where = {"detector": detector}
        found.append(
            Finding("clean", where, "auroc", Estimate(area, area - 0.09, min(area + 0.07, 1.0), 118, "DeLong"), counts)
        )
        found.append(Finding("clean", where, "tpr", share(random, area - 0.2, 59), counts))
        found.append(Finding("clean", where, "fpr", share(random, 0.05, 59), counts))
        found.append(
            Finding("clean", where, "threshold", Estimate(-2.71828 + i, math.nan, math.nan, 59, "nominal, 5%"), counts)
        )
        fpr = tuple(j / 30 for j in range(31))
        tpr = tuple(x ** ((1 - area) / area) for x in fpr)
        curves.append(Series(detector, fpr, tpr, tuple(y * 0.92 for y in tpr), tuple(min(1.0, y * 1.08) for y in tpr)))
    for name, mean in (("human", -3.0), ("machine", -2.4)):
        scores.append(Series(name, (*(random.gauss(mean, 0.4) for _ in range(59)), math.nan), ()))
    return Result(
        audit="clean(fpr=0.05)",
        title="Clean texts",
        question="How well does each detector tell the two classes apart when nobody has edited the texts?",
        findings=tuple(found),
        layouts=(
            Layout(
                "clean",
                "Separation and errors",
                "One detector a row; the threshold was set on other texts.",
                ("detector",),
                ("metric",),
            ),
        ),
        figures=(
            Figure(
                "roc",
                "line",
                "ROC curves",
                "false-positive rate",
                "true-positive rate",
                tuple(curves),
                note="Bands: 95% of bootstrap curves.",
            ),
            Figure(
                "scores", "density", "Scores of log_likelihood", "score (higher = more machine-like)", "", tuple(scores)
            ),
        ),
        answers=(
            Answer(
                "shown",
                "On clean texts, fast_detect_gpt flags between 58% and 81% of machine texts at a threshold that flags "
                "6 of 59 human texts.",
            ),
            Answer(
                "missing",
                "Whether any detector keeps its false-positive rate below 1% can't be said: that needs at least 299 human "
                "texts that were not used to set the threshold, 240 more than there are.",
            ),
        ),
        notes=("Thresholds were set on half of the human clusters and checked on the other half.",),
    )


def two_sided(random: Random) -> Result:
    found = []
    for detector in DETECTORS:
        for attack in ATTACKS:
            for side in ("machine only", "both classes"):
                where = {"detector": detector, "attack": attack, "side": side}
                counts = {"human": 20, "machine": 20, "failed": int(attack.startswith("zero"))}
                value = random.uniform(0.4, 0.95)
                marks = random.choice([(), (), ("down",), ("down", "down-corrected"), ("up",), ("up-corrected",)])
                estimate = Estimate(
                    value, value - 0.11, min(1.0, value + 0.09), 20, "bootstrap by cluster, 2,000 draws", 0.95
                )
                found.append(Finding("two_sided", where, "auroc", estimate, counts, marks))
                found.append(Finding("two_sided", where, "fpr", share(random, 0.2, 20), counts))
    lost = Estimate(math.nan, math.nan, math.nan, 0, "none: no pair was scored")
    found[3] = Finding(
        "two_sided", found[3].where, "fpr", lost, {"human": 0}, (), "every text grew beyond what the model reads"
    )
    del found[-1]
    heat = tuple(
        Series(d, tuple(map(float, range(len(ATTACKS)))), tuple(random.uniform(-0.5, 0.4) for _ in ATTACKS))
        for d in DETECTORS
    )
    bars = tuple(
        Series(
            s,
            (0.0, 1.0, 2.0, 3.0),
            v := tuple(random.uniform(0.3, 0.9) for _ in ATTACKS),
            tuple(y - 0.1 for y in v),
            tuple(y + 0.08 for y in v),
        )
        for s in ("machine only", "both classes")
    )
    return Result(
        audit="two_sided(boundary='rewrite-human', fpr=0.05)",
        title="The same edits on both sides",
        question="Does an edit hide machine text only because human text was left as it was?",
        findings=tuple(found),
        layouts=(
            Layout(
                "two_sided",
                "One-sided and two-sided AUROC and FPR",
                "Rows: attacks, grouped by detector.",
                ("detector", "attack"),
                ("side", "metric"),
            ),
        ),
        figures=(
            Figure("change", "heatmap", "Change of AUROC against clean texts", "attack", "", heat, ATTACKS),
            Figure("bars", "bars", "AUROC by attack", "attack", "AUROC", bars, ATTACKS),
            Figure(
                "dose",
                "scatter",
                "Dose and change",
                "edits per 1,000 words",
                "change of AUROC",
                tuple(
                    Series(
                        d,
                        tuple(random.uniform(0, 200) for _ in range(9)),
                        tuple(random.uniform(-0.4, 0.2) for _ in range(9)),
                    )
                    for d in DETECTORS[:3]
                ),
            ),
        ),
        answers=(
            Answer(
                "shown",
                "The homoglyph attack lowers the AUROC of log_rank much less when human texts get the same edit.",
            ),
            Answer("warning", "Only 20 sources a side were attacked: differences below about 0.15 can't be seen."),
        ),
    )


def hostile() -> Result:
    one = Estimate(0.5, 0.4, 0.6, 7, HOSTILE[1])
    found = [
        Finding("odd", {"detector": text, "attack|<b>": HOSTILE[0]}, HOSTILE[2], one, {"<i>": 3}, ("up", text), text)
        for text in HOSTILE
    ]
    found += [
        Finding("unlaid", {}, "lonely", Estimate(math.inf, -math.inf, math.inf, 1, "unbounded")),
        Finding("unlaid", {"level": "task"}, "tiny", Estimate(-1.5e-9, -2e-9, -1e-9, 10**6, "m", 0.999)),
        Finding(
            "odd",
            {"detector": HOSTILE[0], "attack|<b>": HOSTILE[0]},
            HOSTILE[2],
            Estimate(0.25, math.nan, math.nan, 2, "twice"),
            {},
        ),
    ]
    series = tuple(Series(text, (0.0, 1.0, math.nan), (0.1, math.nan, 0.3)) for text in HOSTILE)
    kinds = ("line", "density", "scatter", "bars", "heatmap")
    figures = tuple(
        Figure(HOSTILE[0], kind, HOSTILE[i], HOSTILE[2], HOSTILE[5], series, HOSTILE, HOSTILE[0])
        for i, kind in enumerate(kinds)
    )
    return Result(
        audit="odd(text='<script>')",
        title=HOSTILE[0],
        question=HOSTILE[1],
        findings=tuple(found),
        layouts=(
            Layout("odd", HOSTILE[5], HOSTILE[3], ("detector", "attack|<b>"), ("metric",)),
            Layout("empty", "Nothing", "", (), ()),
        ),
        figures=(*figures, Figure("none", "line", "", "", "", ())),
        answers=tuple(Answer("warning", text) for text in HOSTILE),
        notes=HOSTILE,
    )


def ledger() -> tuple[dict[str, object], ...]:
    rows: list[dict[str, object]] = []
    for detector in DETECTORS:
        for label in ("human", "machine"):
            rows.append(
                {
                    "detector": detector,
                    "class": label,
                    "status": "abstained",
                    "reason": "shorter than 2 tokens",
                    "count": 1,
                }
            )
            rows.append({"detector": detector, "class": label, "truncated": 2, "of": 59})
    rows.append(
        {
            "detector": "<img src=x onerror=alert(1)>",
            "class": "human",
            "status": "failed",
            "reason": HOSTILE[1],
            "count": 3,
        }
    )
    return tuple(rows)


PROVENANCE = {
    "evenhand": "0.1.0",
    "plan": {
        "corpus": "embedded",
        "seed": 7,
        "attacks": list(ATTACKS),
        "policy": {"boundary": "rewrite-human", "fpr": 0.05},
    },
    "revisions": {"embedded": "sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"},
    "packages": {"numpy": "2.1.0", "scipy": "1.14.1"},
    "$odd": {"$float": "text", "nan": math.nan, "inf": math.inf, "none": None, "<b>": HOSTILE[0], "list": [[1, 2], []]},
}


def findings(with_hostile: bool = True) -> Findings:
    random = Random(20)
    results = (clean(random), two_sided(random), *((hostile(),) if with_hostile else ()))
    plain = {k: v for k, v in PROVENANCE.items() if k != "$odd"}
    return Findings(results, ledger() if with_hostile else ledger()[:-1], PROVENANCE if with_hostile else plain)


@pytest.fixture(scope="session")
def rich() -> Findings:
    """Three audits, the last one hostile."""
    return findings()


@pytest.fixture(scope="session")
def small(rich: Findings) -> Findings:
    """The first audit alone: two figures, quickly drawn."""
    return Findings(rich.results[:1], rich.ledger, rich.provenance)


@pytest.fixture(scope="session")
def hostile_texts() -> tuple[str, ...]:
    return HOSTILE
