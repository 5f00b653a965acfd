"""The simple sanitizers, their tables, and chains."""

from __future__ import annotations

import time
import unicodedata
from collections import Counter
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand import sanitizers
from evenhand.documents import Edited
from evenhand.errors import ContractError, DataError, SpecError
from evenhand.sanitizers.chain import follow
from evenhand.sanitizers.fold import table

ALPHABET = (
    "ab eI.  \n\u200b\u200c\u200d\u2060\ufeff\u00adаеоіІΙΑαρνжбשואم\u0301\u0308é²½ﬁ™…“’«\u00a0\u2003ＡｂⅳⅫ가\u1100\u1161\u11a8"
    "क\u094dषไ中カｶﾞ👩🔬\ufe0f\U0001f3fe🏴\U000e0067\U000e007f𝑥𝟕\ud800\u202eﷺ\u0f73\u0344"
)
mixed_scripts = st.text(st.one_of(st.sampled_from(ALPHABET), st.characters()), max_size=60)
NAMES = sanitizers.names()
PAPER = ["zero_width + curated47 + nfkc", "nfkc + whitespace + zero_width", "uts39 + script_aware + none"]


def check(text: str, done: Edited) -> None:
    """What every Edited of a sanitizer promises."""
    assert done.origin is not None
    assert len(done.origin) == len(done.text)
    assert list(done.origin) == sorted(done.origin)
    assert all(0 <= at < len(text) for at in done.origin)
    assert list(done.spans) == sorted(done.spans)
    assert all(0 <= start <= end <= len(done.text) for start, end in done.spans)
    put_in = {i for start, end in done.spans for i in range(start, end)}
    assert all(done.text[i] == text[at] for i, at in enumerate(done.origin) if i not in put_in)
    assert done.changed == bool(done.spans)
    assert done.changed or (done.text == text and done.dose == 0 and done.note)
    assert done.dose == pytest.approx(1000 * done.edits / (len(text.split()) or 1))


@pytest.mark.parametrize("spec", NAMES + PAPER)
@given(text=mixed_scripts)
def test_every_edit_is_accounted_for(spec: str, text: str) -> None:
    done = sanitizers.get(spec)(text)
    check(text, done)
    assert sanitizers.get(spec)(text, seed=9) == done


@pytest.mark.parametrize("spec", ["none", "zero_width", "zero_width(extended=True)", "curated47", "uts39", "whitespace",
                                  "whitespace(keep_indent=False)", "nfkc", "script_aware"])  # fmt: skip
@given(text=mixed_scripts)
def test_twice_is_once(spec: str, text: str) -> None:
    clean = sanitizers.get(spec)
    once = clean(text).text
    assert clean(once).text == once


@pytest.mark.parametrize("spec", NAMES)
@given(text=st.text(st.characters(max_codepoint=127)))
def test_ascii_stays_but_for_runs_of_spaces(spec: str, text: str) -> None:
    done = sanitizers.get(spec)(text).text
    assert done.replace(" ", "") == text.replace(" ", "")
    if "  " not in text or spec == "script_aware":
        assert done == text


@given(text=mixed_scripts)
def test_nfkc_is_the_library_form(text: str) -> None:
    assert sanitizers.get("nfkc")(text).text == unicodedata.normalize("NFKC", text)


@given(text=mixed_scripts)
def test_folds_are_the_library_translation(text: str) -> None:
    for name in ("curated47", "uts39"):
        assert sanitizers.get(name)(text).text == text.translate(str.maketrans(table(name)))


def test_the_tables_have_the_rows_that_the_paper_counts() -> None:
    assert len(table("curated47")) == 47
    assert len(table("uts39")) == 1861
    assert Counter(map(len, table("uts39").values())) == {1: 1596, 2: 155, 3: 95, 4: 15}
    assert all(t.isascii() and not s.isascii() for s, t in table("uts39").items())


def test_each_curated_row_tells_how_sure_it_is() -> None:
    rows = (files("evenhand") / "data" / "confusables_curated47.tsv").read_text("utf-8").splitlines()
    status = Counter(row.split("\t")[2] for row in rows if not row.startswith("#"))
    assert status == {"printed": 27, "near-certain": 14, "guessed": 6}
    card = sanitizers.factory("curated47").card  # type: ignore[attr-defined]
    assert all(part in card.follows for part in ("27", "14", "6"))


def test_the_list_has_no_capital_i_and_the_curated_one_no_0406() -> None:
    assert [table("uts39")[c] for c in "\u0399\u0406\u04c0"] == ["l", "l", "l"]
    assert "\u0406" not in table("curated47")


def test_the_unicode_notice_ships_with_the_table() -> None:
    head = (files("evenhand") / "data" / "confusables_uts39.tsv").read_text("utf-8").splitlines()[:3]
    assert "17.0.0" in head[0]
    assert "2025-07-22" in head[0]
    assert "Unicode License V3" in head[1]


def test_zero_width_takes_its_five_and_on_demand_more() -> None:
    text = "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg\u200eh"
    assert sanitizers.get("zero_width")(text).text == "abcdef\u00adg\u200eh"
    assert sanitizers.get("zero_width(extended=True)")(text).text == "abcdefgh"


