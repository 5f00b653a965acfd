"""The shipped numbers of the papers, and how a run is laid beside them."""

from __future__ import annotations

import json

import pytest

from evenhand import audits
from evenhand.audits.beside_published import ATTACKS, DETECTORS, same_condition
from evenhand.audits.published import Published, cells, tables
from evenhand.audits.rows import Settings
from evenhand.documents import Policy

NEO = "fast_detect_gpt(model='hub:EleutherAI/gpt-neo-2.7B')"


def test_the_shipped_numbers_are_those_of_the_source(shared):
    source = json.loads((shared / "data" / "published_tables" / "published_tables.json").read_text("utf-8"))["tables"]
    for name, table in tables().items():
        values = dict(source[name]["values"]) if isinstance(source[name]["values"], dict) else source[name]["values"]
        if name == "two.T3":
            values.pop("", None)
        assert table["values"] == values, name


def test_every_table_is_read_to_the_last_cell():
    by_table: dict[str, int] = {}
    for cell in cells():
        by_table[cell.table] = by_table.get(cell.table, 0) + 1
    assert by_table == {
        "two.T7": 3 + 11 * 5, "two.T14": 3 + 7 * 5, "two.T8": 60, "two.T9": 60, "two.T12": 40, "two.T13": 30,
        "two.T1": 20, "two.T2": 18,
    }  # fmt: skip


def test_cells_carry_their_marks_and_tolerances():
    told = {(c.table, c.detector, c.condition, c.quantity): c for c in cells()}
    gain = told["two.T7", "Binoculars", "zero-width", "AUROC one-sided"]
    assert (gain.value, gain.mark, gain.tolerance) == (0.99, "up", 0.01)
    assert told["two.T1", "FDG (neo)", "paraphrase", "AUROC one-sided"].tolerance == 0.005, "three digits are printed"
    assert told["two.T13", "LogLik", "zero-width", "FPR"].value == 1.0
    assert told["two.T2", "Fast-DetectGPT, falcon-7b", "homoglyph", "FPR"].value == 0.23
    assert {c.detector for c in cells()} <= DETECTORS.keys()


def test_attacks_match_by_name_and_profile():
    cell = Published("two.T8", "raid", "Lastde", "zero-width", "TPR", 0.22, None, 0.02)
    assert same_condition(cell, "zero_width")
    assert same_condition(cell, "zero_width(profile='raid', rate=1.0)")
    assert not same_condition(cell, "zero_width(profile='default', rate=0.1)"), "ours at another dose is another attack"
    assert not same_condition(cell, "homoglyph")
    conditions = {c.condition for c in cells()} - ATTACKS.keys()
    assert all(name.replace("-", "_").isidentifier() and "-" not in name for name in conditions), conditions


@pytest.fixture
def raid(study_of, rows_of, settings):
    records = [{**r, "corpus": "raid"} for r in study_of(detectors=(NEO, "lrr"), attacks=("paraphrase", "number"))]
    return rows_of(records), Settings(Policy(fpr=0.01), settings.seed, {})


def test_our_numbers_stand_beside_theirs(raid):
    rows, settings = raid
    result = audits.get("beside_published(replicates=100)")(rows, settings)
    told = {(f.where["table"], f.where["quantity"], f.where["condition"], f.metric): f for f in result.findings}
    assert told["T7", "AUROC two-sided", "paraphrase", "published"].estimate.value == 0.73
    assert told["T7", "AUROC two-sided", "paraphrase", "published"].marks == ("down",)
    two = audits.get("two_sided(replicates=100)")(rows, settings)
    ours = next(
        f for f in two.findings
        if f.table == "two_sided_auroc" and (f.where["attack"], f.where["protocol"]) == ("paraphrase", "two-sided")
        and f.where["detector"] == "fast_detect_gpt"
    )  # fmt: skip
    mine = told["T7", "AUROC two-sided", "paraphrase", "ours"]
    assert (mine.estimate, mine.marks, mine.counts) == (ours.estimate, ours.marks, ours.counts)
    apart = told["T7", "AUROC two-sided", "paraphrase", "difference"]
    assert apart.estimate.value == pytest.approx(ours.estimate.value - 0.73)
    assert ("within" in apart.note) == (abs(apart.estimate.value) <= 0.01)
    assert {f.where["condition"] for f in result.findings} == {"none", "paraphrase", "number"}
    assert ("T9", "FPR", "none", "published") in told
    assert "published numbers lie within" in result.answers[0].text


def test_another_model_is_compared_only_when_asked(study_of, rows_of, settings):
    rows = rows_of([{**r, "corpus": "DetectRL"} for r in study_of(detectors=("lastde",), attacks=("polish",))])
    policy = Policy(fpr=0.01)
    embedded = Settings(policy, 7, {"model": "embedded"})
    assert not audits.get("beside_published(replicates=100)")(rows, embedded).findings
    found = audits.get("beside_published(models='any', replicates=100)")(rows, embedded).findings
    assert {f.where["detector"] for f in found} == {"Lastde (ours: lastde)"}
    neo = Settings(policy, 7, {"model": "hub:EleutherAI/gpt-neo-2.7B@main"})
    assert {f.where["detector"] for f in audits.get("beside_published(replicates=100)")(rows, neo).findings} == {
        "Lastde"
    }


def test_rates_under_another_policy_are_not_compared(raid):
    rows, settings = raid
    loose = Settings(Policy(fpr=0.05), settings.seed, {})
    result = audits.get("beside_published(replicates=100)")(rows, loose)
    assert {f.where["quantity"] for f in result.findings} == {"AUROC clean", "AUROC one-sided", "AUROC two-sided"}
    assert "not compared" in result.notes[0]


def test_another_corpus_matches_nothing(study_of, rows_of, settings):
    rows = rows_of([{**r, "corpus": "mine"} for r in study_of(detectors=(NEO,), attacks=("paraphrase",))])
    result = audits.get("beside_published(replicates=100)")(rows, settings)
    assert not result.findings
    assert result.answers[0].kind == "missing"
