"""Translated into another language and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..errors import MissingError, SpecError
from ..registry import Card
from .chat_rewriting import units
from .rewriting import Rewriting, Unanswered, encodable
from .translation import check_language, round_trip, round_trip_by_model

LONGEST = 200  # words; a longer sentence is translated in parts


@dataclass(frozen=True)
class BackTranslation(Rewriting):
    """``language``: the other one; as Apertium writes it ('spa'), or, with ``model``, as that model does ('zh').
    ``model``: a translator of the form of MADLAD-400, which is told '<2zh> text'; None: the program Apertium."""

    profile: str = "default"
    language: str = "spa"
    model: str | None = None

    name: ClassVar[str] = "back_translation"
    card: ClassVar[Card] = Card(
        "Translates the text into another language and back.",
        source="DetectRL (Wu et al. 2024), back_translation",
        family="model",
        needs="the program Apertium (apt-get install apertium apertium-eng-spa), or a translator by hub id such as "
        "model='hub:google/madlad400-3b-mt' (torch extra)",
        follows="profile='detectrl': into Chinese and back, the whole text at once, line breaks deleted without a space; "
        "DetectRL used the web page of a commercial translator, here a model stands in its place",
        pitfalls="Apertium works by rules and changes less than DetectRL's translator (61% of positions); texts grow shorter.",
    )

    def __post_init__(self) -> None:
        if self.profile not in ("default", "detectrl"):
            raise SpecError(f"{self.name}: no profile {self.profile!r}; it has: default, detectrl")
        check_language(self.name, self.language)
        if self.profile == "detectrl":
            if self.model is None:
                raise MissingError(
                    f"{self.name}(profile='detectrl') needs a translator: model='hub:google/madlad400-3b-mt'"
                )
            object.__setattr__(self, "language", "zh")

    def rewritten(self, text: str, seed: int) -> str:
        if self.model is None:
            return round_trip(text, self.language)
        if self.profile == "detectrl":
            return round_trip_by_model([encodable(text).replace("\n", "")], self.language, self.model)[0]
        parts = list(units(text, LONGEST))
        made = round_trip_by_model([encodable(part) for part, _ in parts], self.language, self.model)
        if not all(made):
            raise Unanswered(f"{self.model} gave no translation of a sentence")
        return "".join(new + gap for new, (_, gap) in zip(made, parts, strict=True))


@dataclass(frozen=True)
class MtDraft(Rewriting):
    """``language``: that of the draft, as Apertium writes it."""

    language: str = "spa"

    name: ClassVar[str] = "mt_draft"
    card: ClassVar[Card] = Card(
        "What a machine translator makes of a draft in the author's first language.",
        source="Apertium (rule-based)",
        family="everyday",
        needs="the program Apertium: apt-get install apertium apertium-eng-spa",
        pitfalls="A stand-in: there is no draft, so the English text is translated into that language and back; rule-based "
        "translation is rougher than what people use today.",
    )

    def __post_init__(self) -> None:
        check_language(self.name, self.language)

    def rewritten(self, text: str, seed: int) -> str:
        return round_trip(text, self.language)
