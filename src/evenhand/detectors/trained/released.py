"""Classifiers that others have trained and released: which output means 'machine' is checked at loading, not assumed."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from ...documents import Judgement
from ...errors import DataError, SpecError
from ...models import finetune
from ...models.weights import Weights, resolve
from ...registry import Card
from ..base import Detector, check_texts
from ..classes import HUMAN_NAMES, MACHINE_NAMES
from .mage_text import NOT_AS_CODE, cleaned
from .panel import PANEL_HUMAN, PANEL_MACHINE

PREPROCESSING = ("none", "one_line", "mage")
CHECKS = ("texts", "names")


@dataclass(frozen=True)
class HubClassifier(Detector):
    """Logit of the output ``positive`` less those of the others: it ranks as their softmax does, and never ties at 0 or 1.

    ``preprocessing``: 'none', 'one_line' (line ends become spaces) or 'mage' (MAGE's cleaning). ``prefix`` is put before every
    text. ``check``: 'texts' refuses a model that does not score the panel's machine texts above its human texts on average;
    'names' looks at the names of its outputs alone, where they say anything.
    """

    name: ClassVar[str] = "hub_classifier"
    own_models: ClassVar[bool] = True
    licence_note: ClassVar[str] = ""
    card: ClassVar[Card] = Card(
        "Any released sequence classifier, by hub id or folder.",
        licence="that of the weights",
        family="trained",
        needs="torch; the weights, as safetensors",
        follows="which output means 'machine' is a parameter, and checked at loading: by the outputs' names and by eight texts",
        pitfalls="reads the first max_tokens only; what it was trained on decides what it can tell apart",
    )
    model: str
    positive: int = 1
    max_tokens: int = 512
    preprocessing: str = "none"
    prefix: str = ""
    check: str = "texts"

    def __post_init__(self) -> None:
        if self.preprocessing not in PREPROCESSING:
            raise SpecError(
                f"{self.name}: preprocessing is one of {', '.join(PREPROCESSING)}; got {self.preprocessing!r}"
            )
        if self.check not in CHECKS:
            raise SpecError(f"{self.name}: check is one of {', '.join(CHECKS)}; got {self.check!r}")
        if not isinstance(self.positive, int) or self.positive < 0:
            raise SpecError(f"{self.name}: positive is the number of an output, from 0 on; got {self.positive!r}")
        if not isinstance(self.max_tokens, int) or self.max_tokens < 8:
            raise SpecError(f"{self.name}: max_tokens must be a whole number from 8 on, got {self.max_tokens!r}")

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        weights = resolve(self.model)
        by = checked(self, weights)
        return [self.judge_one(by, text) for text in check_texts(texts)]

    def judge_one(self, by: finetune.Classifier, text: str) -> Judgement:
        if not text.strip():
            return Judgement(math.nan, "abstained", "no tokens: the text is empty")
        read = by.reader.read(self.prepared(text), self.max_tokens)
        if read.reason:
            return Judgement(math.nan, "abstained", read.reason)
        note = f"only the first {len(read.ids)} tokens were read" if read.truncated else None
        return Judgement(self.value(finetune.logits(by, read)), "ok", note, len(read.ids), read.truncated)

    def value(self, logits: NDArray[np.float64]) -> float:
        return odds(logits, self.positive)

    def prepared(self, text: str) -> str:
        if self.preprocessing == "mage":
            return self.prefix + cleaned(text)
        one_line = self.preprocessing == "one_line"
        return self.prefix + (text.replace("\r\n", " ").replace("\n", " ") if one_line else text)

    def check_outputs(self, names: Mapping[int, str]) -> None:
        """Raises DataError where the names of the outputs say that another one is for machine texts."""
        check_names(self, names)


def odds(logits: NDArray[np.float64], positive: int) -> float:
    return float(logits[positive] - logsumexp(np.delete(logits, positive)))


@lru_cache(maxsize=4)
def checked(detector: HubClassifier, weights: Weights) -> finetune.Classifier:
    """The model in memory, once it is shown that ``positive`` is its output for machine texts. Raises DataError where not."""
    by = finetune.classifier(str(weights.folder()), weights.device, weights.dtype)
    if detector.licence_note:
        print(f"{detector.name}: {detector.licence_note}", file=sys.stderr, flush=True)
    detector.check_outputs({int(i): str(label) for i, label in by.model.config.id2label.items()})
    if detector.check == "texts":
        check_panel(detector, by)
    return by


def check_names(detector: HubClassifier, names: Mapping[int, str]) -> None:
    if detector.positive not in names or len(names) < 2:
        raise DataError(
            f"{detector.spec}: the model has the outputs {dict(names)}, and no other two sides with {detector.positive}"
        )
    own = names[detector.positive].lower()
    others = [name.lower() for i, name in names.items() if i != detector.positive]
    if own in HUMAN_NAMES or any(name in MACHINE_NAMES for name in others):
        raise DataError(
            f"{detector.spec}: the model's outputs are named {dict(names)}, so {detector.positive} is not the one for machine "
            "texts: the labels are swapped; set positive to the other"
        )


def check_panel(detector: HubClassifier, by: finetune.Classifier) -> None:
    human, machine = (
        float(np.mean([detector.judge_one(by, text).score for text in panel])) for panel in (PANEL_HUMAN, PANEL_MACHINE)
    )
    if not machine > human:
        raise DataError(
            f"{detector.spec}: the mean score of four human texts is {human:.3f}, of four machine texts {machine:.3f}: the "
            "labels are swapped, or it cannot tell these apart; look at its card, set positive, or check='names' to go by the "
            "names of its outputs"
        )


NOT_RUN = "not run with the real weights here: built against a model of the same architecture, made in the test"


def card(summary: str, source: str, licence: str, pitfalls: str, follows: str = "the authors' code") -> Card:
    return Card(
        f"{summary} ({NOT_RUN})",
        source=source,
        licence=licence,
        family="trained",
        needs="torch; the weights, from the hub, as safetensors",
        follows=f"{follows}; the score is the difference of logits, which ranks as the published softmax does",
        pitfalls=pitfalls,
    )


@dataclass(frozen=True)
class OpenAIRoberta(HubClassifier):
    name: ClassVar[str] = "openai_roberta_base"
    card: ClassVar[Card] = card(
        "OpenAI's GPT-2 output detector, RoBERTa base",
        "Solaiman et al. 2019; hub openai-community/roberta-base-openai-detector",
        "MIT",
        "trained on GPT-2's output only; text after 512 tokens is ignored",
        "the authors' code: output 0 is 'Fake'",
    )
    model: str = "hub:openai-community/roberta-base-openai-detector"
    positive: int = 0


@dataclass(frozen=True)
class OpenAIRobertaLarge(HubClassifier):
    name: ClassVar[str] = "openai_roberta_large"
    card: ClassVar[Card] = card(
        "OpenAI's GPT-2 output detector, RoBERTa large",
        "Solaiman et al. 2019; hub openai-community/roberta-large-openai-detector",
        "MIT",
        "trained on GPT-2's output only; text after 512 tokens is ignored",
        "the authors' code: output 0 is 'Fake'",
    )
    model: str = "hub:openai-community/roberta-large-openai-detector"
    positive: int = 0


@dataclass(frozen=True)
class HC3Roberta(HubClassifier):
    name: ClassVar[str] = "hc3_roberta"
    card: ClassVar[Card] = card(
        "HC3's ChatGPT detector, RoBERTa base",
        "Guo et al. 2023 (HC3); hub Hello-SimpleAI/chatgpt-detector-roberta",
        "weights: none stated; data CC BY-SA",
        "trained on short answers of one model; formatting is a cue",
        "the authors' code: output 1 is ChatGPT",
    )
    model: str = "hub:Hello-SimpleAI/chatgpt-detector-roberta"


@dataclass(frozen=True)
class Radar(HubClassifier):
    name: ClassVar[str] = "radar"
    licence_note: ClassVar[str] = "its weights are for non-commercial use only (Vicuna 1.1's licence)"
    card: ClassVar[Card] = card(
        "RADAR, trained against a paraphraser, RoBERTa large",
        "Hu et al. 2023 (NeurIPS); hub TrustSafeAI/RADAR-Vicuna-7B",
        "weights NON-COMMERCIAL; code Apache-2.0",
        "false positives on short text: 61% at 50 words in the two-sided paper",
        "the authors' code: output 0 is machine",
    )
    model: str = "hub:TrustSafeAI/RADAR-Vicuna-7B"
    positive: int = 0


@dataclass(frozen=True)
class Mage(HubClassifier):
    name: ClassVar[str] = "mage"
    card: ClassVar[Card] = card(
        "MAGE, Longformer",
        "Li et al. 2024 (MAGE); hub yaful/MAGE (demo), nealcly/detection-longformer (paper)",
        "Apache-2.0",
        "the authors' threshold, 3.08583984375, is on the logit of output 0 alone, not on this score; their batch script leaves "
        "the cleaning out (preprocessing='none')",
        "the authors' code: output 0 is machine; cut at 4,096 tokens, where the code does not cut; its demo's cleaning, "
        f"{NOT_AS_CODE}",
    )
    model: str = "hub:yaful/MAGE"
    positive: int = 0
    preprocessing: str = "mage"
    max_tokens: int = 4096


@dataclass(frozen=True)
class GedeRoberta(HubClassifier):
    name: ClassVar[str] = "gede_roberta"
    licence_note: ClassVar[str] = "its weights state no licence; GEDE's data is CC BY-NC-SA (non-commercial)"
    card: ClassVar[Card] = card(
        "GEDE's RoBERTa base of AAE; for the others set model to hub:lgehring/roberta-base-gede-bawe or -persuade",
        "Gehring and Paassen 2025 (GEDE); hub lgehring/roberta-base-gede-aae",
        "none stated; data CC BY-NC-SA (NON-COMMERCIAL)",
        "trained on human against task texts; validated on texts of the same tasks; the authors' files also spell the id aee",
        "the authors' code: output 1 is machine, line ends become spaces",
    )
    model: str = "hub:lgehring/roberta-base-gede-aae"
    preprocessing: str = "one_line"


@dataclass(frozen=True)
class IdmgspRoberta(HubClassifier):
    name: ClassVar[str] = "idmgsp_roberta"
    card: ClassVar[Card] = card(
        "IDMGSP's RoBERTa base of abstracts; for the others set model to hub:tum-nlp/IDMGSP-RoBERTa-TRAIN-INTRODUCTION with "
        "prefix='Introduction: ', or -CONCLUSION with 'Conclusion: '",
        "Abdalla et al. 2023 (IDMGSP); hub tum-nlp/IDMGSP-RoBERTa-TRAIN-ABSTRACT",
        "none stated",
        "one section's model alone: the paper's vote of three needs the three sections of a paper, and its test cell fed "
        "abstracts to all three",
        "the authors' code: output 1 is fake, 'Abstract: ' before the text",
    )
    model: str = "hub:tum-nlp/IDMGSP-RoBERTa-TRAIN-ABSTRACT"
    prefix: str = "Abstract: "


@dataclass(frozen=True)
class EditLens(HubClassifier):
    """n ordered outputs, from 'by people' to 'by a machine'. The score is sum i p_i / (n - 1), in [0, 1]: how much is edited."""

    name: ClassVar[str] = "editlens"
    licence_note: ClassVar[str] = "its weights are said to be CC BY-NC-SA (non-commercial); look at their card"
    card: ClassVar[Card] = replace(
        card(
            "EditLens, the extent of machine editing in ordered buckets, RoBERTa large",
            "Pangram Labs 2025 (EditLens); hub pangram/editlens_roberta-large, not looked up",
            "said to be CC BY-NC-SA (NON-COMMERCIAL), not checked; no code licence",
            "hub id, number of buckets and licence are recalled, not checked: set model; trained on cosine distances between "
            "human and edited texts, so its scale is an extent and no probability",
        ),
        follows="no code (its repository was empty in October 2025): buckets rise with the extent; the score is their mean "
        "index, scaled to [0, 1]",
    )
    model: str = "hub:pangram/editlens_roberta-large"

    def value(self, logits: NDArray[np.float64]) -> float:
        shares = softmax(logits)
        return float(shares @ np.arange(len(shares)) / (len(shares) - 1))

    def check_outputs(self, names: Mapping[int, str]) -> None:
        """Names of people's first and a machine's last, where they say anything."""
        if len(names) < 2:
            raise DataError(f"{self.spec}: the model has the outputs {dict(names)}; two buckets or more are needed")
        first, last = names[0].lower(), names[len(names) - 1].lower()
        if first in MACHINE_NAMES or last in HUMAN_NAMES:
            raise DataError(
                f"{self.spec}: the buckets are named {dict(names)}: they fall from machine to human, not rise"
            )
