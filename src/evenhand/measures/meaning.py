"""How much of its source's meaning a text keeps, as an encoder of sentences sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import ClassVar

from ..errors import SpecError
from ..registry import Card
from .base import NO_SOURCE, Measure, Measured, Pair, check_pairs


@dataclass(frozen=True)
class SemanticSimilarity(Measure):
    """``model``: 'embedded' (all-MiniLM-L6-v2), 'hub:NAME@REVISION' or a folder. ``long``: 'windows' or 'truncate'."""

    model: str = "embedded"
    long: str = "windows"
    name: ClassVar[str] = "semantic_similarity"
    needs_source: ClassVar[bool] = True
    unit: ClassVar[str] = "cosine"
    card: ClassVar[Card] = Card(
        "Cosine of the embeddings of a text and its source, -1 to 1.",
        source="Attacking Only Half the Data (2026), Table 15; Sentence-BERT, Reimers and Gurevych 2019",
        licence="MIT; embedded encoder all-MiniLM-L6-v2: Apache-2.0",
        family="meaning kept",
        needs="the extra torch; the embedded encoder is fetched from the package index (84 MB)",
        follows="the paper names no encoder; texts over 256 tokens are read in windows and averaged, not cut",
        pitfalls="it hears the topic, not the claim: one sentence and its negation get .70, two names changed places "
        ".998, a faithful paraphrase .55",
    )

    def __post_init__(self) -> None:
        if self.long not in ("windows", "truncate"):
            raise SpecError(f"{self.name}: long is 'windows' or 'truncate', got {self.long!r}")
        if self.model.startswith("hub:") and "@" not in self.model:
            raise SpecError(f"{self.name}: pin the revision, {self.model}@REVISION: the number is kept under this spec")

    def fetch(self) -> str:
        """Brings the encoder into the cache; gives its folder."""
        from ..models.encoder import fetched, resolve_encoder

        return str(fetched(resolve_encoder(self.model)))

    def __call__(self, pairs: Sequence[Pair]) -> list[Measured]:
        kept = check_pairs(self.spec, pairs)
        texts = list(
            dict.fromkeys(text for pair in kept for text in pair if text and text.strip() and None not in pair)
        )
        vectors = dict(zip(texts, self._embed(texts), strict=True)) if texts else {}
        return [self._cosine(text, source, vectors) for text, source in kept]

    def _embed(self, texts: list[str]) -> Sequence[Sequence[float]]:
        from ..models.encoder import embed

        return embed(texts, self.model, "truncate" if self.long == "truncate" else "windows").tolist()  # type: ignore[no-any-return]

    def _cosine(self, text: str, source: str | None, vectors: dict[str, Sequence[float]]) -> Measured:
        if source is None:
            return NO_SOURCE
        if text not in vectors or source not in vectors:
            return Measured(nan, "an empty text has no meaning to compare")
        inner = sum(a * b for a, b in zip(vectors[text], vectors[source], strict=True))
        return Measured(1.0 if text == source else inner)
