"""Statistics of detection: pure functions on arrays of scores."""

from .bootstrap import bootstrap_draws, cluster_bootstrap, design_effect, summarize_draws
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
    cluster_errors,
    group_certificates,
    texts_needed,
)
from .delong import Difference, auroc, compare_auroc
from .estimate import Estimate
from .multiplicity import benjamini_hochberg, holm, max_t
from .proportions import clopper_pearson, proportion, wilson
from .rates import accuracy, f1, false_positive_rate, precision, recall, true_positive_rate
from .roc import RocCurve, average_precision, partial_auroc, roc_curve, tpr_at_fpr, tpr_at_fpr_scorer
from .thresholds import Threshold, certified_errors, threshold

__all__ = [
    "Certificate", "Change", "Difference", "Draws", "Estimate", "Resample", "RocCurve", "Rows", "Threshold",
    "accuracy", "auroc", "average_precision", "benjamini_hochberg", "bootstrap_aurocs", "bootstrap_draws",
    "bootstrap_rates", "bootstrap_tprs", "certifiable_fpr", "certificate", "certification_power",
    "certified_errors", "clopper_pearson", "cluster_bootstrap", "cluster_errors", "compare_auroc", "design_effect",
    "f1", "false_positive_rate", "group_certificates", "holm", "mark_changes", "max_t", "partial_auroc",
    "precision", "proportion", "recall", "resample_clusters", "roc_curve", "rows", "summarize_draws",
    "texts_needed", "threshold", "tpr_at_fpr", "tpr_at_fpr_scorer", "true_positive_rate", "wilson",
]  # fmt: skip
