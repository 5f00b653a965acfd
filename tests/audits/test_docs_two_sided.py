"""docs/make/two_sided.py writes its page from a run folder, without a model and without a text."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from evenhand import Document, Store
from evenhand.documents import Level
from evenhand.store import row_of

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "make" / "two_sided.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("make_two_sided", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def run(script, tmp_path):
    store, draw = Store.at(tmp_path / "run"), np.random.default_rng(2)
    store.create()
    documents, scores = [], []
    for label, level in (("human", Level.HUMAN), ("machine", Level.TASK)):
        for i in range(30):
            base = draw.normal(1.5 * (label == "machine"))
            for attack in ("none", "polish", "word"):
                source = None if attack == "none" else f"{label}{i}"
                after = Level.IMPROVE_HUMAN if attack == "polish" and label == "human" else None
                document = Document(
                    f"{label}{i}" + ("" if attack == "none" else f"|{attack}"),
                    f"secret words {label} {i} {attack}", label, level, after,
                    generator="ab"[i % 2] if label == "machine" else None, corpus="DetectRL", domain="made up",
                    source_id=source, cluster=f"{label}{i}", attack=attack,
                )  # fmt: skip
                documents.append(row_of(document))
                told = {"status": "ok", "reason": None, "n_tokens": 9, "truncated": False}
                for detector, size in (("fast_detect_gpt", 1.0), ("lrr", 0.5)):
                    scores.append(
                        {
                            "digest": document.digest,
                            "detector": detector,
                            "score": base + size * (attack == "polish"),
                            **told,
                        }
                    )
    store.append("documents", documents)
    store.append("scores", scores)
    store.write_text("plan.toml", script.plan_of(tmp_path / "x.jsonl").to_toml())
    store.write_text(
        "environment.json", json.dumps({"detectors": {"fast_detect_gpt": "fast_detect_gpt", "lrr": "lrr"}})
    )
    return store.folder


def test_the_page_holds_every_table_and_no_text(script, run):
    page = script.page(run, 0.1)
    for heading in (
        "Do the claims hold",
        "## AUROC",
        "## Human texts accused",
        "## Score shifts",
        "## Generators",
        "certify",
    ):
        assert heading in page
    assert "secret" not in page
    assert "30 human and 30 machine texts" in page
    assert "from 15 human texts" in page
    assert "| one-sided gains of AUROC | 17 of 63 | 2 of 2 (2 corrected) |" in page, "only polish changes a score"
    assert "FDG-neo (ours: fast_detect_gpt)" in page
    assert "rightly flagged" in page, "polished human text under a policy that accepts none"
    assert page == script.page(run, 0.1)


def test_model_made_edits_of_human_text_get_their_level(script, tmp_path):
    import gzip

    texts = tmp_path / "texts.jsonl.gz"
    rows = [
        {"id": f"{label}{attack}", "text": "t", "label": label, "attack": attack}
        for label in ("human", "machine")
        for attack in ("polish", "word")
    ]
    with gzip.open(texts, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    made = [json.loads(line) for line in script.prepared(texts, tmp_path / "run").read_text("utf-8").splitlines()]
    assert [row.get("level_after") for row in made] == ["improve-human", None, None, None]
