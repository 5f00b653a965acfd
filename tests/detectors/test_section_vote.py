"""Three sections, three detectors, two decide: by hand, saved, and with the fault of the authors' notebook."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from sklearn.base import clone

from evenhand import detectors
from evenhand.detectors.trained.section_vote import middle, read_sections
from evenhand.documents import Judgement
from evenhand.errors import DataError, SpecError
from evenhand.sections import SECTIONS, join_sections
from evenhand.testing import detector_checks

COMMON = "the a of to and in that it was for on with as this from or had by but some what there".split()
MARKS = {0: "we found odd noisy results here".split(), 1: "notably this underscores crucial seamless advances".split()}


def section(draw: Random, machine: int) -> str:
    words = draw.choices(COMMON, k=20) + [word for word in MARKS[machine] if draw.random() < 0.7]
    draw.shuffle(words)
    return " ".join([*words, str(draw.randrange(10**6))])


def paper(draw: Random, machine: int, **told: str) -> str:
    return join_sections({**{name: section(draw, machine) for name in SECTIONS}, **told})


def papers() -> tuple[list[str], list[int]]:
    draw, y = Random(3), [0] * 12 + [1] * 12
    return [paper(draw, machine) for machine in y], y


TEXTS, LABELS = papers()


def test_each_section_has_its_own_detector_and_the_middle_score_is_the_vote():
    fitted = detectors.get("section_vote(base='tfidf_lr(ngrams=(1, 2))')").fit(TEXTS, LABELS)
    columns = []
    for name in SECTIONS:
        parts = [f"{name.capitalize()}: {read_sections(text)[name]}" for text in TEXTS]
        columns.append(detectors.get("tfidf_lr(ngrams=(1, 2))").fit(parts, LABELS)(parts))
    assert fitted(TEXTS) == pytest.approx(np.median(columns, axis=0))
    assert ((fitted(TEXTS) > 0) == (np.sum(np.array(columns) > 0, axis=0) >= 2)).all()
    assert (fitted.predict(TEXTS) == LABELS).mean() > 0.9
    draw = Random(9)
    odd = paper(draw, 0, abstract=section(draw, 1), conclusion=section(draw, 1))
    (found,) = fitted.judge([odd])
    assert found.score > 0
    assert found.reason.startswith("2 of 3 sections")
    assert fitted.predict_proba([odd])[0, 1] > 0.5


def test_the_fault_gives_all_three_the_abstract():
    right = detectors.get("section_vote").fit(TEXTS, LABELS)
    wrong = detectors.get("section_vote(fault='abstracts')").fit(TEXTS, LABELS)
    assert right.key != wrong.key
    draw = Random(11)
    mixed = paper(draw, 0, abstract=section(draw, 1))
    abstract = read_sections(mixed)["abstract"]
    seen = [wrong.parts_[name]([f"{name.capitalize()}: {abstract}"])[0] for name in SECTIONS]
    assert wrong([mixed])[0] == np.median(seen)
    assert wrong([mixed])[0] > 0 > right([mixed])[0], "an abstract of a machine on a human paper"


def test_a_forest_s_own_threshold_is_half():
    fitted = detectors.get("section_vote(base='tfidf_rf(trees=20)', prefix=False)").fit(TEXTS, LABELS)
    parts = [fitted.parts_[name]([read_sections(TEXTS[0])[name]])[0] - 0.5 for name in SECTIONS]
    assert fitted(TEXTS[:1])[0] == pytest.approx(np.median(parts))
    assert (fitted.predict(TEXTS) == LABELS).all()


def test_middle_by_hand():
    ok = [Judgement(s, "ok", None, 5, t) for s, t in ((0.5, False), (-2.0, True), (0.1, False))]
    assert middle(ok) == Judgement(0.1, "ok", "2 of 3 sections", 15, True)
    found = middle([ok[0], Judgement(math.nan, "abstained", "too short"), ok[2]])
    assert (found.status, found.reason) == ("abstained", "introduction: too short")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no sections at all", "no abstract and no introduction and no conclusion is marked"),
        ("Abstract:\n\none two\n\nConclusion:\n\nthree", "no introduction is marked"),
        ("", "no abstract"),
    ],
)
def test_a_missing_section_is_abstained_on(text, reason):
    fitted = detectors.get("section_vote").fit(TEXTS, LABELS)
    (found,) = fitted.judge([text])
    assert found.status == "abstained"
    assert found.reason.startswith(reason)
    with_it = detectors.get("section_vote").fit([*TEXTS, text], [*LABELS, 0])
    assert with_it.training_["unreadable"] == 1
    assert np.array_equal(with_it(TEXTS), fitted(TEXTS))


def test_levels_and_the_usual_labels():
    levels = ["human"] * 6 + ["improve-human"] * 6 + ["task"] * 12
    fitted = detectors.get("section_vote(labels='usual')").fit(TEXTS, LABELS, levels=levels)
    assert fitted.training_["levels"] == {"human": 6, "task": 12}
    by_hand = detectors.get("section_vote").fit(TEXTS[:6] + TEXTS[12:], LABELS[:6] + LABELS[12:])
    assert np.array_equal(fitted(TEXTS), by_hand(TEXTS))


@pytest.mark.parametrize("base", ["tfidf_lr", "one_pass_lr(model={!r})"])
def test_saved_cloned_and_sent(base, tiny_models, own_cache, tmp_path):
    import pickle

    base = base.format(tiny_models["first"])
    fitted = detectors.get(f"section_vote(base={base!r})").fit(TEXTS, LABELS)
    turned = detectors.get(f"section_vote(base={base!r})").fit(TEXTS[::-1], LABELS[::-1])
    assert fitted.key == turned.key
    detectors.save(fitted, tmp_path / "kept")
    again = detectors.load(tmp_path / "kept")
    for other in (turned, again, pickle.loads(pickle.dumps(fitted))):
        assert np.array_equal(other(TEXTS), fitted(TEXTS))
        assert other.key == fitted.key
    assert not hasattr(clone(fitted), "parts_")
    (tmp_path / "kept" / "conclusion" / "card.json").write_text("{}")
    with pytest.raises(DataError, match=r"conclusion/card\.json is missing, new or not as it was saved"):
        detectors.load(tmp_path / "kept")


@pytest.mark.parametrize("check", detector_checks(), ids=lambda check: check.__name__)
def test_contract(check):
    check(detectors.get("section_vote").fit(TEXTS, LABELS))


def test_what_is_refused():
    for spec, message in (
        ("section_vote(base='log_rank')", "base is a detector that learns"),
        ("section_vote(base='tfidf')", "did you mean"),
        ("section_vote(fault='introductions')", "fault is one of none, abstracts"),
        ("section_vote(labels='ordinal')", "a vote between two classes"),
        ("section_vote(base=\"tfidf_lr(labels='usual')\")", "set labels='usual' on section_vote itself"),
        ("idmgsp_vote(fault='x')", "fault is one of"),
    ):
        with pytest.raises(SpecError, match=message):
            detectors.get(spec)
    with pytest.raises(DataError, match="has learnt nothing yet"):
        detectors.get("section_vote")(TEXTS[:1])
    with pytest.raises(DataError, match=r"0 of 4 training texts can be read .*no abstract and no introduction"):
        detectors.get("section_vote").fit(["a b c"] * 2 + ["d e f"] * 2, [0, 0, 1, 1])
