"""The plan of examples/gede.toml: twenty lines, every audit in it known, and a small sample of it run to the report."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from evenhand import audits
from evenhand.plan import Plan, Sample

PLAN = Path(__file__).resolve().parents[2] / "examples" / "gede.toml"
TABLES = {
    "gede_counts", "boundary", "levels", "by_generator", "by_corpus", "by_discipline", "by_length", "run_settings",
    "corpus_statistics", "revisions", "ordinal", "groups", "accusation", "decision", "beside_gede",
    "gede_checks",
}  # fmt: skip


def test_the_whole_study_is_a_plan_of_twenty_lines():
    assert len(PLAN.read_text("utf-8").splitlines()) <= 20
    plan = Plan.read(PLAN).resolved()
    assert {audits.get(spec).name for spec in plan.audits} == TABLES
    assert str(plan.policy.boundary) == "rewrite-human"
    assert plan.policy.fpr == 0.05


@pytest.mark.model
def test_a_small_sample_of_it_runs_to_the_report(tmp_path):
    from evenhand.reports import report
    from evenhand.run import score

    study = Plan.read(PLAN)
    small = replace(
        study,
        detectors=("log_rank", "tfidf_lr"),
        attacks=("truncate(words=50, profile='gede')", "smart_quotes"),
        measures=tuple(spec for spec in study.measures if spec != "semantic_similarity"),  # a fetch of 84 MB
        sample=Sample(per_level=6, attack_sources=3),
    )
    findings = audits.audit(score(small, tmp_path / "run"))
    told = {result.audit.partition("(")[0]: result for result in findings.results}
    assert told.keys() == TABLES
    for name, result in told.items():
        assert result.findings or result.answers, name
        assert all(f.note for f in result.findings if math.isnan(f.estimate.value)), name
    made = {f.where["prompt"] for f in told["run_settings"].findings if f.table == "run_prompts"}
    assert {"Rewrite this text: {human-text}", "Write an essay for this task: {task}", "-"} <= made
    page = tmp_path / "report.html"
    report(findings).save(page)
    assert "Chance of an accusation" in page.read_text("utf-8")
