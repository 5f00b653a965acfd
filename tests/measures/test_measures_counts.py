"""Measures against counts made by hand."""

from __future__ import annotations

from importlib.util import find_spec
from math import isnan, sqrt

import pytest

from evenhand import measures
from evenhand.errors import DataError, SpecError
from evenhand.measures import Measure, Measured
from evenhand.measures.tokens import sentences, words


def value(spec: str, text: str, source: str | None = None) -> float:
    (measured,) = measures.get(spec)([(text, source)])
    assert measured.reason is None, measured.reason
    return measured.value


def reason(spec: str, text: str, source: str | None = None) -> str:
    (measured,) = measures.get(spec)([(text, source)])
    assert isnan(measured.value)
    assert measured.reason
    return measured.reason


def test_words_hold_a_letter_and_keep_inner_marks() -> None:
    text = "Don’t re-enter Room 101; CO2 rose -- by 3.5%, in the O'Neills' café (1984)."
    assert words(text) == ["Don’t", "re-enter", "Room", "CO2", "rose", "by", "in", "the", "O'Neills", "café"]
    assert words("cafe\u0301 nai\u0308ve") == ["cafe\u0301", "nai\u0308ve"]
    assert words("12 34-56 -- '") == []


def test_sentences_end_at_blank_lines_and_need_content() -> None:
    assert len(sentences("A heading without stop\n\nDr. Hill came at 5 p.m. to the U.S. Embassy. He left.\n\n...")) == 3
    assert sentences(" \n\n ") == []


TEXT = "The cat sat on the mat. It purred!\n\nWe, two, were well-rested in 1984."


@pytest.mark.parametrize(
    ("spec", "by_hand"),
    [
        ("words", 14),
        ("sentences", 3),
        ("characters", len(TEXT)),
        ("sentence_length", 14 - 1),  # over 3: a number is no word
        ("type_token_ratio", 12),  # over 13: the, twice
    ],
)
def test_counts(spec: str, by_hand: float) -> None:
    over = {"sentence_length": 3, "type_token_ratio": 13}.get(spec, 1)
    assert value(spec, TEXT) == pytest.approx(by_hand / over)


def test_moving_type_token_ratio_is_the_mean_over_all_windows() -> None:
    text = "a b a c a a b b"
    found = text.split()
    windows = [found[i : i + 3] for i in range(len(found) - 2)]
    expected = sum(len(set(window)) / 3 for window in windows) / len(windows)
    assert value("type_token_ratio(window=3)", text) == pytest.approx(expected)
    assert "fewer than the window" in reason("type_token_ratio(window=9)", text)


def test_trigrams() -> None:
    # abcab: abc bca cab; abcb: abc bcb; one of four in common
    assert value("trigram_similarity", "abcab", "abcb") == pytest.approx(1 / 4)
    # counts abcabc: abc 2, bca, cab; abc: abc 1
    assert value("trigram_similarity(kind='cosine')", "abcabc", "abc") == pytest.approx(2 / sqrt(4 + 1 + 1))
    assert value("trigram_similarity", "the same", "the same") == 1
    assert value("trigram_similarity(kind='cosine')", "the same", "the same") == 1
    assert value("trigram_similarity", "xyz", "abc") == 0
    assert "fewer than 3" in reason("trigram_similarity", "ab", "abc")


def test_edits() -> None:
    assert value("edit_similarity", "kitten", "sitting") == pytest.approx(1 - 3 / 7)
    assert value("edit_similarity(unit_of='words')", "a b c d", "a x c") == pytest.approx(1 - 2 / 4)
    assert value("exact_copy", "same", "same") == 1
    assert value("exact_copy", "same", "same ") == 0


def test_one_word_left_out_shifts_the_places_but_not_the_alignment() -> None:
    source, text = "in the end the dog ran home", "in end the dog ran home"
    assert value("words_changed", text, source) == pytest.approx(6 / 7)
    assert value("words_changed_aligned", text, source) == pytest.approx(1 / 7)
    longer = "so in the end the dog ran home"
    assert value("words_changed", longer, source) == 1
    assert value("words_changed_aligned", longer, source) == pytest.approx(1 / 8)
    assert value("words_changed", source + " again", source) == pytest.approx(1 / 8)
    assert value("words_changed", source, source) == value("words_changed_aligned", source, source) == 0
    assert value("words_changed", "", "two words") == value("words_changed_aligned", "", "two words") == 1
    assert "neither" in reason("words_changed", " ", "")


