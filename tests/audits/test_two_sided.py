"""The two-sided audit against counting by hand and against resamples written out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from evenhand.audits.pairs import shared_resample
from evenhand.audits.two_sided import TwoSided
from evenhand.documents import Level, Policy


def pick(result, table, metric, **where):
    found = [
        f for f in result.findings
        if f.table == table and f.metric == metric and all(f.where.get(k) == v for k, v in where.items())
    ]  # fmt: skip
    assert len(found) == 1, (table, metric, where, len(found))
    return found[0]


def scores_of(records, detector, label, attack="none", ids=None):
    return np.array([
        r["scores"][detector] for r in records
        if r["label"] == label and r.get("attack", "none") == attack and (ids is None or r["cluster"] in ids)
    ])  # fmt: skip


def by_hand(positive, negative):
    wins = sum(float(p > n) + 0.5 * float(p == n) for p in positive for n in negative)
    return wins / (len(positive) * len(negative))


@pytest.fixture
def small(study_of, rows_of, settings):
    records = study_of()
    rows = rows_of(records)
    return records, rows, TwoSided(replicates=400)(rows, settings), settings


def test_aurocs_are_those_counted_pair_by_pair(small):
    records, _, result, _ = small
    for detector in ("log_rank", "lrr"):
        clean = scores_of(records, detector, "human"), scores_of(records, detector, "machine")
        for attack in ("homoglyph", "polish"):
            h, m = (scores_of(records, detector, label, attack) for label in ("human", "machine"))
            told = {"clean": (clean[1], clean[0]), "one-sided": (m, clean[0]), "two-sided": (m, h)}
            for protocol, (positive, negative) in told.items():
                one = pick(result, "two_sided_auroc", "AUROC", detector=detector, attack=attack, protocol=protocol)
                assert one.estimate.value == pytest.approx(by_hand(positive, negative), abs=1e-12)


def test_rates_stand_on_a_threshold_from_half_of_the_clean_human_texts(small):
    records, rows, result, settings = small
    half = rows.half(settings.seed)
    dealt = dict(zip(rows["cluster"], half, strict=True))
    calibration = {c for c, h in dealt.items() if h == "calibration"}
    for detector in ("log_rank", "lrr"):
        human = np.sort(scores_of(records, detector, "human", ids=calibration))
        tau = human[len(human) - int(np.floor(settings.policy.fpr * len(human) + 1e-9)) - 1]
        m, h = scores_of(records, detector, "machine", "polish"), scores_of(records, detector, "human", "polish")
        tpr = pick(result, "two_sided_tpr", "TPR", detector=detector, attack="polish", texts="edited")
        fpr = pick(result, "two_sided_fpr", "FPR", detector=detector, attack="polish", reading="human author")
        assert (tpr.estimate.value, fpr.estimate.value) == ((m > tau).mean(), (h > tau).mean())
        assert (tpr.estimate.n, fpr.estimate.n) == (30, 40), "attacked texts keep their full n"
        verify = scores_of(records, detector, "human", "polish", ids=set(dealt) - calibration)
        held = pick(
            result,
            "two_sided_fpr",
            "FPR",
            detector=detector,
            attack="polish",
            reading="human author, verification half",
        )
        assert held.estimate.value == (verify > tau).mean()
        verify = scores_of(records, detector, "human", ids=set(dealt) - calibration)
        none = pick(result, "two_sided_fpr", "FPR", detector=detector, attack="none")
        assert none.estimate.value == (verify > tau).mean()


def test_an_attack_on_some_sources_is_compared_with_those_sources(study_of, rows_of, settings):
    records = [
        r
        for r in study_of()
        if r.get("attack") != "polish" or int(r["cluster"].removeprefix("human").removeprefix("machine")) < 15
    ]
    result = TwoSided(replicates=100)(rows_of(records), settings)
    few = {f"{label}{i}" for label in ("human", "machine") for i in range(15)}
    h, m = (scores_of(records, "lrr", label, ids=few) for label in ("human", "machine"))
    edited = scores_of(records, "lrr", "machine", "polish")
    for protocol, positive in (("clean", m), ("one-sided", edited)):
        one = pick(result, "two_sided_auroc", "AUROC", detector="lrr", attack="polish", protocol=protocol)
        assert one.estimate.value == pytest.approx(by_hand(positive, h), abs=1e-12)
        assert (one.counts["human"], one.counts["machine"]) == (15, 15)


def test_attacked_text_never_enters_the_threshold(study_of, rows_of, settings):
    records = study_of()
    moved = [
        {**r, "scores": {d: s + 50 for d, s in r["scores"].items()}} if r.get("attack") and r["label"] == "human" else r
        for r in records
    ]
    before, after = (TwoSided(replicates=100)(rows_of(some), settings) for some in (records, moved))
    for table, texts in (("two_sided_tpr", "unedited"), ("two_sided_tpr", "edited")):
        one, two = (pick(r, table, "TPR", detector="lrr", attack="polish", texts=texts) for r in (before, after))
        assert one.estimate == two.estimate
    assert (
        pick(after, "two_sided_fpr", "FPR", detector="lrr", attack="polish", reading="human author").estimate.value == 1
    )


def test_the_interval_of_a_change_is_that_of_resamples_written_out(small):
    records, rows, _, settings = small
    resample, result = shared_resample(rows, settings, 120), TwoSided(replicates=120)(rows, settings)
    sides = {
        (label, attack): scores_of(records, "lrr", label, attack)
        for label in ("human", "machine")
        for attack in ("none", "polish")
    }
    clusters = {
        label: [r["cluster"] for r in records if r["label"] == label and "attack" not in r]
        for label in ("human", "machine")
    }
    number = dict(zip(rows["cluster"], rows.clusters, strict=True))
    place = {label: np.searchsorted(resample.labels, [number[c] for c in clusters[label]]) for label in clusters}
    draws = []
    for b in range(120):
        drawn = {key: np.repeat(scores, resample.counts[place[key[0]], b]) for key, scores in sides.items()}
        areas = []
        for attack in ("polish", "none"):
            h, m = drawn["human", attack], drawn["machine", attack]
            areas.append(roc_auc_score([0] * len(h) + [1] * len(m), [*h, *m]))
        draws.append(areas[0] - areas[1])
    change = pick(result, "two_sided_change", "change of AUROC, two-sided", detector="lrr", attack="polish")
    assert [change.estimate.low, change.estimate.high] == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=1e-12)


def test_human_and_machine_clusters_keep_their_numbers_in_every_resample(small):
    _, rows, _, settings = small
    resample = shared_resample(rows, settings, 50)
    human = np.isin(resample.labels, rows.clusters[rows.human])
    assert set(resample.counts[human].sum(0)) == {40}
    assert set(resample.counts[~human].sum(0)) == {30}


def test_marks_tell_a_one_sided_gain_from_a_two_sided_loss(study_of, rows_of, settings):
    records = study_of(human=120, machine=120, attacks=("zero_width",))
    for r in records:
        if r.get("attack"):
            push = 4.0 if r["label"] == "human" else 2.5
            r["scores"] = {d: s + push for d, s in r["scores"].items()}
    result = TwoSided()(rows_of(records), settings)
    for detector in ("log_rank", "lrr"):
        one = pick(result, "two_sided_auroc", "AUROC", detector=detector, protocol="one-sided")
        two = pick(result, "two_sided_auroc", "AUROC", detector=detector, protocol="two-sided")
        assert one.marks == ("up", "up-corrected")
        assert two.marks == ("down", "down-corrected")
    share = pick(result, "two_sided_summary", "value", what="one-sided gains that are two-sided losses")
    assert (share.estimate.value, share.estimate.n) == (1.0, 2)
    assert any("accuses" in a.text and a.kind == "warning" for a in result.answers)
    assert (
        pick(result, "two_sided_summary", "value", what="two-sided cells in which a gain is excluded").estimate.value
        == 2
    )


def test_an_attack_that_does_nothing_gets_no_mark_and_no_excluded_gain(study_of, rows_of, settings):
    records = study_of(attacks=())
    records += [{**r, "id": f"{r['id']}|x", "source_id": r["id"], "attack": "x"} for r in records]
    result = TwoSided(replicates=200)(rows_of(records), settings)
    assert not any(f.marks for f in result.findings)
    change = pick(result, "two_sided_change", "change of AUROC, two-sided", detector="lrr")
    assert change.estimate.value == 0
    assert "does not vary" in change.estimate.method


def test_a_two_sided_gain_contradicts_the_claim(study_of, rows_of, settings):
    records = study_of(human=100, machine=100, attacks=("x",))
    for r in records:
        if r.get("attack") and r["label"] == "machine":
            r["scores"] = {d: s + 3 for d, s in r["scores"].items()}
    result = TwoSided(replicates=300)(rows_of(records), settings)
    assert pick(result, "two_sided_summary", "value", what="two-sided AUROC gains, corrected").estimate.value == 2
    assert any(a.kind == "warning" and "does not hold here" in a.text for a in result.answers)


def test_human_text_edited_by_a_model_is_counted_under_both_readings(study_of, rows_of, settings):
    records = [{**r, "level": "human" if r["label"] == "human" else "task"} for r in study_of()]
    for r in records:
        if r.get("attack") == "polish" and r["label"] == "human":
            r["level_after"] = "improve-human" if int(r["cluster"][5:]) % 4 else "human"
    strict = type(settings)(Policy(Level.HUMAN, 0.1), settings.seed, {})
    result = TwoSided(replicates=100)(rows_of(records), strict)
    author = pick(result, "two_sided_fpr", "FPR", detector="lrr", attack="polish", reading="human author")
    after = pick(
        result, "two_sided_fpr", "FPR", detector="lrr", attack="polish", reading="human by the level after the edit"
    )
    assert (author.counts["human"], after.counts["human"]) == (40, 10), (
        "three of four are improve-human, above this policy"
    )
    above = pick(result, "two_sided_fpr", "TPR", detector="lrr", attack="polish")
    assert above.where["reading"].endswith("rightly flagged")
    assert above.estimate.value * 30 + after.estimate.value * 10 == pytest.approx(author.estimate.value * 40)
    loose = TwoSided(replicates=100)(rows_of(records), settings)
    assert not [f for f in loose.findings if f.where.get("reading", "").startswith("human by the level")], (
        "both readings agree"
    )


def test_the_quadrant_lists_cells_where_auroc_rises_and_detection_falls(study_of, rows_of, settings):
    """Scores pressed together around a point below the threshold: ranks get better, the top is gone."""
    records = study_of(human=150, machine=150, attacks=("press",), detectors=("lrr",))
    for r in records:
        if r.get("attack") and r["label"] == "machine":
            r["scores"] = {"lrr": 1.25 + 0.05 * np.tanh(r["scores"]["lrr"])}
    result = TwoSided(replicates=300)(rows_of(records), type(settings)(Policy(fpr=0.02), settings.seed, {}))
    clean = pick(result, "two_sided_quadrant", "AUROC clean", detector="lrr")
    one = pick(result, "two_sided_quadrant", "AUROC one-sided", detector="lrr")
    assert one.estimate.value > clean.estimate.value
    assert pick(result, "two_sided_quadrant", "TPR", detector="lrr").estimate.value < 0.2
    assert pick(result, "two_sided_summary", "value", what="cells with AUROC up and TPR down").estimate.value == 1
    scatter = next(f for f in result.figures if f.kind == "scatter")
    assert scatter.series[0].x[0] > 0 > scatter.series[0].y[0]


def test_summary_counts_domains_generators_and_cells(small):
    _, _, result, _ = small
    told = {f.where["what"]: f.estimate.value for f in result.findings if f.table == "two_sided_summary"}
    assert told["domains"] == 2
    assert (told["unedited human texts"], told["unedited machine texts"]) == (40, 30)
    assert (told["of them, to set thresholds"], told["of them, to verify thresholds"]) == (20, 20)
    assert told["generator configurations"] == 6
    assert told["(detector, attack) cells"] == 4
    fprs = [f.estimate.value for f in result.findings if f.table == "two_sided_fpr" and f.where["attack"] == "none"]
    assert told["realised FPR, unedited human text"] == pytest.approx(np.mean(fprs))
    edited = [
        f.estimate.value for f in result.findings if f.table == "two_sided_fpr" and f.where["reading"] == "human author"
    ]
    assert told["worst FPR, edited human text"] == max(edited)


def test_excluded_and_undecided_gains_are_read_off_the_intervals(small):
    _, _, result, _ = small
    told = {f.where["what"]: f.estimate for f in result.findings if f.table == "two_sided_summary"}
    changes = [f.estimate for f in result.findings if f.metric == "change of AUROC, two-sided"]
    spans = [e for e in changes if e.low < 0 < e.high]
    assert spans, "made so that some interval holds zero"
    excluded, undecided = (
        told[f"two-sided cells in which a gain is {word}"] for word in ("excluded", "neither shown nor excluded")
    )
    assert excluded.value == sum(e.high <= 0 for e in changes)
    assert undecided.value == len(spans)
    assert excluded.n == undecided.n == len(changes)
    assert told["largest two-sided gain"] == max(changes, key=lambda e: e.value)


def test_the_same_rows_give_the_same_findings(small):
    _, rows, result, settings = small
    again = TwoSided(replicates=400)(rows, settings)
    assert [(f.where, f.metric, f.marks, str(f.estimate)) for f in again.findings] == [
        (f.where, f.metric, f.marks, str(f.estimate)) for f in result.findings
    ]


def test_texts_of_one_cluster_are_one_draw(study_of, rows_of, settings):
    """Five copies of every text in its cluster: the intervals of changes and rates must not shrink."""
    records = study_of(attacks=("polish",))
    copies = []
    for i in range(5):
        for r in records:
            source = {"source_id": f"{r['source_id']}#{i}"} if r.get("source_id") else {}
            copies.append({**r, "id": f"{r['id']}#{i}", **source})
    one, five = (TwoSided(replicates=300)(rows_of(some), settings) for some in (records, copies))
    for table, metric in (("two_sided_change", "change of AUROC, two-sided"), ("two_sided_tpr", "TPR")):
        where = {"texts": "edited"} if metric == "TPR" else {}
        a, b = (pick(r, table, metric, detector="lrr", attack="polish", **where).estimate for r in (one, five))
        assert b.high - b.low == pytest.approx(a.high - a.low, rel=0.35)
        assert b.n == a.n


@pytest.mark.long
def test_ninety_nine_cells_take_seconds(study_of, rows_of, settings):
    import time

    records = study_of(1440, 720, tuple(f"d{i}" for i in range(9)), tuple(f"a{i}" for i in range(11)))
    rows, started = rows_of(records), time.perf_counter()
    TwoSided()(rows, settings)
    assert time.perf_counter() - started < 30
