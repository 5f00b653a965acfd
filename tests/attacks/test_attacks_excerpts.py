"""Truncation at sentence ends, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand import attacks
from evenhand.documents import Document
from evenhand.errors import SpecError
from evenhand.plan import attacked
from evenhand.testing import attack_checks

GEDE = "truncate(words=6, profile='gede')"


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("One two three. Four five. Six seven.", " One two three. Four five."),
        ("One two three. Four five six. Seven.", " One two three."),  # six words are not fewer than six
        ("One two.", " One two."),
        (" One two.", " One two."),
        ("  One two.\n\nThree four. ", " One two. Three four."),
        ("One, two\nthree. Four five six seven.", " One, two\nthree."),
    ],
)
def test_whole_sentences_with_fewer_words_than_the_limit_stay(text, cut):
    made = attacks.get(GEDE)(text)
    assert made.text == cut
    assert made.changed == (cut != text)
    outside, last = "", 0
    for start, end in made.spans:
        outside, last = outside + made.text[last:start], end
    assert (outside + made.text[last:]).replace(" ", "") in text.replace(" ", "").replace("\n\n", "")


def test_a_text_whose_first_sentence_is_too_long_is_dropped_with_a_reason():
    made = attacks.get(GEDE)("One two three four five six. Seven.")
    assert (made.text, made.note) == ("", "dropped: the first sentence has 6 words or more")
    document = attacked(Document("h", "One two three four five six.", "human"), GEDE, attacks.get(GEDE), 0)
    assert document.meta["edit.note"].startswith("dropped:")
    assert attacks.get(GEDE)("   ").note == "dropped: there is no sentence"


def test_the_contract_holds():
    for check in attack_checks():
        check(attacks.get("truncate(words=12, profile='gede')"))
    with pytest.raises(SpecError, match="no profile 'raid'"):
        attacks.get("truncate(profile='raid')")


@given(st.text(st.sampled_from("ab .!?\n\t"), max_size=80), st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_never_more_words_than_the_limit_and_never_others(text, words):
    made = attacks.get(f"truncate(words={words}, profile='gede')")(text)
    found = made.text.split()
    assert len(found) < words or made.text == text
    assert found == text.split()[: len(found)]
    assert made.changed or made.note
