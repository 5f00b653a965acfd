"""What n human texts prove about a false-positive rate: exact one-sided bounds, alone or for several groups at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats as sp

from ..errors import DataError
from .inputs import as_codes, as_flags, check_counts, check_open, check_whole


@dataclass(frozen=True, slots=True)
class Certificate:
    """``certified``: at ``confidence``, the true FPR is within ``fpr``. ``upper`` is the exact upper bound.

    ``confidence`` is that of the whole statement; ``groups`` is how many groups it covers at once. ``missing`` counts
    the further texts, all without error, that would certify it (0 where certified). ``reason`` says so in words.
    """

    certified: bool
    errors: int
    n: int
    fpr: float
    confidence: float
    upper: float
    missing: int
    reason: str
    groups: int = 1


def certifiable_fpr(n: int, errors: int = 0, confidence: float = 0.95) -> float:
    """The smallest FPR that ``errors`` in ``n`` independent human texts certify: Clopper-Pearson's one-sided bound."""
    check_counts(errors, n)
    check_open("confidence", confidence)
    return 1.0 if errors == n else float(sp.beta.ppf(confidence, errors + 1, n - errors))


def texts_needed(fpr: float, errors: int = 0, confidence: float = 0.95) -> int:
    """The smallest number of independent human texts that certify ``fpr`` with ``errors`` among them.

    1 % at .95: 299, 473, 628, 773 texts for 0, 1, 2, 3 errors.
    """
    check_open("fpr", fpr)
    check_open("confidence", confidence)
    check_whole("errors", errors, least=0)
    low, high = int(errors), int(errors) + 1
    while sp.binom.cdf(errors, high, fpr) > 1 - confidence:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if sp.binom.cdf(errors, middle, fpr) <= 1 - confidence else (middle, high)
    return high


def certificate(
    errors: int,
    n: int,
    fpr: float = 0.01,
    confidence: float = 0.95,
    *,
    groups: int = 1,
    of: str = "human texts",
) -> Certificate:
    """Does ``errors`` in ``n`` prove a false-positive rate of at most ``fpr``? Exact binomial test, one-sided.

    The texts must be independent: count clusters (``cluster_errors``) where they share an author or task. For one of
    several ``groups`` tested together the bound is Sidak's: confidence ** (1 / groups) each. ``of`` says what was counted.
    """
    check_counts(errors, n)
    check_open("fpr", fpr)
    check_whole("groups", groups)
    each = check_open("confidence", confidence) ** (1 / groups)
    upper = certifiable_fpr(n, errors, each)
    certified = bool(sp.binom.cdf(errors, n, fpr) <= 1 - each)
    missing = 0 if certified else texts_needed(fpr, errors, each) - int(n)
    counted = f"{errors} of {n} {of} flagged: the FPR is at most {upper:.4g} at {confidence:.4g} confidence"
    over = f", {groups} groups at once" if groups > 1 else ""
    verdict = "" if certified else f"; {missing} more {of}, all without error, would certify {fpr:.4g}"
    return Certificate(
        certified, int(errors), int(n), fpr, confidence, upper, missing, counted + over + verdict, groups
    )


def cluster_certificate(
    flagged: ArrayLike, clusters: ArrayLike, fpr: float = 0.01, confidence: float = 0.95
) -> Certificate:
    """``certificate`` over clusters: each counts once, as an error where any of its texts is flagged."""
    errors, n = cluster_errors(flagged, clusters)
    of = "human texts" if n == np.size(flagged) else "clusters of human texts"
    return certificate(errors, n, fpr, confidence, of=of)


def group_certificates(
    counts: Mapping[str, tuple[int, int]], fpr: float = 0.01, confidence: float = 0.95
) -> dict[str, Certificate]:
    """One certificate for each group ``{name: (errors, n)}``; all of them hold together at ``confidence`` (Sidak)."""
    if not counts:
        raise DataError("group_certificates: no group given; pass {name: (errors, n)}")
    return {name: certificate(x, n, fpr, confidence, groups=len(counts)) for name, (x, n) in counts.items()}


def certification_power(n: int, fpr: float, true_fpr: float, confidence: float = 0.95) -> float:
    """The chance that ``n`` texts certify ``fpr`` when the true rate is ``true_fpr``."""
    check_counts(0, n)
    limit = check_open("confidence", confidence)
    errors = np.arange(n + 1)
    passing = sp.binom.cdf(errors, n, check_open("fpr", fpr)) <= 1 - limit
    return float(sp.binom.pmf(errors[passing], n, true_fpr).sum())


def cluster_errors(flags: ArrayLike, clusters: ArrayLike) -> tuple[int, int]:
    """(clusters with any flagged text, clusters): what a certificate counts where texts are not independent.

    Conservative: the share of clusters with a flag is never below the share of flagged texts in equal clusters.
    """
    flagged = as_flags(flags, "flags")
    codes, k = as_codes(clusters, len(flagged), "clusters")
    return int((np.bincount(codes, flagged, k) > 0).sum()), k
