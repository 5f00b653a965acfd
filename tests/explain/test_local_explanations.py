"""LIME and SHAP against detectors whose weights are known, the lime package, and Shapley's formula by brute force."""

from __future__ import annotations

import sys
from itertools import permutations
from math import isnan

import numpy as np
import pytest

from evenhand.errors import DataError, MissingExtra, SpecError
from evenhand.explain import lime, shap
from evenhand.explain.asking import Asked
from evenhand.explain.local_linear import cost as lime_cost
from evenhand.explain.local_linear import draw, interval, kernel, local_fit
from evenhand.explain.parts import cut, masked
from evenhand.explain.shapley import cost as shap_cost
from evenhand.explain.shapley import exact_values, permuted

pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
TEXT = "alpha beta gamma delta alpha zeta eta theta iota kappa lambda mu"
TRUTH = {"alpha": 2.0, "beta": -1.0, "gamma": 0.5}


def weights(found):
    return {part.name: part.weight for part in found.parts}


def test_lime_finds_the_weights_of_a_linear_detector(additive):
    found = lime(TEXT, additive, samples=400, seeds=3)
    assert found.facts["R2 of the local fit, mean"] > 0.99
    for part in found.parts:  # the ridge penalty draws towards 0, by a few hundredths here
        assert part.weight == pytest.approx(TRUTH.get(part.name, 0.0), abs=0.08)
        assert part.low <= part.weight <= part.high
    assert [part.name for part in found.heaviest(3)] == ["alpha", "beta", "gamma"]
    assert found.base == pytest.approx(0.25, abs=0.1)
    assert found.score == additive([TEXT])[0] == 1.75


def test_lime_fits_as_the_authors_package_does():
    """Same copies, same scores: the same weights, intercept and R2 as LimeBase, to rounding."""
    base = pytest.importorskip("lime.lime_base")
    generator = np.random.default_rng(5)
    masks, scores = draw(11, 300, generator), generator.normal(size=300)
    distances = 100 * (1 - np.sqrt(masks.mean(axis=1)))
    package = base.LimeBase(lambda d: np.sqrt(np.exp(-(d**2) / 25**2)))
    theirs = package.explain_instance_with_data(
        masks.astype(float), scores[:, None], distances, 0, 11, feature_selection="none"
    )
    ours = local_fit(masks, scores)
    assert ours[0] == pytest.approx([dict(theirs[1])[i] for i in range(11)], abs=1e-12)
    assert ours[1:] == (pytest.approx(theirs[0]), pytest.approx(theirs[2]))


def test_the_kernel_is_of_the_cosine_distance():
    masks = np.array([[1, 1, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0]], bool)
    # cosine to (1,1,1,1): 1, 1/2, none -> distances 0, .5, 1
    assert kernel(masks) == pytest.approx(np.exp(-np.array([0, 0.25, 1]) / (2 * 0.0625)))


def test_masked_copies_are_drawn_anew_for_every_size():
    masks = draw(20, 4000, np.random.default_rng(1))
    assert masks[0].all()
    gone = (~masks[1:]).sum(axis=1)
    assert set(gone) == set(range(1, 21))  # uniform on 1..20
    assert np.bincount(gone)[1:] == pytest.approx(200, abs=60)


def test_silence_is_left_out_and_counted(additive):
    def shy(texts):
        return np.where([len(text.split()) < 6 for text in texts], np.nan, additive(texts))

    found = lime(TEXT, shy, samples=300, seeds=2)
    assert weights(found)["alpha"] == pytest.approx(2.0, abs=0.15)
    assert 0 < found.facts["copies left out"] < 600
    assert "not scored" in found.notes[0]


def test_shap_needs_every_score(additive):
    """On few parts, so without the package; the mask '...' keeps the number of words."""

    def shy(texts):
        return np.where([len(text.split()) < 6 for text in texts], np.nan, additive(texts))

    text = "alpha beta gamma delta zeta eta"
    with pytest.raises(DataError, match="SHAP needs a score of every masked copy"):
        shap(text, shy, mask="")
    assert weights(shap(text, shy))["alpha"] == pytest.approx(2.0)


def test_nothing_is_explained_where_there_is_no_score():
    with pytest.raises(DataError, match="gives this text no score"):
        lime(TEXT, lambda texts: [np.nan] * len(texts))
    quiet = lambda texts: [1.0 if text == TEXT else np.nan for text in texts]  # noqa: E731
    with pytest.raises(DataError, match="masked copies got a finite score"):
        lime(TEXT, quiet, samples=20)


def test_wrong_settings_are_refused(additive):
    with pytest.raises(SpecError, match="samples"):
        lime(TEXT, additive, samples=3)
    with pytest.raises(SpecError, match="seeds"):
        shap(TEXT, additive, seeds=0)
    with pytest.raises(SpecError, match="by is one of"):
        lime(TEXT, additive, by="letter")
    with pytest.raises(DataError, match="two parts"):
        lime("alone", additive)


