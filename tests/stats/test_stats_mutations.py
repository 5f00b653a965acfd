# ruff: noqa: E501  (one mutation, one line)
"""Do the tests notice? Every public statistic is broken once, in a copy of its module, and a named test must fail.

The copy is compiled from the changed source and put in place of the public names for the time of one test; nothing on disk
is touched.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from evenhand import stats

HERE, SOURCE = Path(__file__).parent, Path(inspect.getfile(stats)).parent

MUTATIONS = [
    # (public names, module, what stands there, what is put there, test file, test)
    ("auroc", "delong", "sp.rankdata(positive)) / n", "sp.rankdata(positive)) / m", "delong", "test_interval_is_delong_on_the_logit_scale"),
    ("auroc", "delong", "side * half)) for", "side * half / 2)) for", "delong", "test_interval_is_delong_on_the_logit_scale"),
    ("auroc", "delong", "2 * k / (k - 1)", "1 * k / (k - 1)", "delong", "test_clusters_across_classes_are_obuchowski"),
    ("auroc", "delong", "smaller if value else 0, smaller", "n if value else 0, n", "delong", "test_no_overlap_gets_the_exact_bound_of_the_smaller_class"),
    ("compare_auroc", "delong", "above_a - above_b, below_a - below_b", "above_a - above_b, below_a + below_b", "delong", "test_paired_difference_is_delong"),
    ("roc_curve", "roc", "np.append(values, last)", "np.append(last, values)", "roc", "test_roc_curve_points"),
    ("partial_auroc", "roc", "max_fpr**2 / 2", "max_fpr / 2", "roc", "test_partial_auroc_is_sklearns"),
    ("average_precision", "roc", "gained * precision", "gained * precision[..., ::-1]", "roc", "test_average_precision_both_ways"),
    ("tpr_at_fpr", "roc", "(alarms <= allowed)", "(alarms < allowed)", "roc", "test_step_rule_is_what_the_threshold_gives"),
    ("tpr_at_fpr", "roc", "[..., -1:] + 1e-9", "[..., -1:]", "roc", "test_float_rates_lose_no_text"),
    ("tpr_at_fpr_scorer", "roc", "truth == labels[1]", "truth == labels[0]", "roc", "test_scorer_works_inside_cross_validation"),
    ("clopper_pearson", "proportions", "successes + 1, n - successes)", "successes, n - successes + 1)", "rates", "test_clopper_pearson_is_scipys"),
    ("wilson", "proportions", "4 * n * n", "2 * n * n", "rates", "test_wilson_is_scipys"),
    ("proportion", "proportions", "successes / n, low", "successes / (n + 1), low", "rates", "test_proportion_names_its_interval"),
    ("true_positive_rate recall false_positive_rate", "rates", "(array > tau)", "(array >= tau)", "rates", "test_true_and_false_positive_rates_flag_above_only"),
    ("accuracy", "rates", "hits + n - alarms", "hits + alarms", "rates", "test_accuracy_precision_f1_are_scikit_learns"),
    ("precision", "rates", "proportion(hits, hits + alarms", "proportion(alarms, hits + alarms", "rates", "test_accuracy_precision_f1_are_scikit_learns"),
    ("f1", "rates", "2 * j / (1 + j)", "j / (1 + j)", "rates", "test_accuracy_precision_f1_are_scikit_learns"),
    ("threshold", "thresholds", "scores, k - 1)[k - 1]", "scores, k - 1)[k - 2]", "thresholds", "test_law_of_thresholds_at_one_percent"),
    ("threshold Threshold", "thresholds", "sp.beta.sf(self.fpr", "sp.beta.cdf(self.fpr", "thresholds", "test_law_of_thresholds_at_one_percent"),
    ("threshold Threshold", "thresholds", "(self.n - self.k + 1) / (self.n + 1)", "(self.n - self.k) / (self.n + 1)", "thresholds", "test_law_of_thresholds_at_one_percent"),
    ("threshold", "thresholds", "np.maximum.at(", "np.add.at(", "thresholds", "test_clusters_count_once_by_their_highest_score"),
    ("certified_errors", "thresholds", "n, fpr) > 1 - confidence", "n, fpr) > confidence", "thresholds", "test_certified_at_five_percent"),
    ("certificate", "certificates", "missing = 0 if certified else texts_needed(fpr, errors, each)", "missing = 0 if certified else texts_needed(fpr, 0, each)", "thresholds", "test_certificate_says_what_is_missing"),
    ("group_certificates", "certificates", "groups=len(counts))", "groups=1)", "thresholds", "test_groups_hold_together"),
    ("certifiable_fpr", "certificates", "errors + 1, n - errors)", "errors, n - errors + 1)", "thresholds", "test_certifiable_fpr_is_the_bound_where_the_tail_is_five_percent"),
    ("texts_needed", "certificates", "return high", "return low", "thresholds", "test_texts_needed"),
    ("cluster_certificate", "certificates", "if n == np.size(flagged)", "if n != np.size(flagged)", "thresholds", "test_a_cluster_counts_once_and_is_called_so"),
    ("certification_power", "certificates", "errors[passing]", "errors[~passing]", "thresholds", "test_certification_power_sums_the_binomial"),
    ("cluster_errors", "certificates", "> 0).sum()), k", "> 1).sum()), k", "thresholds", "test_cluster_errors_count_clusters_with_any_flag"),
    ("cluster_bootstrap", "bootstrap", "order[_draw(generator, groups, starts)]", "generator.integers(0, len(order), len(order))", "bootstrap", "test_cluster_bootstrap_of_a_mean_has_the_closed_form_error"),
    ("bootstrap_draws", "bootstrap", "np.repeat(np.cumsum(sizes) - sizes, sizes)", "np.repeat(np.cumsum(sizes), sizes)", "bootstrap", "test_every_drawn_cluster_brings_all_its_rows"),
    ("bootstrap_draws", "bootstrap", "np.flatnonzero(of_cluster == s)", "np.arange(k)", "bootstrap", "test_strata_keep_the_number_of_clusters"),
    ("summarize_draws", "bootstrap", "2 * (tail + 1)", "(tail + 1)", "bootstrap", "test_p_value_counts_replicates_beyond_zero"),
    ("design_effect", "bootstrap", "np.arange(size), *data", "clusters, *data", "bootstrap", "test_design_effect_of_repeated_rows_is_their_number"),
    ("resample_clusters", "cells", "np.flatnonzero(of_cluster == kind)", "np.arange(k)", "bootstrap", "test_resample_counts_and_strata"),
    ("rows", "cells", "Rows(array[order], place[order])", "Rows(array[order], place)", "bootstrap", "test_rows_know_their_clusters"),
    ("bootstrap_aurocs", "cells", "below[lower] + below[upper]", "below[lower] + below[lower]", "bootstrap", "test_engine_replicates_are_the_auroc_of_the_rows_written_out"),
    ("bootstrap_tprs", "cells", "beyond = passed[1:] > ", "beyond = passed[1:] >= ", "bootstrap", "test_engine_thresholds_are_re_estimated_in_each_replicate"),
    ("bootstrap_rates", "cells", "group.scores > float(tau)", "group.scores < float(tau)", "bootstrap", "test_engine_rates_at_fixed_thresholds"),
    ("bootstrap_aurocs Draws", "cells", "self.replicates - other.replicates", "self.replicates + other.replicates", "bootstrap", "test_draws_line_up_and_subtract"),
    ("mark_changes", "cells", "corrected = p <= 1 - level", "corrected = p <= level", "bootstrap", "test_marks_are_signed_and_corrected_ones_are_fewer"),
    ("max_t", "multiplicity", "draws - values[:, None]", "draws", "multiplicity", "test_max_t_is_the_step_down_algorithm"),
    ("holm", "multiplicity", "size - np.arange(size)", "size + 0 * np.arange(size)", "multiplicity", "test_holm_by_hand"),
    ("benjamini_hochberg", "multiplicity", "np.arange(1, size + 1)", "np.arange(2, size + 2)", "multiplicity", "test_benjamini_hochberg_is_scipys"),
    ("mcnemar", "paired", "only_a, only_a + only_b", "only_a, n", "paired", "test_mcnemar_is_the_exact_binomial_test_of_the_discordant"),
    ("paired_shift", "paired", "group_sums(codes, change - value, k)", "group_sums(codes, change, k)", "paired", "test_paired_shift_is_the_t_test_where_texts_stand_alone"),
    ("paired_shift", "paired", "* patterns - 1", "* patterns - 2", "paired", "test_paired_shift_flips_whole_clusters"),
    ("conformal_p_values", "conformal", 'new, "left"', 'new, "right"', "conformal", "test_p_counts_calibration_scores_at_or_above"),
    ("conformal_p_values", "conformal", "human[theirs == group]", "human", "conformal", "test_groups_are_compared_to_their_own"),
    ("brier", "calibration", "loss, n = (p - y) ** 2", "loss, n = abs(p - y)", "calibration", "test_brier_is_sklearns_with_a_normal_interval"),
    ("ece", "calibration", "(weight * np.abs(gap))", "(weight * gap)", "calibration", "test_ece_is_the_weighted_gap_of_the_bins"),
    ("ece", "calibration", "2 * plain - expected", "plain", "calibration", "test_debiased_ece_takes_off_the_expected_excess"),
    ("reliability", "calibration", "float(p[inside].mean())", "float(p.mean())", "calibration", "test_reliability_bins_are_sklearns"),
    ("ppv", "consequences", "errors / human * (1 - p)", "errors / human * p", "consequences", "test_ppv_at_the_specified_prevalences"),
    ("ppv", "consequences", "human - errors + 0.5", "human + 0.5", "consequences", "test_ppv_interval_is_that_of_the_rates"),
    ("accusations", "consequences", "texts * (1 - check", "texts * (1 + check", "consequences", "test_accusations_are_the_scaled_rate"),
    ("flagged_at_least_once", "consequences", "1 - np.prod(spared)", "np.prod(spared)", "consequences", "test_chance_to_be_flagged_at_least_once"),
    ("flagged_at_least_once", "consequences", "(1 - correlation + i)", "(1 + i)", "consequences", "test_correlated_flags_follow_the_beta_binomial"),
    ("agreement", "consequences", "ratio(2 * (both", "ratio(1 * (both", "consequences", "test_agreement_is_sklearns"),
    ("matched_auroc", "strata", "weights**2 @", "weights @", "strata", "test_variances_of_strata_add_up"),
    ("matched_auroc", "strata", "y[b == s]", "y[b != s]", "strata", "test_matched_auroc_counts_pairs_of_one_stratum"),
    ("quantile_strata", "strata", "[1:-1]", "[0:-1]", "strata", "test_quantile_strata_split_evenly_and_keep_ties_together"),
    ("c_index", "ordinal", "np.sign(codes - level)", "np.sign(level - codes)", "ordinal", "test_c_index_counts_pairs_of_different_levels"),
    ("c_index", "ordinal", "c.sizes / (c.sizes - 1)", "c.sizes / c.sizes", "ordinal", "test_two_levels_are_delong"),
    ("somers_d", "ordinal", "2 * c.value - 1", "2 * c.value", "ordinal", "test_somers_d_is_scipys"),
    ("kendall_tau_b", "ordinal", "x.sum() - 2 * x", "x.sum() - x", "ordinal", "test_tau_b_is_scipys_and_its_error_a_jackknife"),
    ("auroc_matrix", "ordinal", "auroc(x, y, level", "auroc(y, x, level", "ordinal", "test_matrix_cells_are_aurocs_and_average_to_the_c_index"),
    ("isotonic_cuts", "ordinal", "values[i - 1] + values[i]) / 2", "values[i - 1] + values[i]) / 3", "ordinal", "test_cuts_split_separated_levels"),
    ("cut_levels", "ordinal", "[:, None] >=", "[:, None] >", "ordinal", "test_cuts_split_separated_levels"),
    ("quadratic_weighted_kappa", "ordinal", "- np.arange(k)) ** 2", "- np.arange(k)) ** 4", "ordinal", "test_quadratic_kappa_is_sklearns"),
    ("quadratic_weighted_kappa", "ordinal", "if balanced:", "if not balanced:", "ordinal", "test_balanced_kappa_repeats_rare_levels"),
    ("mean_level_error", "ordinal", "np.abs(y - z)", "y - z", "ordinal", "test_mean_level_error_by_hand"),
]  # fmt: skip


@cache
def checks_in(name: str) -> ModuleType:
    return load(f"evenhand_tests_{name}", (HERE / f"test_stats_{name}.py").read_text("utf-8"), "")


def load(name: str, source: str, package: str) -> ModuleType:
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader=None))
    module.__package__ = package
    sys.modules[name] = module  # dataclasses look their module up
    exec(compile(source, name, "exec"), module.__dict__)
    return module


@pytest.mark.parametrize(
    ("names", "module", "old", "new", "tests", "test"), MUTATIONS, ids=[f"{m[0].split()[0]}:{m[3]}" for m in MUTATIONS]
)
def test_the_named_test_fails_on_the_mutant(monkeypatch, names, module, old, new, tests, test):
    source = (SOURCE / f"{module}.py").read_text("utf-8")
    assert source.count(old) == 1, (
        f"{module}.py holds {old!r} {source.count(old)} times: the mutation has lost its place"
    )
    check = getattr(checks_in(tests), test)
    check()
    mutant = load("evenhand.stats._mutant", source.replace(old, new), "evenhand.stats")
    for name in names.split():
        monkeypatch.setattr(stats, name, getattr(mutant, name))
    with pytest.raises(AssertionError):
        check()


def test_every_public_statistic_is_mutated():
    functions = {name for name in stats.__all__ if inspect.isfunction(getattr(stats, name))}
    assert functions == {n for m in MUTATIONS for n in m[0].split()} & functions
