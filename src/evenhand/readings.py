"""What some detectors read of a text before they judge it (LLMFE's features), as rows of the run's measures.

Only detectors that say so by ``tells_readings``: the reading half then draws how each feature is distributed over the sources.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from .detectors.trained.weights import unwrapped
from .documents import Document
from .registry import format_spec


def measure_of(spec: str, name: str) -> str:
    """Under which measure a detector's feature stands."""
    return format_spec("feature", {"detector": spec, "name": name})


def reading_rows(spec: str, detector: Any, documents: Sequence[Document]) -> Iterator[dict[str, Any]]:
    """One row a document and feature; null with the reason where it was not read. Nothing for detectors that tell none."""
    learner = unwrapped(detector)
    if not getattr(learner, "tells_readings", False) or not documents:
        return
    readings, reasons = learner.read([document.text for document in documents])
    for document, values, reason in zip(documents, readings, reasons, strict=True):
        for name, value in zip(learner.feature_names, values, strict=True):
            known = None if math.isnan(value) else float(value)
            why = None if known is not None else reason or "no number was read"
            yield {"id": document.id, "measure": measure_of(spec, name), "value": known, "reason": why}
