"""The studies in examples/: every name in them is there, and they run on small files of the same shape."""

from __future__ import annotations

import csv
import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest

from evenhand import Plan, attacks, audits, detectors, measures, sanitizers
from evenhand.corpora.raid import COLUMNS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STUDIES = sorted(EXAMPLES.glob("two_sided_*.toml"))


@pytest.mark.parametrize("path", STUDIES, ids=lambda p: p.stem)
def test_every_name_of_a_plan_is_known(path):
    plan = Plan.read(path)
    assert plan.policy.fpr == 0.01
    for family, specs in (
        (attacks, plan.attacks),
        (sanitizers, plan.sanitizers),
        (audits, plan.audits),
        (measures, plan.measures),
    ):
        assert all(family.canonical(spec) for spec in specs)  # type: ignore[attr-defined]
    for spec in plan.detectors:
        assert detectors.canonical(spec).startswith(spec.partition("(")[0])
    assert len(STUDIES) == 2


def test_raid_gives_both_classes_the_same_attacks(tmp_path):
    path = tmp_path / "train.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, restval="")
        writer.writeheader()
        for i, model in itertools.product(range(4), ("human", "gpt2")):
            text = f"Some {model} words, number {i}, written for this test alone. " * 20
            clean = {
                "id": f"{model}{i}",
                "source_id": f"human{i}",
                "model": model,
                "domain": "news",
                "generation": text,
            }
            writer.writerow(clean | {"attack": "none"})
            writer.writerow(clean | {"id": f"{model}{i}x", "adv_source_id": f"{model}{i}", "attack": "number"})
    plan = replace(Plan.read(EXAMPLES / "two_sided_raid.toml"), corpus=f"raid(path={str(path)!r})")
    made = list(plan.documents())
    attacked = {(d.label, d.attack) for d in made if d.sanitizer == "none"}
    names = {"none", "number", *(attacks.canonical(f"truncate(words={w})") for w in (50, 100, 150, 200))}
    assert attacked == {(label, name) for label in ("human", "machine") for name in names}
    assert {d.cluster for d in made} == {f"human{i}" for i in range(4)}, "a title is one draw"


def test_detectrl_gets_zero_width_beside_its_own_attacks(tmp_path):
    for name, attack in (
        ("Direct_Prompt/direct_prompt_test.json", "direct_prompt"),
        ("Paraphrase_Attacks/paraphrase_polish_test.json", "polish"),
    ):
        file = tmp_path / name
        file.parent.mkdir()
        rows = [
            {"text": f"{attack} by {label}, for this test: {i}.", "label": label, "data_type": attack, "llm_type": "a"}
            for label in ("human", "llm") for i in range(2)
        ]  # fmt: skip
        file.write_text(json.dumps(rows), encoding="utf-8")
    plan = replace(Plan.read(EXAMPLES / "two_sided_detectrl.toml"), corpus=f"detectrl(path={str(tmp_path)!r})")
    made = [d for d in plan.documents() if d.sanitizer == "none"]
    assert {(d.label, d.attack.partition("(")[0]) for d in made} == {
        (label, attack) for label in ("human", "machine") for attack in ("none", "polish", "zero_width")
    }
