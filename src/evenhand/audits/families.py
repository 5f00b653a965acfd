"""Families of detectors as the two-sided paper prints them (tables 4 and 10); the reading half can't ask the detectors."""

from __future__ import annotations

MODERN = "fast_detect_gpt lastde lastde_plus binoculars dna_detectllm detect_gpt npr dna_gpt fourier_gpt tocsin glimpse mosaic"
LEGACY = "log_likelihood rank log_rank entropy lrr gltr perplexity"

_FAMILIES = {
    **dict.fromkeys(MODERN.split(), "modern zero-shot"),
    **dict.fromkeys(LEGACY.split(), "legacy statistical"),
}
OTHER = "trained or other"


def family_of(spec: str) -> str:
    """The family of a detector by the name in its spec."""
    return _FAMILIES.get(spec.partition("(")[0], OTHER)
