"""What a plan's detectors would ask of a language model, told before the first request."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..documents import Document
    from ..plan import Plan


def costs(plan: Plan) -> list[Any]:
    """One line or more for each detector that asks a chat model; nothing is asked for them."""
    from .. import detectors
    from ..detectors.trained.weights import unwrapped

    found = [detectors.get(spec, model=plan.model) for spec in plan.detectors]
    asking = [one for one in found if hasattr(unwrapped(one), "costs")]
    documents = list(plan.documents()) if asking else []
    return [line for detector in asking for line in lines(detector, documents, plan)]


def lines(detector: Any, documents: list[Document], plan: Plan) -> Iterator[Any]:
    """What is asked to learn and to judge; of what learns under an evaluation, once a fold."""
    from ..detectors.prompted.drawing import Known
    from ..detectors.trained.weights import unwrapped

    for fold, train, tested in sides(detector, documents, plan):
        rows = [
            Known(document.text, up, document.generator or "")
            for document in train
            if (up := plan.policy.positive(document.label, document.level)) is not None
        ]
        for line in unwrapped(detector).costs(rows, [document.text for document in tested]):
            yield replace(line, detector=f"{line.detector}, fold {fold!r}") if fold else line


def sides(detector: Any, documents: list[Document], plan: Plan) -> Iterator[tuple[str, list[Document], list[Document]]]:
    """(fold, texts to learn from, texts to judge), as a run has them; '' where there is no fold."""
    from ..documents import SET_ASIDE
    from ..folds import unedited

    learns, evaluation = getattr(detector, "learns", False), plan.folded()
    if not learns or evaluation is None:
        train = [one for one in documents if learns and one.split == "train" and unedited(one)]
        yield "", train, [one for one in documents if one.split not in SET_ASIDE]
        return
    for fold in evaluation.folds(documents):
        train = [one for one in documents if unedited(one) and evaluation.trains(fold, one)]
        yield fold, train, [one for one in documents if evaluation.tests(fold, one)]


def tell(plan: Plan) -> None:
    """On standard error, so that what a command prints stays as it is."""
    for line in costs(plan):
        print(f"will ask: {line}", file=sys.stderr, flush=True)
