"""The boundary at rewrite-human: which learner is best, and does it help to learn from all levels?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from evenhand import stats
from evenhand.documents import Document, Level

from ..pages import Lines, Tables
from .domain_tables import study
from .folds import LABELS, positive
from .forms import NOT_RUN, cell, change, told
from .learners import LEARNERS, UNTRAINED, labels_of
from .scores import Choice, Study, Wanted, joined, part_of

WITHIN: Mapping[str, Mapping[str, Wanted]] = {
    "essays": {
        "within TOEFL": lambda d: d.domain == "essay_toefl",
        "within CS224N": lambda d: d.domain == "report_cs224n",
    },
    "mixset": {
        "positives: continued human texts": lambda d: not above_mixset(d) or d.meta["operation"].endswith("complete"),
        "positives: answers, humanized, edited": lambda d: (
            not above_mixset(d) or not d.meta["operation"].endswith("complete")
        ),
    },
}
"""Parts of the texts in which topic and corpus tell less."""
GENTLE = {"improve-human": Level.IMPROVE_HUMAN, "rewrite-human": Level.REWRITE_HUMAN}


def above_mixset(document: Document) -> bool:
    return positive("mixset", document)


def rows_of(one: Study) -> Iterator[Choice]:
    return ((name, labels) for name in (*LEARNERS, *UNTRAINED) for labels in labels_of(name, one.name))


def above(one: Study) -> Wanted:
    return lambda d: positive(one.name, d)


def below(one: Study) -> Wanted:
    return lambda d: not positive(one.name, d)


def human(document: Document) -> bool:
    return document.level is Level.HUMAN


def main_table(name: str) -> Callable[[Path, Path], Lines]:
    def lines(data: Path, results: Path) -> Lines:
        one = study(name, data, results)
        heads = (
            "AUROC",
            *WITHIN[name],
            "TPR",
            "TPR, threshold of people's own texts",
            *(f"{g} flagged" for g in GENTLE),
        )
        made: Lines = [("learner", "learnt", *heads)]
        for choice in rows_of(one):
            cells = line(one, choice) if one.parts(choice) else [NOT_RUN] * len(heads)
            made.append((*told_of(one, choice), *cells))
        return made

    return lines


def told_of(one: Study, choice: Choice) -> tuple[str, str]:
    return one.label(choice), choice[1] if choice[0] in LEARNERS else "nothing"


def line(one: Study, choice: Choice) -> list[str]:
    yes, no = above(one), below(one)
    aurocs = [one.auroc(choice, yes, no)]
    for inside in WITHIN[one.name].values():
        aurocs.append(one.auroc(choice, both(yes, inside), both(no, inside)))
    rates = [one.rate(choice, yes, no), one.rate(choice, yes, human)]
    rates += [one.rate(choice, lambda d, level=level: d.level is level, human) for level in GENTLE.values()]
    return [cell(draws) for draws in (*aurocs, *rates)]


def both(first: Wanted, second: Wanted) -> Wanted:
    return lambda d: first(d) and second(d)


def differences(name: str) -> Callable[[Path, Path], Lines]:
    """Of AUROC and TPR between what was learnt, on the same texts and the same drawn clusters."""

    def lines(data: Path, results: Path) -> Lines:
        one = study(name, data, results)
        pairs = (("policy", "usual"), ("ordinal", "usual"), ("ordinal", "policy"))
        made: Lines = [("learner", *(f"{what}, {a} − {b}" for what in ("AUROC", "TPR") for a, b in pairs))]
        every = sorted({part_of(fold) for fold in one.folds})
        for learner in LEARNERS:
            if not all(one.parts((learner, labels)) == every for labels in LABELS[name]):
                made.append((learner, *[NOT_RUN] * 6))
                continue
            values = [
                change(measure((learner, a), above(one), below(one)) - measure((learner, b), above(one), below(one)))
                for measure in (one.auroc, one.rate)
                for a, b in pairs
            ]
            made.append((learner, *values))
        return made

    return lines


def ranking(name: str) -> Callable[[Path, Path], Lines]:
    """TPR at the policy's FPR, best first, each with its difference to the best; p ('0.001': or less) by max-T."""

    def lines(data: Path, results: Path) -> Lines:
        one = study(name, data, results)
        every = sorted({part_of(fold) for fold in one.folds})
        known = [choice for choice in rows_of(one) if one.parts(choice) == every]
        cells = {choice: one.rate(choice, above(one), below(one)) for choice in known}
        best, *rest = sorted(known, key=lambda choice: -float(cells[choice].values[0]))
        marks = stats.mark_changes(joined([cells[choice] - cells[best] for choice in rest]))
        made: Lines = [("learner", "learnt", "TPR", "less than the best by", "p, corrected")]
        made.append((*told_of(one, best), cell(cells[best]), "–", "–"))
        for choice, mark in zip(rest, marks, strict=True):
            p = "–" if np.isnan(mark.p_adjusted) else f"{max(mark.p_adjusted, 0.001):.3f}"
            made.append((*told_of(one, choice), cell(cells[choice]), told(mark.estimate), p))
        return made

    return lines


TABLES: Tables = {
    f"{name}_{what}": maker(name)
    for name in ("essays", "mixset")
    for what, maker in (("main", main_table), ("labels", differences), ("ranking", ranking))
}
