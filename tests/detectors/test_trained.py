"""Detectors that learn: what they learn from, what they refuse, and that nothing but the training texts moves them."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_score

from evenhand import detectors
from evenhand.detectors.judging import judge
from evenhand.detectors.trained import one_pass
from evenhand.detectors.trained.base import training_digest
from evenhand.detectors.trained.panel import PANEL_HUMAN, PANEL_MACHINE
from evenhand.detectors.trained.targets import targets
from evenhand.detectors.trained.tfidf import without_stop_words
from evenhand.errors import DataError, SpecError
from evenhand.models.causal import token_statistics
from evenhand.plan import Plan
from evenhand.testing import detector_checks
from evenhand.training import fit

HUMAN = "Stop {}: we got off at the harbour, lost the dog twice, found it, ate plums till dark, and ran for the bus."
MACHINE = "The harbour offers {} benefits to the community, and its many visitors value the place in the evening."
TEXTS = [HUMAN.format(i) for i in range(14)] + [MACHINE.format(i) for i in range(14)]
LABELS = [0] * 14 + [1] * 14
LEVELS = ["human"] * 7 + ["improve-human"] * 7 + ["summary"] * 7 + ["task"] * 7
TEXT_LEARNERS = ("tfidf_lr", "tfidf_rf(trees=20)")
TOKEN_LEARNERS = ("gltr_lr", "diveye", "one_pass_lr", "one_pass_boosted(leaf=3)")


def learner(spec: str, tiny_models: dict[str, str]):
    return detectors.get(spec, tiny_models["first"])


@pytest.fixture(autouse=True, scope="module")
def _cache(tmp_path_factory):
    """Statistics of the tiny models are kept for these tests alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVENHAND_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.mark.parametrize("spec", TEXT_LEARNERS + TOKEN_LEARNERS)
def test_it_learns_and_neither_order_nor_neighbours_matter(spec, tiny_models):
    fitted = learner(spec, tiny_models).fit(TEXTS, LABELS)
    again = learner(spec, tiny_models).fit(TEXTS[::-1], LABELS[::-1])
    assert fitted.key == again.key
    assert np.array_equal(fitted(TEXTS), again(TEXTS)), "the order of the training texts changes no weight"
    assert np.array_equal(fitted(TEXTS), [fitted([text])[0] for text in TEXTS]), "to the bit, whoever stands beside"
    assert (fitted.predict(TEXTS) == LABELS).mean() > 0.8
    assert fitted.training_["negative"] == fitted.training_["positive"] == 14
    proba = fitted.predict_proba(TEXTS)
    assert np.allclose(proba.sum(1), 1)
    assert np.all(np.diff(fitted(TEXTS)[np.argsort(proba[:, 1])]) > -1e-9), "probabilities rank as the scores do"


@pytest.mark.parametrize("spec", [TEXT_LEARNERS[0], "one_pass_lr"])
@pytest.mark.parametrize("check", detector_checks(), ids=lambda check: check.__name__)
def test_contract(spec, check, tiny_models):
    check(learner(spec, tiny_models).fit(TEXTS, LABELS))


@pytest.mark.parametrize("spec", TOKEN_LEARNERS)
def test_one_pass_is_shared_with_zero_shot_detectors(spec, tiny_models, monkeypatch):
    from evenhand.models import causal

    fitted = learner(spec, tiny_models).fit(TEXTS, LABELS)
    alone = fitted(TEXTS[:3])
    monkeypatch.setenv("EVENHAND_STATISTICS_CACHE", "0")
    passes = []
    real = causal.measure
    monkeypatch.setattr(causal, "measure", lambda *a: passes.append(1) or real(*a))
    found = judge(TEXTS[:3], [fitted, learner("log_rank", tiny_models)])
    assert len(passes) == 3
    assert np.array_equal([j.score for j in found[0]], alone)


def test_unfitted_it_says_what_to_do(tiny_models):
    for spec in TEXT_LEARNERS + TOKEN_LEARNERS:
        with pytest.raises(DataError, match="has learnt nothing yet: call fit"):
            learner(spec, tiny_models)(TEXTS[:1])
        with pytest.raises(DataError, match="has learnt nothing yet"):
            _ = learner(spec, tiny_models).key


# the features, against the formulas written out


def test_rank_shares_are_those_of_the_zero_shot_detector(tiny_models):
    stats = token_statistics(TEXTS[:2], tiny_models["first"])
    for s in stats:
        assert one_pass.rank_shares(s) == pytest.approx(detectors.get("gltr").buckets(s))
        assert sum(one_pass.rank_shares(s)) == pytest.approx(1)


