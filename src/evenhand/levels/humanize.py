"""Humanize: a machine's text made to pass for a person's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from ..documents import Document, Level
from ..errors import SpecError
from ..models.chat import Writer
from ..registry import Card
from .base import LevelBuilder

PROMPT = "Rewrite this text so that it reads as if a person had written it, with the same content: {llm-text}"


@dataclass(frozen=True)
class Humanize(LevelBuilder):
    """``profile='ours'``: a chat model is asked. ``profile='gede'``: DIPPER paraphrases, or another model ``paraphraser`` that
    is asked as DIPPER is, with its diversities ``lexical`` and ``order`` (0 to 100)."""

    profile: str = "ours"
    paraphraser: str = "hub:kalpeshk2011/dipper-paraphraser-xxl"
    lexical: int = 60
    order: int = 0
    profiles: ClassVar[tuple[str, ...]] = ("ours", "gede")
    name: ClassVar[str] = "humanize"
    level: ClassVar[Level] = Level.HUMANIZE
    source: ClassVar[Level] = Level.TASK
    card: ClassVar[Card] = Card(
        summary="A machine's text that is rewritten so that it reads as a person's.",
        source="GEDE (contribution levels), section 3.1; DIPPER (Krishna et al. 2023)",
        family="level",
        needs="texts of the level 'task', and a writer; profile='gede': DIPPER, 11 billion parameters (see attack paraphrase)",
        follows="ours: prompt and model. profile='gede': DIPPER as in the attack paraphrase(profile='raid'); its diversity "
        "codes, which the paper does not print, are ours (60, 0: RAID's); counted under the model whose text it edits, as there",
        pitfalls="What a chat model humanizes does not compare with GEDE's humanize column.",
    )

    @property
    def template(self) -> str:  # type: ignore[override]
        """DIPPER takes no prompt: it is given the text."""
        return PROMPT if self.profile == "ours" else "{llm-text}"

    @property
    def paraphrase(self) -> str | None:
        """The attack that answers in the writer's place; None where a chat model is asked."""
        if self.profile == "ours":
            return None
        return f"paraphrase(profile='raid', model={self.paraphraser!r}, lexical={self.lexical}, order={self.order})"

    def build(self, documents: Iterable[Document], writer: Writer, seed: int = 0) -> list[Document]:
        sources = list(documents)
        if self.paraphrase is None:
            return super().build(sources, writer, seed)
        if getattr(writer, "spec", None) != self.paraphrase:
            raise SpecError(
                f"{self.name}: profile='gede' is made by {self.paraphraser}, not by a chat model: take build_levels, or "
                f"give evenhand.build.Paraphraser({self.paraphrase!r}) as the writer"
            )
        pools = {source.id: source.generator for source in sources}
        return [
            replace(one, decoding=f"lexical={self.lexical}, order={self.order}, top_p=0.75",
                    meta={**one.meta, "pool": pools[one.source_id or ""]})
            for one in super().build(sources, writer, seed)
        ]  # fmt: skip
