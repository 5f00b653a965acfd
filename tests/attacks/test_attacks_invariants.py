"""What holds for every attack: it says what it changed, and changes nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand import attacks
from evenhand.documents import Edited
from evenhand.registry import Component
from evenhand.testing import attack_checks

PROSE = (
    'Dr. Alma Reyes walked to the old harbour at 5 p.m. on 14 March. "The tide is early," she said, and the crew of 12 '
    "laughed.\n\nIt wasn't the first storm that year: 2,400 boats had been lost, about 3.5% of the fleet. They didn't "
    "talk about it... See https://example.org/tides?id=7 or write to alma@example.org. A color photograph of the "
    "neighbor's center stood on a shelf -- gray and faded. Its `frame(x=1)` was broken, but the family kept it because "
    "every picture of the official commission mattered. An engineer found problems with the different window frames.\n"
    "- **First** point: read [the report](https://example.org/r).\n# Heading\nThe end of the afternoon was calm."
)
SAMPLES = {
    "empty": "",
    "blank": " \n\n\t ",
    "prose": PROSE,
    "one word": "word",
    "no words": "... !!! 123 -- \u200b",
    "lone surrogates": "The cat \ud800 sat on the mat with a \udfff dog. \ud83d It was the end of the day, 42.",
    "emoji": "The family 👨‍👩‍👧 went home 🏳️‍🌈. The dog 👍🏽 didn't.",
    "accents": "Zoe\u0308 met the naïve señor in a café. İstanbul is an old city; straße, ǆ and ﬁne.",
    "cyrillic": "Привет, как дела? Это было 14 марта. Мы шли домой.",
    "arabic": "مرحبا بالعالم. هذا نص قصير. ٣٤٥",
    "chinese": "今天天气很好。我们去公园散步，然后回家。",
    "hindi": "यह एक छोटा वाक्य है। नमस्ते।",
    "windows": "The first line.\r\nThe second line had a tax of 20.\r\n\r\nThe third.",
    "one line": "the " * 300,
    "no blank": "harborcolor" * 200,
}
NEED_MORE = {"mixing"}  # and those that run a program or a model; tests of their own
CHEAP = [name for name in attacks.names() if not attacks.factory(name).costly and name not in NEED_MORE]
PROFILES = [
    f"{name}(profile={profile!r})"
    for name in CHEAP
    for profile in getattr(attacks.factory(name), "rates", {})
    if profile != "default" and (name, profile) != ("misspelling", "raid")
]
SPECS = [
    *CHEAP,
    *PROFILES,
    "homoglyph(rate=1.0)",
    "zero_width(rate=1.0)",
    "whitespace(rate=1.0)",
    "character(rate=1.0)",
]


def is_subsequence(part: str, whole: str) -> bool:
    rest = iter(whole)
    return all(character in rest for character in part)


def check(text: str, edited: Edited) -> None:
    """The spans are ordered, apart and inside the output; what lies outside is the input, in order."""
    ends = 0
    outside = []
    for start, end in edited.spans:
        assert ends <= start <= end <= len(edited.text)
        outside.append(edited.text[ends:start])
        ends = end
    outside.append(edited.text[ends:])
    assert is_subsequence("".join(outside), text)
    assert edited.edits <= max(edited.candidates, len(edited.spans))
    assert edited.changed == bool(edited.spans)
    if not edited.changed:
        assert edited.text == text
        assert edited.note
    words = len(text.split())
    assert edited.dose == pytest.approx(1000 * edited.edits / words if words else 0.0)


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("spec", SPECS)
def test_only_the_spans_differ(spec: str, kind: str) -> None:
    attack = attacks.get(spec)
    for seed in (0, 7):
        check(SAMPLES[kind], attack(SAMPLES[kind], seed=seed))


@pytest.mark.parametrize("spec", SPECS)
def test_the_same_text_spec_and_seed_give_the_same_result(spec: str) -> None:
    attack = attacks.get(spec)
    first = attack(PROSE, seed=3)
    for text in ("Another text was here before.", PROSE[::-1]):
        attack(text, seed=3)
    assert attacks.get(attack.spec)(PROSE, seed=3) == first


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec != "none"])
def test_every_attack_changes_ordinary_prose(spec: str) -> None:
    text = PROSE * 20
    short = {"truncate": "truncate(words=20)", "excerpt": "excerpt(words=20)"}.get(spec, spec)
    edited = attacks.get(short)(text, seed=1)
    assert edited.changed
    assert edited.text != text


@pytest.mark.parametrize("name", CHEAP)
def test_specs_print_back_and_cards_are_filled(name: str) -> None:
    attack = attacks.get(name)
    assert isinstance(attack, Component)
    assert attack.name == name
    assert attacks.get(attack.spec) == attack
    assert attack.card.summary
    assert attack.card.family


@pytest.mark.parametrize("spec", SPECS)
def test_the_public_contract_holds(spec: str) -> None:
    for check_one in attack_checks():
        check_one(attacks.get(spec))


@given(st.text(st.characters(codec=None), max_size=200), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_any_text_survives_every_attack(text: str, seed: int) -> None:
    for spec in SPECS:
        check(text, attacks.get(spec)(text, seed=seed))


@pytest.mark.parametrize("second", CHEAP)
def test_an_attack_on_attacked_text(second: str) -> None:
    text = PROSE
    for first in ("homoglyph(rate=0.5)", "zero_width(profile='raid')", "whitespace"):
        text = attacks.get(first)(text, seed=1).text
    check(text, attacks.get(second)(text, seed=2))


def test_a_seed_changes_the_draw() -> None:
    attack = attacks.get("homoglyph(rate=0.2)")
    assert attack(PROSE, seed=1).text != attack(PROSE, seed=2).text
