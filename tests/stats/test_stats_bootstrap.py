"""The cluster bootstrap and the engine for many cells, against rows written out and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand import stats
from evenhand.errors import DataError, SpecError


def paired_study(seed=0, humans=40, machines=25, texts=2):
    """Clean and attacked scores of the same sources, several texts a source, with ties."""
    g = np.random.default_rng(seed)
    ids = np.repeat(np.arange(humans + machines), texts)
    machine = ids >= humans
    clean = (g.normal(size=humans + machines)[ids] + g.normal(size=len(ids)) + 1.2 * machine).round(1)
    return ids, machine, clean, (clean + g.normal(-0.3, 0.6, len(ids))).round(1)


def area(scores, machine):
    return stats.auroc(scores[machine], scores[~machine]).value


def test_cluster_bootstrap_of_a_mean_has_the_closed_form_error():
    g = np.random.default_rng(0)
    cluster = np.repeat(np.arange(80), 3)
    values = g.normal(size=80)[cluster] + 0.1 * g.normal(size=240)
    estimate = stats.cluster_bootstrap(np.mean, cluster, values, replicates=4000)
    means = values.reshape(80, 3).mean(1)
    error = means.std() / np.sqrt(80)
    assert (estimate.high - estimate.low) / 2 == pytest.approx(1.96 * error, rel=0.06)
    assert (estimate.value, estimate.n) == (pytest.approx(values.mean()), 80)


def test_every_drawn_cluster_brings_all_its_rows():
    cluster = np.array(["a", "b", "a", "c", "b", "b"])

    def whole(rows):
        names = cluster[rows]
        drawn = {c: np.sum(names == c) / np.sum(cluster == c) for c in "abc"}
        return float(all(v == int(v) for v in drawn.values()) and sum(drawn.values()) == 3)

    assert (stats.bootstrap_draws(whole, cluster, replicates=200) == 1).all()


def test_both_terms_come_from_one_resample():
    """The difference of a statistic with itself, shifted, never varies; apart it would."""
    ids, machine, clean, _ = paired_study()
    d = stats.cluster_bootstrap(lambda s, m: area(s, m) - area(s + 1, m), ids, clean, machine, replicates=50)
    assert d.value == 0
    assert np.isnan(d.low)
    assert "does not vary" in d.method


def test_strata_keep_the_number_of_clusters():
    ids, machine, _, _ = paired_study()
    shares = stats.bootstrap_draws(lambda m: m.mean(), ids, machine, strata=machine, replicates=100)
    assert (shares == machine.mean()).all()
    free = stats.bootstrap_draws(lambda m: m.mean(), ids, machine, replicates=100)
    assert free.std() > 0
    with pytest.raises(DataError, match="two strata"):
        stats.bootstrap_draws(np.mean, [1, 1], [0.0, 1.0], strata=[0, 1])


def test_p_value_counts_replicates_beyond_zero():
    draws = np.r_[np.full(3, -1.0), np.full(97, 2.0)]
    assert stats.summarize_draws(1.9, draws, n=10).p == pytest.approx(2 * 4 / 101)
    assert stats.summarize_draws(1.9, draws, n=10).low == pytest.approx(np.quantile(draws, 0.025))


def test_undefined_resamples_are_counted():
    estimate = stats.cluster_bootstrap(
        area, [1, 2, 3, 4], np.array([1.0, 2, 1.5, 3]), np.array([False, False, True, True])
    )
    assert "undefined" in estimate.method
    lost = stats.summarize_draws(0.5, [np.nan, np.nan], n=4)
    assert np.isnan(lost.low)
    assert "undefined" in lost.method


def test_design_effect_of_repeated_rows_is_their_number():
    g = np.random.default_rng(2)
    values = np.repeat(g.normal(size=100), 4)
    effect = stats.design_effect(np.mean, np.repeat(np.arange(100), 4), values, replicates=3000)
    assert effect == pytest.approx(4, rel=0.15)
    assert stats.design_effect(np.mean, np.arange(100), values[::4]) == pytest.approx(1, rel=0.15)
    assert np.isnan(stats.design_effect(np.mean, [1] * 4, values[:4]))


def test_one_cluster_has_no_interval():
    one = stats.cluster_bootstrap(np.mean, [7, 7, 7], [1.0, 2.0, 6.0])
    assert (one.value, one.n) == (3, 1)
    assert np.isnan(one.low)
    assert "one cluster" in one.method


def test_same_seed_same_interval():
    ids, machine, clean, _ = paired_study()
    a, b, c = (stats.cluster_bootstrap(area, ids, clean, machine, replicates=60, seed=s) for s in (1, 1, 2))
    assert a == b
    assert a != c


def written_out(resample, b, ids, scores):
    """The rows of replicate b, each as often as its cluster was drawn."""
    return np.repeat(scores, resample.counts[np.searchsorted(resample.labels, ids), b])


def test_engine_replicates_are_the_auroc_of_the_rows_written_out():
    ids, machine, clean, attacked = paired_study()
    resample = stats.resample_clusters(ids, replicates=30, seed=3)
    parts = [(ids[k], s[k]) for s in (clean, attacked) for k in (machine, ~machine)]
    m0, h0, m1, h1 = (stats.rows(resample, s, i) for i, s in parts)
    draws = stats.bootstrap_aurocs([(m0, h0), (m1, h0), (m1, h1)], resample)
    raw = [(parts[0], parts[1]), (parts[2], parts[1]), (parts[2], parts[3])]
    for cell, (x, y) in enumerate(raw):
        assert draws.values[cell] == pytest.approx(stats.auroc(x[1], y[1]).value, abs=1e-12)
        for b in range(30):
            expected = stats.auroc(written_out(resample, b, *x), written_out(resample, b, *y)).value
            assert draws.replicates[cell, b] == pytest.approx(expected, abs=1e-12)


def test_engine_thresholds_are_re_estimated_in_each_replicate():
    ids, machine, clean, attacked = paired_study(humans=60)
    resample = stats.resample_clusters(ids, strata=machine, replicates=40, seed=4)
    positive = stats.rows(resample, attacked[machine], ids[machine])
    calibration = stats.rows(resample, clean[~machine], ids[~machine])
    for fpr in (0.01, 0.05, 0.29):
        draws = stats.bootstrap_tprs([(positive, calibration)], resample, fpr)
        tau = stats.threshold(clean[~machine], fpr).value
        assert draws.values[0] == pytest.approx(np.mean(attacked[machine] > tau))
        for b in range(40):
            human = written_out(resample, b, ids[~machine], clean[~machine])
            drawn = written_out(resample, b, ids[machine], attacked[machine])
            assert draws.replicates[0, b] == pytest.approx(np.mean(drawn > stats.threshold(human, fpr).value))


def test_engine_rates_at_fixed_thresholds():
    ids, machine, clean, _ = paired_study()
    resample = stats.resample_clusters(ids, replicates=25, seed=5)
    human = stats.rows(resample, clean[~machine], ids[~machine])
    draws = stats.bootstrap_rates([(human, 0.5), (human, stats.threshold(clean[~machine], 0.1))], resample)
    assert draws.values[0] == pytest.approx(np.mean(clean[~machine] > 0.5))
    for b in range(25):
        assert draws.replicates[0, b] == pytest.approx(
            np.mean(written_out(resample, b, ids[~machine], clean[~machine]) > 0.5)
        )
    with pytest.raises(DataError, match="threshold is NaN"):
        stats.bootstrap_rates([(human, np.nan)], resample)


def test_draws_line_up_and_subtract():
    ids, machine, clean, attacked = paired_study()
    resample = stats.resample_clusters(ids, strata=machine, replicates=400, seed=6)
    m0, h0, m1 = (
        stats.rows(resample, s[k], ids[k]) for s, k in ((clean, machine), (clean, ~machine), (attacked, machine))
    )
    both = stats.bootstrap_aurocs([(m0, h0), (m1, h0), (m0, h0)], resample)
    change = both.take([1, 2]) - both.take([0, 0])
    assert change.values[1] == 0
    assert (change.replicates[1] == 0).all()
    direct = both.replicates[1] - both.replicates[0]
    estimate = change.estimates()[0]
    assert [estimate.low, estimate.high] == pytest.approx(np.quantile(direct, [0.025, 0.975]))
    assert (estimate.n, change.smaller[0]) == (65, 25)
    with pytest.raises(DataError, match=r"take\(\)"):
        both - both.take([0])


def test_marks_are_signed_and_corrected_ones_are_fewer():
    g = np.random.default_rng(7)
    b, cells = 1000, 40
    noise = g.normal(0, 1, (cells, b))
    values = np.r_[6.0, -6.0, 2.3, np.zeros(cells - 3)]
    ten = np.full(cells, 50)
    draws = stats.Draws(values, values[:, None] + noise, ten, ten, "AUROC")
    marks = [c.marks for c in stats.mark_changes(draws)]
    assert marks[0] == ("up", "up-corrected")
    assert marks[1] == ("down", "down-corrected")
    assert marks[2] == ("up",)
    assert set(marks[3:]) == {()}


def test_few_clusters_get_no_mark():
    four = np.array([4])
    draws = stats.Draws(np.array([-1.0]), np.full((1, 50), -1.0), four, four, "AUROC")
    (change,) = stats.mark_changes(draws)
    assert change.marks == ()
    assert np.isnan(change.p_adjusted)
    assert "4 clusters" in change.estimate.method
    many = np.array([40])
    (sure,) = stats.mark_changes(stats.Draws(np.array([-1.0]), np.full((1, 50), -1.0), many, many, "AUROC"))
    assert sure.marks == ("down", "down-corrected")


def test_ends_without_spread_get_the_exact_bound_of_the_smaller_class():
    ids = np.arange(60)
    resample = stats.resample_clusters(ids, strata=ids >= 40, replicates=200)
    x, y = stats.rows(resample, np.ones(20), ids[40:]), stats.rows(resample, np.zeros(40), ids[:40])
    area = stats.bootstrap_aurocs([(x, y)], resample)
    (e,) = area.estimates()
    assert (e.value, e.low, e.high) == (1, *stats.clopper_pearson(20, 20))
    (rate,) = stats.bootstrap_rates([(y, 0.5)], resample).estimates()
    assert (rate.low, rate.high) == stats.clopper_pearson(0, 40)
    (nothing,) = (area - area).estimates()
    assert nothing.value == 0
    assert np.isnan(nothing.low)


def test_resample_counts_and_strata():
    ids, machine, _, _ = paired_study()
    resample = stats.resample_clusters(ids, strata=machine, replicates=50)
    assert (resample.counts[:40].sum(0) == 40).all()
    assert (resample.counts[40:].sum(0) == 25).all()
    free = stats.resample_clusters(ids, replicates=50)
    assert (free.counts.sum(0) == 65).all()
    assert free.counts[:40].sum(0).std() > 0


def test_rows_know_their_clusters():
    resample = stats.resample_clusters(["a", "b", "c"], replicates=5)
    made = stats.rows(resample, [3.0, 1.0, 2.0], ["c", "a", "c"])
    assert made.scores.tolist() == [1, 2, 3]
    assert resample.labels[made.clusters].tolist() == ["a", "c", "c"]
    with pytest.raises(DataError, match="'z' is not in the resample"):
        stats.rows(resample, [1.0], ["z"])
    with pytest.raises(DataError, match="use one type"):
        stats.rows(resample, [1.0], [7])
    with pytest.raises(DataError, match="one label for each"):
        stats.rows(resample, [1.0, 2.0], ["a"])
    with pytest.raises(DataError, match="no cells"):
        stats.bootstrap_aurocs([], resample)
    with pytest.raises(SpecError, match="at least 1"):
        stats.resample_clusters(["a"], replicates=0)


def test_a_class_that_is_not_drawn_is_undefined_there():
    resample = stats.resample_clusters(["a", "b", "c"], replicates=200)
    x, y = stats.rows(resample, [1.0], ["a"]), stats.rows(resample, [0.0, 2.0], ["b", "c"])
    draws = stats.bootstrap_aurocs([(x, y)], resample).replicates[0]
    missing = resample.counts[0] == 0
    assert np.isnan(draws[missing]).all()
    assert missing.any()
    tprs = stats.bootstrap_tprs([(x, y)], resample, 0.1).replicates[0]
    assert np.isnan(tprs[missing]).all()
    never = (resample.counts[1] + resample.counts[2]) == 0
    assert np.isnan(tprs[never]).all()


def test_bad_input():
    with pytest.raises(DataError, match="one entry a row"):
        stats.cluster_bootstrap(np.mean, [1, 2, 3], [1.0, 2.0])
    with pytest.raises(DataError, match="no rows"):
        stats.cluster_bootstrap(np.mean, [])
    with pytest.raises(SpecError, match="at least 1"):
        stats.bootstrap_draws(np.mean, [1, 2], [1.0, 2.0], replicates=0)
    with pytest.raises(DataError, match="labels are missing"):
        stats.cluster_bootstrap(np.mean, [1.0, np.nan], [1.0, 2.0])
    with pytest.raises(DataError, match="labels are missing"):
        stats.resample_clusters(["a", None, "b"])


def test_an_end_of_the_scale_has_the_exact_bound_where_few_resamples_leave_it():
    """The threshold is set anew: in a few resamples it falls below the highest judged text. Percentiles would say [0, 0]."""
    human, judged = np.arange(60.0), np.r_[np.zeros(39), 51.5]
    resample = stats.resample_clusters(np.arange(100), replicates=2000, seed=0)
    cell = stats.rows(resample, judged, np.arange(40)), stats.rows(resample, human, np.arange(40, 100))
    draws = stats.bootstrap_tprs([cell], resample, 0.05)
    assert 0 < (draws.replicates > 0).mean() < 0.025
    found = draws.estimates()[0]
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 40))
