"""What a plan's detectors would ask of a language model, told before the first request."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..plan import Plan


def costs(plan: Plan) -> list[Any]:
    """One line or more for each detector that asks a chat model; nothing is asked for them."""
    from .. import detectors
    from ..documents import SET_ASIDE

    asking = [one for spec in plan.detectors if hasattr(one := detectors.get(spec, model=plan.model), "cost")]
    if not asking:
        return []
    documents = list(plan.documents())
    texts = [document.text for document in documents if document.split not in SET_ASIDE]
    return [line for detector in asking for line in lines(detector, documents, texts, plan)]


def lines(detector: Any, documents: list[Any], texts: list[str], plan: Plan) -> list[Any]:
    """What is asked to learn, on the clean texts of the split 'train', and what is asked to judge."""
    from ..detectors.prompted.drawing import Known

    learning = getattr(detector, "training_costs", None)
    rows = [
        Known(document.text, up, document.generator or "")
        for document in documents
        if document.split == "train" and document.attack == "none" and document.sanitizer == "none"
        if (up := plan.policy.positive(document.label, document.level)) is not None
    ]
    told = list(learning(rows)) if learning and detector.learns and rows else []
    if getattr(detector, "learns", False) and hasattr(detector, "examples"):
        detector.fit([row.text for row in rows], [row.machine for row in rows])  # draws examples, asks nothing
    return [*told, detector.cost(texts)]


def tell(plan: Plan) -> None:
    """On standard error, so that what a command prints stays as it is."""
    for line in costs(plan):
        print(f"will ask: {line}", file=sys.stderr, flush=True)
