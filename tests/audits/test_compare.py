"""Two runs, paired: differences that are there are found, and what cannot be said is not said."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from evenhand import Plan, score, stats
from evenhand.audits.compare import compare, difference, matched, paired
from evenhand.audits.rows import Settings
from evenhand.cli.app import app
from evenhand.cli.compare import read_pairs
from evenhand.documents import Policy
from evenhand.errors import SpecError, StoreError

SETTINGS = Settings(Policy(fpr=0.1), 0, {})


def cells(result):
    return {(f.where["detector"], f.where["texts"], f.metric): f for f in result.findings}


@pytest.fixture
def runs(study_of, rows_of):
    """The second run's log_rank tells machine text better by 2, its lrr is the first's."""
    first = study_of(human=80, machine=60, attacks=("homoglyph",))
    second = [
        {**r, "scores": {**r["scores"], "log_rank": r["scores"]["log_rank"] + 2.0 * (r["label"] == "machine")}}
        for r in first
    ]
    return rows_of([{**r, "digest": r["id"]} for r in first]), rows_of([{**r, "digest": r["id"]} for r in second])


def test_a_difference_is_that_of_the_paired_test(runs):
    first, second = runs
    found = cells(difference(first, second, paired(first, second), SETTINGS))
    here = first.clean
    machine, human = here & (first["label"] == "machine"), here & (first["label"] == "human")
    a, b = second.scores["log_rank"], first.scores["log_rank"]
    expected = stats.compare_auroc(a[machine], a[human], b[machine], b[human])
    got = found["log_rank", "unedited", "AUROC, difference"].estimate
    assert got.value == pytest.approx(expected.value)
    assert (got.low, got.high) == pytest.approx((expected.low, expected.high), abs=2e-3)
    assert got.low > 0
    assert found["log_rank", "unedited", "machine texts flagged"].estimate.value > 0.3


def test_equal_runs_are_not_called_different(runs):
    first, second = runs
    result = difference(first, second, paired(first, second), SETTINGS)
    found = cells(result)
    assert found["lrr", "unedited", "AUROC, difference"].estimate.value == 0
    accused = found["lrr", "homoglyph", "accusations of human texts"].estimate
    assert accused.value == 0
    assert np.isnan([accused.low, accused.high]).all(), "no change in some texts does not prove that there is none"
    told = {a.text.partition(":")[0]: a for a in result.answers}
    n = len(first.scores["lrr"])
    assert told["lrr"].text == f"lrr: the scores of all {n} texts that both runs scored are equal."
    assert "differ in AUROC" in told["log_rank"].text


def test_accusations_are_counted_on_the_half_without_threshold(runs):
    first, second = runs
    found = cells(difference(first, second, paired(first, second), SETTINGS))
    half = first.half(0) == "verification"
    assert found["log_rank", "unedited", "accusations of human texts"].counts == {
        "human": int((first.clean & (first["label"] == "human") & half).sum())
    }


def test_only_equal_texts_are_paired(runs):
    first, second = runs
    second["digest"][3] = "another text under this id"
    here, there = paired(first, second)
    assert 3 not in here
    assert len(here) == len(first) - 1
    notes = difference(first, second, (here, there), SETTINGS).notes
    assert "1 of the first and 1 of the second have no partner" in notes[0]


def test_scores_that_lack_in_one_run_are_counted(runs):
    first, second = runs
    second.scores["log_rank"][:5] = np.nan
    result = difference(first, second, paired(first, second), SETTINGS)
    assert "log_rank: 5 shared texts lack a score in one run." in result.notes


def test_detectors_are_paired_by_name_or_as_asked(runs):
    first, second = runs
    assert matched(first, second, None) == [("log_rank", "log_rank", "log_rank"), ("lrr", "lrr", "lrr")]
    assert matched(first, second, {"lrr": "log_rank"}) == [("lrr -> log_rank", "lrr", "log_rank")]
    with pytest.raises(SpecError, match="no detector 'rank' in that run"):
        matched(first, second, {"rank": "lrr"})


@pytest.mark.parametrize(
    ("asked", "pairs"),
    [
        (["lrr"], {"lrr": "lrr"}),
        (["lrr=rank"], {"lrr": "rank"}),
        (["lastde(s=3)=lastde(s=4)"], {"lastde(s=3)": "lastde(s=4)"}),
        ([], None),
    ],
)
def test_pairs_are_read_outside_brackets(asked, pairs):
    assert read_pairs(asked) == pairs


@pytest.mark.model
def test_two_folders_from_the_command_line(tmp_path):
    rows = [
        {
            "id": f"{i}",
            "text": f"We walked home by the river, {'and on ' * (i % 7)} {i}.",
            "label": ("human", "machine")[i % 2],
        }
        for i in range(24)
    ]
    source = tmp_path / "a.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name in ("one", "two"):
        least = 2 if name == "one" else 3
        score(Plan(f"jsonl(path='{source}')", detectors=(f"log_likelihood(min_tokens={least})",)), tmp_path / name)
    done = CliRunner().invoke(
        app, ["compare", str(tmp_path / "one"), str(tmp_path / "two"), "-o", str(tmp_path / "out.html")]
    )
    assert done.exit_code == 0, done.output
    assert "24 texts are in both runs" in done.output
    assert (tmp_path / "out.html").stat().st_size > 1000
    other = tmp_path / "b.jsonl"
    other.write_text(source.read_text().replace("walked", "rowed"))
    score(Plan(f"jsonl(path='{other}')", detectors=("log_likelihood(min_tokens=2)",)), tmp_path / "three")
    with pytest.raises(StoreError, match="share no text"):
        compare(tmp_path / "one", tmp_path / "three")
    with pytest.raises(StoreError, match="no run folder"):
        compare(tmp_path / "one", tmp_path)
