"""A whole study with detectors that ask an endpoint: scored, audited, resumed, reported, and no key anywhere."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evenhand import Plan, audit, report, score

from .conftest import SECRET

HUMAN = "Stop {}: we got off at the harbour, lost the dog twice, found it, ate plums till dark, and ran for the bus."
MACHINE = "The harbour offers {} benefits to the community, and its many visitors value the place in the evening."


@pytest.fixture
def corpus(tmp_path) -> str:
    rows = [
        {"id": f"{label}{i}", "text": text.format(i), "label": label, "cluster": f"{label}{i}", "generator": generator}
        | {"split": "train" if i < 8 else "test"}
        for label, text, generator in (("human", HUMAN, None), ("machine", MACHINE, "a"))
        for i in range(14)
    ]
    (tmp_path / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return f"jsonl(path={str(tmp_path / 'texts.jsonl')!r})"


def speak(body: dict):
    """Judges by a word, does not know one text, loses another; names and scores one feature."""
    text = body["messages"][-1]["content"]
    if "written by a HUMAN" in text:
        return json.dumps({"features": [{"name": "talk of benefits", "zero": "none", "ten": "much"}]})
    if "criteria" in text:
        return f"1: {9 * ('benefits' in text.split('######')[0])}"
    if "Stop 9" in text:
        return '{"author": "unknown"}'
    return 400 if "offers 9 " in text else json.dumps({"author": "machine" if "benefits" in text else "human"})


def test_a_study_from_scores_to_report(endpoint, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "evenhand.detectors.prompted.llmfe.embed", lambda told, _: np.ones((len(told), 2))
    )  # one feature: nothing to bring together, so no encoder is loaded
    server = endpoint(speak)
    names = {"prompted_io": {}, "prompted_fs": {"shots": 2}, "llmfe": {"n_pairs": 2, "n_train": 8, "trees": 5}}
    detectors = tuple(server.spec(name, **more) for name, more in names.items())
    plan = Plan(corpus, detectors=detectors, audits=("answers", "clean"))
    store = score(plan, tmp_path / "run")
    rows = store.read("scores").to_pylist()
    io = {row["digest"]: row for row in rows if row["detector"].startswith("prompted_io")}
    assert len(rows) == 3 * 12
    counts = {status: sum(row["status"] == status for row in io.values()) for status in ("ok", "abstained", "failed")}
    assert counts == {"ok": 10, "abstained": 1, "failed": 1}
    asked = len(server.bodies)
    score(plan, tmp_path / "run")
    assert len(server.bodies) == asked  # a finished run asks nothing
    findings = audit(store)
    verdicts = next(result for result in findings.results if result.audit.startswith("answers"))
    told = {
        (one.where["detector"], one.metric): one.estimate for one in verdicts.findings if one.where["texts"] == "all"
    }
    assert (told["prompted_io", "accuracy, unknown counted wrong"].value, told["prompted_io", "unknown"].n) == (
        10 / 11,
        12,
    )
    assert told["prompted_io", "accuracy, unknown left out"].value == 1
    ledger = [row for row in findings.ledger if row["detector"].startswith("prompted_io")]
    assert {(row["class"], row["status"]) for row in ledger} == {("human", "abstained"), ("machine", "failed")}
    report(findings).save(tmp_path / "run" / "report.html")
    files = [file for file in (tmp_path / "run").rglob("*") if file.is_file()]
    assert not [file for file in files if SECRET.encode() in file.read_bytes()]
