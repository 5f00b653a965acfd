"""What tells human from machine text in a corpus without reading it, and what files have done to the texts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..documents import Document
from ..errors import SpecError
from .features import FEATURES, Feature, mend
from .glued import count_words, glued_words
from .normal import normal

CHANCE = 4.0
"""Standard errors from .5 that a separation needs: of 35 features in 20 strata, chance gives about one in twenty lints."""
GLUED = Feature(
    "glued_words",
    "three words or more glued together (ofthe)",
    float,
    mend("glued") + ", or leave the domain out",
    damage=True,
)


@dataclass(frozen=True, slots=True)
class Issue:
    """One finding. ``kind`` names the feature; ``role``: 'shortcut' (it tells the classes apart), 'damage', 'copy'.

    ``counts``: texts that show it, by label, ``of`` so many; ``auc``: P(machine > human) of the feature alone, ties
    counted half, NaN where it does not apply; ``where``: the stratum, '' for all texts.
    """

    kind: str
    role: Literal["shortcut", "damage", "copy"]
    counts: Mapping[str, int]
    of: Mapping[str, int]
    ids: tuple[str, ...] = field(repr=False)
    sentence: str
    auc: float = nan
    where: str = ""


def lint(
    documents: Iterable[Document], by: str | None = "domain", tell: float = 0.1, part: float = 0.05
) -> list[Issue]:
    """What is wrong with the unedited human and machine texts, worst shortcuts first.

    A number (length, capitals, ...) is a shortcut when its AUROC lies ``tell`` or more from .5, a flag when the shares of
    the classes differ by ``part``, and both only beyond chance. ``by``: a field whose values are also looked at one by
    one; there only what is not told of all texts already, or tells more.
    """
    if not (0 <= tell <= 0.5 and 0 <= part <= 1):
        raise SpecError(f"lint: tell lies from 0 to 0.5 and part from 0 to 1, got {tell!r} and {part!r}")
    if by is not None and by not in ("domain", "corpus", "task", "generator", "section"):
        raise SpecError(f"lint: by is domain, corpus, task, generator, section or None, got {by!r}")
    kept = list(documents)
    clean = unedited(kept)
    columns = _columns(clean)
    bars = (tell, part)
    whole = list(_about(clean, columns, "", bars))
    found = [*whole, *_strata(clean, columns, by, bars, {issue.kind: issue.auc for issue in whole})]
    found.sort(key=lambda issue: -abs(issue.auc - 0.5) if issue.role == "shortcut" else 0.0)
    return [*found, *_copies(clean), *_unchanged(kept)]


def unedited(documents: Iterable[Document]) -> list[Document]:
    """The human and machine texts that no attack or sanitizer has touched: those that lint looks at."""
    return [d for d in documents if d.attack == d.sanitizer == "none" and d.label in ("human", "machine")]


def feature_values(documents: Iterable[Document]) -> dict[str, NDArray[np.float64]]:
    """Each feature's value for every document, in order: what a statistic needs to ask how well it tells the classes."""
    return {name: values for name, (_, values) in _columns(list(documents)).items()}


Columns = Mapping[str, tuple[Feature, NDArray[np.float64]]]


def _columns(documents: Sequence[Document]) -> Columns:
    words = count_words(d.text for d in documents)
    glued = np.array([float(bool(glued_words(d.text, words))) for d in documents])
    values = {f.name: (f, np.array([f.value(d.text) for d in documents], float)) for f in FEATURES}
    return {**values, GLUED.name: (GLUED, glued)}


def _strata(
    documents: Sequence[Document],
    columns: Columns,
    by: str | None,
    bars: tuple[float, float],
    whole: Mapping[str, float],
) -> Iterator[Issue]:
    """Shortcuts inside a stratum that tell clearly more there than ``whole``, the AUROC over all texts."""
    names = np.array([str(getattr(d, by) or "") for d in documents] if by else [], str)
    if len(set(names)) < 2:
        return
    for name in sorted({*names.tolist()} - {""}):
        rows = np.flatnonzero(names == name).tolist()
        inside = {kind: (feature, values[rows]) for kind, (feature, values) in columns.items()}
        for issue in _about([documents[i] for i in rows], inside, f"{by} {name}", bars):
            if issue.role == "shortcut" and abs(issue.auc - 0.5) > abs(whole.get(issue.kind, 0.5) - 0.5) + 0.05:
                yield issue


