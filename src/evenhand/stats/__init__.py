"""Statistics of detection: pure functions on arrays of scores. Higher = more machine-like; flag ``score > threshold``.

Estimates carry value, low, high, n, method, level; a ``Difference`` also p. Intervals are NaN, and ``method`` says why,
where none exists. Scores may be infinite, never NaN: leave those out and count them. Keyword-only after ``*``.

    auroc(positive, negative, *, positive_clusters, negative_clusters, level)                        -> Estimate
    compare_auroc(positive_a, negative_a, positive_b, negative_b, *, positive_clusters, ...)         -> Difference
    partial_auroc(positive, negative, max_fpr, *, level, replicates, seed)                           -> Estimate
    average_precision(positive, negative, *, method='step' | 'trapezoid', level, replicates, seed)   -> Estimate
    tpr_at_fpr(positive, negative, fpr, *, method='step' | 'interpolated', level, replicates, seed)  -> Estimate
    roc_curve(positive, negative)                                                      -> RocCurve(fpr, tpr, threshold)
    tpr_at_fpr_scorer(fpr)                                                             -> a scikit-learn scorer
    matched_auroc(positive, negative, positive_strata, negative_strata, *, level)      -> Estimate
    quantile_strata(*lengths, strata)                                                  -> stratum numbers of each array

    threshold(human, fpr, confidence=None, *, clusters)                                -> Threshold
    true_positive_rate | recall(positive, threshold, *, level, interval='exact' | 'wilson')          -> Estimate
    false_positive_rate(negative, threshold, *, level, interval)                                     -> Estimate
    accuracy | precision | f1(positive, negative, threshold, *, level, interval)                     -> Estimate
    proportion(successes, n, *, level, interval, what) -> Estimate;  clopper_pearson | wilson(successes, n, level)

    certificate(errors, n, fpr=0.01, confidence=0.95, *, groups=1, of="human texts")   -> Certificate
    group_certificates({name: (errors, n)}, fpr, confidence)                           -> {name: Certificate}, jointly
    certifiable_fpr(n, errors=0, confidence)                                           -> float
    texts_needed(fpr, errors=0, confidence)                                            -> int
    certification_power(n, fpr, true_fpr, confidence)                                  -> float
    cluster_certificate(flags, clusters, fpr, confidence)                              -> Certificate, clusters counted
    cluster_errors(flags, clusters)                                                    -> (errors, n) of clusters

    cluster_bootstrap(statistic, clusters, *data, strata, replicates, seed, level)     -> Difference
    bootstrap_draws(statistic, clusters, *data, strata, replicates, seed)              -> replicates
    design_effect(statistic, clusters, *data, replicates, seed)                        -> float
    summarize_draws(value, draws, *, n, level, what, of)                               -> Difference
    resample_clusters(labels, *, strata, replicates, seed)                             -> Resample, for many cells:
    rows(resample, scores, clusters, name)                                             -> Rows, once a class and condition
    bootstrap_aurocs([(positive, negative)], resample)                                 -> Draws; draws subtract
    bootstrap_tprs([(positive, calibration)], resample, fpr)                           -> Draws, threshold re-estimated
    bootstrap_rates([(rows, threshold)], resample)                                     -> Draws, threshold fixed
    mark_changes(draws, level)                                                         -> [Change(estimate, p_adjusted, marks)]
    max_t(values, replicates) | holm(p) | benjamini_hochberg(p)                        -> adjusted p-values

    mcnemar(flags_a, flags_b, *, level) | paired_shift(before, after, clusters, *, level, ...)       -> Difference
    agreement(flags_a, flags_b, *, level, replicates, seed)                            -> Agreement(kappa, phi, both, ...)
    conformal_p_values(scores, calibration, *, groups, calibration_groups)             -> p of each score
    brier(probabilities, labels, *, level) | ece(..., bins, binning, debiased, ...)    -> Estimate
    reliability(probabilities, labels, *, bins, binning, level)                        -> [ReliabilityBin]
    ppv(hits, machine, errors, human, prevalence, *, level, draws, seed)               -> Estimate
    accusations(errors, human, *, texts=1000, prevalence=0, level)                     -> Estimate
    flagged_at_least_once(errors, human, texts, *, correlation=0, level)               -> Estimate

    c_index | somers_d(scores, levels, *, clusters, level) | kendall_tau_b(scores, levels, *, level) -> Estimate
    auroc_matrix(scores, levels, *, clusters, level)                                   -> {(lower, higher): Estimate}
    isotonic_cuts(scores, levels, k) -> cuts;  cut_levels(scores, cuts)                -> levels 0..k-1
    quadratic_weighted_kappa(levels, predicted, k, *, balanced, ...) | mean_level_error(levels, predicted, k) -> Estimate
"""

from .bootstrap import bootstrap_draws, cluster_bootstrap, design_effect, summarize_draws
from .calibration import ReliabilityBin, brier, ece, reliability
from .cells import (
    Change,
    Draws,
    Resample,
    Rows,
    bootstrap_aurocs,
    bootstrap_rates,
    bootstrap_tprs,
    mark_changes,
    resample_clusters,
    rows,
)
from .certificates import (
    Certificate,
    certifiable_fpr,
    certificate,
    certification_power,
    cluster_certificate,
    cluster_errors,
    group_certificates,
    texts_needed,
)
from .conformal import conformal_p_values
from .consequences import Agreement, accusations, agreement, flagged_at_least_once, ppv
from .delong import Difference, auroc, compare_auroc
from .estimate import Estimate
from .multiplicity import benjamini_hochberg, holm, max_t
from .ordinal import (
    auroc_matrix,
    c_index,
    cut_levels,
    isotonic_cuts,
    kendall_tau_b,
    mean_level_error,
    quadratic_weighted_kappa,
    somers_d,
)
from .paired import mcnemar, paired_shift
from .proportions import clopper_pearson, proportion, wilson
from .rates import accuracy, f1, false_positive_rate, precision, recall, true_positive_rate
from .roc import RocCurve, average_precision, partial_auroc, roc_curve, tpr_at_fpr, tpr_at_fpr_scorer
from .strata import matched_auroc, quantile_strata
from .thresholds import Threshold, certified_errors, threshold

__all__ = [
    "Agreement", "Certificate", "Change", "Difference", "Draws", "Estimate", "ReliabilityBin", "Resample",
    "RocCurve", "Rows", "Threshold", "accuracy", "accusations", "agreement", "auroc", "auroc_matrix",
    "average_precision", "benjamini_hochberg", "bootstrap_aurocs", "bootstrap_draws", "bootstrap_rates",
    "bootstrap_tprs", "brier", "c_index", "certifiable_fpr", "certificate", "certification_power",
    "certified_errors", "clopper_pearson", "cluster_bootstrap", "cluster_certificate", "cluster_errors",
    "compare_auroc", "conformal_p_values", "cut_levels", "design_effect", "ece", "f1", "false_positive_rate",
    "flagged_at_least_once", "group_certificates", "holm", "isotonic_cuts", "kendall_tau_b", "mark_changes",
    "matched_auroc", "max_t", "mcnemar", "mean_level_error", "paired_shift", "partial_auroc", "ppv",
    "precision", "proportion", "quadratic_weighted_kappa", "quantile_strata", "recall", "reliability",
    "resample_clusters", "roc_curve", "rows", "somers_d", "summarize_draws", "texts_needed", "threshold",
    "tpr_at_fpr", "tpr_at_fpr_scorer", "true_positive_rate", "wilson",
]  # fmt: skip
