"""Spelling, numbers, articles, words: what the default corrects in the published attacks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evenhand import attacks
from evenhand.attacks import thesaurus
from evenhand.attacks.inflection import inflected, origins
from evenhand.attacks.protect import protected_spans
from evenhand.attacks.slips import by_sound
from evenhand.attacks.tables import american_to_british, common_misspellings
from evenhand.errors import DataError, SpecError


def run(spec: str, text: str, seed: int = 1) -> str:
    return str(attacks.get(spec)(text, seed=seed).text)


def test_spelling_changes_whole_words_and_keeps_their_case() -> None:
    text = "Color! Someone in the entire harbor. COLORS: my neighbor's tire."
    assert run("alternative_spelling", text) == "Colour! Someone in the entire harbour. COLOURS: my neighbour's tire."
    assert run("alternative_spelling(profile='raid')", "someone") == "somaeone"
    assert run("alternative_spelling(to='american')", "The colour of the harbour.") == "The color of the harbor."


def test_spelling_there_and_back_is_the_identity_where_the_table_is_one_to_one() -> None:
    text = "the color of the neighbor in the center"
    assert run("alternative_spelling(to='american')", run("alternative_spelling", text)) == text


def test_numbers_are_whole_and_always_change() -> None:
    text = "It cost 1,250,000 in Table 4 of CO2 [3] (Moss, 1998), or 3.5 per cent in 7."
    attack = attacks.get("number(rate=1.0)")
    for seed in range(30):
        edited = attack(text, seed=seed)
        assert edited.candidates == edited.edits == 3
        assert all(kept in edited.text for kept in ("Table 4", "CO2", "[3]", "1998"))
        new = [edited.text[start:end] for start, end in edited.spans]
        assert [len(one) for one in new] == [9, 3, 1]
        assert all(one not in text for one in new[:2])
        assert new[2] != "7"
        assert new[0][0] != "0"


def test_articles_go_with_the_capital_of_the_sentence() -> None:
    text = 'The cat saw a dog.\nAn owl sat. Vitamin A is good: "the end".'
    assert run("article_deletion(rate=1.0)", text) == 'Cat saw dog.\nOwl sat. Vitamin A is good: "the end".'


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        (
            "url",
            "see https://a.org/x?y=1, www.b.org and me@c.org now",
            ["https://a.org/x?y=1,", "www.b.org", "me@c.org"],
        ),
        ("code", "a `b c` d ```\ne\n``` f", ["`b c`", "```\ne\n```"]),
        ("quotation", 'he said "no, no" and “yes” or "unpaired', ['"no, no"', "“yes”"]),
        ("name", "We met Ann Lee in Paris, and I saw Dr. Wu.", ["Ann Lee", "Paris", "Dr. Wu"]),
    ],
)
def test_what_is_protected(kind: str, text: str, found: list[str]) -> None:
    spans = sorted(set(protected_spans(text, (kind,))))
    outer = [span for span in spans if not any(o != span and o[0] <= span[0] and span[1] <= o[1] for o in spans)]
    assert [text[start:end] for start, end in outer] == found


def test_protected_text_stays() -> None:
    text = 'The report "on color and harbor" at https://color.org/harbor is by Harbor Color, in `color`.' * 3
    for spec in (
        "homoglyph(rate=1.0)",
        "misspelling(rate=1.0)",
        "alternative_spelling",
        "character(rate=1.0)",
        "zero_width(rate=1.0)",
    ):
        edited = run(spec, text)
        for kept in ('"on color and harbor"', "https://color.org/harbor", "Harbor Color", "`color`"):
            assert kept in edited


def test_misspellings_are_never_the_word() -> None:
    text = "necessary receive separate window lamp people going different mmmm aaaa"
    for seed in range(40):
        edited = attacks.get("misspelling(rate=1.0, ways=('keyboard', 'sound'))")(text, seed=seed)
        assert edited.edits == edited.candidates == 10
        assert not set(edited.text.split()) & set(text.split())
    assert all(word not in wrong for word, wrong in common_misspellings().items())
    assert "recieve" in by_sound("receive")


def test_ways_are_kept_to() -> None:
    text = "the necessary window was separate from the mmmm people"
    listed = attacks.get("misspelling(rate=1.0, ways=('common',))")(text, seed=1)
    wrong = common_misspellings()
    assert [
        listed.text[a:b] in wrong[word]
        for (a, b), word in zip(listed.spans, ("necessary", "separate", "people"), strict=True)
    ]
    assert listed.candidates == 3


def test_a_word_list_of_the_user(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text(json.dumps({"weather": ["wether"]}), encoding="utf-8")
    spec = f"misspelling(rate=1.0, words={str(path)!r})"
    assert run(spec, "the weather was fine") == "the wether was fine"
    raid = attacks.get(f"misspelling(profile='raid', words={str(path)!r})")(" The WEATHER and more and more was fine. ")
    assert raid.text == "The Wether and more and more was fine."
    assert raid.edits == 1
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"weather": "wether"}', encoding="utf-8")
    with pytest.raises(DataError, match="weather"):
        run(f"misspelling(words={str(wrong)!r})", "the weather was fine")


def test_the_content_of_a_list_decides_the_draws_not_its_place(tmp_path: Path) -> None:
    made = []
    for place in ("a.json", "b.json"):
        (tmp_path / place).write_text(json.dumps({"weather": ["wether", "weathr", "waether"]}), encoding="utf-8")
        attack = attacks.get(f"misspelling(rate=0.5, words={str(tmp_path / place)!r})")
        made.append(attack("the weather and " * 40, seed=1).text)
    assert made[0] == made[1]


def test_the_shipped_tables_are_whole() -> None:
    assert len(american_to_british()) == 1800
    assert len(thesaurus.entries()) > 15000
    assert thesaurus.entries()["big"]["a"].synonyms == ("large",)


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("walk", ("walks", "walked", "walking")),
        ("stop", ("stops", "stopped", "stopping")),
        ("try", ("tries", "tried", "trying")),
        ("make", ("makes", "maked", "making")),
        ("watch", ("watches", "watched", "watching")),
        ("agree", ("agrees", "agreed", "agreeing")),
        ("die", ("dies", "died", "dying")),
        ("play", ("plays", "played", "playing")),
        ("visit", ("visits", "visited", "visiting")),
        ("fix", ("fixes", "fixed", "fixing")),
    ],
)
def test_inflection_both_ways(word: str, forms: tuple[str, str, str]) -> None:
    for form, made in zip(("s", "ed", "ing"), forms, strict=True):
        assert inflected(word, form) == made
        assert (word, form) in set(origins(made))


def test_synonyms_keep_form_part_of_speech_and_article() -> None:
    assert thesaurus.synonyms("tried") == ("attempted",)
    assert thesaurus.synonyms("prices", "the") == ("costs",)
    assert thesaurus.synonyms("the") == ()
    assert not thesaurus.fits_article("a", "big", "enormous")
    assert thesaurus.fits_article("an", "old", "ancient")
    assert "v" in thesaurus.parts_of_speech("walked")


def test_doses() -> None:
    text = "word after word came to the harbor in the early morning light of winter " * 40
    for wanted in (5, 20, 80):
        edited = attacks.get(f"misspelling(edits_per_1000={wanted})")(text, seed=1)
        assert edited.dose == pytest.approx(wanted, abs=1000 / len(text.split()))
    short = [attacks.get("misspelling(rate=0.02)")(f"some words in number {n} here", seed=n).edits for n in range(400)]
    assert 0.02 * 4 * 400 * 0.5 < sum(short) < 0.02 * 4 * 400 * 1.6


@pytest.mark.parametrize(
    "spec",
    [
        "homoglyph(rate=2)",
        "homoglyph(profile='x')",
        "homoglyph(protect='url')",
        "homoglyph(edits_per_1000=-1)",
        "homoglyph(edits_per_1000=1e999)",
        "truncate(words=0)",
        "smart_quotes(to='x')",
        "citations(style='x')",
        "misspelling(ways=())",
        "pdf_line_ends(width=2)",
        "alternative_spelling(to='x')",
    ],
)
def test_bad_parameters_are_refused(spec: str) -> None:
    with pytest.raises(SpecError):
        attacks.get(spec)
