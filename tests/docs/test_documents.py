"""README and docs run as they are printed: every Python block, every command, every link."""

from __future__ import annotations

import csv
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.M | re.S)


def blocks(language: str):
    for page in PAGES:
        for kind, told, text in BLOCK.findall(page.read_text(encoding="utf-8")):
            if kind == language:
                mark = [pytest.mark.model] if "needs-model" in told or kind == "console" else []
                where = f"{page.relative_to(ROOT)}: {text.strip().splitlines()[0][:50]}"
                yield pytest.param(text, id=where, marks=mark)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the documents speak of; the texts are made here."""
    monkeypatch.chdir(tmp_path)
    rows = [(f"{i}", sentence(i, label), label, f"author{i // 2}") for i in range(24) for label in ("human", "machine")]
    for name in ("texts.csv", "essays.csv"):
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as handle:
            writer = csv.writer(handle)
            writer.writerow(["id", "text", "label", "author"])
            writer.writerows([f"{label}{i}", text, label, author] for i, text, label, author in rows)
    (tmp_path / "letter.txt").write_text(sentence(1, "human"), encoding="utf-8")
    (tmp_path / "papers").mkdir()
    parts = [
        f"{name}\n\n{sentence(i, 'human')}" for i, name in enumerate(("Abstract", "1 Introduction", "2 Conclusion"))
    ]
    (tmp_path / "papers" / "harbour.txt").write_text("\n\n".join(parts), encoding="utf-8")
    return tmp_path


def sentence(i: int, label: str) -> str:
    places = ["harbour", "market", "old school", "station"]
    human = (
        f"Number {i} again: we got off at the {places[i % 4]}, lost the dog twice, found it, and ate plums till dark."
    )
    machine = (
        f"The {places[i % 4]} is an important place that offers {i + 2} benefits to the community and its visitors."
    )
    return " ".join([human if label == "human" else machine] * 3)


@pytest.mark.parametrize("code", list(blocks("python")))
def test_python_blocks_run(code, folder):
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", list(blocks("console")))
def test_commands_run(text, folder):
    for line in text.splitlines():
        if line.startswith("$ evenhand "):
            command = [sys.executable, "-m", "evenhand", *shlex.split(line)[2:]]
            done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("text", list(blocks("toml")))
def test_plans_are_plans(text):
    from evenhand.plan import Plan

    plan = Plan.parse(text).resolved()
    assert plan.detectors


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} points to {target}, which is not there"
