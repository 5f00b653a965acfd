"""RAID's own evaluator (the package raid-bench) on the same scores: equal where it is right, and its faults shown.

Its package reaches for the network's cache when imported and pins old libraries, so its one file is loaded by itself.
Install it with ``pip install --no-deps raid-bench`` (and pandas), or put it on PYTHONPATH; else these tests skip.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from evenhand import stats
from evenhand.audits.two_sided import TwoSided

DETECTOR = "lrr"


@pytest.fixture(scope="module")
def raid():
    pytest.importorskip("pandas", reason="pandas, which RAID's evaluator needs, is not installed")
    found = importlib.util.find_spec("raid")
    if found is None or not found.submodule_search_locations:
        pytest.skip("raid-bench is not installed: pip install --no-deps raid-bench")
    path = Path(next(iter(found.submodule_search_locations))) / "evaluate.py"
    spec = importlib.util.spec_from_file_location("raid_evaluate", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def records(study_of):
    return study_of(human=200, machine=120, detectors=(DETECTOR,), attacks=("homoglyph", "paraphrase"))


def run_raid(raid, records, **options):
    import pandas as pd

    table = pd.DataFrame(
        [
            {
                "id": r["id"],
                "domain": r["domain"],
                "model": "human" if r["label"] == "human" else r["generator"],
                "decoding": r.get("decoding", "none"),
                "repetition_penalty": "no",
                "attack": r.get("attack", "none"),
            }
            for r in records
        ]
    )
    scores = [{"id": r["id"], "score": r["scores"][DETECTOR]} for r in records]
    return raid.run_evaluation(scores, table, **options)


def cell(evaluation, **where):
    wanted = {"domain": "all", "model": "all", "decoding": "all", "repetition_penalty": "all"} | where
    return next(s for s in evaluation["scores"] if all(s[k] == v for k, v in wanted.items()))


def area(result, protocol, attack):
    return next(
        f.estimate.value for f in result.findings
        if f.table == "two_sided_auroc" and f.where["protocol"] == protocol and f.where["attack"] == attack
    )  # fmt: skip


def machine_only(records):
    """RAID as its papers use it: human text is never attacked."""
    return [r for r in records if r["label"] == "machine" or not r.get("attack")]


def test_its_auroc_is_our_one_sided_one_where_no_human_text_is_attacked(raid, records, rows_of, settings):
    some = machine_only(records)
    theirs, ours = run_raid(raid, some, per_domain_tuning=False), TwoSided(replicates=100)(rows_of(some), settings)
    for attack in ("homoglyph", "paraphrase"):
        assert cell(theirs, attack=attack)["auroc"] == pytest.approx(area(ours, "one-sided", attack), abs=1e-12)
        assert cell(theirs, attack="none")["auroc"] == pytest.approx(area(ours, "clean", attack), abs=1e-12)


def test_its_rates_are_ours_at_its_own_thresholds(raid, records):
    """It flags score >= t, we flag score > t: the same texts at the next number below t."""
    theirs = run_raid(raid, machine_only(records))
    for domain, t in theirs["thresholds"]["0.05"].items():
        tau = np.nextafter(t, -np.inf)
        human = [
            r["scores"][DETECTOR]
            for r in records
            if r["label"] == "human" and r["domain"] == domain and not r.get("attack")
        ]
        assert stats.false_positive_rate(human, tau).value == pytest.approx(theirs["fpr"]["0.05"][domain], abs=1e-12)
        for attack in ("none", "paraphrase"):
            machine = [
                r["scores"][DETECTOR] for r in records
                if r["label"] == "machine" and r["domain"] == domain and r.get("attack", "none") == attack
            ]  # fmt: skip
            told = cell(theirs, domain=domain, attack=attack)["accuracy"]["0.05"]["accuracy"]
            assert stats.true_positive_rate(machine, tau).value == pytest.approx(told, abs=1e-12)


def test_fault_attacked_human_text_stands_among_its_clean_negatives(raid, records, rows_of, settings):
    """With attacked human rows in the table, its AUROC of unattacked machine text changes: it filters them by domain only."""
    for r in records:
        if r["label"] == "human" and r.get("attack"):
            r["scores"] = {DETECTOR: r["scores"][DETECTOR] + 5}
    theirs, ours = (
        run_raid(raid, records, per_domain_tuning=False),
        TwoSided(replicates=100)(rows_of(records), settings),
    )
    right = area(ours, "clean", "homoglyph")
    assert right == pytest.approx(
        cell(run_raid(raid, machine_only(records), per_domain_tuning=False), attack="none")["auroc"]
    )
    assert cell(theirs, attack="none")["auroc"] < right - 0.3


def test_fault_its_threshold_search_fails_on_scores_of_a_wide_scale(raid, records):
    """Steps of .5, fifty of them: on scores with a spread of hundreds it stops far from 5%, and drops the result."""
    wide = [{**r, "scores": {DETECTOR: 500 * r["scores"][DETECTOR]}} for r in machine_only(records)]
    theirs = run_raid(raid, wide, per_domain_tuning=False)
    assert theirs["fpr"]["0.05"] > 0.2
    assert cell(theirs, domain="news", attack="none")["accuracy"]["0.05"] is None
    human = np.array([r["scores"][DETECTOR] for r in wide if r["label"] == "human"])
    assert stats.false_positive_rate(human, stats.threshold(human, 0.05)).value == 0.05


def test_fault_it_never_tells_who_is_accused_under_attack(raid, records, rows_of, settings):
    theirs = run_raid(raid, records, per_domain_tuning=False)
    assert all(set(s["accuracy"]["0.05"]) == {"tp", "fn", "accuracy"} for s in theirs["scores"])
    ours = TwoSided(replicates=100)(rows_of(records), settings)
    assert [f for f in ours.findings if f.table == "two_sided_fpr" and f.where["attack"] == "homoglyph"]
