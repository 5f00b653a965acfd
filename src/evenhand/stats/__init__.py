"""Statistics of detection: pure functions on arrays of scores."""

from .bootstrap import bootstrap_draws, cluster_bootstrap, design_effect, summarize_draws
from .certificates import (
    Certificate,
    certifiable_fpr,
    certificate,
    certification_power,
    cluster_errors,
    group_certificates,
    texts_needed,
)
from .delong import Difference, auroc, clustered_auroc, compare_auroc
from .estimate import Estimate
from .proportions import clopper_pearson, proportion, wilson
from .rates import accuracy, f1, false_positive_rate, precision, recall, true_positive_rate
from .roc import RocCurve, average_precision, partial_auroc, roc_curve, tpr_at_fpr, tpr_at_fpr_scorer
from .thresholds import Threshold, certified_errors, threshold

__all__ = [
    "Certificate", "Difference", "Estimate", "RocCurve", "Threshold", "accuracy", "auroc", "average_precision",
    "bootstrap_draws", "certifiable_fpr", "certificate", "certification_power", "certified_errors", "clopper_pearson",
    "cluster_bootstrap", "cluster_errors", "clustered_auroc", "compare_auroc", "design_effect", "f1",
    "false_positive_rate", "group_certificates", "partial_auroc", "precision", "proportion", "recall", "roc_curve",
    "summarize_draws", "texts_needed", "threshold", "tpr_at_fpr", "tpr_at_fpr_scorer", "true_positive_rate", "wilson",
]  # fmt: skip
