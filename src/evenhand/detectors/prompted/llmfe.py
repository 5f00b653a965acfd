"""LLMFE: a language model names what tells human from machine texts, scores texts along it, and a forest learns from the
scores. Every step is a function in ``features``; every answer is kept, so that each step can be done again for nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Any, ClassVar, Self

import numpy as np

from ...documents import Judgement, digest
from ...errors import DataError, SpecError
from ...models.chat import Request
from ...models.encoder import embed, resolve_encoder
from ...models.generation import Sampling
from ...registry import Card, format_spec
from ...seeds import seed_of
from ..trained.base import Readings, TextLearner, lesson
from ..trained.panel import PANEL_HUMAN, PANEL_MACHINE
from .asking import NO_ANSWER, Cost, Reply, Speaker, ask, check, cost, first_words
from .dendrogram import svg
from .drawing import Known, halves, known
from .features import (
    Consolidated,
    Feature,
    Proposal,
    chunks,
    consolidate,
    description,
    feature_form,
    pair_requests,
    read_features,
    read_scores,
    score_form,
    score_messages,
    tokens_of,
)
from .prompts import Profile

PROFILES: dict[str, dict[str, Any]] = {
    "general": {"n_pairs": 50, "n_train": 200, "cut": 0.3, "chunk": 20},
    "idmgsp": {"n_pairs": 100, "n_train": 600, "cut": 0.05, "chunk": 1000},
}
"""chunk=1000: all features in one request, as in the paper (there the number is that of its embeddings)."""
LIKELY = Feature("of a name that is not known yet", "one end of its scale", "its other end")
TOO_FEW = "fewer than half of the features could be scored"


def _told(profile: str) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in PROFILES[profile].items())


@dataclass(frozen=True, eq=False)
class LLMFE(TextLearner):
    """n_pairs: pairs of a human and a machine text that features are asked for. n_train: texts that are scored and learnt from,
    half of them human, the machine ones from each generator in turn. cut: cosine distance below which features are one.
    chunk: features a request. None for any of these is the profile's value. temperature, max_new_tokens: of the pairs; scores are
    taken at 0, in as many tokens as their features need."""

    name: ClassVar[str] = "llmfe"
    card: ClassVar[Card] = Card(
        "A chat model names features on pairs of texts, scores texts from 0 to 10 along them; a random forest learns from that.",
        source="Abdalla et al. 2023 (IDMGSP), sec. 4.2.7 (LLMFE)",
        family="prompted",
        needs="a chat model, local or at an OpenAI-compatible endpoint (extra llm), which is sent the texts; an encoder (torch); "
        "a split 'train' with both classes",
        follows=f"the authors' notebook for the wording. profile='general': {_told('general')}. profile='idmgsp': "
        f"{_told('idmgsp')}, temperature 0.7 for pairs and 0 for scores, 100 texts a test set (per_level of a plan), 100 "
        "trees; there 300 human and 60 texts of each of 5 generators, 884 features before the cut and 83 after. Its embeddings "
        "(text-embedding-ada-002) are all-MiniLM-L6-v2 here, where a cut means another nearness: choose it by the dendrogram",
        pitfalls="80 of 100 right on the paper's TEST (95% interval 71 to 87); a weak model names few features, and the same "
        "score for every text; the features tell what the model believes of machines, and the forest what held in training",
    )
    model_fields: ClassVar[tuple[str, ...]] = ()
    learns_from: ClassVar[tuple[str, ...]] = ("levels", "corpora", "generators")
    kept_state: ClassVar[tuple[str, ...]] = ("features_", "proposed_")
    tells_readings: ClassVar[bool] = True

    model: str = "embedded"
    endpoint: str | None = None
    key_env: str = "OPENAI_API_KEY"
    profile: Profile = "general"
    n_pairs: int | None = None
    n_train: int | None = None
    cut: float | None = None
    chunk: int | None = None
    embedder: str = "embedded"
    max_words: int | None = None
    max_new_tokens: int = 1024
    temperature: float = 0.7
    repairs: int = 1
    trees: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in PROFILES[self.profile].items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        check(self.name, self.temperature, self.max_new_tokens, self.repairs, self.max_words)
        if (
            min(self.n_pairs or 0, self.chunk or 0, self.trees) < 1
            or (self.n_train or 0) < 4
            or not 0 <= (self.cut or 0) <= 2
        ):
            raise SpecError(
                f"{self.name}: n_pairs, chunk and trees from 1, n_train from 4, cut from 0 to 2: {self.spec}"
            )

    # --- names and keys

    @property
    def speaker(self) -> Speaker:
        return Speaker(self.model, self.endpoint, self.key_env)

    @property
    def models(self) -> tuple[str, ...]:
        return (self.model,) if self.endpoint is None else ()

    @property
    def model_keys(self) -> dict[str, str]:
        return {"model": self.speaker.key, "embedder": resolve_encoder(self.embedder).key}

    @property
    def key(self) -> str:
        parameters = {name: value for name, value in self.get_params(deep=False).items() if name != "key_env"}
        return f"{format_spec(self.name, {**parameters, **self.model_keys})}@{self.fitted('trained_on_')}"

    @property
    def features(self) -> list[Feature]:
        """Those that texts are scored along."""
        return [Feature(*one) for one in self.fitted("features_")]

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.features)

    # --- learning

    def fit(
        self,
        X: Sequence[str],
        y: Sequence[Any] | None = None,
        *,
        levels: Sequence[Any] | None = None,
        corpora: Sequence[str] | None = None,
        clusters: Sequence[str] | None = None,
        generators: Sequence[str | None] | None = None,
    ) -> Self:
        """All four steps. Raises DataError where no answer names a feature, or where all texts score alike."""
        taught = lesson(self, X, y, {"levels": levels, "corpora": corpora, "clusters": clusters})
        chosen = self.chosen(known(self.name, taught, X, generators))
        proposals = self.propose(self.pairs(chosen))
        found = self.consolidated([feature for one in proposals if one.value for feature in one.value.features])
        self.features_ = [list(asdict(one).values()) for one in found.kept]
        labels = [] if y is None else list(y)
        place = {digest(text): i for i, text in reversed(list(enumerate(X)))}
        rows = [place[digest(row.text)] for row in chosen]
        told = {"levels": levels, "corpora": corpora}
        some = {name: [values[i] for i in rows] for name, values in told.items() if values is not None}
        super().fit([X[i] for i in rows], [labels[i] for i in rows], **some)
        self.trained_on_ = blake2b(f"{self.trained_on_} {self.features_}".encode(), digest_size=8).hexdigest()
        counts = counted(proposals, len(self.proposed_), len(self.features_))
        self.training_ = {**self.training_, **counts, "scores_missing": self.missing([row.text for row in chosen])}
        return self

    def missing(self, texts: Sequence[str]) -> float:
        """The share of scores that could not be read; of kept answers, so that nothing is asked."""
        return round(float(np.isnan(np.asarray(self.read(texts)[0], np.float64)).mean()), 4)

    def chosen(self, rows: Sequence[Known]) -> list[Known]:
        """The texts that are learnt from: half human, half machine, as far as there are so many."""
        readable = [row for row in rows if self.readable(row.text)]
        return halves(readable, "llmfe", self.seed, (self.n_train or 0) // 2)

    def readable(self, text: str) -> bool:
        return len(text.split()) >= self.min_words

    def pairs(self, chosen: Sequence[Known]) -> list[tuple[str, str]]:
        """A human and a machine text each, none of them twice; as many as ``n_pairs``, or as there are."""
        sides = ([self.cut_text(row.text) for row in chosen if row.machine is side] for side in (False, True))
        found = list(zip(*sides, strict=False))[: self.n_pairs]
        if not found:
            raise DataError(
                f"{self.name}: no pair of a human and a machine text of {self.min_words} words or more to learn from"
            )
        return found

    def cut_text(self, text: str) -> str:
        return first_words(text, self.max_words)[0]

    def propose(self, pairs: Sequence[tuple[str, str]]) -> list[Reply]:
        """Step 1: what the model answers on each pair; a Proposal where it names features. Raises DataError where no pair was
        answered at all: that is the endpoint's fault, not the model's."""
        requests = pair_requests(pairs, self.profile, self.sampling(self.temperature), self.seed)
        found = ask(requests, self.speaker.writer(), read_features, lambda _: feature_form(self.profile), self.repairs)
        if found and all(one.failed for one in found):
            raise DataError(f"{self.name}: {found[0].reason} (so for all {len(found)} pairs); the same call asks again")
        return found

    def consolidated(self, proposed: Sequence[Feature]) -> Consolidated:
        """Step 2, and notes what was proposed. Raises DataError where nothing was."""
        if not proposed:
            raise DataError(
                f"{self.name}: no answer of {self.speaker.key} names a feature with both ends of its scale; take a stronger "
                "model, more pairs, or a larger max_new_tokens"
            )
        self.proposed_ = [list(asdict(one).values()) for one in proposed]
        return consolidate(proposed, self.vectors(proposed), self.cut_at(None))

    def vectors(self, features: Sequence[Feature]) -> Any:
        return embed([description(one, self.profile) for one in features], self.embedder)

    def sampling(self, temperature: float) -> Sampling:
        return Sampling(temperature=temperature, max_new_tokens=self.max_new_tokens)

    # --- scoring

    @property
    def parts(self) -> list[Sequence[Feature]]:
        """The features of each request."""
        return chunks(self.features, self.chunk or 1)

    def score_request(self, text: str, part: Sequence[Feature]) -> Request:
        messages = score_messages(self.cut_text(text), part, self.profile)
        # an answer that is cut short would lose its last features in every text
        sampling = Sampling(temperature=0.0, max_new_tokens=tokens_of(part, self.profile))
        return Request(messages, seed_of(digest(text), "score", self.seed), sampling, digest(text))

    def score_part(self, texts: Sequence[str], part: Sequence[Feature]) -> list[Reply]:
        """Step 3: one reply a text, with the scores of these features where they could be read."""
        form, read = score_form(part, self.profile), partial(read_scores, features=part)
        requests = [self.score_request(text, part) for text in texts]
        return ask(requests, self.speaker.writer(), read, lambda _: form, self.repairs)

    def read(self, texts: Sequence[str]) -> tuple[Readings, list[str | None]]:
        short = [None if self.readable(text) else f"fewer than {self.min_words} words" for text in texts]
        asked = [i for i, reason in enumerate(short) if reason is None]
        readings: Readings = [[math.nan] * len(self.features) for _ in texts]
        columns = [self.score_part([texts[i] for i in asked], part) for part in self.parts]
        for i, replies in zip(asked, zip(*columns, strict=True), strict=True):
            readings[i], short[i] = self.row(replies)
        return readings, short

    def row(self, replies: Sequence[Reply]) -> tuple[list[float], str | None]:
        """The scores of one text, NaN for what is missing (the forest knows how to), and why it cannot be judged."""
        scored = zip(self.parts, replies, strict=True)
        values = [value for part, reply in scored for value in reply.value or [math.nan] * len(part)]
        if lost := next((reply.reason for reply in replies if reply.failed), None):
            return values, lost
        return values, TOO_FEW if np.isnan(values).mean() > 0.5 else None

    def head(self) -> Any:
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(self.trees, random_state=self.seed)

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        """As any learner; a text about which no answer came has failed, and may be tried again."""
        return [self.marked(text, one) for text, one in zip(texts, super().judge(texts), strict=True)]

    def marked(self, text: str, one: Judgement) -> Judgement:
        lost = (one.reason or "").startswith(NO_ANSWER)
        cut = first_words(text, self.max_words)[1]
        return Judgement(one.score, "failed" if lost else one.status, one.reason, one.n_tokens, cut)

    def cost(self, texts: Sequence[str]) -> Cost:
        """What judging ``texts`` would ask for. Before ``fit`` no feature is known: a text counts as one request, of 20."""
        parts = self.parts if hasattr(self, "features_") else [[LIKELY] * min(20, self.chunk or 1)]
        asked = {digest(text): text for text in texts if self.readable(text)}
        requests = [self.score_request(text, part) for text in asked.values() for part in parts]
        return cost(self.name, requests, self.speaker.writer(), self.repairs)

    def costs(self, rows: Sequence[Known], texts: Sequence[str]) -> list[Cost]:
        """All that a run would ask for: to learn from ``rows``, and to judge ``texts``."""
        return [*(self.training_costs(rows) if rows else ()), self.cost(texts)]

    def training_costs(self, rows: Sequence[Known]) -> tuple[Cost, Cost]:
        """What ``fit`` would ask for: the pairs, and the scores of the training texts and of the panel that tells swapped
        labels."""
        chosen = self.chosen(rows)
        requests = pair_requests(self.pairs(chosen), self.profile, self.sampling(self.temperature), self.seed)
        pairs = cost(f"{self.name}, pairs", requests, self.speaker.writer(), self.repairs)
        scored = [*(row.text for row in chosen), *PANEL_HUMAN, *PANEL_MACHINE]
        return pairs, replace(self.cost(scored), detector=f"{self.name}, training texts")

    def recut(self, cut: float | None = None) -> list[Feature]:
        """What the proposed features come to at another cut; nothing is asked, and the detector stays as it is."""
        proposed = [Feature(*one) for one in self.fitted("proposed_")]
        return list(consolidate(proposed, self.vectors(proposed), self.cut_at(cut)).kept)

    def dendrogram(self, cut: float | None = None) -> str:
        """The tree of the proposed features as SVG, with the cut, and how many features other cuts would leave."""
        proposed = [Feature(*one) for one in self.fitted("proposed_")]
        found = consolidate(proposed, self.vectors(proposed), self.cut_at(cut))
        return svg([one.name for one in proposed], found.tree, self.cut_at(cut))

    def cut_at(self, cut: float | None) -> float:
        return float((self.cut or 0.0) if cut is None else cut)


def counted(replies: Sequence[Reply], before: int, after: int) -> dict[str, Any]:
    """What a card tells of the first two steps."""
    proposals = [reply.value for reply in replies if isinstance(reply.value, Proposal)]
    return {
        "pairs": len(replies),
        "pairs_read": len(proposals),
        "pairs_repaired": sum(reply.repaired for reply in replies),
        "pairs_unanswered": sum(reply.failed for reply in replies),
        "features_dropped": sum(one.dropped for one in proposals),
        "features_before_cut": before,
        "features_after_cut": after,
    }
