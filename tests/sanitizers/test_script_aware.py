"""script_aware: what it undoes, what it keeps, and by which evidence."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random

import pytest

from evenhand import sanitizers
from evenhand.sanitizers.alphabets import styles, twins
from evenhand.sanitizers.fold import table

RAID = {
    "a": "\u0430", "A": "\u0410\u0391", "B": "\u0412\u0392", "e": "\u0435", "E": "\u0415\u0395", "c": "\u0441",
    "p": "\u0440", "K": "\u041a\u039a", "O": "\u041e\u039f", "P": "\u0420\u03a1", "M": "\u041c\u039c",
    "H": "\u041d\u0397", "T": "\u0422\u03a4", "X": "\u0425\u03a7", "C": "\u0421", "y": "\u0443", "o": "\u043e",
    "x": "\u0445", "I": "\u0406\u0399", "i": "\u0456", "N": "\u039d", "Z": "\u0396",
}  # fmt: skip
STORY = (
    "I never liked boats. My aunt, who had sailed from Cork to Boston in a year of storms, kept a small one behind the "
    "house and painted it each April, and I held the can. “A boat,” she said, “is an excuse to be away.” In the end "
    "she gave it to Mr. O’Hare, who couldn’t swim. Zoë and I watched them leave past the pier; it cost her a lot.\n\n"
    "Nobody expected a letter. One came in May: 12 lines, no date, one P.S. about the weather in New York."
)


def swap(text: str, rate: float, seed: int) -> str:
    draw = Random(seed)
    return "".join(draw.choice(RAID[c]) if c in RAID and draw.random() < rate else c for c in text)


def clean(text: str) -> str:
    return sanitizers.get("script_aware")(text).text


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_raid_homoglyphs_come_back(rate: float, seed: int) -> None:
    attacked = swap(STORY, rate, seed)
    done = sanitizers.get("script_aware")(attacked)
    assert done.text == STORY
    assert done.edits == sum(a != b for a, b in zip(STORY, attacked, strict=True))
    assert done.spans == tuple((i, i + 1) for i, (a, b) in enumerate(zip(STORY, attacked, strict=True)) if a != b)


@pytest.mark.parametrize("planted", "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u180e")
def test_planted_characters_without_width_go(planted: str) -> None:
    assert clean("".join(c + planted for c in STORY)) == STORY
    assert clean(STORY.replace("boat", f"bo{planted}at")) == STORY
    assert clean(STORY.replace(" ", f" {planted}")) == STORY


def test_both_attacks_at_once() -> None:
    assert clean("".join(c + "\u200b" for c in swap(STORY, 1.0, 3))) == STORY


def test_a_single_one_between_words_is_no_attack() -> None:
    for honest in (f"\ufeff{STORY}", STORY.replace("letter. ", "letter. \u200b"), "see /path/\u200bto/\u200bfile"):
        assert clean(honest) == honest


def test_the_encoding_mark_outlives_an_attack() -> None:
    assert clean("\ufeff" + "".join(c + "\ufeff" for c in STORY)) == "\ufeff" + STORY


def test_direction_marks_stay_only_in_lines_that_turn() -> None:
    assert (
        clean("\u200eHe paid\u200e 5.\n\u202eאבג\u202c (x)\u200e\nend\u2069")
        == "He paid 5.\n\u202eאבג\u202c (x)\u200e\nend"
    )


def test_selectors_and_tags_need_a_base() -> None:
    assert clean("a\ufe0f b\U000e0100 c\U000e0041") == "a b c"
    assert clean("✔\ufe0f\ufe0e\ufe0f 1\ufe0f\u20e3 葛\U000e0100") == "✔\ufe0f 1\ufe0f\u20e3 葛\U000e0100"
    scotland = "🏴" + "".join(chr(0xE0000 + ord(c)) for c in "gbsct") + "\U000e007f"
    assert clean(scotland) == scotland
    assert clean("🏴" + "".join(chr(0xE0000 + ord(c)) for c in "a whole hidden sentence") + "\U000e007f") == "🏴"


def test_an_attack_on_emoji_and_persian_leaves_their_joiners() -> None:
    text = f"{STORY} 👩\u200d🔬 👍🏽 می\u200cروم"
    assert clean("".join(c + "\u200b" for c in text)) == text


def test_words_of_mixed_script_fold() -> None:
    assert clean("раypal and Мicrosoft and ЅΑVE") == "paypal and Microsoft and SAVE"
    assert clean("Іn Ιn Ӏn") == "In In In"
    assert clean("Ηеllo") == "Hello"


def test_a_letter_without_twin_makes_a_word_genuine() -> None:
    for word in ("Привет", "SMSка", "KoЯn", "αβ", "ΔТ", "мAма", "дom"):
        assert clean(word) == word
        assert clean(f"{word} in the рlace") == f"{word} in the place"


def test_a_foreign_word_falls_only_beside_evidence() -> None:
    for honest in ("The сор saw а man", "Write сор\u02bcо so", "СССР and ΚΑΙ"):
        assert clean(honest) == honest
    assert clean("Thе сор sаw а mаn, sо thеу rаn") == "The cop saw a man, so they ran"


def test_a_light_attack_is_no_excuse_to_fold_long_foreign_words() -> None:
    light = STORY.replace("boats", "bоats").replace("April", "Аpril").replace("York", "Yоrk")
    assert clean(f"{light} The stamp said СССР.") == f"{STORY} The stamp said СССР."
    assert clean(f"{light} А year.") == f"{STORY} A year."


def test_foreign_company_protects() -> None:
    story = swap(STORY, 0.5, 1)
    for line in ("Она сказала: а он всё равно поехал", "вот iPhoneа нет больше", "это все сор у дома"):
        assert clean(f"{story}\n{line}\n{story}") == f"{STORY}\n{line}\n{STORY}"


def test_evidence_counts_for_the_scripts_that_show_it() -> None:
    attacked = swap(STORY, 1.0, 4)
    for honest in ("հոս", "ᎪᎳ", "ꓡꓲ", "СОТЬ"):
        assert clean(f"{attacked} They wrote {honest} there.") == f"{STORY} They wrote {honest} there."
    assert clean(f"{attacked} \u0578o \u0570\u0561\u057d") == f"{STORY} no hwu"


def test_a_quoted_letter_is_spoken_of_until_most_letters_are_swapped() -> None:
    light = STORY.replace("boats", "bоats").replace("April", "Аpril").replace("York", "Yоrk")
    assert clean(f"{light} The letter “а”.") == f"{STORY} The letter “а”."
    assert clean(f"{swap(STORY, 1.0, 1)} A “А” grаde.") == f"{STORY} A “A” grade."


def test_signs_and_ideographs_beside_a_word_hide_nothing() -> None:
    assert clean("mс² and ½с is е½e, Joѕe日月еоn") == "mc² and ½c is e½e, Jose日月eon"
    assert clean("the Вrγ line, рlainly") == "the Brγ line, plainly"


def test_small_greek_is_science_until_shown_otherwise() -> None:
    for text in ("TNFα, IFNγ and NFκB", "sinαcosα = cosαsinα", "ρw and νmax", "Let α be ρ"):
        assert clean(text) == text
        assert clean(f"{text}. {swap(STORY, 0.3, 2)}") == f"{text}. {STORY}"
    greek = STORY.replace("a", "α").replace("p", "ρ").replace("v", "ν")
    assert clean(greek) == STORY


def test_styled_letters_fold_only_beside_evidence() -> None:
    styled = "the re𝚏erence was fine, he s𝑎id, at the 𝑘th step of 𝑘NN, [dɑɡ] and 𝑓(𝑥)"
    assert clean(styled) == styled
    assert (
        clean(f"A bоat: {styled}") == "A boat: the reference was fine, he said, at the 𝑘th step of 𝑘NN, [dɑɡ] and 𝑓(𝑥)"
    )


def test_wrong_targets_of_the_list_are_corrected() -> None:
    assert [twins()[c] for c in "\u0399\u0406\u04c0\u2c92"] == ["I"] * 4
    assert [table("uts39")[c] for c in "\u0399\u0406\u04c0\u2c92"] == ["l"] * 4
    assert all(styles()[c] == "I" for c in "Ⅰ𝐼Ｉℐ")


def test_every_twin_is_a_letter_of_another_script_for_one_of_ascii() -> None:
    assert all(c.isalpha() and not c.isascii() and t.isascii() and t.isalpha() for c, t in twins().items())
    assert not set("гшбьæœþıøאו") & set(twins())
    assert {g for options in RAID.values() for g in options} <= set(twins())
    assert all(twins()[g] == letter for letter, options in RAID.items() for g in options)


def test_clean_texts_of_people_stay(shared: Path) -> None:
    """Every fifth clean text of the shared sets; all of them in benchmarks/sanitizers_quality.py."""
    altered = []
    for path in sorted((shared / "data" / "dev").glob("*.jsonl.gz")):
        lines = gzip.decompress(path.read_bytes()).decode("utf-8").split("\n")
        records = [json.loads(line) for line in lines[::5] if line]
        altered += [r["id"] for r in records if r.get("attack") == "none" and clean(r["text"]) != r["text"]]
    assert altered == []
