"""The scoring models of published studies, each under one name, at the revisions that public reproductions name.

What they need is told before they load. They keep their own models: the model of a plan is not filled in. On another
device, or in another type, write it out: ``fdg_neo(model='hub:EleutherAI/gpt-neo-2.7B@e24fa29...[dtype=bfloat16,device=auto]')``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from ...registry import Card
from .binoculars import Binoculars
from .fast_detect_gpt import FastDetectGPT
from .lastde import Lastde
from .means import LogLikelihood, LogRank
from .perturbation import DetectGPT

NEO = "hub:EleutherAI/gpt-neo-2.7B@e24fa291132763e59f4a5422741b424fb5d59056[device=cuda,dtype=float16]"
GPT_J = "hub:EleutherAI/gpt-j-6b@47e169305d2e8376be1d31e765533382721b2cc1[device=cuda,dtype=float16]"
GPT2 = "hub:openai-community/gpt2@607a30d783dfa663caf39e06633721c8d4cfcd7e[device=cuda]"
GPT2_XL = "hub:openai-community/gpt2-xl@15ea56dee5df4983c59b2538573817e1667135e2[device=cuda]"
FALCON = "hub:tiiuae/falcon-7b@ec89142b67d748a1865ea4451372db8313ada0d8[device=auto,dtype=bfloat16]"
FALCON_INSTRUCT = "hub:tiiuae/falcon-7b-instruct@8782b5c5d8c9290412416618f36a133653e85285[device=auto,dtype=bfloat16]"
T5_3B = "hub:google-t5/t5-3b@main[device=cuda]"

TWO_SIDED = "scoring models of the two-sided paper (its code was not found: reference = scoring model is inferred)"


def told(base: Card, models: str, gigabytes: float, study: str) -> Card:
    needs = f"{models}: about {gigabytes:g} GB of memory on a CUDA card"
    return replace(
        base, summary=f"{base.summary.rstrip('.')}, with {models}.", source=f"{base.source}; {study}", needs=needs
    )


@dataclass(frozen=True)
class FdgNeo(FastDetectGPT):
    name: ClassVar[str] = "fdg_neo"
    card: ClassVar[Card] = told(FastDetectGPT.card, "gpt-neo-2.7B in float16", 5.8, TWO_SIDED)
    own_models: ClassVar[bool] = True
    model: str = NEO


@dataclass(frozen=True)
class FdgGpt2Xl(FastDetectGPT):
    name: ClassVar[str] = "fdg_gpt2xl"
    card: ClassVar[Card] = told(FastDetectGPT.card, "gpt2-xl in float32", 6.6, TWO_SIDED)
    own_models: ClassVar[bool] = True
    model: str = GPT2_XL


@dataclass(frozen=True)
class FdgGpt2(FastDetectGPT):
    name: ClassVar[str] = "fdg_gpt2"
    card: ClassVar[Card] = told(FastDetectGPT.card, "gpt2 in float32", 0.8, TWO_SIDED)
    own_models: ClassVar[bool] = True
    model: str = GPT2


@dataclass(frozen=True)
class FdgFalcon(FastDetectGPT):
    name: ClassVar[str] = "fdg_falcon"
    card: ClassVar[Card] = told(FastDetectGPT.card, "falcon-7b -> falcon-7b-instruct in bfloat16", 29, TWO_SIDED)
    own_models: ClassVar[bool] = True
    model: str = FALCON_INSTRUCT
    reference: str | None = FALCON


@dataclass(frozen=True)
class BinocularsFalcon(Binoculars):
    name: ClassVar[str] = "binoculars_falcon"
    card: ClassVar[Card] = told(Binoculars.card, "falcon-7b and falcon-7b-instruct in bfloat16", 29, TWO_SIDED)
    own_models: ClassVar[bool] = True
    model: str = FALCON_INSTRUCT
    observer: str | None = FALCON
    truncate: int | None = 512


@dataclass(frozen=True)
class LastdeNeo(Lastde):
    name: ClassVar[str] = "lastde_neo"
    card: ClassVar[Card] = told(Lastde.card, "gpt-neo-2.7B in float16", 5.8, TWO_SIDED)
    own_models: ClassVar[bool] = True
    model: str = NEO


@dataclass(frozen=True)
class LoglikNeo(LogLikelihood):
    name: ClassVar[str] = "loglik_neo"
    card: ClassVar[Card] = told(LogLikelihood.card, "gpt-neo-2.7B in float16", 5.8, TWO_SIDED)
    own_models: ClassVar[bool] = True
    model: str = NEO


@dataclass(frozen=True)
class LogrankNeo(LogRank):
    name: ClassVar[str] = "logrank_neo"
    card: ClassVar[Card] = told(LogRank.card, "gpt-neo-2.7B in float16", 5.8, TWO_SIDED)
    own_models: ClassVar[bool] = True
    model: str = NEO


@dataclass(frozen=True)
class DetectGPTGede(DetectGPT):
    name: ClassVar[str] = "detect_gpt_gede"
    card: ClassVar[Card] = told(
        DetectGPT.card, "gpt2-xl and t5-3b in float32", 18, "as run in the GEDE paper, k=100, seed 42"
    )
    own_models: ClassVar[bool] = True
    model: str = GPT2_XL
    filler: str = T5_3B
    k: int = 100
    seed: int = 42


@dataclass(frozen=True)
class FdgGede(FastDetectGPT):
    name: ClassVar[str] = "fdg_gede"
    card: ClassVar[Card] = told(
        FastDetectGPT.card,
        "gpt-j-6B -> gpt-neo-2.7B in float16",
        18,
        "as run in the GEDE paper: sampled, 10,000 draws, seed 42",
    )
    own_models: ClassVar[bool] = True
    model: str = NEO
    reference: str | None = GPT_J
    form: Literal["analytic", "sampled"] = "sampled"
    seed: int = 42


GROUPS = {
    "two_sided_nine": (
        *("binoculars_falcon", "fdg_neo", "fdg_gpt2xl", "fdg_gpt2", "lastde_neo", "loglik_neo", "logrank_neo", "radar"),
    ),
    "gede_zero_shot": ("detect_gpt_gede", "fdg_gede"),
    "idmgsp_bow": tuple(
        f"{name}(ngrams={ngrams}, preprocessing='idmgsp')"
        for name in ("tfidf_lr", "tfidf_rf")
        for ngrams in ("(1, 1)", "(2, 2)", "(1, 2)")
    ),
}
"""Of the nine detectors of the two-sided paper eight are known: its ninth, a trained one, is not named in the text at hand.
idmgsp_bow: the models of IDMGSP's table A2; its eighteen rows are these six on each of three training sets."""
