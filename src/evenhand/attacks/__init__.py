"""The open family of attacks: one edit each, on any text, with its dose and its spans."""

from __future__ import annotations

from ..registry import Registry

_BUILTIN = {
    "none": "none:NoAttack",
    "homoglyph": "homoglyph:Homoglyph",
    "zero_width": "zero_width:ZeroWidth",
    "whitespace": "whitespace:Whitespace",
    "upper_lower": "upper_lower:UpperLower",
    "article_deletion": "article_deletion:ArticleDeletion",
    "number": "number:Number",
    "alternative_spelling": "alternative_spelling:AlternativeSpelling",
    "insert_paragraphs": "insert_paragraphs:InsertParagraphs",
    "misspelling": "misspelling:Misspelling",
    "character": "character:Character",
    "paraphrase": "paraphrase:Paraphrase",
    "back_translation": "back_translation:BackTranslation",
    "mt_draft": "back_translation:MtDraft",
    "polish": "polish:Polish",
    "grammar": "grammar:Grammar",
    "synonym": "synonym:Synonym",
    "word": "word:Word",
    "sentence": "sentence:Sentence",
    "mixing": "mixing:Mixing",
    "smart_quotes": "typography:SmartQuotes",
    "non_breaking_spaces": "typography:NonBreakingSpaces",
    "ligatures": "typography:Ligatures",
    "soft_hyphens": "line_ends:SoftHyphens",
    "hyphenation": "line_ends:Hyphenation",
    "pdf_line_ends": "line_ends:PdfLineEnds",
    "bidi_marks": "invisible:BidiMarks",
    "ocr_confusions": "ocr:OcrConfusions",
    "emoji": "emoji:Emoji",
    "strip_markdown": "markdown:StripMarkdown",
    "sentence_case": "carelessness:SentenceCase",
    "dropped_apostrophes": "carelessness:DroppedApostrophes",
    "dropped_periods": "carelessness:DroppedPeriods",
    "citations": "insertions:Citations",
    "quote_insertion": "insertions:QuoteInsertion",
    "truncate": "excerpts:Truncate",
    "excerpt": "excerpts:Excerpt",
}

_registry = Registry("attacks", {name: f"{__name__}.{target}" for name, target in _BUILTIN.items()})
get, canonical, names, register, factory = (
    _registry.get,
    _registry.canonical,
    _registry.names,
    _registry.register,
    _registry.factory,
)
