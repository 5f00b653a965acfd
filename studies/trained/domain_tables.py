"""One domain to the others, and generators that were not learnt from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from evenhand.stats import Draws

from ..pages import Lines, Tables
from .forms import NOT_RUN, cell, change
from .learners import LEARNERS, UNTRAINED
from .scores import Choice, Study, Wanted, averaged, joined

DOMAINS = ("arxiv", "xsum", "writing_prompt", "yelp_review")
GENERATORS = ("ChatGPT", "Claude-instant", "Google-PaLM", "Llama-2-70b")
ASKED = ("encoder", "tfidf_lr", "one_pass_boosted", "ghostbuster")
"""Learners whose 16 cells are printed; of all others the means."""
Cell = Callable[[Study, Choice, str, str], Draws]
"""Of a learner, the domain that it learnt and the one that it is tested on."""


@lru_cache(maxsize=8)
def study(name: str, data: Path, results: Path) -> Study:
    return Study(name, data, results)


def of(label: str, **wanted: str | None) -> Wanted:
    return lambda d: d.label == label and all(getattr(d, key) == value for key, value in wanted.items())


def choices(named: tuple[str, ...] = (*LEARNERS, *UNTRAINED)) -> Iterator[Choice]:
    return ((name, "policy") for name in named)


def auroc(one: Study, choice: Choice, learnt: str, tested: str) -> Draws:
    return one.auroc(choice, of("machine", domain=tested), of("human", domain=tested), learnt)


def detected(one: Study, choice: Choice, learnt: str, tested: str) -> Draws:
    """At the threshold of the tested domain's own human texts."""
    return one.rate(choice, of("machine", domain=tested), of("human", domain=tested), learnt)


def carried(one: Study, choice: Choice, learnt: str, tested: str) -> Draws:
    """At the threshold of human texts of the domain that was learnt (held out from the learning)."""
    return one.rate(choice, of("machine", domain=tested), of("human", domain=learnt), learnt)


def accused(one: Study, choice: Choice, learnt: str, tested: str) -> Draws:
    return one.rate(choice, of("human", domain=tested), of("human", domain=learnt), learnt)


def grid(measure: Cell, own: str = "") -> Callable[[Path, Path], Lines]:
    """``own`` stands in the cells of the own domain, where there is nothing to measure."""

    def lines(data: Path, results: Path) -> Lines:
        one = study("domains", data, results)
        made: Lines = [("learner", "learnt on", *DOMAINS)]
        for choice in choices(ASKED):
            for learnt in DOMAINS:
                if one.parts(choice):
                    told = (own if own and t == learnt else cell(measure(one, choice, learnt, t)) for t in DOMAINS)
                    made.append((one.label(choice), learnt, *told))
                else:
                    made.append((choice[0], learnt, *[NOT_RUN] * len(DOMAINS)))
        return made

    return lines


def means(data: Path, results: Path) -> Lines:
    """The four cells of the own domain and the twelve of others."""
    one = study("domains", data, results)
    heads = (
        "AUROC, own domain",
        "other domains",
        "change",
        "TPR, own domain",
        "other, own threshold",
        "other, carried threshold",
    )
    made: Lines = [("learner", *heads, "FPR, other, carried threshold")]
    for choice in choices():
        if not one.parts(choice):
            made.append((choice[0], *[NOT_RUN] * 7))
            continue
        own, others = (mean(one, choice, auroc, same) for same in (True, False))
        lost = "–" if choice[0] in UNTRAINED else change(others - own)
        rates = [
            mean(one, choice, *what)
            for what in ((detected, True), (detected, False), (carried, False), (accused, False))
        ]
        made.append((one.label(choice), cell(own), cell(others), lost, *map(cell, rates)))
    return made


def mean(one: Study, choice: Choice, measure: Cell, same: bool) -> Draws:
    cells = [measure(one, choice, a, b) for a in DOMAINS for b in DOMAINS if (a == b) == same]
    return averaged(joined(cells), "mean of the cells")


ROUTES = {
    "arxiv → arxiv": [("arxiv", "arxiv")],
    "arxiv → others": [("arxiv", tested) for tested in DOMAINS[1:]],
    "others → arxiv": [(learnt, "arxiv") for learnt in DOMAINS[1:]],
}


def mended(data: Path, results: Path) -> Lines:
    """AUROC with the lost spaces of the abstracts put back, and its change against the texts as they are."""
    raw, repaired = study("domains", data, results), study("unglued", data, results)
    made: Lines = [("learner", *(f"{route}{what}" for route in ROUTES for what in ("", ", change")))]
    for choice in choices():
        row = [raw.label(choice)]
        for route in ROUTES.values():
            if not raw.parts(choice) or raw.parts(choice) != repaired.parts(choice):
                row += [NOT_RUN, NOT_RUN]
                continue
            before, after = (averaged(joined([auroc(one, choice, *way) for way in route])) for one in (raw, repaired))
            row += [cell(after), change(after - before)]
        made.append(row)
    return made


def unseen(measure: str) -> Callable[[Path, Path], Lines]:
    """For a generator that was left out, and its change against the model that learnt from all four."""

    def lines(data: Path, results: Path) -> Lines:
        one, all_four = study("generators", data, results), study("attacks", data, results)
        made: Lines = [("learner", *(f"{name}{what}" for name in GENERATORS for what in ("", ", change")))]
        for choice in choices():
            cells = (left_out(one, all_four, choice, name, measure) for name in GENERATORS)
            made.append((one.label(choice), *(text for pair in cells for text in pair)))
        return made

    return lines


def left_out(one: Study, all_four: Study, choice: Choice, name: str, measure: str) -> tuple[str, str]:
    """``measure``: 'auroc', or 'rate' (TPR at the threshold of the same human texts)."""
    if not one.parts(choice):
        return NOT_RUN, NOT_RUN
    texts = of("machine", generator=name, attack="none"), of("human", attack="none")
    found: Draws = getattr(one, measure)(choice, *texts, name)
    if choice[0] in UNTRAINED or all_four.parts(choice) != one.parts(choice):
        return cell(found), "–"
    return cell(found), change(found - getattr(all_four, measure)(choice, *texts))


TABLES: Tables = {
    "domains_auroc": grid(auroc),
    "domains_tpr_own": grid(detected),
    "domains_tpr_carried": grid(carried),
    "domains_fpr_carried": grid(accused, own="set here"),
    "domains_means": means,
    "unglued_auroc": mended,
    "generators_auroc": unseen("auroc"),
    "generators_tpr": unseen("rate"),
}
