"""Scoring a study: what is done is not done again, a killed run loses nothing, and nothing is counted twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evenhand import audit, detectors, report
from evenhand.documents import digest
from evenhand.errors import DataError, SpecError, StoreError
from evenhand.plan import Plan
from evenhand.run import Options, score
from evenhand.store import Store

HUMAN = "Number {} again: we got off at the harbour, lost the dog twice, found it, and ate plums till dark."
MACHINE = "The harbour is an important place that offers {} benefits to the community and its many visitors."


SPLITS = ("test", "train")


def write(path: Path, n: int = 40) -> str:
    rows = [
        {
            "id": f"{label}{i}",
            "text": text.format(i),
            "label": label,
            "cluster": f"c{i}",
            "split": SPLITS[i % 4 == 0],
        }
        for label, text in (("human", HUMAN), ("machine", MACHINE))
        for i in range(n)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return f"jsonl(path={str(path)!r})"


@pytest.fixture
def plan(tmp_path):
    return Plan(
        write(tmp_path / "texts.jsonl"),
        ("tfidf_lr",),
        ("homoglyph(rate=0.5)", "upper_lower"),
        ("curated47",),
        measures=("words", "exact_copy"),
        audits=("clean", "two_sided", "sanitized"),
    )


def rows(folder) -> list[tuple]:
    table = Store.existing(folder).read("scores")
    return sorted(tuple(map(repr, row.values())) for row in table.to_pylist())


def test_a_study_from_texts_to_a_report(plan, tmp_path):
    store = score(plan, tmp_path / "run")
    documents = store.read("documents").to_pylist()
    scores = store.read("scores").to_pylist()
    scored = {d["digest"] for d in documents if d["split"] != "train"}
    assert {s["digest"] for s in scores} == scored
    assert len(scores) == len(scored), "equal texts are scored once"
    assert all(s["status"] == "ok" for s in scores)
    measured = store.read("measures")
    assert measured.num_rows == 2 * sum(d["split"] != "train" for d in documents)
    findings = audit(store)
    clean = {f.metric: f.estimate.value for f in findings.results[0].findings}
    assert clean["AUROC (DeLong)"] == 1.0
    assert "tfidf_lr" in report(findings).to_html()
    assert audit(store) == findings


def test_the_same_plan_again_scores_nothing(plan, tmp_path):
    score(plan, tmp_path / "run")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "run").rglob("*.parquet")}
    asked = []
    score(plan, tmp_path / "run", Options(progress=lambda done, total: asked.append(total)))
    assert asked == [0]
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "run").rglob("*.parquet")} == before


def test_without_texts_a_changed_corpus_is_refused(tmp_path):
    plan = Plan(write(tmp_path / "texts.jsonl"), ("tfidf_lr",), store_texts=False)
    store = score(plan, tmp_path / "run")
    assert set(store.read("documents")["text"].to_pylist()) == {None}
    score(plan, tmp_path / "run")
    write(tmp_path / "texts.jsonl", n=50)
    with pytest.raises(StoreError, match="corpus has changed"):
        score(plan, tmp_path / "run")


def test_another_study_in_the_folder_is_refused(plan, tmp_path):
    from dataclasses import replace

    score(plan, tmp_path / "run")
    with pytest.raises(StoreError, match="another plan"):
        score(replace(plan, seed=1), tmp_path / "run")
    score(replace(plan, audits=("clean",)), tmp_path / "run")


def test_a_detector_that_learns_needs_a_training_split(tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text("\n".join(json.dumps({"text": HUMAN.format(i), "label": "human", "id": str(i)}) for i in range(4)))
    with pytest.raises(DataError, match="evenhand split"):
        score(Plan(f"jsonl(path={str(path)!r})", ("tfidf_lr",)), tmp_path / "run")


def test_an_unknown_detector_is_refused_before_anything_is_written(plan, tmp_path):
    from dataclasses import replace

    with pytest.raises(SpecError, match="did you mean 'tfidf_lr'"):
        score(replace(plan, detectors=("tfidf_l",)), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_misspelt_audit_is_refused_before_anything_is_scored(plan, tmp_path):
    from dataclasses import replace

    with pytest.raises(SpecError, match="did you mean 'clean'"):
        score(replace(plan, audits=("claen",)), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_training_set_is_part_of_the_key():
    texts, labels = [HUMAN.format(i) for i in range(5)] + [MACHINE.format(i) for i in range(5)], [0] * 5 + [1] * 5
    one, two = detectors.get("tfidf_lr").fit(texts, labels), detectors.get("tfidf_lr").fit(texts[1:], labels[1:])
    again = detectors.get("tfidf_lr").fit(texts[::-1], labels[::-1])
    assert one.key == again.key != two.key


def test_odd_texts_are_rows_and_never_a_crash(tmp_path):
    surrogate = "\ud800 lone surrogate in ten words or a few more than that"
    odd = ["", "one", "\x00" * 20, surrogate, "🌍" * 50, "x" * 2_000_000, "שלום " * 20]
    lines = [json.dumps({"text": t, "label": "human", "id": f"odd{i}", "split": "test"}) for i, t in enumerate(odd)]
    base = write(tmp_path / "texts.jsonl")
    with (tmp_path / "texts.jsonl").open("a") as handle:
        handle.write("\n" + "\n".join(lines))
    plan = Plan(base, ("tfidf_lr",), ("zero_width", "homoglyph(rate=1.0)"), ("nfkc",), audits=("clean",))
    store = score(plan, tmp_path / "run")
    found = {row["digest"]: row for row in store.read("scores").to_pylist()}
    assert found[digest("one")]["status"] == "abstained"
    assert found[digest("one")]["score"] is None
    assert found[digest("")]["reason"] == "fewer than 10 words"
    assert all(digest(text) in found for text in odd)
    assert any(row["class"] == "human" and row["status"] == "abstained" for row in audit(store).ledger)


SLOW = """
import sys, time
from dataclasses import dataclass
from typing import ClassVar
sys.modules["slow_for_test"] = sys.modules["__main__"]
from evenhand import detectors
from evenhand.detectors.base import Detector
from evenhand.documents import Judgement
from evenhand.plan import Plan
from evenhand.run import score
from evenhand.registry import Card