def test_diveye_features_by_hand():
    from scipy import stats

    s = np.random.default_rng(3).gamma(2, size=60)
    found = one_pass.diversity_features(s, 20)
    second = np.array([-(s[i + 2] - s[i + 1]) + (s[i + 1] - s[i]) for i in range(58)])
    density, edges = np.histogram(second, 20, density=True)
    hand = [s.mean(), s.std(), s.var(), stats.skew(s), stats.kurtosis(s), np.diff(s).mean(), np.diff(s).std()]
    hand += [second.var(), stats.entropy(density * np.diff(edges)), stats.pearsonr(second[1:], second[:-1]).statistic]
    assert found == pytest.approx(hand)


def test_the_33_statistics(tiny_models):
    (s,) = token_statistics(TEXTS[:1], tiny_models["first"])
    found = one_pass.one_pass_features(TEXTS[0], s)
    assert len(found) == 33
    assert found[0] == pytest.approx(s.log_prob.mean(), rel=1e-5)
    assert found[5] == pytest.approx(np.log(s.rank).mean(), rel=1e-5)
    fdg, lrr = (learner(name, tiny_models)(TEXTS[:1])[0] for name in ("fast_detect_gpt", "lrr"))
    assert found[28:30] == pytest.approx([fdg, lrr], rel=1e-5)
    assert one_pass.surface("One two. Three four! one")[1:] == pytest.approx([5 / 2, 4 / 5])


def test_idmgsp_preprocessing():
    assert without_stop_words("The ﬁne cat, and 3 dogs!") == "ne cat , 3 dogs !"
    plain, paper = (
        detectors.get(f"tfidf_lr(preprocessing={kind!r})").fit(TEXTS, LABELS) for kind in ("none", "idmgsp")
    )
    assert "the" in plain.reader_.vocabulary_
    assert "the" not in paper.reader_.vocabulary_


def test_ngrams():
    fitted = detectors.get("tfidf_lr(ngrams=(1, 2))").fit(TEXTS, LABELS)
    assert "the harbour" in fitted.reader_.vocabulary_
    with pytest.raises(SpecError, match="shortest, longest"):
        detectors.get("tfidf_lr(ngrams=(2, 1))")


# labels


def test_usual_leaves_the_levels_between_out():
    aims = targets("x", "usual", LABELS, LEVELS)
    assert [LEVELS[i] for i in aims.rows] == ["human"] * 7 + ["task"] * 7
    without_task = targets("x", "usual", LABELS[:21], LEVELS[:21])
    assert {LEVELS[i] for i in without_task.rows} == {"human", "summary"}
    assert targets("x", "usual", LABELS, None).rows == tuple(range(28)), "without levels every text is typical"


def test_usual_without_peoples_own_texts_is_refused():
    with pytest.raises(DataError, match="none of the 28 training texts has the level human; use labels='policy'"):
        targets("x", "usual", LABELS, ["improve-human"] * 14 + LEVELS[14:])


def test_columns_of_a_table_are_labels_too():
    table = pa.table({"text": TEXTS, "label": LABELS})
    fitted = detectors.get("tfidf_lr").fit(table["text"], table["label"])
    assert np.array_equal(fitted(TEXTS), detectors.get("tfidf_lr").fit(TEXTS, LABELS)(TEXTS))


def test_ordinal_learns_the_levels_and_its_steps_fall():
    words = {"human": "plum", "improve-human": "pear", "summary": "fig", "task": "date"}
    texts = [
        f"{words[level]} {words[level]} and text number {i} of quite a few more words" for i, level in enumerate(LEVELS)
    ]
    fitted = detectors.get("tfidf_lr(labels='ordinal')").fit(texts, LABELS, levels=LEVELS)
    assert fitted.steps_ == ("improve-human", "summary", "task")
    assert fitted.steps_[fitted.step_] == "summary", "the policy's boundary"
    assert [str(level) for level in fitted.predict_level(texts)] == LEVELS
    steps = fitted.step_probabilities([*texts, "plum date and text of quite a few more words, fig and pear"])
    assert (np.diff(steps, axis=1) <= 1e-12).all()
    assert fitted(texts) == pytest.approx(steps[:-1].sum(1)), "the isotonic steps keep their sum, which is the score"
    means = [fitted(texts)[np.array(LEVELS) == level].mean() for level in words]
    assert means == sorted(means)
    assert list(fitted.predict(texts)) == LABELS
    assert fitted.predict_level(["short"]) == [None]


def test_the_labels_are_part_of_the_key():
    keys = {
        detectors.get(f"tfidf_lr(labels={kind!r})").fit(TEXTS, LABELS, levels=LEVELS).key.split("@")[1]
        for kind in ("policy", "usual", "ordinal")
    }
    assert len(keys) == 3


def test_the_digest_is_of_texts_and_sides():
    one = training_digest(["a", "b"], np.array([[0], [1]]))
    assert one == training_digest(["b", "a"], np.array([[1], [0]])) != training_digest(["a", "b"], np.array([[1], [0]]))


