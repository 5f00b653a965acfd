"""Who learns from what and is tested on what: nothing is tested by a detector that saw it, or what hangs together with it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from evenhand import evaluations, hygiene
from evenhand.documents import SET_ASIDE, Document
from evenhand.errors import DataError, SpecError
from evenhand.evaluations import FOLD, GROUP

NOUNS = "boat harbour meadow winter letter garden kitchen neighbour river engine lantern orchard valley teacher".split()
GENERATORS = ("gpt4", "llama", "claude")
DOMAINS = ("news", "stories", "reviews", "abstracts")


def make(i: int, **told) -> Document:
    """Texts that share no wording."""
    draw = Random(i)
    text = " ".join(f"{draw.choice(NOUNS)} {draw.randrange(10**6)}" for _ in range(30))
    told = {"label": "human", "cluster": f"c{i}", **told}
    return Document(id=f"d{i}", text=text, **told)


def by_domain(n: int = 12) -> list[Document]:
    kinds = [(domain, label) for domain in DOMAINS for label in ("human", "machine") for _ in range(n)]
    return [make(i, domain=domain, label=label, corpus="mine") for i, (domain, label) in enumerate(kinds)]


def by_generator() -> list[Document]:
    """Half of the sources have a text of each generator, half have one of one."""
    made = []
    for source in range(24):
        cluster = f"s{source}"
        made.append(make(len(made), cluster=cluster))
        for generator in GENERATORS if source < 12 else GENERATORS[source % 3 : source % 3 + 1]:
            own = cluster if source < 12 else f"m{source}"
            made.append(make(len(made), cluster=own, label="machine", generator=generator))
    return made


def gede() -> list[Document]:
    return [
        make(
            i,
            corpus=("aae", "bawe", "persuade")[i % 3],
            label=("human", "machine")[i % 2],
            cluster=f"c{i // 6}-{i % 3}",
        )
        for i in range(60)
    ]


CASES = [
    ("leave_out(by='domain')", by_domain(), DOMAINS),
    ("leave_out(by='generator')", by_generator(), GENERATORS),
    ("train_on(by='domain')", by_domain(), DOMAINS),
    ("train_on(by='domain', held=0)", by_domain(), DOMAINS),
    ("cross_validation(n=4)", by_domain(), ("1", "2", "3", "4")),
    ("gede_choice", gede(), ("aae", "bawe", "persuade")),
]


@pytest.mark.parametrize(("spec", "documents", "folds"), CASES, ids=[case[0] for case in CASES])
def test_no_fold_sees_what_it_is_tested_on(spec, documents, folds):
    evaluation = evaluations.get(spec)
    placed = evaluation.placed(documents, seed=1)
    assert [d.id for d in placed] == [d.id for d in documents]
    assert evaluation.folds(placed) == sorted(folds)
    tested = Counter()
    for fold in folds:
        train = [d for d in placed if evaluation.trains(fold, d)]
        test = [d for d in placed if evaluation.tests(fold, d)]
        assert {d.label for d in train} == {d.label for d in test} == {"human", "machine"}
        sides = [replace(d, split="train") for d in train] + [replace(d, split="test") for d in test]
        hygiene.check_split(sides)
        tested.update(d.id for d in test)
    scored = {d.id for d in placed if d.split not in SET_ASIDE}
    assert set(tested) == scored
    if not evaluation.apart:
        assert set(tested.values()) == {1}, "one detector a text"
    again = evaluation.placed(documents[::-1], seed=1)
    assert {d.id: d.meta for d in again} == {d.id: d.meta for d in placed}, "the order of the texts changes nothing"


def test_leave_one_domain_out():
    evaluation = evaluations.get("leave_out")
    placed = evaluation.placed(by_domain(), 0)
    for domain in DOMAINS:
        assert {d.domain for d in placed if evaluation.trains(domain, d)} == {*DOMAINS} - {domain}
        assert {d.domain for d in placed if evaluation.tests(domain, d)} == {domain}


def test_leave_one_generator_out_has_people_on_both_sides():
    evaluation = evaluations.get("leave_out(by='generator')")
    documents = by_generator()
    placed = evaluation.placed(documents, 0)
    human = [d for d in placed if d.label == "human"]
    assert all(d.split is None for d in human), "every human text is tested once"
    for generator in GENERATORS:
        test = [d for d in placed if evaluation.tests(generator, d)]
        train = [d for d in placed if evaluation.trains(generator, d)]
        assert {d.generator for d in test if d.label == "machine"} == {generator}
        assert {d.generator for d in train if d.label == "machine"} == {*GENERATORS} - {generator}
        assert 6 <= sum(d.label == "human" for d in test) <= 10
        alone = [d for d in documents if d.generator == generator and d.cluster.startswith("m")]
        assert {d.id for d in alone} <= {d.id for d in test}, "a text that shares its source with none is always tested"
    unused = [d for d in placed if d.split == "unused"]
    assert len(unused) == 12 * 2, "of a source with three generators' texts only one generator's can be tested"


def test_train_on_one_and_hold_a_part_of_it():
    evaluation = evaluations.get("train_on(by='domain', held=0.25)")
    placed = evaluation.placed(by_domain(), 0)
    for domain in DOMAINS:
        train = [d for d in placed if evaluation.trains(domain, d)]
        test = [d for d in placed if evaluation.tests(domain, d)]
        assert {d.domain for d in train} == {domain}
        assert len(train) == 18
        assert Counter(d.domain for d in test) == {**dict.fromkeys(DOMAINS, 24), domain: 6}
    without = evaluations.get("train_on(by='domain', held=0)")
    kept = without.placed(by_domain(), 0)
    assert sum(without.tests("news", d) for d in kept) == 72


def test_gede_tests_each_corpus_by_the_detector_that_its_code_names():
    evaluation = evaluations.get("gede_choice")
    placed = evaluation.placed(gede(), 0)
    learnt = {fold: {d.corpus for d in placed if evaluation.trains(fold, d)} for fold in ("aae", "bawe", "persuade")}
    assert learnt == {"aae": {"persuade"}, "bawe": {"aae"}, "persuade": {"aae"}}
    database = [replace(d, domain=f"GEDE-{d.corpus.upper()}", corpus="gede") for d in gede()]
    by = evaluations.get("gede_choice(by='domain')")
    again = by.placed(database, 0)
    assert {d.domain for d in again if by.trains("GEDE-AAE", d)} == {"GEDE-PERSUADE"}
    other = by.placed([*database, make(99, domain="letters")], 0)[-1]
    assert other.split == "unused"


def test_texts_that_hang_together_across_groups():
    documents = by_domain()
    documents[0] = replace(documents[0], cluster="both")  # news
    documents[30] = replace(documents[30], cluster="both")  # stories
    documents[50] = replace(documents[50], domain=None)
    leave, train = evaluations.get("leave_out"), evaluations.get("train_on(by='domain')")
    placed = leave.placed(documents, 0)
    assert {placed[0].meta[FOLD], placed[30].meta[FOLD]} == {"news"}, "most, of equals the first by name"
    assert (placed[0].split, placed[30].split) == (None, "unused")
    assert not leave.trains("stories", placed[30]), "its own group is tested there"
    assert not leave.trains("news", placed[30]), "its cluster is tested there"
    assert leave.trains("reviews", placed[30])
    assert (placed[50].split, placed[50].meta[GROUP]) == ("unused", ""), "no domain, no fold"
    kept = train.placed(documents, 0)
    assert [kept[i].split for i in (0, 30, 50)] == ["unused"] * 3
    assert not any(train.trains(domain, kept[0]) or train.tests(domain, kept[0]) for domain in DOMAINS)
    copied = [*by_domain(), replace(make(200, domain="stories"), text=documents[0].text)]
    assert leave.placed(copied, 0)[-1].split == "unused", "a copy is no other text"


def test_a_corpus_s_own_split_is_not_that_of_the_folds():
    placed = evaluations.get("leave_out").placed([replace(d, split="train") for d in by_domain()], 0)
    assert {d.split for d in placed} == {None}


def test_columns_are_named_after_what_they_learnt_from():
    assert evaluations.column_of("tfidf_lr(ngrams=(1, 2))", "news") == "tfidf_lr(ngrams=(1, 2), trained_on='news')"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("leave_out(by='colour')", "by is one of author"),
        ("train_on(by='generator')", r"leave_out\(by='generator'\) deals them out"),
        ("train_on(held=1.0)", "held must lie from 0"),
        ("cross_validation(n=1)", "from 2 on"),
        ("leave_one(by='domain')", "did you mean"),
    ],
)
def test_what_is_no_evaluation(spec, message):
    with pytest.raises(SpecError, match=message):
        evaluations.get(spec)


def test_what_cannot_be_evaluated():
    one = [d for d in by_domain() if d.domain == "news"]
    with pytest.raises(DataError, match="2 groups or more are needed, and by domain there is news; set by to what"):
        evaluations.get("leave_out").placed(one, 0)
    with pytest.raises(DataError, match="by generator there is none"):
        evaluations.get("leave_out(by='generator')").placed(one, 0)
    with pytest.raises(DataError, match="hang together in 1 groups, fewer than n=5"):
        evaluations.get("cross_validation").placed([replace(d, cluster="one") for d in one], 0)
    with pytest.raises(DataError, match="no text of persuade; by corpus there is aae, bawe"):
        evaluations.get("gede_choice").placed([d for d in gede() if d.corpus != "persuade"], 0)
    single = [replace(d, cluster=d.domain or "") for d in by_domain()]
    with pytest.raises(DataError, match="so none can be held aside; set held=0"):
        evaluations.get("train_on(by='domain')").placed(single, 0)
