"""Plans: what a study is, and what is refused before any text is scored."""

from __future__ import annotations

import json

import pytest

from evenhand.documents import Document, Level
from evenhand.errors import DataError, SpecError
from evenhand.plan import Plan, Sample


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "texts.jsonl"
    rows = [
        {
            "id": f"{label}{i}",
            "text": f"The colour of house {i} is grey, and a boat is red.",
            "label": label,
            "cluster": f"c{i}",
        }
        | {"level": "human" if label == "human" else "task", "split": "train" if i >= 8 else "test"}
        for label in ("human", "machine")
        for i in range(10)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return f"jsonl(path={str(path)!r})"


def test_a_plan_prints_back(corpus):
    plan = Plan(corpus, ("log_rank",), ("homoglyph(rate=0.5)",), ("nfkc",), sample=Sample(attack_sources=3)).resolved()
    assert Plan.parse(plan.to_toml()) == plan
    assert plan.resolved() == plan


def test_every_text_is_attacked_and_sanitized_on_both_classes(corpus):
    documents = list(Plan(corpus, attacks=("homoglyph(rate=1.0)",), sanitizers=("nfkc", "curated47")).documents())
    attacked = [d for d in documents if d.attack != "none" and d.sanitizer == "none"]
    assert len(attacked) == 16, "the training split is not attacked"
    assert {d.label for d in attacked} == {"human", "machine"}
    assert len(documents) == (20 + 16) * 3
    assert len({d.id for d in documents}) == len(documents)
    sources = {d.id: d for d in documents}
    for document in attacked:
        assert document.text != sources[document.source_id].text
        assert document.cluster == sources[document.source_id].cluster
        assert document.level_after == document.level
        assert document.meta["edit.edits"] > 0


def test_a_text_is_edited_alike_whatever_stands_beside_it(corpus):
    whole = {d.id: d.text for d in Plan(corpus, attacks=("homoglyph(rate=0.3)",)).documents()}
    few = Plan(corpus, attacks=("homoglyph(rate=0.3)",), sample=Sample(attack_sources=2)).documents()
    assert all(whole[d.id] == d.text for d in few)


def test_sources_are_drawn_by_cluster_so_that_classes_share_them(corpus):
    plan = Plan(corpus, attacks=("upper_lower(rate=1.0)",), sample=Sample(attack_sources=3))
    drawn = {
        label: {d.cluster for d in plan.documents() if d.attack != "none" and d.label == label}
        for label in ("human", "machine")
    }
    assert drawn["human"] == drawn["machine"]
    assert len(drawn["human"]) == 3


def test_per_level_limits_the_clean_documents(corpus):
    assert len(list(Plan(corpus, sample=Sample(per_level=2)).documents())) == 2 * 2 * 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("corpus = 'x'\ndetecters = []", "did you mean 'detectors'"),
        ("detectors = []", "names no corpus"),
        ("corpus = 'x'\n[policy]\nboundry = 'human'", "did you mean 'boundary'"),
        ("corpus = 'x'\n[policy]\nboundary = 'polished'", "improve-human"),
        ("corpus = 'x'\n[policy]\nfpr = 5", "0.05 tolerates 5%"),
        ("corpus = 'x'\n[sample]\nattack_sources = 0", "whole number"),
        ("corpus = 'x'\ndetectors = 'log_rank'", "is a list"),
        ("corpus = ", "is no TOML"),
        ("corpus = 5", "texts in quotes"),
        ("corpus = 'x'\ndetectors = [1]", "list of texts"),
        ("corpus = 'x'\nmeasures = 5", "list of texts"),
        ("corpus = 'x'\nseed = 'a'", "whole number"),
        ("corpus = 'x'\nstore_texts = 'no'", "true or false"),
        ("corpus = 'x'\npolicy = 5", "table of its own"),
        ("corpus = 'x'\n[policy]\nfpr = '0.05'", "0.05 tolerates 5%"),
        ("corpus = 'x'\n[sample]\nlevels = 'human'", "is a list"),
        ("corpus = 'x'\n[sample]\nper_level = true", "whole number"),
    ],
)
def test_a_wrong_plan_is_refused_with_the_cure(text, told):
    with pytest.raises(SpecError, match=told):
        Plan.parse(text)


def test_no_such_plan(tmp_path):
    with pytest.raises(SpecError, match="no plan at"):
        Plan.read(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("attack", "told"),
    [
        ("homoglif", "did you mean 'homoglyph'"),
        ("homoglyph(rat=1)", "did you mean 'rate'"),
        ("homoglyph(rate=2)", "rate"),
    ],
)
def test_unknown_components_and_parameters(corpus, attack, told):
    with pytest.raises(SpecError, match=told):
        Plan(corpus, attacks=(attack,)).resolved()


def test_a_plan_that_takes_no_text(corpus):
    with pytest.raises(DataError, match="no text that the plan takes"):
        list(Plan(corpus, sample=Sample(levels=("humanize",))).documents())


def test_levels_are_read_as_they_are_spelt():
    assert Plan.parse("corpus = 'x'\n[policy]\nboundary = 'task-summary'").policy.boundary is Level.TASK_SUMMARY


def test_a_sample_of_a_long_corpus_is_drawn_as_from_a_list():
    """The draw takes what sorting the whole corpus would, in its order, and never holds the corpus."""
    alive, most = [0], [0]

    class Counted(Document):
        def __del__(self):
            alive[0] -= 1

    def corpus(n=6000):
        for i in range(n):
            alive[0] += 1
            most[0] = max(most[0], alive[0])
            yield Counted(str(i), f"text {i}", "human" if i % 2 else "machine", cluster=f"c{i // 3}")

    plan = Plan("any", sample=Sample(per_level=100), seed=3)
    drawn = [d.id for d in plan._chosen(corpus())]
    assert most[0] < 3000
    expected = {
        d.id for label in ("human", "machine") for d in plan._drawn([d for d in corpus() if d.label == label], 100)
    }
    assert set(drawn) == expected
    assert drawn == sorted(drawn, key=int)
