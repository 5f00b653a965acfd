"""The example plug-in, installed as its README says, is found by name, keeps its contract and scores."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).resolve().parents[2] / "examples" / "plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    pytest.importorskip("hatchling", reason="building the example needs hatchling")
    target = tmp_path_factory.mktemp("site")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-t",
        str(target),
        str(PLUGIN),
    ]
    subprocess.run(pip, check=True, capture_output=True)
    return target


def evenhand(site, *arguments):
    command = [sys.executable, "-m", "evenhand", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment)


def test_it_is_listed_shown_and_keeps_its_contract(installed):
    assert "long_words" in evenhand(installed, "list", "detectors").stdout
    assert "measures the topic" in evenhand(installed, "show", "long_words").stdout
    done = evenhand(installed, "check", "long_words")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAIL" not in done.stdout


def test_it_scores_a_file(installed, tmp_path):
    path = tmp_path / "texts.csv"
    with path.open("w", newline="") as handle:
        csv.writer(handle).writerows([["id", "text"], ["a", "plums and pears are ripe now"], ["b", "too few"]])
    done = evenhand(installed, "score", str(path), "-d", "long_words", "--json")
    assert done.returncode == 0, done.stderr
    assert '"status": "ok"' in done.stdout
    assert "fewer than 5 words" in done.stdout
