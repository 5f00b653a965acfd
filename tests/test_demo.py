"""The main job on the embedded model and corpus, small: the same seed twice gives the same findings, from fresh scores."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

import pytest

from evenhand import audit, report
from evenhand.plan import Plan, Sample
from evenhand.run import Options, score

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def demo():
    return Plan.parse((files("evenhand") / "data" / "demo.toml").read_text(encoding="utf-8"))


def test_the_demo_has_the_texts_that_its_policy_needs(demo):
    documents = list(replace(demo, attacks=(), sanitizers=()).documents())
    human = [d for d in documents if d.label == "human" and d.split == "test"]
    assert len({d.cluster for d in human}) == len(human) >= 118
    levels = {str(d.level) for d in documents if d.split == "test"}
    assert levels == {"human", "improve-human", "rewrite-human", "summary", "task-summary", "task"}
    assert all(250 <= len(d.text.split()) <= 320 for d in human)
    assert not {d.cluster for d in documents if d.split == "train"} & {d.cluster for d in human}


def test_the_same_seed_twice_gives_the_same_findings(demo, tmp_path, monkeypatch):
    small = replace(demo, sample=Sample(per_level=3, attack_sources=1, attack_levels=("human", "task")))
    told = []
    for name, engine in (("one", "serial"), ("two", "processes(workers=2)")):
        store = score(small, tmp_path / name, Options(engine))
        told.append(report(audit(store)).to_json())
    assert told[0] == told[1]
    assert {row["status"] for row in store.read("scores").to_pylist()} == {"ok"}


@pytest.mark.long
def test_the_whole_demo(demo, tmp_path):
    findings = audit(score(demo, tmp_path / "run"))
    clean = {(f.where["detector"], f.metric): f for f in findings.results[0].findings}
    for detector in ("log_likelihood", "log_rank", "lrr", "fast_detect_gpt", "lastde", "tfidf_lr"):
        found = clean[detector, "AUROC (by cluster)"].estimate
        assert 0.8 < found.low < found.value < found.high
        assert clean[detector, "FPR, verification half"].counts["human"] >= 59
    html = report(findings).to_html()
    assert "one small generator" in html
