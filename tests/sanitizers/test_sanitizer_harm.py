"""Honest texts that script_aware must give back untouched; what the plain tables do to them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evenhand import sanitizers

HERE = Path(__file__).parent
FIRST = [json.loads(line) for line in (HERE / "harm.jsonl").read_text("utf-8").splitlines()]
SECOND = [line for line in (HERE / "harm_second.txt").read_text("utf-8").splitlines() if line and line[:2] != "# "]
ENGLISH = "She walked home slowly and nobody on the whole street seemed to care."


def test_the_sets_are_as_large_as_claimed() -> None:
    assert len(FIRST) >= 120
    assert len({row["kind"] for row in FIRST}) >= 20
    assert len(SECOND) >= 120


@pytest.mark.parametrize("row", FIRST, ids=lambda row: row["kind"])
def test_no_line_of_the_first_set_is_altered(row: dict[str, str]) -> None:
    assert sanitizers.get("script_aware")(row["text"]).text == row["text"]


@pytest.mark.parametrize("line", SECOND)
def test_no_line_of_the_second_set_is_altered(line: str) -> None:
    assert sanitizers.get("script_aware")(line).text == line


@pytest.mark.parametrize("joint", ["\n", "\n\n", f" {ENGLISH} ", f"\n{ENGLISH}\n"])
def test_nor_are_they_as_one_document(joint: str) -> None:
    clean = sanitizers.get("script_aware")
    for lines in ([row["text"] for row in FIRST], SECOND):
        whole = joint.join(lines)
        assert clean(whole).text == whole


@pytest.mark.parametrize(
    ("spec", "honest", "spoilt"),
    [
        ("curated47", "Привет", "Пpивeт"),
        ("curated47", "α = 0.05", "a = 0.05"),
        ("uts39", "“so”", "''so''"),
        ("uts39", "ναός", "vaός"),
        ("uts39", "Æsop", "AEsop"),
        ("uts39", "ו", "l"),
        ("uts39", "І am", "l am"),
        ("zero_width", "می\u200cروم", "میروم"),
        ("zero_width", "👩\u200d🔬", "👩🔬"),
        ("nfkc", "x² ½ ™", "x2 1⁄2 TM"),
        ("whitespace", "One.  Two.", "One. Two."),
    ],
)
def test_known_harm_of_the_plain_ones(spec: str, honest: str, spoilt: str) -> None:
    assert sanitizers.get(spec)(honest).text == spoilt
    assert sanitizers.get("script_aware")(honest).text == honest


def test_the_plain_ones_do_alter_the_harm_sets() -> None:
    lines = [row["text"] for row in FIRST] + SECOND
    for spec in ("curated47", "uts39", "nfkc", "zero_width", "paper_figure5", "paper_table6", "paper_table6_full"):
        clean = sanitizers.get(spec)
        assert sum(clean(line).text != line for line in lines) > 10, spec
