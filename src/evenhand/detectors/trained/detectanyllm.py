"""DetectAnyLLM: Fast-DetectGPT's curvature under a model that was tuned to drive human and machine texts' curvatures apart."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from ...documents import Judgement
from ...errors import DataError, SpecError
from ...models.causal import Job, token_statistics
from ...models.statistics import TokenStatistics
from ...models.weights import resolve
from ...registry import Card
from ..zero_shot.fast_detect_gpt import FastDetectGPT
from .panel import PANEL_HUMAN, PANEL_MACHINE
from .released import CHECKS, NOT_RUN

LICENCE = "its weights are for non-commercial use only (Pi-Lab licence 1.0)"


@dataclass(frozen=True)
class DetectAnyLLM(FastDetectGPT):
    """``check``: 'texts' refuses a model that does not score the panel's machine texts above its human texts on average; 'names'
    looks at nothing, since a language model's outputs have no names."""

    name: ClassVar[str] = "detectanyllm"
    own_models: ClassVar[bool] = True
    card: ClassVar[Card] = replace(
        FastDetectGPT.card,
        summary=f"The analytic Fast-DetectGPT of a language model tuned for detection, Qwen2-0.5B ({NOT_RUN})",
        source="Fu et al. 2025 (DetectAnyLLM); hub JiachenFu/Qwen2-0.5B-detectanyllm-detector-en",
        licence="weights and code NON-COMMERCIAL (Pi-Lab licence 1.0); written anew from the formula",
        family="trained",
        needs="the tuned weights, from the hub, as safetensors; one pass",
        follows="the paper: the model scores itself (reference = scoring model); whole texts, in windows where need be",
        pitfalls="the tuning aims at 0 for human and 100 for machine texts, on its own training texts",
    )
    model: str = "hub:JiachenFu/Qwen2-0.5B-detectanyllm-detector-en"
    check: str = "texts"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.check not in CHECKS:
            raise SpecError(f"detectanyllm: check is one of {', '.join(CHECKS)}; got {self.check!r}")
        if self.reference is not None or self.form != "analytic":
            raise SpecError("detectanyllm is the analytic form of one model; take fast_detect_gpt for others")

    def judge_statistics(self, text: str, stats: TokenStatistics, job: Job) -> Judgement:
        ready(self, resolve(self.model).key)
        return super().judge_statistics(text, stats, job)


@lru_cache(maxsize=4)
def ready(detector: DetectAnyLLM, key: str) -> None:
    """Tells the licence, and raises DataError unless the panel's machine texts have the higher curvature; once a model."""
    print(f"detectanyllm: {LICENCE}", file=sys.stderr, flush=True)
    if detector.check == "names":
        return
    human, machine = (
        float(np.mean([detector.of(stats) for stats in token_statistics(panel, detector.model)]))
        for panel in (PANEL_HUMAN, PANEL_MACHINE)
    )
    if not machine > human:
        raise DataError(
            f"{detector.spec}: the mean curvature of four human texts is {human:.3f}, of four machine texts {machine:.3f}: "
            "it does not tell these apart; look at the model's card, or set check='names' to go without"
        )
