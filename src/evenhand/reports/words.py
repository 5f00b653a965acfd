"""What every form of a report says in words: kinds of answers, marks, how a cell is read, and a small glossary."""

from __future__ import annotations

import re
from collections.abc import Iterable

TITLE = "Which errors do these detectors make?"
KINDS = {
    "shown": "What these texts show",
    "missing": "What these texts are too few to show",
    "warning": "What to be careful with",
}
"""Kind of an answer -> the heading above all answers of this kind, in the order of the report."""

NO_ANSWERS = "The audits gave no answer in words; their tables follow."
NO_FINDINGS = "Nothing was measured for this table."
LEDGER = "What was not scored"
LEDGER_INTRO = (
    "Texts that a detector refused (abstained), could not score (failed) or read only in part (truncated), for each class "
    "of texts."
)
NO_LEDGER = "The ledger is empty: no abstention, failure or truncation was recorded."
PROVENANCE = "How it was made"
NO_PROVENANCE = "The findings came without provenance."

MARKS = {
    "up": ("*", "significantly higher than what it is compared with, this cell looked at alone"),
    "up-corrected": ("**", "significantly higher, also after the correction for looking at many cells"),
    "down": ("†", "significantly lower than what it is compared with, this cell looked at alone"),
    "down-corrected": ("‡", "significantly lower, also after the correction for looking at many cells"),
}

GLOSSARY = {
    "auroc": (
        "AUROC",
        "the chance that the detector gives a machine text a higher score than a human text, both drawn at random: "
        "1 is perfect, 0.5 is a coin, below 0.5 is worse than a coin",
    ),
    "tpr": ("TPR", "true-positive rate: the share of machine texts that are flagged"),
    "fpr": ("FPR", "false-positive rate: the share of human texts that are flagged, each one a false accusation"),
    "fnr": ("FNR", "false-negative rate: the share of machine texts that are not flagged"),
    "ppv": ("PPV", "positive predictive value: the share of flagged texts that a machine wrote"),
    "npv": ("NPV", "negative predictive value: the share of texts not flagged that a human wrote"),
    "threshold": ("threshold", "the score above which a text is flagged"),
}
"""Parts of metric names -> the name and its meaning in plain words."""

READING = (
    (
        "Estimate",
        "the number measured on these texts; on other texts of the same kind it would come out a little different",
    ),
    (
        "[low, high]",
        "the interval in which the true value plausibly lies: drawn so that 95 of 100 such intervals hold it, where no "
        "other level is named. A wide interval means that few texts were measured",
    ),
    (
        "n",
        "how many independent texts the number stands on; texts of one author or one source count once where they are "
        "clustered",
    ),
    ("–", "could not be computed; the note says why"),
    ("-", "was not measured"),
)

_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def clean(text: object) -> str:
    """``text`` with what no page should hold shown as U+FFFD: control characters, lone surrogates, and the marks that
    turn the direction of what follows (right-to-left writing needs none of them)."""
    return _UNPRINTABLE.sub("\ufffd", str(text).replace("\r\n", "\n"))


def one_line(text: object) -> str:
    return " ".join(clean(text).split())


def symbols(marks: Iterable[str]) -> str:
    """The signs of a cell's marks, the corrected one in place of the uncorrected; unknown marks are printed in full."""
    given = set(marks)
    shown = [m for m in MARKS if m in given and f"{m}-corrected" not in given]
    others = sorted(given - MARKS.keys())
    return "".join([MARKS[m][0] for m in shown] + [f"({one_line(m)})" for m in others])


def legend(marks: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """(sign, meaning) of the known marks among ``marks``."""
    given = set(marks)
    return tuple(MARKS[m] for m in MARKS if m in given)


def glossary(metrics: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """(name, meaning) of the terms that occur in the names of ``metrics``."""
    parts = {part for metric in metrics for part in re.split(r"[^a-z]+", metric.lower())}
    return tuple(GLOSSARY[term] for term in GLOSSARY if term in parts)


def metric_name(metric: str) -> str:
    """As it is printed: ``tpr_at_fpr`` is "TPR at FPR"; what is no known term stays as it is."""
    named = re.sub("[a-z]+", lambda m: GLOSSARY[m[0]][0] if m[0] in GLOSSARY else m[0], one_line(metric))
    return named.replace("_", " ")
