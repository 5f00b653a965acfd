"""The open family of measures: what is told of a text, or of a text and its source, without judging it.

``measures.get("trigram_similarity")([("a text", "its source")])`` gives one ``Measured`` per pair.
"""

from __future__ import annotations

from ..registry import Registry
from .base import Measure, Measured

__all__ = ["Measure", "Measured", "canonical", "factory", "get", "names", "register"]

_registry = Registry(
    "measures",
    {
        "words": "evenhand.measures.length:Words",
        "sentences": "evenhand.measures.length:Sentences",
        "characters": "evenhand.measures.length:Characters",
        "sentence_length": "evenhand.measures.length:SentenceLength",
        "tokens": "evenhand.measures.model_tokens:Tokens",
        "section_words": "evenhand.measures.sections:SectionWords",
        "length_ratio": "evenhand.measures.sections:LengthRatio",
        "type_token_ratio": "evenhand.measures.vocabulary:TypeTokenRatio",
        "flesch_kincaid": "evenhand.measures.readability:FleschKincaid",
        "gunning_fog": "evenhand.measures.readability:GunningFog",
        "exact_copy": "evenhand.measures.overlap:ExactCopy",
        "trigram_similarity": "evenhand.measures.overlap:TrigramSimilarity",
        "edit_similarity": "evenhand.measures.overlap:EditSimilarity",
        "semantic_similarity": "evenhand.measures.meaning:SemanticSimilarity",
        "words_changed": "evenhand.measures.positions:WordsChanged",
        "words_changed_aligned": "evenhand.measures.positions:WordsChangedAligned",
        "script_mix": "evenhand.measures.surface:ScriptMix",
        "newline_share": "evenhand.measures.surface:NewlineShare",
        "digit_share": "evenhand.measures.surface:DigitShare",
        "capital_share": "evenhand.measures.surface:CapitalShare",
    },
)
get, canonical, names, register, factory = (
    _registry.get,
    _registry.canonical,
    _registry.names,
    _registry.register,
    _registry.factory,
)