def test_whitespace_spares_indentation_and_every_other_space() -> None:
    text = "  x  =   1\n\n    y\t\t= \u00a0 2  "
    assert sanitizers.get("whitespace")(text).text == "  x = 1\n\n    y\t\t= \u00a0 2 "
    assert sanitizers.get("whitespace(keep_indent=False)")(text).text == " x = 1\n\n y\t\t= \u00a0 2 "


def test_deletions_are_empty_spans_and_origins_skip_them() -> None:
    done = sanitizers.get("zero_width")("a\u200b\u200bb\ufeff")
    assert (done.text, done.spans, done.edits, done.origin) == ("ab", ((1, 1), (2, 2)), 3, (0, 3))


def test_expansions_stand_for_their_source() -> None:
    done = sanitizers.get("nfkc")("aﬁﷺ")
    assert done.origin == (0, 1, 1, *[2] * 18)
    assert done.spans == ((1, 3), (3, 21))


def test_a_chain_prints_and_applies_its_parts_in_order() -> None:
    chain = sanitizers.get("nfkc+curated47")
    assert chain.spec == "nfkc + curated47" == sanitizers.canonical("  nfkc +curated47")
    assert sanitizers.get(chain.spec) == chain
    assert sanitizers.canonical("zero_width + none") == "zero_width(extended=False) + none"
    bold_greek = "\U0001d6c2"
    assert chain(bold_greek).text == "a"
    assert sanitizers.get("curated47 + nfkc")(bold_greek).text == "α"
    assert sanitizers.get("whitespace + nfkc")("a \u00a0b").text == "a  b"
    assert sanitizers.get("nfkc + whitespace")("a \u00a0b").text == "a b"


def test_a_chain_carries_spans_and_origins_through() -> None:
    done = sanitizers.get("curated47 + zero_width + nfkc")("\u200bоﬁ\u200bх")
    assert done.text == "ofix"
    assert done.origin == (1, 2, 2, 4)
    assert done.spans == ((0, 0), (0, 1), (1, 3), (3, 3), (3, 4))
    assert done.edits == 5


def test_a_chain_needs_the_origin_of_its_parts() -> None:
    bare = Edited("x", ((0, 1),), 1, 1)
    with pytest.raises(ContractError, match="origin"):
        follow("y", bare, bare)


def test_the_contradictory_compositions_have_names() -> None:
    text = "Мy  dоg\u200b ﬁts"
    assert sanitizers.get("paper_figure5")(text).text == "My dog fits"
    assert sanitizers.get("paper_table6")(text).text == "My  dog fits"
    assert sanitizers.get("paper_table6_full")("“Мy”  dоg\u200b ﬁts").text == "''My'' dog fits"
    spelt = sanitizers.get("zero_width + curated47 + whitespace(keep_indent=False) + nfkc")
    assert sanitizers.get("paper_figure5")(text) == spelt(text)


@pytest.mark.parametrize(
    "spec", ["", "+", "zero_width +", "zerowidth", "zero_width(wide=True)", "nfkc * 2", "a + (b + c)"]
)
def test_bad_specs_name_the_cure(spec: str) -> None:
    with pytest.raises(SpecError):
        sanitizers.get(spec)


@pytest.mark.parametrize("spec", NAMES)
def test_bad_input(spec: str) -> None:
    clean = sanitizers.get(spec)
    assert clean("").text == ""
    assert clean("\ud800 x \udfff").text == "\ud800 x \udfff"
    with pytest.raises(DataError, match="one text"):
        clean(["a", "b"])  # type: ignore[arg-type]
    with pytest.raises(DataError):
        clean(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", NAMES)
def test_every_component_prints_back_and_has_a_card(spec: str) -> None:
    made = sanitizers.get(spec)
    assert sanitizers.get(made.spec) == made
    assert made.card.summary
    assert made.card.family


TILES = {
    "clean": "The café, “so” to say, was naïve. ",
    "homoglyphs": "Тhе сіtу wаs оld аnd Ι sаw іt. ",
    "zero-width": "T\u200bh\u200be\u200b ",
    "accents": "e\u0301\u0302\u0303",
    "marks only": "\u0301",
    "tags": "\U000e0041",
    "selectors": "\ufe0f",
    "turns": "a\u200e",
    "turned": "\u200fש\u202e",
    "joined": "👩\u200d",
    "jamo": "\u1100\u1161\u11a8",
    "Russian": "Он сказал: «со мной» и ушёл в сор. ",
}


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("spec", ["script_aware", "zero_width + uts39 + whitespace + nfkc"])
def test_time_is_linear(spec: str, tile: str) -> None:
    """400,000 characters take some 10 times the processor time of 40,000, whatever they are; a square would take 100."""
    clean = sanitizers.get(spec)
    took = []
    for length in (40_000, 400_000):
        text = (TILES[tile] * length)[:length]
        best = min(_seconds(clean, text) for _ in range(3))
        took.append(max(best, 1e-3))
    assert took[1] < 50 * took[0]


def _seconds(clean: object, text: str) -> float:
    start = time.process_time()
    clean(text)  # type: ignore[operator]
    return time.process_time() - start


@pytest.mark.parametrize("spec", NAMES)
def test_a_megabyte(spec: str) -> None:
    text = (TILES["homoglyphs"] + TILES["zero-width"]) * 22_000
    check_ends = sanitizers.get(spec)(text)
    assert check_ends.origin is not None
    assert len(check_ends.origin) == len(check_ends.text)
