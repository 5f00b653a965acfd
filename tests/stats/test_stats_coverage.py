"""Simulations: do the intervals hold the truth as often as they say, do certified thresholds keep their promise?

Each runs enough studies that the Monte-Carlo error (two standard errors) is about one point or less.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy import stats as sp

from evenhand import stats

pytestmark = pytest.mark.long


def separation(area):
    """The shift of a unit normal whose AUROC is ``area``."""
    return np.sqrt(2) * sp.norm.ppf(area)


def covered(make, truth, studies):
    """The share of ``studies`` seeds whose interval holds the truth; an interval that is NaN counts as a miss."""
    held = [(e.low <= truth <= e.high) for e in (make(np.random.default_rng(seed)) for seed in range(studies))]
    return float(np.mean(held))


@pytest.mark.parametrize(("m", "n", "area"), [(100, 100, 0.7), (150, 150, 0.9), (720, 1440, 0.95), (60, 300, 0.85)])
def test_delong(m, n, area, record_property):
    def study(g):
        return stats.auroc(g.normal(separation(area), 1, m), g.normal(0, 1, n))

    share = covered(study, area, 2000)
    record_property("coverage", share)
    assert 0.93 <= share <= 0.97, share


@pytest.mark.parametrize(("m", "n", "area"), [(150, 150, 0.85)])
def test_delong_with_heavy_ties(m, n, area, record_property):
    """Scores rounded to whole numbers; the truth is summed over the cells."""
    edges, shift = np.arange(-8, 12) + 0.5, separation(area)
    x, y = np.diff(sp.norm.cdf(edges - shift)), np.diff(sp.norm.cdf(edges))
    truth = x[1:] @ np.cumsum(y)[:-1] + 0.5 * x @ y

    def study(g):
        return stats.auroc(g.normal(shift, 1, m).round(), g.normal(0, 1, n).round())

    share = covered(study, truth, 2000)
    record_property("coverage", share)
    assert 0.93 <= share <= 0.97, share


def paired_scores(g, m, n, areas, correlation):
    noise = g.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], m + n).T
    return [noise[i] + np.r_[np.full(m, separation(a)), np.zeros(n)] for i, a in enumerate(areas)]


def test_paired_delong(record_property):
    def study(g):
        a, b = paired_scores(g, 150, 200, (0.85, 0.8), 0.6)
        return stats.compare_auroc(a[:150], a[150:], b[:150], b[150:])

    share = covered(study, 0.05, 2000)
    record_property("coverage", share)
    assert 0.93 <= share <= 0.97, share


def clustered_scores(g, clusters, texts, area):
    """Each cluster (essay task) holds ``texts`` human and machine versions that share half their variance."""
    share = np.repeat(g.normal(size=clusters), 2 * texts) * np.sqrt(0.5)
    machine = np.tile(np.repeat([False, True], texts), clusters)
    own = g.normal(size=2 * clusters * texts) * np.sqrt(0.5)
    # Pairs across clusters differ with variance 2; those within one (few) with variance 1.
    return np.repeat(np.arange(clusters), 2 * texts), machine, share + own + separation(area) * machine


def clustered_truth(clusters, area):
    """The AUROC of all pairs of ``clusters`` clusters: a share 1 / clusters of the pairs lies within one."""
    within = sp.norm.cdf(separation(area))
    return ((clusters - 1) * area + within) / clusters


def test_clustered_auroc_where_delong_is_too_wide_or_narrow(record_property):
    """100 clusters of 3 human and 3 machine texts, AUROC .8."""

    def study(clustered):
        def run(g):
            ids, machine, s = clustered_scores(g, 100, 3, 0.8)
            given = {"positive_clusters": ids[machine], "negative_clusters": ids[~machine]} if clustered else {}
            return stats.auroc(s[machine], s[~machine], **given)

        return covered(run, clustered_truth(100, 0.8), 1000)

    share, naive = study(True), study(False)
    record_property("coverage", share)
    record_property("without clusters", naive)
    assert 0.93 <= share <= 0.97, share
    assert abs(naive - 0.95) > abs(share - 0.95)


def test_cluster_bootstrap_of_an_auroc(record_property):
    def study(g):
        ids, machine, s = clustered_scores(g, 80, 3, 0.8)
        resample = stats.resample_clusters(ids, replicates=1000, seed=int(g.integers(2**31)))
        cell = stats.rows(resample, s[machine], ids[machine]), stats.rows(resample, s[~machine], ids[~machine])
        return stats.bootstrap_aurocs([cell], resample).estimates()[0]

    share = covered(study, clustered_truth(80, 0.8), 1000)
    record_property("coverage", share)
    assert 0.93 <= share <= 0.97, share


@pytest.mark.parametrize(("humans", "machines"), [(200, 100), (1440, 720)])
def test_bootstrap_of_a_change_by_an_attack(humans, machines, record_property):
    """One-sided: attacked machine against clean human, minus clean; the sources of both terms are the same."""
    ids, machine = np.arange(humans + machines), np.arange(humans + machines) >= humans

    def study(g):
        clean, attacked = paired_scores(g, machines, humans, (0.9, 0.85), 0.7)
        resample = stats.resample_clusters(ids, strata=machine, replicates=1000, seed=int(g.integers(2**31)))
        human = stats.rows(resample, clean[machines:], ids[~machine])
        cells = [(stats.rows(resample, s[:machines], ids[machine]), human) for s in (clean, attacked)]
        draws = stats.bootstrap_aurocs(cells, resample)
        return (draws.take([1]) - draws.take([0])).estimates()[0]

    share = covered(study, -0.05, 1000)
    record_property("coverage", share)
    assert 0.93 <= share <= 0.97, share


def test_bootstrap_of_tpr_at_a_re_estimated_threshold(record_property):
    truth = sp.norm.sf(sp.norm.ppf(0.95) - separation(0.9))

    def study(g):
        return stats.tpr_at_fpr(
            g.normal(separation(0.9), 1, 200), g.normal(0, 1, 400), 0.05, replicates=500, seed=int(g.integers(2**31))
        )

    share = covered(study, truth, 1000)
    record_property("coverage", share)
    assert 0.93 <= share <= 0.97, share


@pytest.mark.parametrize(("max_fpr", "area"), [(0.1, 0.85)])
def test_bootstrap_of_a_partial_auroc(max_fpr, area, record_property):
    grid = np.linspace(0, max_fpr, 20_001)[1:]
    raw = np.trapezoid(np.r_[0, sp.norm.cdf(sp.norm.ppf(grid) + separation(area))], np.r_[0, grid])
    truth = 0.5 * (1 + (raw - max_fpr**2 / 2) / (max_fpr - max_fpr**2 / 2))

    def study(g):
        x, y = g.normal(separation(area), 1, 200), g.normal(0, 1, 400)
        return stats.partial_auroc(x, y, max_fpr, replicates=500, seed=int(g.integers(2**31)))

    share = covered(study, truth, 1000)
    record_property("coverage", share)
    assert 0.93 <= share <= 0.97, share


@pytest.mark.parametrize(("n", "rate"), [(37, 0.02), (299, 0.01), (720, 0.74), (1440, 0.011)])
def test_exact_intervals_of_a_rate(n, rate, record_property):
    def study(g):
        return stats.true_positive_rate((g.random(n) < rate).astype(float), 0.5)

    share = covered(study, rate, 10_000)
    record_property("coverage", share)
    assert share >= 0.95 - 0.005, share


@pytest.mark.parametrize(("n", "fpr"), [(299, 0.01), (1440, 0.01), (916, 0.05)])
def test_certified_thresholds_keep_the_fpr(n, fpr, record_property):
    """10,000 deployments: the true FPR of each threshold is known, as the scores are uniform."""
    g = np.random.default_rng(0)
    true = np.array([1 - stats.threshold(g.random(n), fpr, 0.95).value for _ in range(10_000)])
    nominal = np.array([1 - stats.threshold(g.random(n), fpr).value for _ in range(10_000)])
    record_property("kept", float((true <= fpr).mean()))
    record_property("kept by the nominal one", float((nominal <= fpr).mean()))
    assert (true <= fpr).mean() >= 0.95 - 0.005
    assert (nominal <= fpr).mean() < 0.7


def test_certified_thresholds_on_clusters_keep_the_fpr(record_property):
    """300 writers of four texts that share most of their variance: by texts the promise breaks, by clusters it holds."""
    kept = {"clusters": 0, "texts": 0}
    for seed in range(2000):
        g = np.random.default_rng(seed)
        ids = np.repeat(np.arange(300), 4)
        s = np.repeat(g.normal(size=300), 4) * np.sqrt(0.9) + g.normal(size=1200) * np.sqrt(0.1)
        kept["clusters"] += sp.norm.sf(stats.threshold(s, 0.01, 0.95, clusters=ids).value) <= 0.01
        kept["texts"] += sp.norm.sf(stats.threshold(s, 0.01, 0.95).value) <= 0.01
    for name, count in kept.items():
        record_property(name, count / 2000)
    assert kept["clusters"] / 2000 >= 0.945
    assert kept["texts"] / 2000 < 0.93


def test_certificates_are_false_in_at_most_one_of_twenty(record_property):
    """True FPR just above 1 %: how often do 473 texts certify 1 %?"""
    g = np.random.default_rng(0)
    errors, times = np.unique(g.binomial(473, 0.0101, 10_000), return_counts=True)
    wrong = np.mean(np.repeat([stats.certificate(int(x), 473).certified for x in errors], times))
    record_property("false certificates", float(wrong))
    assert wrong <= 0.055


def test_group_certificates_hold_together(record_property):
    g, broken = np.random.default_rng(1), 0
    rates = {"a": (300, 0.02), "b": (900, 0.01), "c": (100, 0.05), "d": (60, 0.1)}
    upper = cache(lambda x, n: stats.certificate(x, n, groups=4).upper)
    for _ in range(10_000):
        broken += any(upper(int(g.binomial(n, p)), n) < p for n, p in rates.values())
    together = stats.group_certificates({k: (1, n) for k, (n, _) in rates.items()})
    assert [c.upper for c in together.values()] == [upper(1, n) for n, _ in rates.values()]
    record_property("all bounds hold", 1 - broken / 10_000)
    assert 1 - broken / 10_000 >= 0.945


@pytest.mark.parametrize(("n", "clustered"), [(80, False), (80, True), (8, True), (4, True)])
def test_c_index(n, clustered, record_property):
    """Four levels, one unit-normal step of .5 apart; clusters hold one text of each level. Four clusters cover 91%."""
    step, k = 0.5, 4
    pairs = [sp.norm.cdf((j - i) * step / np.sqrt(2)) for i in range(k) for j in range(i + 1, k)]
    ids, levels = np.repeat(np.arange(n), k), np.tile(np.arange(k), n)
    shared = 0.5 if clustered else 0.0

    def truth():
        within = [sp.norm.cdf((j - i) * step / np.sqrt(2 * (1 - shared))) for i in range(k) for j in range(i + 1, k)]
        return ((n - 1) * np.mean(pairs) + np.mean(within)) / n

    def study(g):
        s = step * levels + np.sqrt(shared) * g.normal(size=n)[ids] + np.sqrt(1 - shared) * g.normal(size=n * k)
        return stats.c_index(s, levels, clusters=ids if clustered else None)

    share = covered(study, truth(), 1500)
    record_property("coverage", share)
    assert (0.89 if n < 8 else 0.93) <= share <= 0.97, share


def test_mcnemar_and_shift(record_property):
    def flags(g):
        both = g.random(200)
        return stats.mcnemar(both < 0.15, (both < 0.05) | (both > 0.97))

    def shift(g):
        ids = np.repeat(np.arange(40), 3)
        change = 0.2 + g.normal(size=40)[ids] + g.normal(size=120)
        return stats.paired_shift(np.zeros(120), change, ids, replicates=10)

    a, b = covered(flags, 0.15 - 0.08, 3000), covered(shift, 0.2, 3000)
    record_property("mcnemar", a)
    record_property("shift", b)
    assert 0.93 <= a <= 0.98, a
    assert 0.93 <= b <= 0.97, b


def test_ppv(record_property):
    truth = 0.7 * 0.1 / (0.7 * 0.1 + 0.02 * 0.9)

    def study(g):
        return stats.ppv(int(g.binomial(300, 0.7)), 300, int(g.binomial(600, 0.02)), 600, 0.1, draws=4000)

    share = covered(study, truth, 2000)
    record_property("coverage", share)
    assert 0.93 <= share <= 0.97, share


def test_max_t_marks_are_false_in_at_most_one_study_of_twenty(record_property):
    """27 null cells (three detectors, nine attacks that only add noise): AUROC does not change."""
    false, raw, studies = 0, 0, 200
    ids, machine = np.arange(450), np.arange(450) >= 300
    for seed in range(studies):
        g = np.random.default_rng(seed)
        resample = stats.resample_clusters(ids, strata=machine, replicates=500, seed=seed)
        changes = None
        for _ in range(3):
            source = g.normal(size=450) + 1.2 * machine
            versions = [source + 0.7 * g.normal(size=450) for _ in range(10)]  # each as noisy as the clean one
            cells = [
                (stats.rows(resample, v[machine], ids[machine]), stats.rows(resample, v[~machine], ids[~machine]))
                for v in versions
            ]
            draws = stats.bootstrap_aurocs(cells, resample)
            change = draws.take(range(1, 10)) - draws.take([0] * 9)
            changes = change if changes is None else join(changes, change)
        marks = stats.mark_changes(changes)
        false += any(len(c.marks) == 2 for c in marks)
        raw += any(c.marks for c in marks)
    record_property("family-wise error, max-T", false / studies)
    record_property("family-wise error, uncorrected", raw / studies)
    assert false / studies <= 0.08
    assert raw / studies > 0.25


def join(a, b):
    return stats.Draws(
        *(np.concatenate([getattr(a, f), getattr(b, f)]) for f in ("values", "replicates", "n", "smaller")), a.what
    )
