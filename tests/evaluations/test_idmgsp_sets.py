"""IDMGSP's table 2 as an evaluation: counts, what stands on one side, and what a corpus cannot fill."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from evenhand import evaluations
from evenhand.documents import Document
from evenhand.errors import DataError, SpecError
from evenhand.evaluations.idmgsp_sets import drawn, scaled
from evenhand.evaluations.table_two import TEST, TRAIN, source_of

FAKE = {
    "ChatGPT": "chatgpt-dec-2022",
    "GPT-2": "gpt2-abstract",
    "SCIgen": "SCIgen",
    "Galactica": "facebook/galactica-1.3b",
}


def paper(i: int, label: str, generator: str | None = None, **more) -> Document:
    given = {"id": f"p{i}", "text": f"text {i}", "cluster": f"c{i}", "title": f"Title {i}", **more}
    return Document(label=label, generator=generator, **given)


def corpus(n: int = 12) -> list[Document]:
    """A thousandth of table 2 and a little more: 12 real papers, 3 of each generator, 2.2 of GPT-3, 4 of each other kind."""
    made = [paper(i, "human") for i in range(n)]
    for generator in FAKE.values():
        made += [paper(len(made) + i, "machine", generator) for i in range(n // 4)]
    made += [paper(len(made) + i, "machine", "gpt3-curie") for i in range(n // 4)]
    made += [paper(len(made) + i, "human", meta={"parsing": "2"}) for i in range(n // 3)]
    mixed = [
        replace(
            made[i],
            id=f"cc{i}",
            text=f"paraphrase {i}",
            label="mixed",
            generator="gpt-3.5-turbo-0613",
            source_id=made[i].id,
        )
        for i in range(n // 3)
    ]
    return made + mixed


def sets(documents: list[Document]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for document in documents:
        for key in ("training_sets", "test_sets"):
            for name in filter(None, document.meta[key].split(",")):
                found.setdefault(name, Counter())[str(source_of(document))] += 1
    return found


EVERY = f"idmgsp_sets(train={tuple(TRAIN)!r}, test={tuple(TEST)!r})"


def test_the_table_adds_up_to_the_papers_of_table_1():
    assert TRAIN["TRAIN"]["ChatGPT"] + TEST["TEST"]["ChatGPT"] == 3000
    assert TRAIN["TRAIN"]["arXiv"] + TEST["TEST"]["arXiv"] == 12_000
    assert sum(TEST["TEST"].values()) == 8000
    assert TRAIN["TRAIN+GPT3"]["GPT-3"] + TEST["OOD-GPT3"]["GPT-3"] == 2200  # table 1 lists 1,000


@pytest.mark.parametrize(("generator", "source"), [
    ("gpt2-medium", "GPT-2"), ("ChatGPT", "ChatGPT"), ("gpt-3.5-turbo-0613", "ChatGPT"),
    ("gpt-35-turbo", "ChatGPT"), ("text-curie-001", "GPT-3"),
    ("GPT3", "GPT-3"), ("SCIgen", "SCIgen"), ("galactica-1.3b", "Galactica"), ("Falcon-7B", None),
])  # fmt: skip
def test_generators_are_known_by_name(generator, source):
    assert source_of(paper(0, "machine", generator)) == source


def test_counts_are_those_of_table_2_where_there_are_so_many():
    """A corpus of just as many papers as table 2, in thousandths, fills every set."""
    scaled = {name: {source: -(-n // 1000) for source, n in one.items()} for name, one in {**TRAIN, **TEST}.items()}
    placed = evaluations.get(EVERY).placed(corpus(12), 0)
    found = sets([d for d in placed if d.label != "human" or d.meta["parsing"] == "1"])
    assert found["TRAIN"] == {"arXiv": 8, **dict.fromkeys(FAKE, 2)}
    assert found["TRAIN-SUB"] == {"arXiv": 4, **dict.fromkeys(FAKE, 1)}
    assert found["TEST"] == {"arXiv": 4, **dict.fromkeys(FAKE, 1)}
    assert found["TECG"] == {"ChatGPT": 1}
    assert found["TEST-CC"] == {"co-created": 4} == scaled["TEST-CC"]
    assert "ChatGPT" not in found["TRAIN-CG"]
    second = [d for d in placed if d.label == "human" and d.meta["parsing"] == "2"]
    assert [d.meta["test_sets"] for d in second] == ["OOD-REAL"] * 4


@pytest.mark.parametrize("n", [55, 1580, 3003, 3009])
def test_no_paper_is_lost_by_rounding(n):
    """The part of table 2 is a fraction: 3003 of 12,000 papers are 2002 of 8,000, where floats make 2001."""
    wanted, scale = scaled(
        {"train": {"arXiv": 8000, "GPT-3": 1200}, "test": {"arXiv": 4000}}, {"arXiv": n, "GPT-3": 9**9}
    )
    assert wanted == {"train": {"arXiv": n * 2 // 3, "GPT-3": n // 10}, "test": {"arXiv": n // 3}}
    papers = {"arXiv": [[paper(i, "human")] for i in range(n)]}
    assert len(drawn(papers, {"arXiv": 4000}, scale)) == n // 3


def test_sets_hold_one_another_and_titles_stand_on_one_side():
    placed = evaluations.get(EVERY).placed(corpus(24), 3)
    names = {d.id: f"{d.meta['training_sets']},{d.meta['test_sets']}".split(",") for d in placed}
    by = {name: {d.id for d in placed if name in names[d.id]} for name in (*TRAIN, *TEST)}
    assert by["TRAIN-SUB"] < by["TRAIN"] < by["TRAIN+GPT3"]
    assert by["TRAIN-CG"] < by["TRAIN"]
    assert by["TECG"] < by["TEST"]
    titles = {side: {d.title for d in placed if d.meta[side]} for side in ("training_sets", "test_sets")}
    assert not titles["training_sets"] & titles["test_sets"]
    sources = {d.source_id for d in placed if d.label == "mixed" and d.meta["test_sets"]}
    assert sources <= by["TEST"]  # co-created papers are made from those of TEST


@pytest.mark.parametrize("kind", ["paraphrased", "parsed twice"])
def test_papers_that_hang_on_a_test_set_serve_training_once_it_is_full(kind):
    """All real papers have a paraphrase, or were read by both parsers: a third of them is what the tests ask for."""
    asked = ("TEST-CC", "mixed") if kind == "paraphrased" else ("OOD-REAL", "human")
    made = [one for one in corpus() if one.label != "mixed" and one.meta.get("parsing") != "2"]
    for one in [one for one in made if one.label == "human"]:
        meta = {} if kind == "paraphrased" else {"parsing": "2"}
        made.append(replace(one, id=f"{one.id}/2", text=f"again {one.text}", label=asked[1], generator=None, meta=meta))
    placed = evaluations.get(f"idmgsp_sets(test=['TEST', {asked[0]!r}])").placed(made, 0)
    assert {name: counts.total() for name, counts in sets(placed).items()} == {"TRAIN": 16, "TEST": 8, asked[0]: 4}
    sides = [{d.cluster for d in placed if d.meta[key]} for key in ("training_sets", "test_sets")]
    assert not sides[0] & sides[1]


def test_folds_learn_from_their_set_and_are_tested_on_the_test_sets():
    chosen = evaluations.get("idmgsp_sets(train=['TRAIN', 'TRAIN-CG'], test=['TEST', 'TECG'])")
    placed = chosen.placed(corpus(24), 0)
    assert chosen.folds(placed) == ["TRAIN", "TRAIN-CG"]
    for fold in chosen.folds(placed):
        train = [d for d in placed if chosen.trains(fold, d)]
        assert not any(chosen.tests(fold, d) for d in train)
        assert ("ChatGPT" in {source_of(d) for d in train}) == (fold == "TRAIN")
    unused = [d for d in placed if not d.meta["training_sets"] and not d.meta["test_sets"]]
    assert {d.split for d in unused} == {"unused"}
    assert evaluations.canonical(chosen.spec) == chosen.spec


def test_another_seed_draws_other_papers_and_order_does_not_matter():
    documents = corpus(40)
    told = [{d.id: d.meta["training_sets"] for d in evaluations.get(EVERY).placed(given, seed)}
            for given, seed in ((documents, 0), (documents[::-1], 0), (documents, 1))]  # fmt: skip
    assert told[0] == told[1] != told[2]


def test_three_sections_are_one_paper():
    names = ("abstract", "introduction", "conclusion")
    parts = [replace(d, id=f"{d.id}#{s}", text=f"{d.text} {s}", section=s) for d in corpus(12) for s in names]
    found = sets([d for d in evaluations.get(EVERY).placed(parts, 0) if d.label != "human"])
    assert found["TEST"] == dict.fromkeys(FAKE, 3)


def test_both_parsers_of_one_corpus_are_the_two_parsings():
    found = [paper(i, "human", meta={"parser": parser}) for i, parser in enumerate(["layout", "idmgsp"])]
    assert [source_of(d, frozenset({"layout", "idmgsp"})) for d in found] == ["arXiv parsing 2", "arXiv"]
    assert source_of(found[0], frozenset({"layout"})) == "arXiv"


def test_what_a_corpus_cannot_fill_names_the_cure():
    few = [d for d in corpus(12) if d.generator != FAKE["Galactica"]]
    with pytest.raises(DataError, match=r"no paper of Galactica is here .*12 arXiv"):
        evaluations.get("idmgsp_sets()").placed(few, 0)
    with pytest.raises(DataError, match="too few papers of"):
        evaluations.get(EVERY).placed(corpus(4), 0)
    for wrong in ("idmgsp_sets(train=['TRAIN+CG'])", "idmgsp_sets(test='TEST')", "idmgsp_sets(train=[])"):
        with pytest.raises(SpecError, match=r"is a list of|takes tuple"):
            evaluations.get(wrong)


def test_a_title_on_both_sides_leaves_too_few_and_says_so():
    tied = [replace(d, title="One Title") for d in corpus(12)]
    with pytest.raises(DataError, match="titles or clusters leave"):
        evaluations.get("idmgsp_sets()").placed(tied, 0)


def test_a_run_has_a_column_for_each_training_set_and_a_table_by_test_set(tmp_path):
    """A bag of words learns the made-up classes from TRAIN; without ChatGPT's papers it has never seen their words."""
    from evenhand import Plan, audit, score
    from evenhand.cli.files import write_documents

    own = {"human": "river stone et al", "chatgpt-dec-2022": "implications novel", "other": "method approach"}
    words = {
        d.id: own["human" if d.label != "machine" else d.generator if d.generator in own else "other"]
        for d in corpus(48)
    }
    documents = [replace(d, text=f"{(words[d.id] + ' ') * 6}and word{i} of paper{i}") for i, d in enumerate(corpus(48))]
    write_documents(documents, str(tmp_path / "papers.jsonl"))
    plan = Plan(
        f"jsonl(path={str(tmp_path / 'papers.jsonl')!r})",
        ("tfidf_lr",),
        evaluation="idmgsp_sets(train=['TRAIN', 'TRAIN-CG'], test=['TEST', 'TECG', 'OOD-REAL', 'TEST-CC'])",
    )
    run = score(plan, tmp_path / "run")
    found = audit(run, ["accuracy_by_set(sets='test_sets')"]).results[0]
    cells = {(f.where["training"], f.where["set"], f.metric): f.estimate for f in found.findings}
    assert {(training, name) for training, name, _ in cells} == {
        (training, name) for training in ("TRAIN", "TRAIN-CG") for name in ("TEST", "TECG", "OOD-REAL", "TEST-CC")
    }
    assert cells["TRAIN", "TECG", "recall of fake"].value == 1
    assert cells["TRAIN-CG", "TECG", "recall of fake"].value < 0.5
    assert cells["TRAIN", "TECG", "recall of fake"].n == int(1000 * 48 / 12_000)