# what is refused


@pytest.mark.parametrize(
    ("y", "told", "message"),
    [
        ([1] * 28, {}, r"classes \[1\]"),
        (LABELS[:5], {}, "28 texts and 5 labels"),
        (["human"] * 14 + ["ai"] * 14, {}, "labels are swapped"),
        (["Human-Written"] * 14 + ["AI-Generated"] * 14, {}, "labels are swapped"),
        (["original"] * 14 + ["sampled"] * 14, {}, "do not say which means a machine"),
        (["original"] * 14 + ["generated"] * 14, {}, "labels are swapped"),
        (["HWT"] * 14 + ["MGT"] * 14, {}, "do not say which means a machine; give 0 for human and 1 for machine"),
        ([0] * 14 + [None] * 14, {}, "14 of 28 labels are missing"),
        ([0.0] * 14 + [np.float32(math.nan)] * 14, {}, "14 of 28 labels are missing"),
        ([0.0] * 14 + [math.nan] * 14, {}, "14 of 28 labels are missing"),
        (LABELS[::-1], {"levels": LEVELS}, "are the labels swapped"),
        (LABELS, {"levels": LEVELS[:3]}, "28 texts and 3 levels"),
        (LABELS, {"levels": ["humann"] * 28}, "no contribution level"),
    ],
)
def test_what_cannot_be_learnt_from(y, told, message):
    with pytest.raises((DataError, SpecError), match=message):
        detectors.get("tfidf_lr").fit(TEXTS, y, **told)


def test_labels_of_two_numbers_that_are_swapped_are_told_by_texts_whose_authors_are_known(capsys):
    """0 and 1 without levels say nothing by themselves; the detector that comes out of them does."""
    sentences = [[part for text in panel for part in text.split(". ")] for panel in (PANEL_HUMAN, PANEL_MACHINE)]
    texts, labels = [*sentences[0], *sentences[1]], [0] * len(sentences[0]) + [1] * len(sentences[1])
    right = detectors.get("tfidf_lr(min_words=3)").fit(texts, labels)
    assert capsys.readouterr().err == ""
    means = right.training_["panel"]
    assert means["human"] < means["machine"]
    assert means["human"] == round(right(list(PANEL_HUMAN)).mean(), 4)
    swapped = detectors.get("tfidf_lr(min_words=3)").fit(texts, [1 - y for y in labels])
    assert "their labels may be swapped" in capsys.readouterr().err
    assert swapped.training_["panel"]["human"] > swapped.training_["panel"]["machine"]
    unread = detectors.get("tfidf_lr(min_words=60)").fit(
        [" ".join(texts)] * 2 + [" ".join(texts[::2])] * 2, [0, 0, 1, 1]
    )
    assert "panel" not in unread.training_, "abstained on"


@pytest.mark.parametrize("pair", [(0, 1), (False, True), ("0", "1"), (-1, 1), ("human", "machine"), ("Human", "LLM"),
                                  ("human", "synthetic"), ("Real", "rewritten"), ("essay", "machine")])  # fmt: skip
def test_numbers_and_known_words_say_which_class_is_positive(pair):
    fitted = detectors.get("tfidf_lr").fit(TEXTS, [pair[y] for y in LABELS])
    assert fitted.classes_.tolist() == list(pair)
    assert np.array_equal(fitted(TEXTS), detectors.get("tfidf_lr").fit(TEXTS, LABELS)(TEXTS))


def test_words_are_no_order_for_detectors_that_learn_nothing_either(tiny_models):
    with pytest.raises(DataError, match="labels are swapped"):
        learner("log_rank", tiny_models).fit(TEXTS, ["human"] * 14 + ["ai"] * 14)


@pytest.mark.parametrize(
    "text", ["the a of and to in is it that this was", "a b c d e f g h i j k", "\U0001f642 " * 12]
)
def test_texts_without_a_word_to_count_are_told(text):
    with pytest.raises(DataError, match=r"can learn nothing from these 4 texts: empty vocabulary"):
        detectors.get("tfidf_lr(preprocessing='idmgsp')").fit([text] * 4, [0, 0, 1, 1])


def test_ordinal_without_levels_is_refused():
    with pytest.raises(DataError, match="28 of 28 training texts have none"):
        detectors.get("tfidf_lr(labels='ordinal')").fit(TEXTS, LABELS)
    with pytest.raises(SpecError, match="policy, usual, ordinal"):
        detectors.get("tfidf_lr(labels='both')")
    with pytest.raises(DataError, match="has learnt two classes"):
        detectors.get("tfidf_lr").fit(TEXTS, LABELS).predict_level(TEXTS)


