"""What a chat model would be asked is told first, and --dry-run asks nothing."""

from __future__ import annotations

import json
from itertools import product
from random import Random

import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app

HUMAN = "Stop {}: we got off at the harbour, lost the dog twice, found it, ate plums till dark, and ran for the bus."
MACHINE = "The harbour offers {} benefits to the community, and its many visitors value the place in the evening."
ASKED = "endpoint='http://127.0.0.1:9/v1', model='m'"


@pytest.fixture
def study(tmp_path, own_cache):
    rows = [
        (f"{label}{i}", text.format(i), label, split, f"{label}{i}")
        for label, text in (("human", HUMAN), ("machine", MACHINE))
        for i in range(8)
        for split in ("train",)
        if i < 6
    ] + [
        ("human7", HUMAN.format(7), "human", "test", "human7"),
        ("machine7", MACHINE.format(7), "machine", "test", "machine7"),
    ]
    names = ("id", "text", "label", "split", "cluster")
    (tmp_path / "texts.jsonl").write_text("\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows))
    detectors = [
        f"prompted_io({ASKED}, max_new_tokens=10)",
        f"prompted_fs({ASKED}, shots=2)",
        f"llmfe({ASKED}, n_pairs=3)",
    ]
    detectors.append("chat_fine_tune(endpoint='http://127.0.0.1:9/v1')")
    told = {"corpus": f"jsonl(path={str(tmp_path / 'texts.jsonl')!r})", "detectors": detectors}
    (tmp_path / "study.toml").write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in told.items()))
    return tmp_path


@pytest.mark.parametrize("command", [["run", "-o", "out"], ["score"]])
def test_costs_are_told_and_nothing_is_asked(study, command, monkeypatch):
    monkeypatch.chdir(study)
    done = CliRunner().invoke(app, [command[0], "study.toml", *command[1:], "--dry-run"])
    assert done.exit_code == 0, done.output
    lines = [line for line in done.stderr.splitlines() if line.startswith("will ask: ")]
    names = [line.removeprefix("will ask: ").split(":")[0] for line in lines]
    assert names == [
        "prompted_io",
        "prompted_fs",
        *("llmfe, pairs", "llmfe, training texts", "llmfe"),
        *("chat_fine_tune, one fine-tuning job", "chat_fine_tune"),
    ]
    assert "prompted_io: 2 requests, about" in lines[0]
    assert "at most 20 of answers; up to 2 more to mend" in lines[0]
    assert ": 3 requests" in lines[2]
    assert ": 20 requests" in lines[3]  # 12 training texts, and the eight that tell swapped labels
    assert not (study / "out").exists()


def test_plans_that_ask_nobody_say_nothing(study, monkeypatch):
    monkeypatch.chdir(study)
    text = (study / "study.toml").read_text().splitlines()
    (study / "study.toml").write_text(text[0] + '\ndetectors = ["tfidf_lr"]')
    done = CliRunner().invoke(app, ["score", "study.toml", "--dry-run"])
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("spec", [f"prompted_fs({ASKED}, shots=2)", f"llmfe({ASKED}, n_pairs=3)"])
def test_under_an_evaluation_what_learns_is_told_once_a_fold(study, monkeypatch, spec):
    monkeypatch.chdir(study)
    rows = [json.loads(line) for line in (study / "texts.jsonl").read_text().splitlines()]
    words = ["".join(letters) for letters in product("abcdefgh", repeat=3)]
    for i, row in enumerate(rows):  # no two texts alike, which would hang together
        row |= {"split": "test", "domain": "ab"[i % 2], "text": " ".join(Random(i).sample(words, 30))}
    (study / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    corpus = (study / "study.toml").read_text().splitlines()[0]
    told = f"{corpus}\nevaluation = \"leave_out(by='domain')\"\ndetectors = {json.dumps([spec])}"
    (study / "study.toml").write_text(told)
    done = CliRunner().invoke(app, ["score", "study.toml", "--dry-run"])
    assert done.exit_code == 0, done.output
    name = spec.partition("(")[0]
    judged = [line for line in done.stderr.splitlines() if line.startswith(f"will ask: {name}, fold")]
    assert [line.split("fold ")[1].partition(" requests")[0] for line in judged] == ["'a': 7", "'b': 7"]
    learnt = [line for line in done.stderr.splitlines() if "training texts" in line]
    assert len(learnt) == (2 if name == "llmfe" else 0)


def test_a_saved_detector_asks_to_judge_alone(study, monkeypatch):
    from evenhand import detectors

    monkeypatch.chdir(study)
    texts = [made.format(i) for made in (HUMAN, MACHINE) for i in range(6)]
    detectors.save(detectors.get(f"prompted_fs({ASKED}, shots=2)").fit(texts, [0] * 6 + [1] * 6), study / "saved")
    corpus = (study / "study.toml").read_text().splitlines()[0]
    (study / "study.toml").write_text(f"{corpus}\ndetectors = [\"saved(path='saved')\"]")
    done = CliRunner().invoke(app, ["score", "study.toml", "--dry-run"])
    assert [line.partition(",")[0] for line in done.stderr.splitlines()] == ["will ask: prompted_fs: 2 requests"]