def test_another_seed_is_another_run_and_the_same_seed_the_same(additive):
    one, again, other = (lime(TEXT, additive, samples=50, seeds=2, seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert one.parts != other.parts
    assert isnan(lime(TEXT, additive, samples=50, seeds=1).parts[0].low)


def test_the_interval_is_students(additive):
    from scipy.stats import ttest_1samp

    values = np.array([0.3, 0.5, 0.1, 0.4])
    theirs = ttest_1samp(values, 0).confidence_interval()
    assert interval(values) == pytest.approx((0.325, theirs.low, theirs.high))


def brute_force(value, n):
    """Shapley's values from the definition: the mean over all orders of what each part adds when it comes."""
    totals, orders = np.zeros(n), list(permutations(range(n)))
    for order in orders:
        kept = np.zeros(n, bool)
        for i in order:
            before = value(kept)
            kept[i] = True
            totals[i] += value(kept) - before
    return totals / len(orders)


@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_shap_is_exact_on_few_parts(n):
    table = np.random.default_rng(n).normal(size=2**n)

    def scored(masks):
        return table[np.asarray(masks) @ (1 << np.arange(n))]

    expected = brute_force(lambda kept: scored(kept[None])[0], n)
    assert exact_values(scored, n) == pytest.approx(expected)


def test_interactions_are_shared_as_shapley_does(joint):
    found = shap("alpha beta gamma delta", joint)
    assert weights(found) == pytest.approx({"alpha": 0.5, "beta": 0.5, "gamma": 0.5, "delta": 0.0})
    assert found.base == 0.0
    assert found.sum == pytest.approx(found.score)
    assert all(isnan(part.low) for part in found.parts)


def test_the_permutation_explainer_adds_up_and_nears_the_exact_values():
    pytest.importorskip("shap")
    n = 8
    table = np.random.default_rng(8).normal(size=2**n)

    def scored(masks):
        return table[np.asarray(masks, bool) @ (1 << np.arange(n))]

    exact, ends = exact_values(scored, n), table[-1] - table[0]
    one, many = (permuted(scored, n, orders, 3) for orders in (1, 300))
    assert one.sum() == pytest.approx(ends)
    assert many.sum() == pytest.approx(ends)
    assert np.abs(many - exact).max() < 0.1 < np.abs(one - exact).max()


def test_without_the_package_the_extra_is_named(additive, monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(MissingExtra, match=r"evenhand\[explain\]"):
        shap(TEXT, additive)


def test_shap_by_the_package_on_a_long_text(additive):
    pytest.importorskip("shap")
    found = shap(TEXT, additive)
    assert len(found.parts) == 11  # alpha stands twice
    assert weights(found) == pytest.approx({**dict.fromkeys(weights(found), 0.0), **TRUTH})
    assert abs(found.facts["sum less f(text) - f(base)"]) < 1e-9
    assert found.calls <= shap_cost(11)


def test_costs_are_bounds(additive):
    counted = Asked(additive)
    found = lime(TEXT, additive, samples=40, seeds=3)
    assert found.calls <= lime_cost(40, 3) == 121
    counted(["a", "b", "a"])
    counted(["a", "c"])
    assert counted.calls == 3  # each text once
    assert shap_cost(4) == 17
    assert shap("alpha beta gamma delta", additive).calls <= 17


def test_texts_are_cut_by_words_places_and_sentences():
    text = "We met Dr. Hill. He left, we met\n\nno more"
    assert [part.name for part in cut(text)] == ["We", "met", "Dr.", "Hill.", "He", "left,", "we", "no", "more"]
    assert {part.name: len(part.spans) for part in cut(text)}["met"] == 2
    assert len(cut(text, "place")) == 10
    assert [part.name for part in cut(text, "sentence")] == ["We met Dr. Hill.", "He left, we met", "no more"]
    assert [part.name for part in cut(text, most=2)] == ["We met Dr. Hill. He left, we met", "no more"]
    assert cut("") == cut(" \n ") == ()


def test_masking_takes_out_whole_parts():
    text = "one two one, one three"
    parts = cut(text)
    assert [part.name for part in parts] == ["one", "two", "one,", "three"]
    rows = np.array([[0, 1, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 1, 0]], bool)
    assert masked(text, parts, rows) == ["two one, three", text, "", "one one, one "]
    assert masked(text, parts, rows[:1], "...") == ["... two one, ... three"]
    whole = cut(text, "sentence")
    assert masked(text, whole, np.array([[False]]), "...") == ["... ... ... ... ..."]


@pytest.mark.model
def test_explanations_of_a_detector_with_a_model(embedded):
    """A word that no reader expects moves the score of a likelihood detector towards human."""
    from evenhand import detectors

    detector = detectors.get("log_likelihood")
    found = lime(
        "The cat sat on the mat zyxqvwj because it was tired and it wanted to sleep.", detector, samples=40, seeds=2
    )
    assert min(found.parts, key=lambda part: part.weight).name == "zyxqvwj"
    assert found.facts["R2 of the local fit, mean"] > 0.8
    text = "The cat slept by the fire. It was cold and wet outside. It rained on us all day."
    sentences = shap(text, detector, by="sentence")
    assert (len(sentences.parts), sentences.calls) == (3, 8)  # every subset
    assert sentences.sum == pytest.approx(sentences.score)
