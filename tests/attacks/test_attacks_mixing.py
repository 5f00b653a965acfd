"""Sentences of a donor in a carrier."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evenhand import attacks
from evenhand.errors import DataError, MissingError

CARRIER = " ".join(f"The carrier says sentence number {n}." for n in range(8))
DONOR = " ".join(f"A donor wrote line {n}." for n in range(5))


def donors(folder: Path, *rows: object) -> str:
    path = folder / "donors.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return str(path)


def test_a_quarter_of_the_sentences_comes_from_the_paired_donor(tmp_path: Path) -> None:
    path = donors(tmp_path, {"text": CARRIER, "donor": DONOR}, {"donor": "Another one."})
    edited = attacks.get(f"mixing(donors={path!r})")(CARRIER, seed=1)
    assert (edited.edits, edited.candidates) == (2, 8)
    assert all(edited.text[start:end] in DONOR for start, end in edited.spans)
    pooled = attacks.get(f"mixing(donors={path!r})")(CARRIER + " More.", seed=1)
    assert {pooled.text[start:end] for start, end in pooled.spans} == {"Another one."}


def test_detectrl_draws_by_the_number_of_sentences_alone(tmp_path: Path) -> None:
    other = CARRIER.replace("carrier", "other")
    path = donors(tmp_path, {"text": CARRIER, "donor": DONOR}, {"text": other, "donor": DONOR})
    attack = attacks.get(f"mixing(donors={path!r}, profile='detectrl')")
    one, two = attack(CARRIER, seed=1), attack(other, seed=2)
    assert [one.text[a:b] for a, b in one.spans] == [two.text[a:b] for a, b in two.spans]


def test_what_is_wrong_with_the_donors_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="donors='PATH'"):
        attacks.get("mixing")(CARRIER)
    with pytest.raises(MissingError, match="no donors at"):
        attacks.get("mixing(donors='nowhere.jsonl')")(CARRIER)
    with pytest.raises(DataError, match="line 1"):
        attacks.get(f"mixing(donors={donors(tmp_path, ['x'])!r})")(CARRIER)
