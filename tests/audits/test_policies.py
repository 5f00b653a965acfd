"""Groups, accusations, decisions and the ordinal scale: every number counted by hand or by scipy."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest
from scipy import stats as sp

from evenhand import audits, stats
from evenhand.audits.rows import Settings
from evenhand.documents import Level, Policy

LEVELS = [str(level) for level in Level]


def pick(result, metric, /, of=None, **where):
    found = [
        f for f in result.findings
        if f.metric == metric and of in (None, f.table) and all(f.where.get(k) == v for k, v in where.items())
    ]  # fmt: skip
    assert len(found) == 1, (metric, where, len(found))
    return found[0]


@pytest.fixture(scope="module")
def study(essays_of, rows_of):
    records = essays_of(essays=60, detectors=("lrr",), attacks=("homoglyph", "polish"))
    rows = rows_of(records)
    settings = Settings(Policy(Level.REWRITE_HUMAN, 0.1), 7, {})
    half = dict(zip(rows["id"], rows.half(7), strict=True))
    human = np.sort([r["scores"]["lrr"] for r in records if r["level"] == "human" and half[r["id"]] == "calibration"
                     and "attack" not in r])  # fmt: skip
    tau = human[len(human) - int(0.1 * len(human)) - 1]
    return records, rows, settings, half, tau


def judged(study, level="human", attack="none"):
    records, _, _, half, _ = study
    return [
        r for r in records
        if r["level"] == level and r.get("attack", "none") == attack and half[r["id"]] == "verification"
    ]  # fmt: skip


def rate_of(study, some):
    return np.mean([r["scores"]["lrr"] > study[4] for r in some])


def exact(x, n, level):
    test = sp.binomtest(x, n).proportion_ci(level, method="exact")
    return test.low, test.high


def test_groups_share_one_threshold_and_their_intervals_hold_together(study):
    _, rows, settings, _, tau = study
    result = audits.get("groups")(rows, settings)
    for group in ("native", "second language"):
        mine = [r["scores"]["lrr"] > tau for r in judged(study) if json.loads(r["meta"]["group"]) == group]
        cell = pick(result, "FPR", group=group)
        assert cell.estimate.value == pytest.approx(np.mean(mine))
        assert (cell.estimate.low, cell.estimate.high) == pytest.approx(exact(sum(mine), len(mine), 0.95**0.5))
        assert cell.counts["human"] == len(mine)
        assert (cell.note == "fewer than 30 writers") == (len(mine) < 30)
        proof = pick(result, "FPR certified", group=group)
        upper = sp.beta.ppf(0.95**0.5, sum(mine) + 1, len(mine) - sum(mine))
        assert proof.estimate.value == pytest.approx(upper)
        assert proof.note.startswith("cannot certify 10%")
    apart = pick(result, "gap of FPR").estimate
    rates = [pick(result, "FPR", group=g).estimate.value for g in ("native", "second language")]
    assert apart.value == pytest.approx(max(rates) - min(rates))
    assert apart.low == 0.0
    assert [a.kind for a in result.answers] == ["missing", "missing"], "30 writers show neither a gap nor a proof"


def test_a_gap_that_the_texts_show_is_a_warning(study, rows_of):
    records = study[0]
    pushed = [
        {**r, "scores": {"lrr": r["scores"]["lrr"] + 9 * (json.loads(r["meta"].get("group", '""')) == "second language")}}
        for r in records if r["level"] == "human"
    ]  # fmt: skip
    result = audits.get("groups")(rows_of(pushed), Settings(Policy(fpr=0.4), 7, {}))
    assert pick(result, "gap of FPR").estimate.low > 0
    assert result.answers[0].kind == "warning"
    assert "second language 100%" in result.answers[0].text
    assert result.figures[0].kind == "bars"


def test_groups_that_write_several_texts_are_counted_by_cluster(study, rows_of):
    records, _, settings, _, _ = study
    doubled = records + [{**r, "id": f"{r['id']}-again"} for r in records if r["level"] == "human"]
    once, twice = (audits.get("groups")(rows_of(some), settings) for some in (records, doubled))
    for group in ("native", "second language"):
        one, two = (pick(result, "FPR", group=group) for result in (once, twice))
        assert two.counts["human"] == 2 * one.counts["human"]
        assert two.estimate.n == one.estimate.n, "the same writers"


def test_every_accepted_kind_of_text_has_its_chance_of_an_accusation(study):
    _, rows, settings, _, tau = study
    result = audits.get("accusation")(rows, settings)
    kinds = set(product(LEVELS[:3], ("none", "homoglyph", "polish")))
    assert {(f.where["level"], f.where["attack"]) for f in result.findings} == kinds
    for level, attack in kinds:
        cell = pick(result, "accused", level=level, attack=attack)
        assert cell.estimate.value == pytest.approx(rate_of(study, judged(study, level, attack)))
        assert cell.counts["texts"] == len(judged(study, level, attack))
    clean = [r["scores"]["lrr"] > tau for r in judged(study)]
    bounds = pick(result, "accused", level="human", attack="none").estimate
    assert (bounds.low, bounds.high) == pytest.approx(exact(sum(clean), len(clean), 0.95))
    (figure,) = result.figures
    assert figure.kind == "heatmap"
    assert figure.series[0].name == "human"
    assert "human + homoglyph" in [s.name for s in figure.series]


def test_polish_makes_an_improved_text_that_the_strictest_policy_does_not_accept(study):
    _, rows, settings, _, _ = study
    result = audits.get("accusation(policies=('human', 'improve-human'))")(rows, settings)
    strict = {(f.where["level"], f.where["attack"]) for f in result.findings if f.where["policy"] == "human"}
    assert strict == {("human", "none"), ("human", "homoglyph")}
    mild = {(f.where["level"], f.where["attack"]) for f in result.findings if f.where["policy"] == "improve-human"}
    assert ("human", "polish") in mild
    assert len(result.figures) == 2


def test_the_threshold_may_be_set_on_all_that_a_policy_accepts(study):
    records, rows, settings, half, tau = study
    result = audits.get("accusation(threshold='accepted')")(rows, settings)
    accepted = np.sort([r["scores"]["lrr"] for r in records if r["level"] in LEVELS[:3] and "attack" not in r
                        and half[r["id"]] == "calibration"])  # fmt: skip
    own = accepted[len(accepted) - int(0.1 * len(accepted)) - 1]
    assert own > tau
    mine = [r["scores"]["lrr"] > own for r in judged(study, "rewrite-human", "homoglyph")]
    assert pick(result, "accused", level="rewrite-human", attack="homoglyph").estimate.value == pytest.approx(
        np.mean(mine)
    )


def test_the_worst_kind_is_named_with_an_interval_for_having_looked_at_all(study):
    _, rows, settings, _, _ = study
    result = audits.get("accusation")(rows, settings)
    worst = max(result.findings, key=lambda f: f.estimate.value)
    (answer,) = result.answers
    assert f"'{worst.where['level']} + {worst.where['attack']}'" in answer.text
    assert "of 9 kinds" in answer.text
    assert answer.kind == "warning"


def test_c_index_and_tau_of_the_scale(study):
    records, rows, settings, _, _ = study
    result = audits.get("ordinal(replicates=40)")(rows, settings)
    clean = [r for r in records if "attack" not in r]
    s, y = np.array([r["scores"]["lrr"] for r in clean]), np.array([LEVELS.index(r["level"]) for r in clean])
    for scale, codes in (("eight levels", y), ("merged into task", np.minimum(y, 5))):
        lower = codes[:, None] < codes[None, :]
        right = ((s[:, None] < s[None, :]) & lower).sum() / lower.sum()
        area = pick(result, "C-index", scale=scale).estimate
        assert area.value == pytest.approx(right)
        assert area.n == 60
        tau_b = pick(result, "tau-b", scale=scale).estimate
        assert tau_b.value == pytest.approx(sp.kendalltau(s, codes).statistic)
        assert tau_b.low < tau_b.value < tau_b.high
    pairs = [f for f in result.findings if f.table == "ordinal_pairs"]
    assert sum(f.where["scale"] == "eight levels" for f in pairs) == 28
    assert sum(f.where["scale"] == "merged into task" for f in pairs) == 15
    last = pick(result, "AUROC", scale="eight levels", lower="task", higher="humanize").estimate.value
    high, low = (s[y == LEVELS.index(name)] for name in ("humanize", "task"))
    assert last == pytest.approx((high[:, None] > low[None, :]).mean())
    (figure,) = result.figures
    assert [len(one.x) for one in figure.series] == [7, 6, 5, 4, 3, 2, 1]


def test_kappa_is_judged_on_clusters_that_did_not_set_the_cuts(study):
    from sklearn.metrics import cohen_kappa_score

    records, rows, settings, half, _ = study
    clean = [r for r in records if "attack" not in r]
    sides = {}
    for side in ("calibration", "verification"):
        mine = [r for r in clean if half[r["id"]] == side]
        sides[side] = np.array([r["scores"]["lrr"] for r in mine]), np.array([LEVELS.index(r["level"]) for r in mine])
    cuts = stats.isotonic_cuts(*sides["calibration"], 8)
    scores, truth = sides["verification"]
    predicted = stats.cut_levels(scores, cuts)
    result = audits.get("ordinal(replicates=40)")(rows, settings)
    kappa = pick(result, "quadratic kappa", scale="eight levels")
    assert kappa.estimate.value == pytest.approx(cohen_kappa_score(truth, predicted, weights="quadratic"))
    assert kappa.counts["texts"] + kappa.counts["texts that set the cuts"] == len(clean)
    error = pick(result, "mean level error", scale="eight levels").estimate
    assert error.value == pytest.approx(np.abs(truth - predicted).mean())
    assert error.low < error.value < error.high


def test_an_order_that_is_not_there_is_not_claimed(study, rows_of):
    records, _, settings, _, _ = study
    generator = np.random.default_rng(8)
    noise = [{**r, "scores": {"lrr": generator.normal()}} for r in records if "attack" not in r]
    result = audits.get("ordinal(replicates=20)")(rows_of(noise), settings)
    assert (result.answers[0].kind, "is not shown" in result.answers[0].text) == ("missing", True)


@pytest.fixture(scope="module")
def separate(essays_of, rows_of):
    """Human and generated texts without anything in common: every text a cluster of its own."""
    records = [
        {**r, "cluster": r["id"]} for r in essays_of(essays=80, detectors=("lrr",), attacks=())
        if r["level"] in ("human", "task")
    ]  # fmt: skip
    rows = rows_of(records)
    half = rows.half(7)
    human = rows.scores["lrr"][(rows["level"] == "human") & (half == "calibration")]
    tau = np.sort(human)[len(human) - 4 - 1]
    honest = rows.scores["lrr"][(rows["level"] == "human") & (half == "verification")] > tau
    machine = rows.scores["lrr"][rows["level"] == "task"] > tau
    result = audits.get("decision(essays=12, class_size=25)")(rows, Settings(Policy(fpr=0.1), 7, {}))
    return result, honest, machine


def test_decision_data_of_independent_texts_are_those_of_the_counts(separate):
    result, honest, machine = separate
    errors, n = int(honest.sum()), len(honest)
    for metric, expected in (
        ("accused of 1,000", stats.accusations(errors, n)),
        ("class of 25: anyone accused", stats.flagged_at_least_once(errors, n, 25)),
        ("12 texts: accused at least once", stats.flagged_at_least_once(errors, n, 12)),
    ):
        found = pick(result, metric).estimate
        assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))
    assert "taken as independent" in pick(result, "12 texts: accused at least once").note
    right = pick(result, "accusations that are right", prevalence="20%").estimate
    assert right == stats.ppv(int(machine.sum()), len(machine), errors, n, 0.2)
    proof = stats.certificate(errors, n, 0.1)
    assert pick(result, "FPR certified").estimate.value == proof.upper
    assert pick(result, "texts missing").estimate.value == proof.missing
    kinds = {a.kind for a in result.answers}
    assert kinds == ({"shown"} if proof.certified else {"shown", "missing"})
    assert len(result.figures[0].series[0].x) == 5


@pytest.fixture(scope="module")
def twice(study, rows_of):
    """Every writer's essay and a second one much like it."""
    generator = np.random.default_rng(9)
    again = [
        {**r, "id": f"{r['id']}-2", "scores": {"lrr": r["scores"]["lrr"] + generator.normal(0, 0.2)}}
        for r in study[0] if r["level"] == "human" and "attack" not in r
    ]  # fmt: skip
    return rows_of([*study[0], *again])


