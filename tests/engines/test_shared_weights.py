"""The embedded model in worker processes: the same scores, and one copy of the weights in memory."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from evenhand import detectors, engines
from evenhand.detectors.judging import judge

pytestmark = pytest.mark.model

TEXTS = [
    "The market opened late because the clock tower had stopped, and nobody there owned a watch.",
    "An old woman put her basket on the table and began to sort the plums by their colour, not their size.",
    "Rain was promised for Thursday; on Thursday it was promised for Friday, and so the week went by.",
    "The translator was asked what she thought, for once, and found that she had to look it up.",
]


def score(chosen: list, batch: tuple[int, list[str]]) -> tuple[int, list[list[float]]]:
    place, texts = batch
    return place, [[answer.score for answer in column] for column in judge(texts, chosen)]


def memory(chosen: list, batch: list[str]) -> dict[str, float]:
    """Megabytes of this process, by kind, after it scored the batch."""
    os.environ["EVENHAND_STATISTICS_CACHE"] = "0"  # here in the worker: a kept answer would load no weights
    judge(batch, chosen)
    lines = [line.split() for line in Path("/proc/self/smaps_rollup").read_text().splitlines()]
    return {line[0]: int(line[1]) / 1024 for line in lines if line[-1] == "kB"}


def test_workers_score_as_this_process_does(embedded: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_STATISTICS_CACHE", "0")
    chosen = [detectors.get(spec, model=embedded) for spec in ("fast_detect_gpt", "log_rank")]
    batches = [(0, TEXTS[:2]), (1, TEXTS[2:])]
    found = [
        [values for _, values in sorted(engines.get(spec).map(partial(score, chosen), batches))]
        for spec in ("serial", "processes(workers=2)")
    ]
    np.testing.assert_allclose(found[0], found[1], atol=1e-4)


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists() or sys.platform != "linux", reason="read from /proc")
def test_the_machine_holds_the_weights_once(embedded: str) -> None:
    chosen = [detectors.get("log_rank", model=embedded)]
    told = list(engines.get("processes(workers=2)").map(partial(memory, chosen), [[text] for text in TEXTS]))
    for kinds in told:
        assert kinds["Rss:"] > 500, "the weights (538 MB) are there"
        assert kinds["Private_Dirty:"] + kinds["Private_Clean:"] < 400, "and are no copy of this process's own"
