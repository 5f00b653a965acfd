"""DetectGPT as the IDMGSP paper ran it: another program than the authors' (BurhanUlTayyab/DetectGPT), with a BERT that fills
single words in place of a T5."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from ...documents import Judgement, digest
from ...errors import Abstain, SpecError
from ...models.causal import token_statistics
from ...models.masked import Filling, fill_all
from ...models.weights import resolve
from ...registry import Card, check_rate, format_spec
from ...seeds import numpy_rng
from ..base import Detector, check_texts
from .presets import GPT2

WORDS = re.compile(r"[^\d\W]+")
MARK = "[MASK]"
TOP = 5
"""Alternatives a gap, as the fill-mask pipeline gives; the first that is not the word itself is put in."""
Span = tuple[int, int]
Profile = Literal["intended", "stored"]


@dataclass(frozen=True)
class DetectGPTIdmgsp(Detector):
    """The mean over chunks of z = (log-likelihood - mean of the copies') / their standard deviation (ddof 1).

    filler: a masked model. chunk_words: words a chunk. profile: 'intended', or 'stored', whose search for the masks finds the
    letters M, A, S and K instead, so that copies come out garbled.
    """

    name: ClassVar[str] = "detect_gpt_idmgsp"
    card: ClassVar[Card] = Card(
        "DetectGPT with a BERT as filler, chunk by chunk, as run in the IDMGSP paper.",
        source="Abdalla et al. 2023 (IDMGSP), sec. 4.2.5; code BurhanUlTayyab/DetectGPT (MIT), version 1.1",
        licence="MIT",
        family="perturbation",
        needs="a causal and a masked language model; 1 + k passes of each a chunk: gpt2 and bert-large-uncased, 1.9 GB",
        follows="the stored code: 15% of the words, one of every two, are masked at once, k=100 copies a chunk of 100 words, "
        "ddof 1, [1]-like marks removed; a text is called machine above 1.1. What was stored in May 2023, when it was taken, "
        "is not certain. Ours: a word is masked once, chunks that cannot be scored are left out, draws are seeded by text",
        pitfalls="very slow; another filler and another model are another detector; fillings are of an uncased model, pieces of "
        "words among them; in the paper 61.5% right on TEST, 0.0% on GPT-3's papers, 99.9% on real ones",
    )
    own_models: ClassVar[bool] = True
    model_fields: ClassVar[tuple[str, ...]] = ("model", "filler")
    published_threshold: ClassVar[float] = 1.1

    model: str = GPT2
    filler: str = "hub:google-bert/bert-large-uncased@main[device=cuda]"
    k: int = 100
    pct: float = 0.15
    chunk_words: int = 100
    profile: Profile = "intended"
    seed: int = 0

    def __post_init__(self) -> None:
        check_rate(self.name, pct=self.pct)
        if self.k < 2 or self.chunk_words < 1:
            raise SpecError(f"{self.name}: k >= 2 and chunk_words >= 1 are needed: {self.spec}")
        self.classes_, self.threshold_ = np.array([0, 1]), self.published_threshold  # nothing is learnt

    @property
    def key(self) -> str:
        named = {"model": resolve(self.model).key, "filler": resolve(self.filler).key}
        return format_spec(self.name, {**self.get_params(deep=False), **named})

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        return [self.judge_text(text) for text in check_texts(texts)]

    def judge_text(self, text: str) -> Judgement:
        scores, reason = [], "no letter or digit in it"
        for chunk in chunks(text, self.chunk_words):
            try:
                scores.append(self.score(chunk))
            except Abstain as why:
                reason = str(why)
        if not scores:
            return Judgement(math.nan, "abstained", reason)
        return Judgement(float(np.mean(scores)))

    def score(self, chunk: str) -> float:
        """One chunk's z; raises Abstain where it has none."""
        copies = perturbed(chunk, self.filler, self.k, self.pct, self.profile, self.seed)
        found = token_statistics([chunk, *copies], self.model)
        if refused := next((one.refusal for one in found if one.refusal or not one.n_scored), None):
            raise Abstain(f"a chunk or a copy of it could not be scored: {refused}")
        own, *others = (float(one.log_prob.mean(dtype=np.float64)) for one in found)
        spread = float(np.std(others, ddof=1))
        if spread == 0:
            raise Abstain("all perturbed copies are equally likely")
        return (own - float(np.mean(others))) / spread


def chunks(text: str, size: int) -> list[str]:
    """Of nearly equal numbers of words, at most ``size`` each and one part more than needed; marks such as [12] are removed."""
    words = re.split("[ \n]", re.sub(r"\[[0-9]+\]", "", text))
    stride = len(words) // (len(words) // size + 1) + 1
    parts = (" ".join(words[start : start + stride]).strip() for start in range(0, len(words), stride))
    return [part for part in parts if re.search("[a-zA-Z0-9]", part)]


@lru_cache(maxsize=4)
def perturbed(chunk: str, filler: str, k: int, pct: float, profile: Profile, seed: int) -> tuple[str, ...]:
    """``k`` copies of a chunk; raises Abstain where it has too few words to mask one."""
    words = [match.span() for match in WORDS.finditer(chunk)]
    n = int(pct * len(words))
    if n < 1:
        raise Abstain(f"{len(words)} words are too few to mask {pct:.0%} of them")
    draw = numpy_rng(digest(chunk), "detect_gpt_idmgsp", seed)
    masks = [choose(words, n, draw) for _ in range(k)]
    found = fill_all([pieces(chunk, gaps) for gaps in masks], filler, TOP)
    put = insert if profile == "intended" else insert_stored
    return tuple(put(chunk, gaps, filled) for gaps, filled in zip(masks, found, strict=True))


def choose(words: Sequence[Span], n: int, draw: np.random.Generator) -> list[Span]:
    """``n`` words, no two neighbours: of every two the first; the last word may stand for two draws and is masked once."""
    places = math.ceil(len(words) / 2) + 1
    drawn = np.sort(draw.choice(places, min(n, places), replace=False))
    return [words[i] for i in sorted({min(2 * int(place), len(words) - 1) for place in drawn})]


def pieces(text: str, gaps: Sequence[Span]) -> list[str]:
    starts = [0, *(end for _, end in gaps)]
    ends = [*(start for start, _ in gaps), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def chosen(word: str, filled: Sequence[Filling]) -> str:
    """The likeliest filling that is not the word itself."""
    return next((one.token for one in filled if one.token.lower() != word.lower()), word)


def insert(text: str, gaps: Sequence[Span], filled: Sequence[Sequence[Filling]]) -> str:
    """The copy: each gap's word replaced; a gap without filling (behind the filler's longest input) keeps its own."""
    words = [text[start:end] for start, end in gaps]
    some = [*filled, *[()] * (len(gaps) - len(filled))]
    between = pieces(text, gaps)
    new = [chosen(word, found) for word, found in zip(words, some, strict=True)]
    return "".join(part for pair in zip(between, [*new, ""], strict=True) for part in pair)


def insert_stored(text: str, gaps: Sequence[Span], filled: Sequence[Sequence[Filling]]) -> str:
    """The stored code's copy: its pattern '[MASK]' is a set of letters, so fillings go where M, A, S or K stand in the masked
    text, two characters each are replaced, and the count of what moved is wrong by five a filling."""
    made = MARK.join(pieces(text, gaps))
    letters, offset = list(re.finditer(MARK, made)), 0
    for (start, end), found, letter in zip(gaps, filled, letters, strict=False):
        new = chosen(text[start:end], found)
        at, behind = max(letter.start() + offset - 1, 0), letter.end() + offset
        made = made[:at] + new + made[behind:]
        offset += len(new) - len("<mask>") - 1
    return made
