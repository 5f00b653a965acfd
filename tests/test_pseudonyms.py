"""Pseudonyms: a run folder without the corpus's ids, with the same scores."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from evenhand import Plan, audit, score
from evenhand.cli.app import app
from evenhand.documents import Document
from evenhand.errors import MissingError, SpecError
from evenhand.pseudonyms import KEY, pseudonym, pseudonymous
from evenhand.store import Store

SECRET = "a secret of the tests"


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    rows = [
        {
            "id": f"essay-{i}", "label": ("human", "machine")[i % 2], "cluster": f"anna{i // 2}", "title": "On rivers",
            "split": ("train", "test")[i // 2 % 2], "meta": {"author": "anna", "grade": 9},
            "text": f"{('The framework provides a robust', 'We walked home and saw a')[i % 2]} {'long ' * i}river.",
        }
        for i in range(24)
    ]  # fmt: skip
    source = tmp_path / "texts.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Plan(f"jsonl(path='{source}')", ("tfidf_lr(min_words=2)",), ("upper_lower(rate=1.0)",), audits=("clean",))


def test_the_same_name_and_key_give_the_same_pseudonym() -> None:
    one, other = pseudonym("essay-1", b"k" * 16), pseudonym("essay-1", b"l" * 16)
    assert one != other
    assert one == pseudonym("essay-1", b"k" * 16)
    assert pseudonym("essay-1|whitespace()", b"k" * 16) == f"{one}|whitespace()"


def test_what_names_a_person_changes_and_what_groups_them_stays() -> None:
    told = Document("a", "text", "human", cluster="c", title="t", meta={"author": "anna", "grade": 9})
    hidden = pseudonymous(told, b"k" * 16)
    assert (hidden.text, hidden.meta["grade"]) == ("text", 9)
    assert {hidden.id, hidden.cluster, hidden.title, hidden.meta["author"]}.isdisjoint({"a", "c", "t", "anna"})


@pytest.mark.parametrize("secret", [None, "short"])
def test_a_key_is_needed(plan: Plan, secret: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    if secret:
        monkeypatch.setenv(KEY, secret)
    with pytest.raises(MissingError, match=KEY):
        score(replaced(plan), tmp_path / "run")


def replaced(plan: Plan) -> Plan:
    from dataclasses import replace

    return replace(plan, pseudonyms=True, store_texts=True)


def test_a_run_under_pseudonyms_has_the_scores_of_an_open_one(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    open_run, hidden = score(plan, tmp_path / "open"), score(replaced(plan), tmp_path / "hidden")
    pairs = [sorted((r["digest"], r["score"]) for r in run.read("scores").to_pylist()) for run in (open_run, hidden)]
    assert pairs[0] == pairs[1]
    assert len(audit(hidden).results) == len(audit(open_run).results)
    for name in ("documents", "scores"):
        for row in hidden.read(name).to_pylist():
            told = json.dumps({k: v for k, v in row.items() if k != "text"}, default=str)
            assert not any(word in told for word in ("essay-", "anna", "On rivers"))
    score(replaced(plan), tmp_path / "hidden")  # resumes
    monkeypatch.delenv(KEY)
    assert Store.existing(tmp_path / "hidden").progress()["detectors"][0]["left"] == 0


def test_forget_knows_the_id_of_the_corpus(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    run = score(replaced(plan), tmp_path / "run")
    before = run.read("documents").num_rows
    done = CliRunner().invoke(app, ["forget", str(tmp_path / "run"), "essay-2"])
    assert done.exit_code == 0, done.output
    assert run.read("documents").num_rows == before - 2  # the text and its attacked copy


def test_the_key_is_a_flag() -> None:
    with pytest.raises(SpecError, match="pseudonyms must be true or false"):
        Plan("embedded", pseudonyms="yes")  # type: ignore[arg-type]


def test_a_fold_named_after_a_person_has_a_pseudonym_too(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from evenhand.audits.rows import read_rows

    rows = [json.loads(line) for line in (tmp_path / "texts.jsonl").read_text().splitlines()]
    rows = [
        {**row, "meta": {"author": ("anna", "bert", "carl")[i // 2 % 3]}, "cluster": f"c{i}"}
        for i, row in enumerate(rows)
    ]
    rows = [
        {**row, "text": " ".join(f"{row['label']}{i * k % 997}" for k in range(1, 20))} for i, row in enumerate(rows)
    ]
    (tmp_path / "texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setenv(KEY, SECRET)
    by_author = replace(plan, evaluation="train_on(by='author', held=0)", attacks=())
    hidden, opened = score(replaced(by_author), tmp_path / "hidden"), score(by_author, tmp_path / "open")
    names = {pseudonym(name, SECRET.encode()) for name in ("anna", "bert", "carl")}
    assert {one["fold"] for one in hidden.read_json("environment.json")["columns"].values()} == names
    for file in (tmp_path / "hidden").rglob("*"):
        if file.is_file():
            assert not [name for name in (b"anna", b"bert", b"carl") if name in file.read_bytes()], file.name
    scores = [
        sorted(float(s) for column in read_rows(run).scores.values() for s in column[~np.isnan(column)])
        for run in (hidden, opened)
    ]
    assert scores[0] == scores[1]
