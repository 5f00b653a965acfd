"""The open family of detectors: texts in, one number a text out; higher means more machine-like, fixed in advance.

``detectors.get("lrr")(["..."])`` gives a float64 array, NaN where a detector abstained.
"""

from __future__ import annotations

import inspect
from typing import Any

from ..registry import Registry, format_spec, parse_spec

_ZERO_SHOT = "evenhand.detectors.zero_shot"
_BUILTIN = {
    "log_likelihood": f"{_ZERO_SHOT}.means:LogLikelihood",
    "rank": f"{_ZERO_SHOT}.means:Rank",
    "log_rank": f"{_ZERO_SHOT}.means:LogRank",
    "entropy": f"{_ZERO_SHOT}.means:Entropy",
    "lrr": f"{_ZERO_SHOT}.means:LRR",
    "gltr": f"{_ZERO_SHOT}.means:GLTR",
    "fast_detect_gpt": f"{_ZERO_SHOT}.fast_detect_gpt:FastDetectGPT",
    "lastde": f"{_ZERO_SHOT}.lastde:Lastde",
    "lastde_plus": f"{_ZERO_SHOT}.lastde:LastdePlus",
    "binoculars": f"{_ZERO_SHOT}.binoculars:Binoculars",
    "dna_detectllm": f"{_ZERO_SHOT}.binoculars:DNADetectLLM",
    "tfidf_lr": "evenhand.detectors.trained.tfidf:TfidfLR",
    "glimpse": f"{_ZERO_SHOT}.glimpse:Glimpse",
    "detect_gpt": f"{_ZERO_SHOT}.perturbation:DetectGPT",
    "npr": f"{_ZERO_SHOT}.perturbation:NPR",
    "dna_gpt": f"{_ZERO_SHOT}.dna_gpt:DNAGPT",
    "fourier_gpt": f"{_ZERO_SHOT}.fourier_gpt:FourierGPT",
}
_registry = Registry("detectors", _BUILTIN)
names, register, factory = _registry.names, _registry.register, _registry.factory


def get(spec: str, model: str | None = None) -> Any:
    """The detector of a spec; ``model`` is given to it where it takes one and the spec names none."""
    if model is not None:
        name, parameters = parse_spec(spec)
        if "model" in inspect.signature(_registry.factory(name)).parameters:
            spec = format_spec(name, {"model": model, **parameters})
    return _registry.get(spec)


def canonical(spec: str, model: str | None = None) -> str:
    """The full spelling, defaults included; ``judging.key`` also resolves the revisions of its models."""
    return str(get(spec, model).spec)
