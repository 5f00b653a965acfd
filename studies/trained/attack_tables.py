"""Detectors that learnt from clean texts, under edits of one class and of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from evenhand.stats import Draws

from ..pages import Lines, Tables
from .domain_tables import choices, study
from .forms import NOT_RUN, cell, marked
from .scores import Choice, Study, Wanted

ATTACKS = ("back_translation", "character", "dipper", "mixing", "polish", "sentence", "word")
Measure = Callable[[Study, Choice, str], Draws]


def sources(one: Study) -> set[str]:
    """Ids of the clean texts that were edited."""
    return {str(d.source_id) for d in one.documents if d.attack != "none"}


def texts(one: Study, label: str, attack: str) -> Wanted:
    """The edited texts of a class, or, under 'none', the clean ones that they were made of."""
    edited = sources(one)
    return lambda d: d.label == label and d.attack == attack and (attack != "none" or d.id in edited)


def others(one: Study) -> Wanted:
    """Clean human texts that nobody edited: they set the threshold."""
    edited = sources(one)
    return lambda d: d.label == "human" and d.attack == "none" and d.id not in edited


def one_sided(one: Study, choice: Choice, attack: str) -> Draws:
    return one.auroc(choice, texts(one, "machine", attack), texts(one, "human", "none"))


def two_sided(one: Study, choice: Choice, attack: str) -> Draws:
    return one.auroc(choice, texts(one, "machine", attack), texts(one, "human", attack))


def caught(one: Study, choice: Choice, attack: str) -> Draws:
    return one.rate(choice, texts(one, "machine", attack), others(one))


def accused(one: Study, choice: Choice, attack: str) -> Draws:
    return one.rate(choice, texts(one, "human", attack), others(one))


def lines_of(measure: Measure) -> Callable[[Path, Path], Lines]:
    def lines(data: Path, results: Path) -> Lines:
        one = study("attacks", data, results)
        return [("learner", "clean", *(attack.replace("_", " ") for attack in ATTACKS)), *rows(one, measure)]

    return lines


def rows(one: Study, measure: Measure) -> Iterator[tuple[str, ...]]:
    for choice in choices():
        if not one.parts(choice):
            yield (choice[0], *[NOT_RUN] * (1 + len(ATTACKS)))
            continue
        clean = measure(one, choice, "none")
        yield (one.label(choice), cell(clean), *(marked(measure(one, choice, attack), clean) for attack in ATTACKS))


TABLES: Tables = {
    "attacks_one_sided": lines_of(one_sided),
    "attacks_two_sided": lines_of(two_sided),
    "attacks_tpr": lines_of(caught),
    "attacks_fpr": lines_of(accused),
}
