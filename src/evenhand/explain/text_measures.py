"""What the text is like, whatever a detector says: length, readability, sections, and length beside its source."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from .. import measures
from ..sections import split_sections

PLAIN = ("words", "sentences", "sentence_length", "type_token_ratio", "flesch_kincaid", "gunning_fog")
BESIDE = ("length_ratio", "words_changed_aligned", "trigram_similarity")


@dataclass(frozen=True, slots=True)
class Told:
    """``value`` of a measure with its ``unit``, or why there is none."""

    measure: str
    value: float
    unit: str
    reason: str | None = None


def reading(text: str, source: str | None = None) -> list[Told]:
    """The measures of the text, its sections' lengths where lines name them, and what it shares with its ``source``."""
    own, before = split_sections(text), split_sections(source or "")
    named = [f"section_words(section='{name}')" for name in own]
    both = [f"length_ratio(section='{name}')" for name in own if name in before]
    beside = [] if source is None else [*BESIDE, *both]
    return [measured(spec, text, source) for spec in (*PLAIN, *named, *beside)]


def measured(spec: str, text: str, source: str | None) -> Told:
    measure = measures.get(spec)
    (found,) = measure([(text, source)])
    return Told(spec, found.value, measure.unit, found.reason if isnan(found.value) else None)
