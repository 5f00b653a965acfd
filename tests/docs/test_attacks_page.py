"""The page of attacks, made of a tiny corpus of our own."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

MAKE = Path(__file__).resolve().parents[2] / "docs" / "make"
TEXTS = (
    ("human", "We got off at the harbor at 9, lost the dog twice and found it. It wasn't my favorite day, to be fair."),
    ("human", "My aunt keeps bees behind the theater. She says they don't mind the noise, because they are busy."),
    (
        "machine",
        "The harbor is an important place that offers 4 benefits to the community. It's a center of the trade.",
    ),
)
ROWS = [{"id": str(i), "label": label, "text": text} for i, (label, text) in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(MAKE / "attack_numbers.py"))


@pytest.fixture(scope="module")
def found(script):
    """As it comes back from the file of numbers."""
    for slow in ("grammar", "back_translation"):
        script["LEFT_OUT"][slow] = "a program that this test does without"
    made = script["numbers"](ROWS, None, a_class=2, meant=2, encoder=False)
    made["sanitizers"] = script["sanitizer_numbers"]({text: label for label, text in TEXTS})
    return json.loads(json.dumps(made))


@pytest.fixture(scope="module")
def page(found):
    return runpy.run_path(str(MAKE / "attacks.py"))["page"](found)


def row(found, attack, label):
    return next(one for one in found["attacks"] if (one["attack"], one["class"]) == (attack, label))


def cells(page, heading, attack):
    """The row of an attack in the section under a heading."""
    section = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    line = next(line for line in section.splitlines() if line.startswith(f"| `{attack}` |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_every_attack_and_profile_is_measured_or_named_with_a_reason(script, found):
    measured = {one["attack"] for one in found["attacks"]}
    assert measured.isdisjoint(found["not_run"])
    assert {"mixing", "mixing(profile='detectrl')", "insert_paragraphs"} <= measured
    assert measured | set(found["not_run"]) == set(script["specs_of"]("donors.jsonl", None))
    assert all(found["not_run"].values())
    assert "RAID" in found["not_run"]["misspelling(profile='raid')"]


def test_numbers_of_an_attack_are_those_of_a_direct_call(found):
    from evenhand import attacks, measures

    text = TEXTS[2][1]
    done = attacks.get("zero_width(profile='raid')")(text)
    one = row(found, "zero_width(profile='raid')", "machine")
    assert one["dose"] == [done.dose]
    assert one["characters"] == [len(text)]
    assert one["positions"] == [measures.get("words_changed")([(done.text, text)])[0].value] == [1.0]
    assert one["restored"]["zero_width"] == [True]
    assert one["restored"]["whitespace"] == [False]


def test_the_page_tells_no_ops_restorations_and_examples(page):
    assert cells(page, "Dose, no-ops, throughput", "strip_markdown")[1:4] == [
        "100.0% [15.8, 100.0] 2",
        "100.0% [2.5, 100.0] 1",
        "–",
    ]
    undone = cells(page, "Undone by which sanitizer", "zero_width(profile='raid')")
    assert undone[1:4] == ["human", "2", "100.0% [15.8, 100.0]"]
    assert undone[-1].startswith("`zero_width`")
    assert "⟨200B⟩" in cells(page, "Examples", "zero_width(profile='raid')")[2]
    assert cells(page, "Sanitizers", "none")[1].startswith("0.0% [0.0, ")
    assert "`article_deletion`" in page.partition("No text restored by any of them: ")[2].partition(". With")[0]


def test_no_text_of_the_corpus_reaches_numbers_or_page(page, found):
    told = json.dumps(found) + page
    for _, text in TEXTS:
        assert not any(text[at : at + 20] in told for at in range(0, len(text) - 20, 5))


def test_bad_input_is_a_no_op_or_an_edit_and_no_error(found):
    assert all(set(made) <= {"changed", "no-op"} for made in found["bad"].values()), found["bad"]
    assert set(found["bad"]["empty"]) == {"no-op"}
