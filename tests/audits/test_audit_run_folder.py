"""The audits asked of a run folder, through the public door."""

from __future__ import annotations

import json

import pytest

from evenhand import Document, Store, audit, report
from evenhand.audits.rows import read_rows
from evenhand.documents import Level
from evenhand.store import row_of

PLAN = """
corpus = "embedded"
detectors = ["lrr"]
attacks = ["homoglyph"]
audits = ["two_sided(replicates=200)", "sanitized(replicates=200)", "restoration(replicates=200)", "meaning(replicates=200)"]
seed = 5
[policy]
boundary = "rewrite-human"
fpr = 0.1
"""


def documents():
    for label, level, count in (("human", Level.HUMAN, 24), ("machine", Level.TASK, 20)):
        for i in range(count):
            clean = Document(
                f"{label}{i}", f"Plain words of {label} {i}.", label, level, cluster=f"{label}{i}", corpus="made up"
            )
            edited = Document(f"{label}{i}|h", f"Plаin words of {label} {i}.", label, level, cluster=clean.cluster,
                              source_id=clean.id, attack="homoglyph", corpus="made up")  # fmt: skip
            cleaned = Document(f"{label}{i}|h|s", clean.text, label, level, cluster=clean.cluster,
                               source_id=edited.id, attack="homoglyph", sanitizer="curated47", corpus="made up")  # fmt: skip
            again = Document(f"{label}{i}|s", clean.text, label, level, cluster=clean.cluster,
                             source_id=clean.id, sanitizer="curated47", corpus="made up")  # fmt: skip
            yield from (clean, edited, cleaned, again)


@pytest.fixture
def run(tmp_path):
    store = Store.at(tmp_path / "run")
    store.create()
    made = list(documents())
    store.append("documents", [row_of(d) for d in made])
    scored = {d.digest: (i % 7) + 3.0 * (d.label == "machine") - 2.0 * ("а" in d.text) for i, d in enumerate(made)}
    told = {"detector": "lrr#key", "status": "ok", "reason": None, "n_tokens": 5, "truncated": False}
    store.append("scores", [{"digest": d, "score": s, **told} for d, s in scored.items()])
    edited = [d for d in made if d.attack != "none" and d.sanitizer == "none"]
    store.append("measures", [{"id": d.id, "measure": "cosine", "value": 0.75, "reason": None} for d in edited])
    store.write_text("plan.toml", PLAN)
    store.write_text("environment.json", json.dumps({"detectors": {"lrr": "lrr#key"}}))
    return store


def test_a_run_folder_answers_every_audit_of_its_plan(run):
    findings = audit(run)
    assert [r.audit.partition("(")[0] for r in findings.results] == ["two_sided", "sanitized", "restoration", "meaning"]
    told = {(f.table, f.metric): f for r in findings.results for f in r.findings}
    assert told["restoration", "exact"].estimate.value in (0.0, 1.0)
    assert told["meaning", "mean"].estimate.value in (0.75, pytest.approx(0.2))
    shares = [f for r in findings.results for f in r.findings if f.table == "sanitized_share"]
    assert [f.estimate.value for f in shares] == [1.0], "the cleaned text is the source, and is scored once"


def test_measures_come_along_the_documents(run):
    rows = read_rows(run)
    edited = rows.where(attack="homoglyph", sanitizer="none")
    assert set(rows.measures["cosine"][edited]) == {0.75}
    assert not (rows.measures["cosine"][~edited] == 0.75).any()


def test_origins_are_found_through_two_edits(run):
    rows = read_rows(run)
    for i, name in enumerate(rows["id"]):
        origin = rows.origin[i]
        assert (origin == -1) == ("|" not in name)
        assert origin == -1 or rows["id"][origin] == name.partition("|")[0]


def test_the_same_folder_gives_the_same_report(run):
    one, two = report(audit(run)), report(audit(run))
    assert one.to_markdown() == two.to_markdown()
    assert "two-sided" in one.to_markdown()


def test_an_audit_that_these_texts_do_not_allow_refuses_alone(run):
    refused, answered = audit(run, ["groups(by='shoe size')", "clean"]).results
    assert refused.findings == ()
    assert "no text of this run is told its 'shoe size'; by= is one of:" in refused.answers[0].text
    assert answered.findings
    assert "shoe size" in report(audit(run, ["groups(by='shoe size')", "clean"])).to_markdown()


def test_the_ledger_says_why_there_was_no_text_to_judge(run):
    meta = {"finish_reason": "error", "error": "InternalServerError: oops"}
    lost = Document("lost", "", "machine", Level.TASK, meta=meta)
    cut = Document(
        "cut", "", "human", Level.HUMAN, meta={"edit.note": "dropped: the first sentence has 50 words or more"}
    )
    run.append("documents", [row_of(lost), row_of(cut)])
    abstained = {"status": "abstained", "reason": "0 scored tokens", "n_tokens": 0, "truncated": False}
    run.append("scores", [{"digest": lost.digest, "detector": "lrr#key", "score": None, **abstained}])
    told = {(row["class"], row["reason"]) for row in audit(run, ["clean"]).ledger}
    assert told == {
        ("machine", "no text came: InternalServerError: oops"),
        ("human", "dropped: the first sentence has 50 words or more"),
    }