def test_writers_with_several_texts_bring_their_correlation(study, twice):
    settings = Settings(Policy(Level.REWRITE_HUMAN, 0.2), 7, {})
    human = {"honest texts": "human"}
    alone = audits.get("decision(essays=12, replicates=200)")(twice, settings)
    result = audits.get("decision(essays=12, replicates=200, writer='cluster')")(twice, settings)
    rate = pick(result, "accused of 1,000", **human).estimate
    assert rate.n == 30, "thirty writers of the verification half"
    assert "on 30 effective draws" in rate.method
    bound, over = (pick(r, "12 texts: accused at least once", **human) for r in (alone, result))
    assert bound.estimate.value == pytest.approx(1 - (1 - rate.value / 1000) ** 12)
    assert "taken as independent" in bound.note
    assert over.note.startswith("correlation of one writer's texts 0.")
    assert "from 30 writers" in over.note
    assert rate.value / 1000 < over.estimate.value < bound.estimate.value
    assert any("if each text stands for itself" in a.text for a in alone.answers)
    assert not any("if each text stands for itself" in a.text for a in result.answers)


def test_help_that_the_policy_allows_is_a_kind_of_honest_text(study, twice):
    result = audits.get("decision(replicates=200)")(twice, study[2])
    assert {f.where["honest texts"] for f in result.findings if f.table == "decision"} == set(LEVELS[:3])
    right = pick(result, "accusations that are right", prevalence="50%").estimate
    assert "bounds of both rates" in right.method
    assert right.low < right.value < right.high
    warned = [a.text for a in result.answers if "which the policy accepts" in a.text]
    shown = [f for f in result.findings if f.metric == "accused of 1,000" and f.estimate.low > 100]
    assert len(warned) == len([f for f in shown if f.where["honest texts"] != "human"])