def _about(documents: Sequence[Document], columns: Columns, where: str, bars: tuple[float, float]) -> Iterator[Issue]:
    machine = np.array([d.label == "machine" for d in documents], bool)
    of = {"human": int((~machine).sum()), "machine": int(machine.sum())}
    for feature, values in columns.values():
        auc, errors = separation(values[~machine], values[machine])
        least = bars[1] / 2 if feature.flag else bars[0]
        tells = abs(auc - 0.5) >= least and errors >= CHANCE
        if not tells and not (feature.damage and values.any()):
            continue
        counts = {"human": int((values[~machine] > 0).sum()), "machine": int((values[machine] > 0).sum())}
        ids = tuple(d.id for d, value in zip(documents, values, strict=True) if value > 0)
        sentence = _sentence(feature, counts, of, auc if tells else nan, where)
        yield Issue(feature.name, "shortcut" if tells else "damage", counts, of, ids, sentence, auc, where)


def separation(human: NDArray[np.float64], machine: NDArray[np.float64]) -> tuple[float, float]:
    """P(machine > human), ties half, and how many standard errors (of no difference, ties corrected) it is from .5."""
    m, n = len(machine), len(human)
    if not m or not n:
        return nan, 0.0
    _, codes, counts = np.unique(np.concatenate([human, machine]), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[codes]
    auc = (float(ranks[n:].sum()) - m * (m + 1) / 2) / (m * n)
    total = m + n
    ties = float((counts.astype(float) ** 3 - counts).sum()) / (total * (total - 1)) if total > 1 else 0.0
    variance = (total + 1 - ties) / (12 * m * n)
    return auc, abs(auc - 0.5) / sqrt(variance) if variance > 1e-12 else 0.0


def _sentence(feature: Feature, counts: Mapping[str, int], of: Mapping[str, int], auc: float, where: str) -> str:
    there = f" in {where}" if where else ""
    shown = " and ".join(f"{counts[label]:,} of {of[label]:,} {label} texts" for label in ("human", "machine"))
    if isnan(auc):
        return f"{shown}{there} have {feature.what}. Cure: {feature.cure}."
    if feature.flag:
        return f"{shown}{there} have {feature.what}; this alone ranks them with AUROC {auc:.2f}. Cure: {feature.cure}."
    class_ = "machine" if auc > 0.5 else "human"
    return f"{class_} texts{there} have {feature.what} (AUROC {auc:.2f} of this alone). Cure: {feature.cure}."


def by_label(documents: Iterable[Document]) -> dict[str, int]:
    return dict(Counter(str(d.label) for d in documents))


def _copies(documents: Sequence[Document]) -> Iterator[Issue]:
    """Texts that are equal but for case, blanks and punctuation."""
    groups: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        if key := normal(document.text):
            groups[key].append(document)
    of = by_label(documents)
    twice = [d for group in groups.values() for d in group[1:]]
    both = [d for group in groups.values() if len({d.label for d in group}) > 1 for d in group]
    for kind, found, told in (
        (
            "copies",
            twice,
            "stand in the corpus before (but for case, blanks, punctuation): they count twice. Cure: keep one",
        ),
        ("both_labels", both, "carry both labels: one of them is wrong. Cure: find out which, or drop them"),
    ):
        if found:
            counts = by_label(found)
            yield Issue(kind, "copy", counts, of, tuple(d.id for d in found), f"{len(found):,} texts {told}.")


def _unchanged(documents: Sequence[Document]) -> Iterator[Issue]:
    """Edited texts that equal their source."""
    texts = {d.id: d.text for d in documents}
    edited = [d for d in documents if d.attack != "none"]
    same = [d for d in edited if d.source_id is not None and texts.get(d.source_id) == d.text]
    if same:
        attacks = ", ".join(f"{name} {n}" for name, n in sorted(Counter(d.attack for d in same).items()))
        told = (
            f"{len(same):,} edited texts equal their source ({attacks}). Cure: count them apart, as edits of nothing."
        )
        counts, of = by_label(same), by_label(edited)
        yield Issue("no_edit", "copy", counts, of, tuple(d.id for d in same), told)
