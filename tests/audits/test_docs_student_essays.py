"""docs/make/student_essays.py: published scores laid beside a run, and the page without a model and without a text."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from evenhand import Store, audits
from evenhand.audits.rows import Settings, read_rows
from evenhand.documents import Level, Policy, digest
from evenhand.plan import Plan
from evenhand.store import row_of

SETTINGS = Settings(Policy(), 0, {})
SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "make" / "student_essays.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("make_student_essays", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def records():
    """Two made-up corpora: second-language essays with polished versions, native ones with simplified versions."""
    draw, made = np.random.default_rng(3), []
    for domain, group, level in (
        ("essay_toefl", "non-native", "improve-human"),
        ("essay_us8", "native", "rewrite-human"),
    ):
        for i in range(36):
            name = f"{group}{i}"
            shared = {"corpus": "ChatGPT-Detector-Bias", "domain": domain, "doc": name, "group": group}
            text = f"secret words of {name} about nothing much"
            scores = {"GPTZero": float(group == "non-native" and i % 2), "ZeroGPT": draw.uniform(0, 0.4)}
            made.append({**shared, "id": name, "text": text, "label": "human", "level": "human", "scores": scores})
            edit = {"id": f"{name}+", "text": f"{text} indeed", "label": "machine", "level": level, "source_id": name}
            made.append({**shared, **edit, "generator": "GPT-4"} | ({"scores": {"GPTZero": 1.0}} if i % 3 else {}))
    return made


@pytest.fixture(scope="module")
def run(script, tmp_path_factory):
    folder = tmp_path_factory.mktemp("essays") / "run"
    store, draw, made = Store.at(folder), np.random.default_rng(2), records()
    store.create()
    plan = script.plan_of(script.prepared(made, folder))
    documents = list(Plan.parse(plan.to_toml()).documents())
    store.append("documents", [row_of(d) for d in documents])
    for name in ("lrr", "lastde"):
        facts = {"status": "ok", "reason": None, "n_tokens": 9, "truncated": False}
        rows = [{"digest": d.digest, "detector": name, "score": draw.normal(d.level.order), **facts} for d in documents]
        store.append("scores", rows)
    store.write_text("plan.toml", plan.to_toml())
    store.write_text("environment.json", json.dumps({"detectors": {"lrr": "lrr", "lastde": "lastde"}}))
    script.lay_beside(store, made)
    return store.folder


def test_published_scores_are_detectors_of_the_run(run, script):
    rows = read_rows(Store.existing(run))
    assert set(rows.scores) == {"lrr", "lastde", *script.PUBLISHED}
    wanted = {digest(r["text"]): r.get("scores", {}).get("GPTZero") for r in records()}
    for key, score, status, reason in zip(
        rows["digest"], rows.scores["GPTZero"], rows.status["GPTZero"], rows.reason["GPTZero"], strict=True
    ):
        if wanted[key] is None:
            assert (status, reason) == ("abstained", "no score was published")
        else:
            assert score == wanted[key]


def test_the_page_holds_the_numbers_and_no_text(run, script):
    text = script.page(run)
    assert text == script.page(run)
    assert "secret" not in text
    assert "/tmp" not in text
    assert text.index("## The texts") < text.index("## If one of them were used")


def test_shares_above_one_half_are_counted_by_group_and_level(run, script):
    block = "\n".join(script.at_one_half(read_rows(Store.existing(run))))
    line = next(one for one in block.splitlines() if one.startswith("| GPTZero |"))
    _, native, second, cs224n, improved, rewritten, task, _ = [one.strip() for one in line.strip("|").split("|")]
    assert native.startswith("0.00 [0.00, ")
    assert native.endswith("n=36")
    assert second.startswith("0.50 [")
    assert improved.startswith("1.00 [")
    assert rewritten.endswith("n=24"), "a third has no published score"
    assert (cs224n, task) == ("-", "-")


def test_levels_are_compared_within_their_corpus(run, script):
    store = Store.existing(run)
    rows, settings = read_rows(store), Settings.of(store.settings())
    found = script.within_corpora(rows, settings)
    human, polished = (
        rows.scores["lrr"][(rows["domain"] == "TOEFL-91") & (rows["level"] == level)]
        for level in ("human", "improve-human")
    )
    area = np.mean(polished[:, None] > human[None, :])
    (cell,) = [f for f in found if f.where["corpus"] == "TOEFL-91" and f.where["detector"] == "lrr"]
    assert cell.estimate.value == pytest.approx(area)
    half = script.part(rows, rows["domain"] == "TOEFL-91")
    assert len(half) == 72
    assert set(half["level"]) == {"human", str(Level.IMPROVE_HUMAN)}


def test_a_threshold_tuned_on_native_writers_judges_all_others(run, script):
    tuned = script.tuned_on_native(read_rows(Store.existing(run)), Settings.of(Store.existing(run).settings()))
    native, second = next((a, b) for name, a, b in tuned if name == "GPTZero")
    assert (native.value, second.value, second.n) == (0.0, 0.5, 36)
    assert second.low > 0.05
    assert "GPTZero" in script.in_short([], tuned, audits.get("groups")(read_rows(Store.existing(run)), SETTINGS), 0.05)
