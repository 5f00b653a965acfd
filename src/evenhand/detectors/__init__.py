"""The open family of detectors: texts in, one number a text out; higher means more machine-like, fixed in advance.

``detectors.get("lrr")(["..."])`` gives a float64 array, NaN where a detector abstained.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from os import PathLike
from typing import Any

from ..errors import SpecError
from ..registry import Registry, format_spec, parse_spec

_ZERO_SHOT = "evenhand.detectors.zero_shot"
_TRAINED = "evenhand.detectors.trained"
_PROMPTED = "evenhand.detectors.prompted"
_EXTERNAL = "evenhand.detectors.external"
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
    "tfidf_lr": f"{_TRAINED}.tfidf:TfidfLR",
    "tfidf_rf": f"{_TRAINED}.tfidf:TfidfRF",
    "gltr_lr": f"{_TRAINED}.one_pass:GLTRLR",
    "diveye": f"{_TRAINED}.one_pass:DivEye",
    "encoder": f"{_TRAINED}.encoder:EncoderClassifier",
    "causal_classifier": f"{_TRAINED}.encoder:CausalClassifier",
    "hub_classifier": f"{_TRAINED}.released:HubClassifier",
    "openai_roberta_base": f"{_TRAINED}.released:OpenAIRoberta",
    "openai_roberta_large": f"{_TRAINED}.released:OpenAIRobertaLarge",
    "hc3_roberta": f"{_TRAINED}.released:HC3Roberta",
    "radar": f"{_TRAINED}.released:Radar",
    "mage": f"{_TRAINED}.released:Mage",
    "gede_roberta": f"{_TRAINED}.released:GedeRoberta",
    "idmgsp_roberta": f"{_TRAINED}.released:IdmgspRoberta",
    "editlens": f"{_TRAINED}.released:EditLens",
    "detectanyllm": f"{_TRAINED}.detectanyllm:DetectAnyLLM",
    "saved": f"{_TRAINED}.saving:Saved",
    "adadetect_gpt": f"{_TRAINED}.adadetect:AdaDetectGPT",
    "adadetect_gpt_released": f"{_TRAINED}.adadetect:AdaDetectReleased",
    "one_pass_lr": f"{_TRAINED}.one_pass:OnePassLR",
    "one_pass_boosted": f"{_TRAINED}.one_pass:OnePassBoosted",
    "section_vote": f"{_TRAINED}.section_vote:SectionVote",
    "idmgsp_vote": f"{_TRAINED}.section_vote:IdmgspVote",
    "ghostbuster": f"{_TRAINED}.ghostbuster:Ghostbuster",
    "ghostbuster_released": f"{_TRAINED}.ghostbuster_released:GhostbusterReleased",
    "glimpse": f"{_ZERO_SHOT}.glimpse:Glimpse",
    "detect_gpt": f"{_ZERO_SHOT}.perturbation:DetectGPT",
    "npr": f"{_ZERO_SHOT}.perturbation:NPR",
    "tocsin": f"{_ZERO_SHOT}.tocsin:Tocsin",
    "phd": f"{_ZERO_SHOT}.phd:PHD",
    "dna_gpt": f"{_ZERO_SHOT}.dna_gpt:DNAGPT",
    "fourier_gpt": f"{_ZERO_SHOT}.fourier_gpt:FourierGPT",
    "fdg_neo": f"{_ZERO_SHOT}.presets:FdgNeo",
    "fdg_gpt2xl": f"{_ZERO_SHOT}.presets:FdgGpt2Xl",
    "fdg_gpt2": f"{_ZERO_SHOT}.presets:FdgGpt2",
    "fdg_falcon": f"{_ZERO_SHOT}.presets:FdgFalcon",
    "binoculars_falcon": f"{_ZERO_SHOT}.presets:BinocularsFalcon",
    "lastde_neo": f"{_ZERO_SHOT}.presets:LastdeNeo",
    "loglik_neo": f"{_ZERO_SHOT}.presets:LoglikNeo",
    "logrank_neo": f"{_ZERO_SHOT}.presets:LogrankNeo",
    "detect_gpt_gede": f"{_ZERO_SHOT}.presets:DetectGPTGede",
    "fdg_gede": f"{_ZERO_SHOT}.presets:FdgGede",
    "detect_gpt_idmgsp": f"{_ZERO_SHOT}.detect_gpt_idmgsp:DetectGPTIdmgsp",
    "prompted_io": f"{_PROMPTED}.styles:PromptedIO",
    "prompted_cot": f"{_PROMPTED}.styles:PromptedCoT",
    "prompted_ip": f"{_PROMPTED}.styles:PromptedIP",
    "prompted_fs": f"{_PROMPTED}.few_shot:PromptedFS",
    "llmfe": f"{_PROMPTED}.llmfe:LLMFE",
    "chat_fine_tune": f"{_PROMPTED}.fine_tune:ChatFineTune",
    "scores": f"{_EXTERNAL}.scores:ScoresFile",
}
_registry = Registry("detectors", _BUILTIN)
names, register, factory = _registry.names, _registry.register, _registry.factory


def get(spec: str, model: str | None = None) -> Any:
    """The detector of a spec; ``model`` is given to it where it takes one and the spec names none."""
    if model is not None:
        name, parameters = parse_spec(spec)
        factory = _registry.factory(name)
        if "model" in inspect.signature(factory).parameters and not getattr(factory, "own_models", False):
            spec = format_spec(name, {"model": model, **parameters})
    return _registry.get(spec)


def canonical(spec: str, model: str | None = None) -> str:
    """The full spelling, defaults included; ``judging.key`` also resolves the revisions of its models."""
    return str(get(spec, model).spec)


def save(detector: Any, path: str | PathLike[str]) -> None:
    """Writes a fitted detector to a new folder, without pickle; ``get("saved(path=...)")`` brings it back."""
    from .trained import saving

    saving.save(detector, path)


def load(path: str | PathLike[str]) -> Any:
    """The fitted detector that ``save`` wrote; raises DataError where the folder is damaged, changed or of another version."""
    from .trained import saving

    return saving.load(path)


def group(name: str) -> tuple[str, ...]:
    """The detectors of a published study, e.g. ``group("two_sided_nine")``; those that are not built are left out."""
    from .zero_shot.presets import GROUPS

    if name not in GROUPS:
        raise SpecError(f"no group of detectors {name!r}; the groups are: {', '.join(GROUPS)}")
    return tuple(member for member in GROUPS[name] if parse_spec(member)[0] in names())


def ungrouped(specs: Iterable[str]) -> tuple[str, ...]:
    """The specs, with the members of a group in place of its name; a detector's own name goes before a group's."""
    from .zero_shot.presets import GROUPS

    return tuple(one for spec in specs for one in (group(spec) if spec in GROUPS and spec not in names() else (spec,)))
