"""Every audit of edited texts on rows that are wrong, missing or without spread: it says so, and raises nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evenhand import audits
from evenhand.audits.two_sided import TwoSided

NAMES = (
    "two_sided", "score_shift", "backbones", "generators", "truncation", "sanitized", "restoration", "meaning",
    "beside_published", "clean", "certificate",
)  # fmt: skip


def no_sources(records):
    return [{k: v for k, v in r.items() if k != "source_id"} for r in records]


def lost_sources(records):
    gone = {"human1", "human2", "machine3"}
    return [r for r in records if r["id"] not in gone]


def own_source(records):
    return [{**r, "source_id": r["id"]} for r in records]


def one_class(records):
    return [r for r in records if r["label"] == "human"]


def other_class(records):
    return [r for r in records if r["label"] == "machine"]


def ties(records):
    return [{**r, "scores": {d: float(round(s > 1)) for d, s in r["scores"].items()}} for r in records]


def constant(records):
    return [{**r, "scores": dict.fromkeys(r["scores"], 0.25)} for r in records]


def infinite(records):
    return [
        {**r, "scores": {d: math.inf if s > 1 else -math.inf if s < -1 else s for d, s in r["scores"].items()}}
        for r in records
    ]


def unscored_class(records):
    return [{**r, "scores": dict.fromkeys(r["scores"]) if r["label"] == "machine" else r["scores"]} for r in records]


def failed_everywhere(records):
    return [{**r, "scores": {**r["scores"], "lrr": None}} for r in records]


def failed_on_edits(records):
    return [{**r, "scores": {**r["scores"], "lrr": None} if r.get("attack") else r["scores"]} for r in records]


def n_of_one(records):
    return [r for r in records if r["cluster"] in ("human0", "machine0")]


def one_cluster(records):
    return [{**r, "cluster": "all"} for r in records]


def clusters_of_one(records):
    return [{**r, "cluster": ""} for r in records]


def attack_on_machine_only(records):
    return [r for r in records if not (r.get("attack") == "polish" and r["label"] == "human")]


def attack_on_human_only(records):
    return [r for r in records if not (r.get("attack") == "polish" and r["label"] == "machine")]


def no_attack(records):
    return [r for r in records if not r.get("attack")]


def only_attacked(records):
    return [r for r in records if r.get("attack")]


WRONG = (
    no_sources, lost_sources, own_source, one_class, other_class, ties, constant, infinite, unscored_class,
    failed_everywhere, failed_on_edits, n_of_one, one_cluster, clusters_of_one, attack_on_machine_only,
    attack_on_human_only, no_attack, only_attacked,
)  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=lambda f: f.__name__)
def test_no_audit_breaks_and_every_missing_number_has_a_reason(wrong, study_of, rows_of, settings):
    rows = rows_of(wrong([{**r, "text": f"some words of {r['id']}", "digest": r["id"]} for r in study_of(14, 13)]))
    for name in NAMES:
        with np.errstate(all="raise"):
            result = audits.get(name if name in ("clean", "certificate") else f"{name}(replicates=150)")(rows, settings)
        for f in result.findings:
            e = f.estimate
            assert e.method or f.note, (name, f)
            if math.isnan(e.value):
                assert f.note, (name, f)
            if not math.isnan(e.low):
                assert e.low <= e.high
            if f.marks:
                assert not math.isnan(e.value)
        assert result.findings or result.notes or result.answers, name


@pytest.fixture
def told(study_of, rows_of, settings):
    def run(wrong, **size):
        return TwoSided(replicates=150)(rows_of(wrong(study_of(**size))), settings)

    return run


def values(result, table, metric, **where):
    return [
        f for f in result.findings
        if f.table == table and f.metric == metric and all(f.where.get(k) == v for k, v in where.items())
    ]  # fmt: skip


def test_a_pair_whose_source_is_missing_stands_in_no_comparison_but_is_accused(told):
    result = told(lost_sources)
    two = values(result, "two_sided_auroc", "AUROC", protocol="two-sided", attack="polish", detector="lrr")[0]
    assert (two.counts["human"], two.counts["machine"]) == (38, 29)
    assert (two.counts["human without a scored source"], two.counts["machine without a scored source"]) == (2, 1)
    fpr = values(result, "two_sided_fpr", "FPR", attack="polish", detector="lrr", reading="human author")[0]
    assert fpr.counts["human"] == 40
    assert any("no scored source" in note for note in result.notes)


def test_texts_that_name_no_source_are_compared_unpaired_and_it_is_said(told):
    result = told(no_sources)
    two = values(result, "two_sided_auroc", "AUROC", protocol="two-sided", attack="polish", detector="lrr")[0]
    assert (two.counts["human"], two.counts["machine"]) == (40, 30)
    assert sum("unpaired" in note for note in result.notes) == 4, "each attack, each class"


def test_an_attack_on_machine_text_alone_is_one_sided_and_it_is_said(told):
    result = told(attack_on_machine_only)
    one, two = (
        values(result, "two_sided_auroc", "AUROC", protocol=p, attack="polish", detector="lrr")[0]
        for p in ("one-sided", "two-sided")
    )
    assert one.counts["human"] == 40
    assert not math.isnan(one.estimate.value)
    assert math.isnan(two.estimate.value)
    assert any("no human text was edited" in note for note in result.notes)


def test_a_detector_that_failed_on_edited_text_loses_no_other_detectors_cells(told):
    result = told(failed_on_edits)
    lost = values(result, "two_sided_auroc", "AUROC", protocol="two-sided", attack="polish", detector="lrr")[0]
    kept = values(result, "two_sided_auroc", "AUROC", protocol="two-sided", attack="polish", detector="log_rank")[0]
    assert math.isnan(lost.estimate.value)
    assert lost.counts["machine not scored"] == 30
    assert not math.isnan(kept.estimate.value)
    gains = values(result, "two_sided_summary", "value", what="two-sided AUROC gains")[0]
    assert gains.estimate.n == 2, "only tested cells count"


def test_scores_without_spread_are_half_right_and_carry_no_mark(told):
    result = told(constant)
    assert {f.estimate.value for f in values(result, "two_sided_auroc", "AUROC")} == {0.5}
    assert {f.estimate.value for f in values(result, "two_sided_tpr", "TPR")} == {0.0}
    assert not any(f.marks for f in result.findings)


def test_few_clusters_get_no_mark(told):
    result = told(lambda records: records, human=9, machine=9)
    assert not any(f.marks for f in result.findings)
    assert any(a.kind == "missing" and "ten sources" in a.text for a in result.answers)


def test_infinite_scores_rank_but_have_no_mean(study_of, rows_of, settings):
    rows = rows_of(infinite(study_of()))
    result = audits.get("score_shift")(rows, settings)
    shift = values(result, "score_shift", "shift, machine", detector="lrr")[0]
    assert "infinite" in shift.note
    areas = values(TwoSided(replicates=100)(rows, settings), "two_sided_auroc", "AUROC")
    assert all(0 <= f.estimate.value <= 1 for f in areas)
