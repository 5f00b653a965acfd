"""Detection by the machine's share of a paper and by the sections it wrote, from made-up rows; counted by hand and by scipy."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from evenhand import audits, stats
from evenhand.audits.rows import share_of
from evenhand.documents import Level
from evenhand.errors import SpecError

from .test_idmgsp_tables import ABOUT, LR, paper, pick


@pytest.fixture(scope="module")
def told(settings):
    return replace(settings, environment={"about": ABOUT})


def co_created(papers=30, seed=4, steep=True):
    """Each paper as people wrote it and with one, two and three sections by a machine; the introduction weighs most."""
    generator = np.random.default_rng(seed)
    subsets = {
        "abstract": 0.2,
        "introduction": 0.5,
        "abstract+introduction": 0.7,
        "abstract+introduction+conclusion": 1.0,
    }
    records, shares = [], []
    for i in range(papers):
        own = generator.normal(-1, 0.3)
        records.append(paper(i, "human", score=own, cluster=f"p{i}", id=f"p{i}", level="human"))
        shares.append(np.nan)
        for subset, share in subsets.items():
            moved = own + (3 * ("introduction" in subset) if steep else 0) + generator.normal(0, 0.1)
            more = {"cluster": f"p{i}", "id": f"p{i}/{subset}", "level": "rewrite-human", "source_id": f"p{i}"}
            records.append(
                paper(
                    i, "mixed", "gpt-3.5-turbo", score=moved, meta={"paraphrased_sections": subset.split("+")}, **more
                )
            )
            shares.append(share)
    return records, np.array(shares)


def shared_rows(rows_of, **more):
    records, shares = co_created(**more)
    return replace(rows_of(records), machine=shares)


def test_flags_by_share_are_counted(rows_of, told):
    rows = shared_rows(rows_of)
    result = audits.get("machine_share(replicates=200)")(rows, told)
    flags = rows.scores[LR] > 0
    for name, share in (("none", 0), ("0% to 25%", 0.2), ("25% to 50%", 0.5), ("50% to 75%", 0.7), ("all of it", 1)):
        cell = pick(result, "flagged", of="machine_share", detector=LR, share=name)
        assert cell.estimate.value == pytest.approx(flags[rows.machine_share == share].mean())
        assert cell.counts["texts"] == 30
    assert np.isnan(pick(result, "flagged", of="machine_share", detector=LR, share="75% to 100%").estimate.value)
    trend = pick(result, "Somers' D of score and share", detector=LR).estimate
    assert trend.low > 0
    assert trend.n == 30  # papers, not their versions
    from scipy.stats import somersd

    levels = np.unique(rows.machine_share, return_inverse=True)[1]
    assert trend.value == pytest.approx(somersd(levels, rows.scores[LR]).statistic)


def test_a_text_alone_in_its_column_does_not_take_the_interval_away(rows_of, told):
    rows = shared_rows(rows_of)
    shares = np.where(rows.machine == 0.5, 0.45, rows.machine)
    shares[np.flatnonzero(rows.machine == 0.7)] = np.nan
    shares[np.flatnonzero(rows.machine == 0.7)[0]] = 0.6
    result = audits.get("machine_share(replicates=50)")(replace(rows, machine=shares), told)
    trend = pick(result, "Somers' D of score and share", detector=LR)
    assert trend.counts == {"texts": 4 * 30, "alone in their column": 1}
    assert 0 < trend.estimate.low < trend.estimate.value


def test_what_a_section_adds(rows_of, told):
    rows = shared_rows(rows_of)
    result = audits.get("machine_share(replicates=200)")(rows, told)
    introduction = pick(result, "share flagged, with less without", detector=LR, section="introduction").estimate
    flags = rows.scores[LR] > 0
    written = np.array([json.loads(m.get("paraphrased_sections", "[]")) for m in rows.meta], object)
    has = np.array(["introduction" in w for w in written])  # the human originals are among those without
    assert introduction.value == pytest.approx(flags[has].mean() - flags[~has].mean())
    assert introduction.value == 1  # all with it are flagged, none without: no resample moves that
    one, other = (stats.clopper_pearson(*counts, level=0.95**0.5) for counts in ((30, 30), (0, 30)))
    cell = pick(result, "share flagged, with less without", detector=LR, section="introduction")
    assert cell.counts == {"with": 90, "without": 60}
    moved = pick(result, "mean score, with less without", detector=LR, section="introduction").estimate
    assert moved.value == pytest.approx(rows.scores[LR][has].mean() - rows.scores[LR][~has].mean())
    assert 2.9 < moved.low < moved.high < 3.1
    assert (introduction.low, introduction.high) == pytest.approx((one[0] - other[1], 1.0))
    by_subset = [f for f in result.findings if f.table == "machine_sections" and f.where["detector"] == LR]
    assert [f.where["machine sections"] for f in by_subset] == [
        "abstract", "introduction", "abstract+introduction", "abstract+introduction+conclusion"
    ]  # fmt: skip
    shift = pick(result, "mean score less that of the human papers", detector=LR, share="25% to 50%").estimate
    assert shift.value == pytest.approx(3, abs=0.1)
    assert shift.high - shift.low < 0.2  # a paper and its version are drawn together, so the papers' own spread is gone


def test_a_detector_that_sees_no_share_is_said_to_see_none(rows_of, told):
    result = audits.get("machine_share(replicates=200)")(shared_rows(rows_of, steep=False), told)
    trend = pick(result, "Somers' D of score and share", detector=LR).estimate
    assert trend.low < 0 < trend.high
    assert "is not shown to follow" in result.answers[0].text


def test_without_mixed_texts_there_is_no_answer(rows_of, told):
    whole = [paper(0, "human", score=0.0), paper(1, "machine", "gpt2", score=1.0)]
    result = audits.get("machine_share")(rows_of(whole), told)
    assert result.answers[0].kind == "missing"
    with pytest.raises(SpecError, match="rise between 0 and 1"):
        audits.get("machine_share(bins=(0.5, 0.2))")


def test_shares_are_read_from_spans():
    span = lambda start, end, author: {"start": start, "end": end, "author": author}  # noqa: E731
    assert share_of([span(0, 30, "human"), span(30, 40, "machine")]) == 0.25
    assert share_of([span(0, 7, "machine")]) == 1
    assert np.isnan(share_of([]))
    assert np.isnan(share_of(None))


def test_shares_without_spans(rows_of):
    rows = rows_of([
        paper(0, "human"), paper(1, "machine", "a"), paper(2, "machine", "a", level=str(Level.IMPROVE_HUMAN)),
        paper(3, "mixed", "a"),
    ])  # fmt: skip
    assert rows.machine_share == pytest.approx([0, 1, np.nan, np.nan], nan_ok=True)
