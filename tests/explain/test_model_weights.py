"""Coefficients that add up to the score, importances, and where words stand in a text."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from evenhand import detectors
from evenhand.detectors.trained.weights import told, weights_of
from evenhand.errors import DataError
from evenhand.explain import coefficients, importances, permutation_importances, top_coefficients
from evenhand.explain.forests import shuffled

TEXT = "We got off at the harbour and the community offers benefits, an important place to its visitors at the harbour."


def test_shares_add_up_to_the_score(linear):
    found = coefficients(TEXT, linear)
    assert found.score == linear([TEXT])[0]
    assert found.sum == pytest.approx(found.score, abs=1e-12)
    assert found.base == linear.heads_[0].intercept_[0]
    vector = linear.reader_.transform([TEXT])
    names = linear.reader_.get_feature_names_out()
    by_hand = {names[i]: vector[0, i] * linear.heads_[0].coef_[0, i] for i in vector.nonzero()[1]}
    assert {part.name: part.weight for part in found.parts} == pytest.approx(by_hand)


def test_words_are_found_where_they_stand(linear):
    found = {part.name: part for part in coefficients(TEXT, linear).parts}
    assert [TEXT[a:b] for a, b in found["harbour"].spans] == ["harbour", "harbour"]
    assert [TEXT[a:b] for a, b in found["important place"].spans] == ["important place"]
    assert [TEXT[a:b].lower() for a, b in found["we got"].spans] == ["we got"]
    assert all(part.spans for part in found.values())


def test_places_under_idmgsps_preprocessing(lessons):
    """Stop words and ligatures are gone before the words are counted; the places are those of the text as given."""
    learner = detectors.get("tfidf_lr(preprocessing='idmgsp')").fit(*lessons)
    text = "It OFFERS the \ufb01ne beneﬁts, and then the community: an important harbour — to its visitors, by the station."
    found = {part.name: part for part in coefficients(text, learner).parts}
    assert [text[a:b] for a, b in found["offers"].spans] == ["OFFERS"]
    assert [text[a:b] for a, b in found["harbour"].spans] == ["harbour"]
    assert "the" not in found


def test_texts_that_change_length_in_lower_case_still_add_up(linear):
    text = TEXT.replace("We", "İstanbul: we")  # one letter that is two in lower case
    found = coefficients(text, linear)
    assert found.sum == pytest.approx(found.score)
    assert [text[a:b] for part in found.parts if part.name == "harbour" for a, b in part.spans] in (["harbour"] * 2, [])


def test_top_of_the_model(linear):
    top = top_coefficients(linear, 5)
    values = [value for _, value in top]
    assert values == sorted(values, reverse=True)
    assert len(top) == 10
    assert values[4] > 0 > values[5]
    coefs = linear.heads_[0].coef_[0]
    assert values[0] == coefs.max()
    assert values[-1] == coefs.min()
    assert top[0][0] == "to"  # twice in every machine text, in no human one


def test_what_is_not_linear_is_refused(forest, lessons):
    with pytest.raises(DataError, match="no coefficients but impurity"):
        coefficients(TEXT, forest)
    with pytest.raises(DataError, match="no coefficients of its own; lime and shap"):
        coefficients(TEXT, detectors.get("log_rank"))
    with pytest.raises(DataError, match="has learnt nothing yet"):
        top_coefficients(detectors.get("tfidf_lr"))
    with pytest.raises(DataError, match="so there is none to explain"):
        coefficients("too short", detectors.get("tfidf_lr").fit(*lessons))


def test_impurity_importances(forest, linear):
    found = importances(forest, 5)
    assert [one.impurity for one in found] == sorted(forest.heads_[0].feature_importances_, reverse=True)[:5]
    assert all(np.isnan(one.fall) for one in found)
    with pytest.raises(DataError, match="no forest"):
        importances(linear)


def test_permutation_importance_by_hand(linear, lessons):
    """On a matrix made by hand: the fall is the AUROC with and without the order of one column."""
    texts, labels = lessons
    found = permutation_importances(linear, texts, labels, k=3, repeats=4)
    numbers = linear.numbers(list(texts))
    whole = roc_auc_score(labels, linear.head_scores(numbers))
    assert whole == 1.0
    assert len(found) == 3
    assert all(0 <= one.fall <= 1 for one in found)
    assert [one.fall for one in found] == sorted((one.fall for one in found), reverse=True)
    again = permutation_importances(linear, texts, labels, k=3, repeats=4)
    assert found == again


def test_only_inputs_that_decide_lose():
    """Texts that differ in one word only, 'yes' or 'no': what one of the two loses the trees that ask the other keep."""
    texts = [f"{'yes' if i % 2 else 'no'} one two three four five six seven eight nine ten" for i in range(60)]
    learner = detectors.get("tfidf_rf(trees=20)").fit(texts, [i % 2 for i in range(60)])
    found = {one.name: one for one in permutation_importances(learner, texts, [i % 2 for i in range(60)], repeats=6)}
    assert 0.05 < found["yes"].fall + found["no"].fall < 1.0
    assert found["yes"].low > 0 or found["no"].low > 0
    assert all(one.fall == 0 for name, one in found.items() if name not in ("yes", "no"))


def test_shuffling_a_column_leaves_the_others(linear, lessons):
    numbers = linear.numbers(list(lessons[0]))
    column = int(np.argmax(np.asarray((numbers > 0).sum(axis=0)).ravel() * (np.arange(numbers.shape[1]) > 3)))
    made = shuffled(numbers, column, np.random.default_rng(2))
    before, after = numbers.toarray(), made.toarray()
    assert np.sort(after[:, column]) == pytest.approx(np.sort(before[:, column]))
    rest = np.arange(before.shape[1]) != column
    assert (after[:, rest] == before[:, rest]).all()
    dense = shuffled(before, column, np.random.default_rng(2))
    assert dense == pytest.approx(after)


def test_permutation_importance_needs_both_classes(linear, lessons):
    with pytest.raises(DataError, match="both are needed"):
        permutation_importances(linear, lessons[0][:20], [0] * 20)


def test_a_saved_detector_is_explained_like_its_original(linear, tmp_path):
    detectors.save(linear, tmp_path / "kept")
    saved = detectors.get(f"saved(path={str(tmp_path / 'kept')!r})")
    assert coefficients(TEXT, saved).parts == coefficients(TEXT, linear).parts
    assert told(saved) == told(linear)


def test_what_a_run_is_told(linear, forest):
    held = told(linear, 3)
    assert held["kind"] == "coefficient"
    assert held["of"] == len(linear.reader_.vocabulary_)
    assert [name for name, _ in held["heaviest"]] == [name for name, _ in top_coefficients(linear, 3)]
    assert told(forest, 4)["kind"] == "impurity importance"
    assert len(told(forest, 4)["heaviest"]) == 4
    assert told(detectors.get("log_rank")) is None


@pytest.mark.model
def test_statistics_of_tokens_are_named(embedded, lessons):
    learner = detectors.get("gltr_lr").fit(*lessons)
    found = coefficients(TEXT, learner)
    assert found.sum == pytest.approx(found.score)
    assert {part.name for part in found.parts} <= {"rank 1-10", "rank 11-100", "rank 101-1,000", "rank above 1,000"}
    assert "no words" in found.notes[0]
    wide = detectors.get("one_pass_lr").fit(*lessons)
    names = weights_of(wide).names
    assert len(names) == 33
    assert names[-1] == "different words of the first 100"