def test_training_texts_that_cannot_be_read_are_counted_and_a_class_of_none_refused(tiny_models):
    corpora = ["x"] * len(TEXTS) + ["y", "y"]
    fitted = learner("gltr_lr", tiny_models).fit([*TEXTS, "", "a"], [*LABELS, 0, 1], corpora=corpora)
    assert fitted.training_["unreadable"] == 2
    read = {name: fitted.training_[name] for name in ("negative", "positive", "levels", "corpora")}
    assert read == {
        "negative": 14,
        "positive": 14,
        "levels": {"unknown": 28},
        "corpora": {"x": 28},
    }  # what it learnt from
    with pytest.raises(DataError, match="on one side of 'positive' none is left"):
        learner("gltr_lr", tiny_models).fit([*TEXTS[:14], "", "a"], [0] * 14 + [1, 1])


def test_a_constant_score_is_no_training():
    with pytest.raises(DataError, match="learnt nothing: all 4 training texts score alike"):
        detectors.get("tfidf_lr").fit([TEXTS[0]] * 4, [0, 0, 1, 1])


def test_odd_texts_are_abstained_on(tiny_models):
    for spec in ("tfidf_lr", "one_pass_lr"):
        found = learner(spec, tiny_models).fit(TEXTS, LABELS).judge(["", "one", "\ud800 " * 30])
        assert [j.status for j in found[:2]] == ["abstained", "abstained"]
        assert all(math.isnan(j.score) and j.reason for j in found[:2])


def documents(tmp_path, cluster):
    rows = [
        {"id": str(i), "text": t, "label": "machine" if y else "human", "cluster": cluster(i), "level": level}
        for i, (t, y, level) in enumerate(zip(TEXTS, LABELS, LEVELS, strict=True))
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(json.dumps({**row, "split": "train" if i % 2 else "test"}) for i, row in enumerate(rows)))
    return Plan(f"jsonl(path={str(path)!r})", ("tfidf_lr",))


def test_a_run_hands_levels_and_corpora_on(tmp_path):
    plan = documents(tmp_path, str)
    fitted = fit(detectors.get("tfidf_lr(labels='ordinal')"), list(plan.documents()), plan)
    assert fitted.steps_ == ("improve-human", "summary", "task")
    assert sum(fitted.training_["levels"].values()) == 14
    assert sum(fitted.training_["corpora"].values()) == 14


def test_a_cluster_on_both_sides_is_refused(tmp_path):
    plan = documents(tmp_path, lambda i: f"c{i // 2}")
    with pytest.raises(DataError, match="14 clusters stand in the split 'train' and outside it"):
        fit(detectors.get("tfidf_lr"), list(plan.documents()), plan)


def test_a_copy_on_both_sides_is_refused_and_a_blank_text_is_none(tmp_path):
    plan = documents(tmp_path, str)
    made = list(plan.documents())
    copy = replace(made[0], id="copy", cluster="copy", text=made[1].text)
    with pytest.raises(DataError, match=rf"0 clusters stand in .* and 1 texts \(one: '(copy|{made[1].id})'\)"):
        fit(detectors.get("tfidf_lr"), [*made, copy], plan)
    blank = [replace(made[i], id=f"blank{i}", cluster=f"blank{i}", text=" ") for i in (0, 1)]
    assert fit(detectors.get("tfidf_lr"), [*made, *blank], plan).training_["unreadable"] == 1


# scikit-learn


@pytest.mark.parametrize("spec", ["tfidf_lr", "one_pass_lr"])
def test_it_travels_to_other_processes(spec, tiny_models):
    fitted = learner(spec, tiny_models).fit(TEXTS, LABELS)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.key == fitted.key
    assert np.array_equal(again(TEXTS), fitted(TEXTS))


def test_cloned_it_has_its_parameters_and_no_memory(tiny_models):
    for spec in TEXT_LEARNERS + TOKEN_LEARNERS:
        fitted = learner(spec, tiny_models).fit(TEXTS, LABELS)
        copy = clone(fitted)
        assert copy.get_params() == fitted.get_params()
        assert not hasattr(copy, "heads_")


def test_cross_validation_by_groups_and_calibration(tiny_models):
    groups = [i % 7 for i in range(28)]
    for spec in ("tfidf_lr", "one_pass_lr"):
        found = learner(spec, tiny_models)
        scores = cross_val_score(found, TEXTS, LABELS, groups=groups, cv=GroupKFold(4), scoring="roc_auc")
        assert len(scores) == 4
        assert scores.mean() > 0.8
    calibrated = CalibratedClassifierCV(detectors.get("tfidf_lr"), cv=4).fit(TEXTS, LABELS)
    assert calibrated.predict_proba(TEXTS).shape == (28, 2)


def test_tfidf_is_scikit_learns_pipeline():
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    by_hand = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, LABELS)
    assert detectors.get("tfidf_lr").fit(TEXTS, LABELS)(TEXTS) == pytest.approx(
        by_hand.decision_function(TEXTS), abs=1e-3
    )