def test_without_pairs_no_correlation_is_made_up(study):
    _, rows, settings, _, _ = study
    result = audits.get("decision(essays=12, replicates=100, writer='cluster')")(rows, settings)
    over = pick(result, "12 texts: accused at least once", **{"honest texts": "human"})
    assert "0 clusters of two texts or more, 10 are needed" in over.note
    rate = pick(result, "accused of 1,000", **{"honest texts": "human"}).estimate.value / 1000
    assert over.estimate.value == pytest.approx(1 - (1 - rate) ** 12)


def test_nothing_is_claimed_of_texts_that_were_not_scored(study, rows_of):
    records, _, settings, _, _ = study
    unscored = [{**r, "scores": {"lrr": None if r["level"] == "human" else r["scores"]["lrr"]}} for r in records]
    result = audits.get("decision(replicates=50)")(rows_of(unscored), settings)
    assert [a.kind for a in result.answers] == ["missing"]
    assert "nothing can be said" in result.answers[0].text
    assert all(math.isnan(f.estimate.value) for f in result.findings if f.table == "decision_right")


def test_kinds_are_named_in_short_where_that_tells_them_apart(essays_of, rows_of):
    rows = rows_of(essays_of(essays=12, attacks=("truncate(words=50)", "truncate(words=100)", "homoglyph(rate=0.1)")))
    result = audits.get("accusation(policies=('human',))")(rows, Settings(Policy(fpr=0.1), 7, {}))
    names = {series.name for series in result.figures[0].series}
    assert names == {"human", "human + homoglyph", "human + truncate(words=50)", "human + truncate(words=100)"}


def test_groups_that_are_accused_alike_are_told_apart_by_name(essays_of, rows_of):
    """Nobody is accused: the sentence names two groups, not one twice."""
    records = [{**r, "scores": {"lrr": float(r["level"] != "human")}} for r in essays_of(essays=40, attacks=())]
    told = [a.text for a in audits.get("groups")(rows_of(records), Settings(Policy(), 7, {})).answers]
    (sentence,) = (text for text in told if "do not show whether the groups differ" in text)
    assert sentence.count("native") == 1
    assert sentence.count("second language") == 1
