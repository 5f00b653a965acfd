"""The run folder: whole parts, nothing double, nothing lost, and refusals that name the cure."""

from __future__ import annotations

import errno
import os

import pytest

from evenhand.documents import Document, Level, Span
from evenhand.errors import StoreError
from evenhand.store import Store, document_of, row_of

SCORE = {"detector": "d", "score": 1.0, "status": "ok", "reason": None, "n_tokens": 3, "truncated": False}


@pytest.fixture
def store(tmp_path):
    made = Store.at(tmp_path / "run")
    made.create()
    return made


def test_documents_come_back_as_they_were(store):
    documents = [
        Document("a", "one", "human", Level.HUMAN, meta={"year": 1999, "author": "x"}, cluster="c"),
        Document("b", "two", "machine", Level.TASK, Level.HUMANIZE, spans=(Span(0, 3, "machine"),), source_id="a"),
        Document("c", "lone \ud800 surrogate", "unknown", title="also \udfff"),
        Document("d", "nul \x00 and \u200b", "mixed"),
    ]
    store.append("documents", [row_of(d) for d in documents])
    found = [document_of(row) for row in store.read("documents").to_pylist()]
    assert [d.text for d in found] == [d.text for d in documents]
    assert found[:2] == documents[:2]
    assert [row["digest"] for row in store.read("documents").to_pylist()] == [d.digest for d in documents]


def test_a_run_without_texts_holds_no_words_of_people_in_its_meta_either():
    told = {"raw": "Here is: secret", "summary": "secret", "notes": "secret", "prompt": "Rewrite: {human-text}"}
    assert "secret" not in str(row_of(Document("a", "a secret", "machine", meta=told), text=False))
    assert str(row_of(Document("a", "a secret", "machine", meta=told))).count("secret") == 4


def test_the_same_rows_twice_are_one_part(store):
    rows = [{"digest": "a", **SCORE}, {"digest": "b", **SCORE}]
    store.append("scores", rows)
    store.append("scores", rows)
    assert store.read("scores").num_rows == 2


def test_texts_can_be_left_out(store):
    store.append("documents", [row_of(Document("a", "secret", "human"), text=False)])
    row = store.read("documents").to_pylist()[0]
    assert row["text"] is None
    assert row["digest"] == Document("a", "secret", "human").digest


def test_a_temporary_file_of_a_killed_run_is_no_part(store):
    (store.folder / "scores" / "x.parquet.1.tmp").write_bytes(b"half")
    assert store.read("scores").num_rows == 0
    store.create()
    assert not list((store.folder / "scores").glob("*.tmp"))


def test_a_damaged_part_is_named(store):
    (store.folder / "scores" / "bad.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(StoreError, match=r"bad\.parquet is damaged"):
        store.read("scores")


def test_failed_scores_can_be_tried_again(store):
    store.append("scores", [{"digest": "a", **SCORE}, {"digest": "b", **SCORE, "status": "failed", "score": None}])
    assert store.drop_failed() == 1
    assert store.done("d") == {"a"}


def test_forget_removes_a_text_and_what_was_made_from_it(store):
    documents = [
        Document("a", "one", "human"),
        Document("a|x", "1", "human", source_id="a"),
        Document("a|x|y", "11", "human", source_id="a|x"),
        Document("b", "two", "human"),
    ]
    store.append("documents", [row_of(d) for d in documents])
    store.append("scores", [{"digest": d.digest, **SCORE} for d in documents])
    assert set(store.forget(["a"])) == {"a", "a|x", "a|x|y"}
    assert store.read("documents")["id"].to_pylist() == ["b"]
    assert store.read("scores")["digest"].to_pylist() == [documents[3].digest]


def test_a_full_disk_is_told_with_its_cure(store, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StoreError, match="disk is full"):
        store.append("scores", [{"digest": "a", **SCORE}])
    assert not list((store.folder / "scores").iterdir())


def test_a_file_where_a_folder_is_needed(tmp_path):
    (tmp_path / "run").write_text("in the way")
    with pytest.raises(StoreError, match="choose another folder"):
        Store.at(tmp_path / "run").create()


def test_no_run_folder(tmp_path):
    with pytest.raises(StoreError, match="no run folder"):
        Store.existing(tmp_path)