def test_shares_of_the_surface() -> None:
    assert value("script_mix", "pаy me") == pytest.approx(1 / 5)  # the a is Cyrillic
    assert value("script_mix", "naïve 12") == 0
    assert value("newline_share", "a\nb\nc") == pytest.approx(2 / 5)
    assert value("digit_share", "a1 b2 c") == pytest.approx(2 / 5)
    assert value("capital_share", "Ab Cd 12") == pytest.approx(2 / 4)
    assert "no letter" in reason("script_mix", "12")
    assert "no character" in reason("newline_share", "")


def every() -> list[Measure]:
    """All but those that need what may not be here: a fetched model, torch."""
    absent = {"semantic_similarity"} | (set() if find_spec("torch") else {"tokens"})
    return [measures.get(name) for name in measures.names() if name not in absent]


def test_every_measure_prints_back_and_has_a_card() -> None:
    for measure in every():
        assert measures.get(measure.spec) == measure
        assert measure.card.summary
        assert measure.card.family
        assert measure.unit


@pytest.mark.parametrize(
    "text", ["", " \n\n ", "\ud800 lone", "\u200b\u200d", "!!! ... ---", "日本語のテキスト。", "١٢٣"]
)
def test_odd_texts_give_a_number_or_a_reason(text: str) -> None:
    for measure in every():
        (measured,) = measure([(text, "A plain source.")])
        assert isnan(measured.value) == (measured.reason is not None)
        assert 0 <= measured.value <= 1 or measure.unit not in ("share", "1 or 0") or isnan(measured.value)


def test_a_missing_source_is_said_and_an_empty_one_is_a_source() -> None:
    for measure in every():
        if measure.needs_source:
            assert "no source" in reason(measure.spec, "a text", None)
    assert value("edit_similarity", "abc", "") == 0


def test_order_and_neighbours_do_not_matter() -> None:
    pairs = [("The one text here.", "The one text there."), ("Another, of more words than that.", "Another.")]
    for measure in every():
        assert measure(pairs) == [measure([pair])[0] for pair in pairs]
        assert measure([]) == []


def test_what_is_no_pair_is_refused() -> None:
    with pytest.raises(DataError, match="pairs"):
        measures.get("words")(["a text"])
    with pytest.raises(DataError, match="must be str"):
        measures.get("words")([(7, None)])
    for bad in (
        "trigram_similarity(kind='dice')",
        "trigram_similarity(n=0)",
        "edit_similarity(unit_of='lines')",
        "type_token_ratio(window=0)",
    ):
        with pytest.raises(SpecError):
            measures.get(bad)


def test_a_measure_of_a_plug_in_needs_three_lines() -> None:
    from evenhand.registry import Card

    class Commas(Measure):
        name = "commas"
        card = Card("Commas.")

        def of(self, text: str, source: str) -> float:
            return text.count(",")

    assert Commas()([("a, b, c", None)]) == [Measured(2.0)]


PAPER = "A title\n\nAbstract:\n\nWe count cats.\n\nIntroduction:\n\nCats are many, and we count.\n\nConclusion:\n\nThey are nine."


def test_section_words_and_ratios_by_hand() -> None:
    assert value("section_words(section='introduction')", PAPER) == 6
    assert value("section_words", PAPER) == 3
    assert reason("section_words", "In the abstract: nothing") == "the text has no section under the line 'Abstract:'"
    shorter = PAPER.replace("many, and we count", "many")
    assert value("length_ratio(section='introduction')", shorter, PAPER) == 0.5
    assert value("length_ratio", shorter, PAPER) == pytest.approx(14 / 17)
    assert "no source text" in reason("length_ratio", PAPER)
    assert "no word there" in reason("length_ratio", PAPER, "")
    with pytest.raises(SpecError, match="section is one of"):
        measures.get("section_words(section='methods')")


@pytest.mark.model
def test_tokens_are_those_of_the_named_tokenizer(embedded: str) -> None:
    from evenhand.models.causal import encode
    from evenhand.models.weights import resolve

    text = "The cat sat on the mat. Naïvely, it purred!"
    encoded = encode(text, resolve(embedded))
    assert value("tokens", text) == len(encoded.ids)  # type: ignore[union-attr]
    assert value("tokens", "") == 0
    assert value("tokens", "broken \ud800 text") > 2
