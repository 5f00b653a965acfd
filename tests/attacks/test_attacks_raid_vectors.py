"""What RAID's own code did to three paragraphs: candidates, number of edits, and what undoes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand import attacks

OURS = {"zero_width_space": "zero_width"}


@pytest.fixture(scope="module")
def vectors(shared: Path) -> list[dict[str, Any]]:
    path = shared / "data" / "attack_vectors" / "raid_vectors.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["homoglyph", "zero_width_space", "whitespace", "upper_lower", "article_deletion"])
def test_candidates_and_edits_are_those_of_raid(name: str, vectors: list[dict[str, Any]]) -> None:
    attack = attacks.get(f"{OURS.get(name, name)}(profile='raid')")
    records = [record for record in vectors if record["attack"] == name]
    assert len(records) == 6
    for record in records:
        edited = attack(record["input"], seed=record["seed"])
        assert (edited.candidates, edited.edits) == (record["candidates"], record["num_edits"])
        assert len(edited.spans) == edited.edits
