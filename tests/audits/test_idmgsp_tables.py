"""IDMGSP's tables and figures from made-up rows, each number counted by hand; its published numbers and their contradictions."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from evenhand import audits, detectors, stats
from evenhand.audits.accuracy_by_set import trained
from evenhand.audits.answers import UNKNOWN
from evenhand.audits.beside_idmgsp import contradiction, model_of, printed
from evenhand.audits.by_source import BySource
from evenhand.audits.idmgsp_counts import printed_sources
from evenhand.audits.papers import SETS, generator_of, sets_of, sources
from evenhand.audits.word_weights import chosen
from evenhand.documents import Level
from evenhand.environment import told_of
from evenhand.errors import DataError, SpecError

LR, RF, ZERO = "tfidf_lr", "tfidf_rf(ngrams=(1, 2))", "log_rank"
ABOUT = {
    LR: {
        "threshold": 0.0,
        "training": {"set": "TRAIN-CG", "negative": 10, "positive": 8},
        "weights": {
            "kind": "coefficient",
            "of": 50,
            "heaviest": [["et", 0.9], ["al", 0.4], ["of", -0.1], ["method", -2.0]],
        },
    },
    RF: {"threshold": 0.5, "training": {"negative": 10, "positive": 8}, "weights": None},
    ZERO: {"threshold": None, "training": None},
}


def paper(i, label, generator="", score=0.0, **more):
    """A paper of its own cluster; the forest says .5 more, the zero-shot detector what the linear one says."""
    meta = {key: json.dumps(value) for key, value in more.pop("meta", {}).items()}
    scores = {LR: score, RF: None if score is None else score + 0.5, ZERO: score}
    base = {"id": f"{label}-{generator}-{i}", "label": label, "generator": generator, "scores": scores, "meta": meta}
    return base | {"cluster": base["id"]} | more


@pytest.fixture(scope="module")
def records():
    """TEST: 10 real papers (2 accused), 8 fake (2 of each generator; 6 caught); the other sets with one class each."""
    real = [paper(i, "human", score=1 if i < 2 else -1, meta={"parsing": 1}) for i in range(10)]
    fake = [
        paper(i, "machine", name, score=-1 if (name, i) in (("gpt2", 0), ("gpt-3.5-turbo", 0)) else 1)
        for name in ("gpt2", "gpt-3.5-turbo", "galactica-1.3b", "scigen") for i in range(2)
    ]  # fmt: skip
    third = [paper(i, "machine", "text-curie-001 (gpt-3)", score=-1 if i else 1) for i in range(4)]
    second = [paper(i, "human", score=-1, meta={"parsing": 2}, id=f"second{i}", cluster=f"second{i}") for i in range(5)]
    mixed = [paper(i, "mixed", "gpt-3.5-turbo", score=None if i == 3 else -1) for i in range(4)]
    other = [paper(i, "machine", "grammar", score=1) for i in range(3)]
    return [*real, *fake, *third, *second, *mixed, *other]


@pytest.fixture(scope="module")
def told(settings):
    aside = [["train", "human", None, 10], ["train", "machine", "gpt2", 5], ["train", "machine", "gpt-2-large", 3]]
    return replace(settings, environment={"about": ABOUT, "set_aside": aside})


def pick(result, metric, /, of=None, **where):
    found = [
        f for f in result.findings
        if f.metric == metric and of in (None, f.table) and all(f.where.get(k) == v for k, v in where.items())
    ]  # fmt: skip
    assert len(found) == 1, (metric, where, len(found))
    return found[0]


def test_sources_and_sets_are_those_of_table_2(records, rows_of):
    rows = rows_of(records)
    known = {
        "openai/gpt-3.5-turbo": "ChatGPT",
        "openai-community/gpt2-xl": "GPT-2",
        "facebook/galactica-125m": "Galactica",
    }
    assert {name: generator_of(name) for name in known} == known
    assert generator_of("llama-3.3") == "llama-3.3"
    names = sources(rows)
    assert names[0] == "arXiv parsing 1"
    assert "co-created by ChatGPT" in names
    sizes = {name: int(mask.sum()) for name, mask in sets_of(rows, "derived").items()}
    assert sizes == {"TEST": 18, "OOD-GPT3": 4, "OOD-REAL": 5, "TECG": 2, "TEST-CC": 4, "grammar": 3}


def test_sets_by_a_key_of_the_meta(rows_of):
    both = [
        paper(0, "machine", "a", meta={"test_sets": ["TEST", "TECG"]}),
        paper(1, "human", meta={"test_sets": "OOD-REAL"}),
        paper(2, "human", meta={"test_sets": "TEST"}),
    ]
    sets = sets_of(rows_of(both), "test_sets")
    assert {name: list(np.flatnonzero(mask)) for name, mask in sets.items()} == {
        "TEST": [0, 2],
        "OOD-REAL": [1],
        "TECG": [0],
    }
    with pytest.raises(DataError, match="told its 'nowhere'"):
        sets_of(rows_of(both), "nowhere")
    assert list(sets_of(rows_of(both), "label")) == ["human", "machine"]


def test_accuracy_is_of_both_classes_recall_or_specificity(records, rows_of, told):
    result = audits.get("accuracy_by_set")(rows_of(records), told)
    where = {"detector": LR, "training": "TRAIN-CG", "cut": "own"}
    accuracy = pick(result, "accuracy", **where, set="TEST")
    assert accuracy.estimate.value == 14 / 18
    assert (accuracy.estimate.low, accuracy.estimate.high) == stats.wilson(14, 18)
    assert accuracy.counts == {"real": 10, "fake": 8}
    assert pick(result, "recall of fake", **where, set="TEST").estimate.value == 6 / 8
    specificity = pick(result, "specificity of real", **where, set="TEST").estimate
    assert (specificity.value, specificity.n) == (0.8, 10)
    assert (specificity.low, specificity.high) == stats.wilson(8, 10)
    assert pick(result, "recall of fake", **where, set="OOD-GPT3").estimate.value == 1 / 4
    assert pick(result, "specificity of real", **where, set="OOD-REAL").estimate.value == 1
    one_class = [f.metric for f in result.findings if f.where["set"] == "TECG" and f.where["detector"] == LR]
    assert one_class == ["recall of fake"]


def test_abstentions_are_left_out_and_counted_as_the_paper_does(rows_of, told):
    """'unknown' is wrong in the paper, an unreadable answer leaves its denominator."""
    papers = [paper(i, "machine", "chatgpt", score=(1, 1, 1, None, None, None)[i]) for i in range(6)]
    rows = rows_of(papers)
    rows.status[LR][3:5] = "abstained"
    rows.reason[LR][3:5] = UNKNOWN, "the answer could not be read"
    result = audits.get("accuracy_by_set")(rows, told)
    cell = pick(result, "recall of fake", detector=LR, set="TECG")
    assert (cell.estimate.value, cell.counts) == (1.0, {"fake": 3, "abstained": 2, "failed": 1})
    strict = pick(result, "accuracy, unknown counted wrong", detector=LR, set="TECG")
    assert (strict.estimate.value, strict.estimate.n) == (3 / 4, 4)
    rows.reason[LR][3] = "no abstract is marked in the text"
    silent = audits.get("accuracy_by_set")(rows, told)
    assert not [f for f in silent.findings if f.metric.endswith("counted wrong")]


def test_beside_the_printed_number_stands_ours_counted_as_it_was(rows_of, told):
    """Table A3: of 8 answers on TECG 1 says 'machine', 4 'human', 2 'unknown', and 1 cannot be read: 1 of 7."""
    papers = [paper(i, "machine", "chatgpt", score=(1.0, *[0.0] * 4, None, None, None)[i]) for i in range(8)]
    for record in papers:
        record["scores"] = dict.fromkeys(("prompted_io", "prompted_io(output='log_odds')"), record["scores"][LR])
    rows = rows_of(papers)
    for spec in rows.scores:
        rows.status[spec][5:] = "abstained"
        rows.reason[spec][5:] = UNKNOWN, UNKNOWN, "the answer could not be read"
    result = audits.get("beside_idmgsp")(rows, told)
    ours = pick(
        result, "ours", table="IDMGSP TA3", model="ChatGPT-IO (*)", set="TECG"
    )  # the answers alone, not the odds
    assert (ours.estimate.value, ours.estimate.n) == (1 / 7, 7)
    assert ours.where["quantity"] == "accuracy, unknown counted wrong"
    assert pick(result, "difference", table="IDMGSP TA3", set="TECG").estimate.value == pytest.approx(1 / 7)


def test_detect_gpt_is_the_program_that_the_paper_ran_at_its_own_cut(rows_of, told):
    spec = "detect_gpt_idmgsp(filler='embedded')"
    papers = [paper(i, "human", score=1.0) for i in range(4)] + [
        paper(i, "machine", "gpt2", score=1.2) for i in range(3)
    ]
    for record in papers:
        record["scores"] = {spec: record["scores"][LR], "detect_gpt": record["scores"][LR]}
    noted = json.loads(json.dumps(told_of(detectors.get(spec)), default=str))
    result = audits.get("beside_idmgsp")(rows_of(papers), replace(told, environment={"about": {spec: noted}}))
    ours = pick(result, "ours", model="DetectGPT", set="TEST").estimate
    assert (ours.value, ours.n) == (1.0, 7)


def test_the_threshold_is_the_detectors_own_or_the_policys(records, rows_of, told):
    rows = rows_of(records)
    result = audits.get("accuracy_by_set")(rows, told)
    forest = pick(result, "accuracy", detector="tfidf_rf", set="TEST")
    assert forest.where["cut"] == "own"
    assert forest.estimate.value == 14 / 18  # the same papers, half a point higher
    zero = pick(result, "specificity of real", detector=ZERO, set="TEST")
    assert zero.where["cut"] == "10% FPR"
    verification = (rows.half(told.seed) == "verification") & rows.human & (sources(rows) == "arXiv parsing 1")
    assert zero.estimate.n == verification.sum() < 10  # those that set the threshold are not judged by it
    calibrated = audits.get("accuracy_by_set(cut='calibrated')")(rows, told)
    assert {f.where["cut"] for f in calibrated.findings} == {"10% FPR"}
    for name in ("accuracy_by_set", "beside_idmgsp", "machine_share"):
        with pytest.raises(SpecError, match=f"{name}: cut takes .*'own', 'calibrated'"):
            audits.get(f"{name}(cut='best')")


def test_answers_of_chat_models_are_cut_at_one_half(rows_of, told):
    answers = [paper(i, "human", score=0.0) for i in range(4)] + [
        paper(i, "machine", "gpt2", score=1.0) for i in range(3)
    ]
    for record in answers:
        record["scores"] = {"prompted_io": record["scores"][LR]}
    result = audits.get("accuracy_by_set")(rows_of(answers), told)
    assert pick(result, "accuracy", set="TEST").estimate.value == 1.0
    assert pick(result, "accuracy", set="TEST").where["cut"] == "own"


def test_shared_clusters_widen_the_bounds(rows_of, told):
    alone = [paper(i, "mixed", "gpt-3.5-turbo", score=1 if i % 2 else -1) for i in range(40)]
    shared = [record | {"cluster": f"c{i // 4}"} for i, record in enumerate(alone)]
    wide, narrow = (
        pick(audits.get("accuracy_by_set")(rows_of(some), told), "recall of fake", detector=LR).estimate
        for some in (shared, alone)
    )
    assert (wide.n, narrow.n) == (10, 40)
    assert wide.low < narrow.low < 0.5 < narrow.high < wide.high


def test_texts_of_no_set_are_noted(records, rows_of, told):
    assert audits.get("accuracy_by_set")(rows_of(records), told).notes == ()
    nameless = [
        *records,
        paper(0, "machine", ""),
        paper(1, "human", level=str(Level.IMPROVE_HUMAN), id="x", cluster="x"),
    ]
    result = audits.get("accuracy_by_set")(rows_of(nameless), told)
    assert result.notes == ("2 unedited texts of known label are in none of these sets.",)


def test_training_sets_are_named(told):
    assert trained("tfidf_lr", LR, told) == ("tfidf_lr", "TRAIN-CG")
    assert trained("rf", RF, told) == ("rf", "10 real, 8 fake")
    assert trained("rf", RF, told, "TRAIN") == ("rf", "TRAIN")
    assert trained("log_rank", ZERO, told, "TRAIN") == ("log_rank", "-")
    assert trained("x", "tfidf_lr(trained_on='TRAIN')", told) == ("tfidf_lr", "TRAIN")
    kept = "saved(path='models/TRAIN+GPT3')"
    more = replace(told, environment={"about": {kept: {"saved": "tfidf_rf(ngrams=(2, 2))", "training": {}}}})
    assert trained("saved", kept, more) == ("tfidf_rf(ngrams=(2, 2))", "TRAIN+GPT3")
    assert model_of(kept, more) == "RF-2gram"
    assert model_of("tfidf_lr(ngrams=(1, 2))", more) == "LR-(1,2)gram"
    assert model_of("section_vote(base=\"encoder(base='hub:FacebookAI/roberta-base')\")", more) == "RoBERTa"
    assert model_of("section_vote(base='tfidf_lr')", more) == model_of("log_rank", more) == ""


def test_counts_of_sources_and_sets(records, rows_of, told):
    taken = [record | {"measures": {"tokens(model='embedded')": 100.0 + i}} for i, record in enumerate(records)]
    result = audits.get("idmgsp_counts")(rows_of(taken), told)
    assert pick(result, "papers", of="idmgsp_sources", source="arXiv parsing 1").estimate.value == 10
    tokens = "tokens, tokens(model='embedded')"
    assert pick(result, tokens, source="arXiv parsing 1").estimate.value == sum(range(100, 110))
    mean = pick(result, "tokens a paper, tokens(model='embedded')", source="arXiv parsing 1").estimate
    assert mean.value == 104.5
    assert mean.low < 104.5 < mean.high
    assert pick(result, "published papers", source="arXiv parsing 1").estimate.value == 12_000
    assert pick(result, "published tokens", source="co-created by ChatGPT").estimate.value == 3_500_000
    assert pick(result, "papers", of="idmgsp_sets", set="TEST", source="GPT-2").estimate.value == 2
    assert pick(result, "published", set="OOD-REAL", source="arXiv parsing 2").estimate.value == 4000
    assert pick(result, "published", set="TEST", source="SCIgen").estimate.value == 1000
    assert pick(result, "papers", set="split 'train'", source="GPT-2").estimate.value == 8
    without = audits.get("idmgsp_counts")(rows_of(records), told)
    assert "measures" in without.notes[0]


def test_published_sources_sum_to_the_printed_totals():
    found = dict(printed_sources())
    assert len(found) == 8
    real = sum(v["papers"] for k, v in found.items() if k.startswith("arXiv"))
    assert real == 16_000
    assert sum(v["papers"] for v in found.values()) == 33_000
    assert sum(v["tokens"] for v in found.values()) == 28_500_000


def test_four_published_rows_contradict_themselves():
    broken = [
        (row.model.partition(" ")[0], row.training, f.estimate.value) for row in printed() for f in contradiction(row)
    ]
    # TEST <= 100 - 12.5 (1 - TECG): 94.625, 98.0, 98.0, 95.1625
    assert broken == [
        ("RF-1gram", "TRAIN-CG", pytest.approx(0.976 - 0.94625)),
        ("Galactica", "TRAIN", pytest.approx(0.004)),
        ("Galactica", "TRAIN+GPT3", pytest.approx(0.005)),
        ("Galactica", "TRAIN-CG", pytest.approx(0.964 - 0.951625)),
    ]


def test_published_numbers_get_the_interval_of_their_n(rows_of, records, told):
    result = audits.get("beside_idmgsp")(rows_of(records), told)
    llmfe = pick(result, "accuracy", of="idmgsp_published", model="LLMFE (our) (*)", set="TEST").estimate
    assert (llmfe.value, llmfe.n) == (0.8, 100)
    assert (round(llmfe.low, 2), round(llmfe.high, 2)) == (0.71, 0.87)
    assert (
        pick(result, "specificity of real", of="idmgsp_published", model="RoBERTa (our)", training="TRAIN").estimate.n
        == 4000
    )
    printed_cells = [f for f in result.findings if f.table == "idmgsp_published"]
    assert len(printed_cells) == 16 * 5 - 2 + 18 * 5 + 4 * 5  # GPT-3 and DetectGPT have no TEST-CC
    assert "4 rows of IDMGSP's tables" in result.answers[0].text


def test_ours_stand_beside_the_published_cell_of_the_same_name(rows_of, records, told):
    result = audits.get("beside_idmgsp")(rows_of(records), told)
    where = {"table": "IDMGSP T3", "model": "LR-1gram (tf-idf) (our)", "training": "TRAIN-CG"}
    assert pick(result, "published", **where, set="TEST").estimate.value == 0.866
    assert pick(result, "ours", **where, set="TEST").estimate.value == 14 / 18
    apart = pick(result, "difference", **where, set="TEST").estimate
    assert apart.value == pytest.approx(14 / 18 - 0.866)
    assert apart.low == pytest.approx(stats.wilson(14, 18)[0] - 0.866)
    cells = {(f.where["training"], f.where["set"]) for f in result.findings if f.table == "beside_idmgsp"}
    assert {f.where["table"] for f in result.findings if f.table == "beside_idmgsp"} == {"IDMGSP T3", "IDMGSP TA2"}
    assert f" of {len(cells)} published accuracies" in result.answers[-1].text  # both tables print the same rows
    assert not [f for f in result.findings if f.table == "beside_idmgsp" and f.where["model"].startswith("RF")]
    sets = {f.where["set"] for f in result.findings if f.table == "beside_idmgsp"}
    assert sets == set(SETS)
    named = audits.get("beside_idmgsp(training='TRAIN')")(rows_of(records), told)
    both = {f.where["model"] for f in named.findings if f.table == "beside_idmgsp"}
    assert "RF-(1,2)gram (tf-idf)" in both


def test_weights_are_those_of_the_environment(rows_of, records, told):
    result = audits.get("word_weights(k=1)")(rows_of(records), told)
    assert [(f.where["input"], f.estimate.value) for f in result.findings] == [("et", 0.9), ("method", -2.0)]
    assert {(f.estimate.n, f.counts["inputs"]) for f in result.findings} == {(18, ABOUT[LR]["weights"]["of"])}
    learnt = ABOUT[LR]["training"]
    assert learnt["positive"] + learnt["negative"] == 18  # n is of texts that it learnt from, not of inputs
    (figure,) = result.figures
    assert (figure.kind, figure.ticks, figure.series[0].y) == ("bars", ("et", "method"), (0.9, -2.0))
    assert [name for name, _ in chosen(ABOUT[LR]["weights"]["heaviest"], 10)] == ["et", "al", "of", "method"]
    empty = audits.get("word_weights")(rows_of(records), replace(told, environment={}))
    assert empty.answers[0].kind == "missing"
    with pytest.raises(SpecError, match="from 1 to 20"):
        audits.get("word_weights(k=21)")


def test_measures_by_source(rows_of, records, told):
    values = np.random.default_rng(3).normal(size=len(records))
    taken = [record | {"measures": {"gunning_fog": v, "words": 1.0}} for record, v in zip(records, values, strict=True)]
    result = audits.get("by_source(measures=('gunning_fog',))")(rows_of(taken), told)
    assert {f.where["measure"] for f in result.findings} == {"gunning_fog"}
    of_gpt2 = [v for v, r in zip(values, records, strict=True) if r["generator"] == "gpt2"]
    human = [v for v, r in zip(values, records, strict=True) if r["label"] == "human"]
    assert pick(result, "mean", source="GPT-2").estimate.value == pytest.approx(np.mean(of_gpt2))
    assert pick(result, "median", source="arXiv parsing 2").estimate.value == pytest.approx(np.median(values[22:27]))
    gap = pick(result, "mean less people", source="GPT-2").estimate
    assert gap.value == pytest.approx(np.mean(of_gpt2) - np.mean(human))
    (figure,) = result.figures
    assert figure.series[0].name.startswith("arXiv")
    assert sum(len(s.x) for s in figure.series) == len(records)
    assert audits.get("by_source")(rows_of(records), told).answers[0].kind == "missing"
    mistyped = audits.get("by_source(measures=('gunning_fogg', 'words'))")(rows_of(taken), told)
    assert {f.where["measure"] for f in mistyped.findings} == {"words"}
    assert mistyped.answers[0].text == "This run took no gunning_fogg; it took: gunning_fog, words."


def test_one_measure_of_several_of_a_name(rows_of, told):
    specs = [f"section_words(section={name!r})" for name in ("abstract", "conclusion")]
    rows = rows_of([paper(i, "human", measures=dict.fromkeys(specs, float(i))) for i in range(3)])
    asked = BySource(measures=(specs[0],))(rows, told)
    assert {f.where["measure"] for f in asked.findings} == {specs[0]}
    both = audits.get("by_source(measures=('section_words',))")(rows, told)
    assert {f.where["measure"] for f in both.findings} == set(specs)


def test_length_ratios_are_of_paraphrased_sections(rows_of, told):
    """Figure 8: a section that was copied has the ratio 1 and is no paraphrase."""
    spec = "length_ratio(section='conclusion')"
    some = [
        paper(i, "mixed", "gpt-3.5-turbo", meta={"paraphrased_sections": names}, measures={spec: ratio})
        for i, (names, ratio) in enumerate(
            [(["conclusion"], 0.4), (["abstract"], 1.0), (["abstract", "conclusion"], 0.6)]
        )
    ]
    result = audits.get("by_source")(rows_of([*some, paper(9, "human")]), told)
    mean = pick(result, "mean", source="co-created by ChatGPT")
    assert (mean.estimate.value, mean.counts) == (0.5, {"texts": 2, "not taken": 1})
    assert result.notes == (f"{spec} was taken of no text of arXiv.",)


def test_generation_settings_are_printed_and_those_of_our_recipe(rows_of, told):
    from evenhand.levels.papers.causal import GALACTICA

    made = paper(
        0, "machine", "galactica", decoding="temperature 0.7", level="task", meta={"prompt": "causal_papers()"}
    )
    result = audits.get("idmgsp_generation")(rows_of([made, paper(1, "human", level="human")]), told)
    shown = {(f.where["section"], f.metric): f.estimate.value for f in result.findings if f.table == "idmgsp_decoding"}
    assert shown["introduction", "tokens of input"] == 576
    assert len(shown) == 2 + 6 + 6
    for section, ours in GALACTICA.items():
        assert shown[section, "new tokens"] == ours.max_new_tokens
        if section != "abstract":  # its row names no other number
            assert [shown[section, name] for name in ("temperature", "top_k", "top_p", "no repeated n-gram of")] == [
                ours.temperature, ours.top_k, ours.top_p, ours.no_repeat_ngram,
            ]  # fmt: skip
    (told_of_run,) = [f for f in result.findings if f.table == "idmgsp_made"]
    assert (told_of_run.where["prompt"], told_of_run.estimate.value) == ("causal_papers()", 1)