@dataclass(frozen=True)
class Slow(Detector):
    name: ClassVar[str] = "slow"
    card: ClassVar[Card] = Card("takes its time")
    model_fields: ClassVar[tuple] = ()
    def judge(self, texts):
        time.sleep(0.002 * len(texts))
        return [Judgement(len(text) / 7) for text in texts]

detectors.register("slow", "slow_for_test:Slow")
if sys.argv[1] == "cli":
    from evenhand.cli import main
    sys.argv[:2] = ["evenhand"]
    main()
score(Plan(sys.argv[1], ("slow",), ("homoglyph(rate=0.5)", "upper_lower(rate=0.3)"), ("curated47",)), sys.argv[2])
"""


@pytest.mark.parametrize("kills", [6, pytest.param(20, marks=pytest.mark.long)])
def test_killed_at_any_moment_it_goes_on_where_it_was(tmp_path, kills):
    corpus = write(tmp_path / "texts.jsonl", n=120)
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    command = [sys.executable, str(script), corpus]
    subprocess.run([*command, str(tmp_path / "whole")], check=True)
    draw = random.Random(1)
    killed = 0
    for _ in range(kills):
        process = subprocess.Popen([*command, str(tmp_path / "torn")])
        time.sleep(draw.uniform(0.3, 1.6))
        killed += process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run([*command, str(tmp_path / "torn")], check=True)
    assert killed >= 2, "the run was too quick to be killed"
    assert rows(tmp_path / "torn") == rows(tmp_path / "whole")
    assert Store.existing(tmp_path / "torn").read("documents") == Store.existing(tmp_path / "whole").read("documents")


def hears_ctrl_c():
    """A shell starts its background jobs deaf to Ctrl-C, and what they start inherits it: the tests may be such a job."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_ctrl_c_says_that_it_goes_on_and_leaves_by_130(tmp_path):
    plan, script = tmp_path / "plan.toml", tmp_path / "slow.py"
    corpus = write(tmp_path / "texts.jsonl", n=3000)
    plan.write_text(f'corpus = "{corpus}"\ndetectors = ["slow"]\naudits = ["clean"]\n')
    script.write_text(SLOW)
    command = [sys.executable, str(script), "cli", "run", str(plan), "-o", str(tmp_path / "run")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=hears_ctrl_c)
    while not list((tmp_path / "run" / "scores").glob("*.parquet")) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=60)[1]
    assert process.returncode == 130, told
    assert "goes on where it was" in told
    assert "Traceback" not in told
    assert subprocess.run(command, check=False).returncode == 0
    assert (tmp_path / "run" / "report.html").is_file()


def test_a_detector_that_joins_leaves_the_others_where_they_are(plan, tmp_path):
    from dataclasses import replace

    score(plan, tmp_path / "run")
    store = score(replace(plan, detectors=("tfidf_lr(ngrams=(1, 2))",)), tmp_path / "run")
    assert {row["detector"]: row["left"] for row in store.progress()["detectors"]} == {
        "tfidf_lr": 0,
        "tfidf_lr(ngrams=(1, 2))": 0,
    }


def test_without_texts_who_was_forgotten_is_not_scored_anew(plan, tmp_path):
    from dataclasses import replace

    store = score(replace(plan, store_texts=False), tmp_path / "run")
    before = store.read("scores", ["digest"]).num_rows
    gone = store.forget(["human1"])
    after = store.read("scores", ["digest"]).num_rows
    for _ in range(2):
        score(replace(plan, store_texts=False), tmp_path / "run")
        rows = store.read("scores", ["digest"])
        assert (rows.num_rows, {*gone.values()} & {*rows["digest"].to_pylist()}) == (after, set())
    assert after < before


def test_a_corpus_that_has_changed_joins_no_run(plan, tmp_path, monkeypatch):
    """Neither scored from stale texts nor mixed; a corpus that is gone, or whose forgotten text is taken out, is no change."""
    file = tmp_path / "texts.jsonl"
    store, before = score(plan, tmp_path / "run"), file.read_text()
    score(plan, tmp_path / "run")
    file.write_text(before.replace("plums", "pears", 1))
    with pytest.raises(StoreError, match=r"the corpus has changed since .* choose another folder"):
        score(plan, tmp_path / "run")
    relabelled = before.replace('"human"', '"machine"', 1)
    assert relabelled != before
    file.write_text(relabelled)
    with pytest.raises(StoreError, match="the corpus has changed"):
        score(plan, tmp_path / "run")
    file.write_text(before + "\n\n")  # written anew, with the same documents: read once, and no change
    score(plan, tmp_path / "run")
    with monkeypatch.context() as patch:
        patch.setattr("evenhand.run.named", lambda plan: pytest.fail("read again"))
        score(plan, tmp_path / "run")
    file.unlink()
    score(plan, tmp_path / "run")
    store.forget(["human1"])
    file.write_text("\n".join(line for line in before.splitlines() if '"human1"' not in line))
    score(plan, tmp_path / "run")
