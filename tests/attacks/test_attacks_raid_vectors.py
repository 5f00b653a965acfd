"""What RAID's own code did to three paragraphs: candidates, number of edits, and what undoes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand import attacks, sanitizers
from evenhand.attacks.paraphrase import Paraphrase

OURS = {"zero_width_space": "zero_width", "perplexity_misspelling": "misspelling"}
NAMES = (
    "homoglyph zero_width_space whitespace upper_lower article_deletion number insert_paragraphs alternative_spelling "
    "perplexity_misspelling"
).split()


@pytest.fixture(scope="module")
def vectors(shared: Path) -> list[dict[str, Any]]:
    path = shared / "data" / "attack_vectors" / "raid_vectors.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def raid(name: str, shared: Path) -> Any:
    words = (
        f", words={str(shared / 'data' / 'attack_vectors' / 'raid_misspellings.json')!r}" if name[:4] == "perp" else ""
    )
    return attacks.get(f"{OURS.get(name, name)}(profile='raid'{words})")


@pytest.mark.parametrize("name", NAMES)
def test_candidates_and_edits_are_those_of_raid(name: str, vectors: list[dict[str, Any]], shared: Path) -> None:
    attack = raid(name, shared)
    records = [record for record in vectors if record["attack"] == name]
    assert len(records) == 6
    for record in records:
        edited = attack(record["input"], seed=record["seed"])
        assert (edited.candidates, edited.edits) == (record["candidates"], record["num_edits"])
        if name in ("zero_width_space", "whitespace", "article_deletion", "upper_lower", "homoglyph", "number"):
            assert len(edited.text) - len(record["input"]) == pytest.approx(
                len(record["output"]) - len(record["input"]), abs=12
            )


@pytest.mark.parametrize("name", ["zero_width_space", "alternative_spelling"])
def test_attacks_without_a_draw_give_raids_text(name: str, vectors: list[dict[str, Any]], shared: Path) -> None:
    for record in vectors:
        if record["attack"] == name:
            edited = raid(name, shared)(record["input"])
            assert edited.text == record["output"]
            assert [list(span) for span in edited.spans] == record["edits"]


def test_a_paragraph_keeps_its_words_and_loses_its_own_breaks(vectors: list[dict[str, Any]], shared: Path) -> None:
    for record in vectors:
        if record["attack"] == "insert_paragraphs":
            ours = raid("insert_paragraphs", shared)(record["input"], seed=1).text
            assert ours.split() == record["output"].split()
            assert ours.count("\n\n") == record["output"].count("\n\n")
            assert ours.count(" \n\n") == ours.count("\n\n")


@pytest.mark.parametrize(
    "name", ["zero_width_space", "homoglyph", "whitespace", "number", "article_deletion", "upper_lower"]
)
def test_what_restores_raids_text_restores_ours(name: str, vectors: list[dict[str, Any]], shared: Path) -> None:
    """By the sanitizers of the two-sided paper: curated folding, and the same with runs of spaces collapsed."""
    cleaners = {"curated47": "zero_width + curated47", "curated_ws": "zero_width + curated47 + whitespace"}
    for record in vectors:
        text = record["input"]
        if record["attack"] != name or "I" in text:  # of RAID's two look-alikes of I the table knows one
            continue
        edited = raid(name, shared)(text, seed=record["seed"]).text
        for key, spec in cleaners.items():
            assert (sanitizers.get(spec)(edited).text.rstrip() == text) == record["restored_by"][f"{key}_exact"]


def test_dipper_is_asked_as_raid_asks(vectors: list[dict[str, Any]]) -> None:
    for record in vectors:
        if record["attack"] == "paraphrase":
            requests: list[str] = []

            def window_itself(request: str, kept: list[str] = requests) -> str:
                kept.append(request)
                return request.partition("<sent> ")[2].removesuffix(" </sent>")

            made = Paraphrase(profile="raid").by_windows(
                record["input"], lambda request: len(request.split()) <= 512, window_itself
            )
            assert requests == record["prompts"]
            assert made == record["output"]
