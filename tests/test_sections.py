"""A paper as one text, and back."""

from __future__ import annotations

import pytest

from evenhand.sections import join_sections, spans_of, split_sections

PARTS = {"abstract": "We count.", "introduction": "Counting is old.\n\nWe say why.", "conclusion": "It adds up."}
TEXT = "Abstract:\n\nWe count.\n\nIntroduction:\n\nCounting is old.\n\nWe say why.\n\nConclusion:\n\nIt adds up."


def test_a_paper_is_one_text_and_comes_apart_again():
    assert join_sections(PARTS) == join_sections(dict(reversed(PARTS.items()))) == TEXT
    assert split_sections(TEXT) == split_sections(f"A title\n\n{TEXT}\n") == PARTS
    assert split_sections("Abstract: We count.\nConclusion: It adds up.") == {
        "abstract": "We count.",
        "conclusion": "It adds up.",
    }


def test_the_places_of_the_sections():
    assert {name: TEXT[start:end] for name, (start, end) in spans_of(PARTS).items()} == PARTS
    two = {"abstract": "", "conclusion": "It adds up."}
    (start, end) = spans_of(two)["conclusion"]
    assert join_sections(two)[start:end] == "It adds up."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No heading here.",
        "Introduction:\n\nFirst.\n\nAbstract:\n\nThen.",
        "Abstract:\n\nOne.\n\nAbstract:\n\nTwo.",
        "Abstract:\n\nOne.\n\nConclusion:\n\n",
        "The abstract: none.",
    ],
)
def test_what_has_not_the_form_has_no_sections(text):
    assert split_sections(text) == {}
