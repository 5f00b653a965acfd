"""Verdicts counted by hand: 'unknown' as an error and as none, what was not read or not answered, one class alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evenhand import audits, stats
from evenhand.audits.answers import ASKED, UNKNOWN
from evenhand.audits.rows import Settings
from evenhand.documents import Policy
from evenhand.errors import SpecError

from .conftest import make_rows

# (label, answer): 1 machine, 0 human, u unknown, x unreadable, - no answer
TOLD = [("human", a) for a in "0000000110uux-"] + [("machine", a) for a in "11111100uuux"]
SPEC = "prompted_io(model='m')"


def rows_of(told, corpus=lambda i: "a"):
    records = [
        {
            "id": f"t{i}",
            "label": label,
            "cluster": f"c{i}",
            "corpus": corpus(i),
            "scores": {SPEC: {"1": 1, "0": 0}.get(answer)},
        }
        for i, (label, answer) in enumerate(told)
    ]
    rows = make_rows(records)
    status = {"u": "abstained", "x": "abstained", "-": "failed"}
    reason = {"u": UNKNOWN, "x": "the answer could not be read", "-": "no answer: x"}
    return replace(
        rows,
        status={SPEC: np.array([status.get(a, "ok") for _, a in told], object)},
        reason={SPEC: np.array([reason.get(a, "") for _, a in told], object)},
    )


def cells(spec: str, rows):
    result = audits.get(spec)(rows, Settings(Policy(), 0, {}))
    return {(one.where["texts"], one.metric): one.estimate for one in result.findings}, result


def test_both_countings_by_hand():
    found, result = cells("answers", rows_of(TOLD))
    wrong, left = found["all", "accuracy, unknown counted wrong"], found["all", "accuracy, unknown left out"]
    assert (wrong.value, wrong.n) == (14 / 23, 23)  # 8 + 6 right; 10 + 8 answered, 5 unknown
    assert (left.value, left.n) == (14 / 18, 18)
    assert (found["all", "recall, unknown counted wrong"].value, found["all", "recall, unknown left out"].value) == (
        6 / 11,
        6 / 8,
    )
    assert found["all", "specificity, unknown left out"].value == 8 / 10
    assert [found["all", name].value for name in ("unknown", "unreadable", "no answer")] == [5 / 26, 2 / 26, 1 / 26]
    z, p, n = 1.959964, 14 / 23, 23
    centre, half = (
        (p + z * z / 2 / n) / (1 + z * z / n),
        z / (1 + z * z / n) * (p * (1 - p) / n + z * z / 4 / n / n) ** 0.5,
    )
    assert (wrong.low, wrong.high) == pytest.approx((centre - half, centre + half))
    assert [answer.kind for answer in result.answers] == ["warning", "shown"]
    assert "not shown to be better than chance" in result.answers[0].text


def test_the_papers_interval():
    found, _ = cells("answers(unknown='wrong')", rows_of([("machine", "1")] * 80 + [("machine", "0")] * 20))
    accuracy = found["all", "accuracy, unknown counted wrong"]
    assert (round(accuracy.low, 2), round(accuracy.high, 2)) == (0.71, 0.87)
    assert found["all", "recall, unknown counted wrong"] == replace(accuracy, method="recall, Wilson")
    assert np.isnan(found["all", "specificity, unknown counted wrong"].value)
    assert ("all", "accuracy, unknown left out") not in found


def test_texts_of_one_cluster_are_one_draw():
    rows = rows_of([("machine", "1")] * 8 + [("machine", "0")] * 4)
    alone = cells("answers", rows)[0]["all", "accuracy, unknown left out"]
    clusters = np.array([f"c{i // 2}" for i in range(12)], object)
    found = cells("answers", replace(rows, columns={**rows.columns, "cluster": clusters}))[0]
    shared = found["all", "accuracy, unknown left out"]
    exact = stats.proportion(4, 6)
    assert (shared.value, shared.n, shared.low, shared.high) == (alone.value, 6, exact.low, exact.high)


def test_each_corpus_has_its_row():
    found, _ = cells("answers", rows_of(TOLD, corpus=lambda i: "ab"[i % 2]))
    assert {texts for texts, _ in found} == {"all", "a", "b"}


def test_scores_that_are_no_verdicts_are_not_counted():
    rows = make_rows(
        [
            {"id": "a", "label": "human", "scores": {"log_rank": 0.3}},
            {"id": "b", "label": "machine", "scores": {"log_rank": 1}},
        ]
    )
    assert "No detector" in cells("answers", rows)[1].notes[0]
    with pytest.raises(SpecError):
        audits.get("answers(unknown='half')")


@pytest.mark.parametrize(("given", "metric"), [("u", "unknown"), ("x", "unreadable"), ("-", "no answer")])
def test_a_detector_that_never_gave_a_verdict_is_not_left_out(given, metric):
    found, result = cells("answers(unknown='abstain')", rows_of([("human", given)] * 3 + [("machine", given)] * 3))
    assert found["all", metric].value == 1.0
    assert [(one.kind, "not one answer could be read" in one.text) for one in result.answers] == [("missing", True)]
    strict = cells("answers(unknown='wrong')", rows_of([("human", "u"), ("machine", "u")]))[0]
    assert strict["all", "accuracy, unknown counted wrong"].value == 0.0


def test_equal_countings_are_told_once():
    told = [("human", "0")] * 40 + [("machine", "1")] * 38 + [("machine", "x")] * 2
    assert len(cells("answers", rows_of(told))[1].answers) == 1
    assert len(cells("answers", rows_of([*told, ("human", "u")]))[1].answers) == 2


def test_the_spelling_is_the_detectors():
    from evenhand.detectors.prompted import asking, styles

    assert styles.UNKNOWN == UNKNOWN
    for reason in (asking.UNREADABLE, asking.CUT, asking.NO_ANSWER):
        assert reason.startswith(ASKED)
