"""evenhand try: the steps of one text, its scores with what a reader should know of them, and its tokens."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("torch")

from evenhand.cli.app import app
from evenhand.explain.tokens import BITS
from evenhand.models.causal import token_statistics

TEXT = "The ferry left at seven, and nobody on the pier could say why it was early."
GERMAN = "Wir gingen langsam am Fluss entlang nach Hause, weil niemand wollte, dass der Abend endet. " * 4


@pytest.fixture(autouse=True)
def _own_cache(own_cache: Path) -> None:
    """Every test computes."""


def tried(folder: Path, text: str, *arguments: str) -> str:
    (folder / "a.txt").write_text(text, encoding="utf-8")
    done = CliRunner().invoke(app, ["try", str(folder / "a.txt"), *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("switch", [[], ["--tokens"], ["--tokens", "-d", "log_rank"]])
def test_every_token_is_printed_with_its_surprisal_and_rank(
    switch: list[str], tiny_models: dict[str, str], tmp_path: Path
) -> None:
    shown = tried(tmp_path, TEXT, "-m", tiny_models["first"], *switch)
    rows = re.findall(r"^ *([\d.]+) +([\d,]+)  (.*)$", shown, re.M)
    stats = token_statistics([TEXT], tiny_models["first"])[0]
    assert [float(bits) for bits, _, _ in rows] == pytest.approx(stats.surprisal * BITS, abs=0.051)
    assert [int(rank.replace(",", "")) for _, rank, _ in rows] == stats.rank.tolist()
    assert TEXT.endswith("".join(token for _, _, token in rows))


def test_json_and_a_page_hold_them_too(tiny_models: dict[str, str], tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    told = tried(tmp_path, TEXT, "-m", tiny_models["first"], "--json", "--tokens", "--html", str(page))
    (stage,) = json.loads(told)
    stats = token_statistics([TEXT], tiny_models["first"])[0]
    assert "".join(row["text"] for row in stage["tokens"]) == TEXT
    assert [row["rank"] for row in stage["tokens"]] == [None, *stats.rank.tolist()]
    assert page.read_text("utf-8").count("bits, rank") == stats.n_scored


def test_a_score_is_told_with_its_reservations(tiny_models: dict[str, str], tmp_path: Path) -> None:
    arguments = ("-m", tiny_models["first"], "-d", "log_rank(truncate=60)", "-d", "binoculars")
    shown = " ".join(tried(tmp_path, GERMAN, *arguments).split())
    assert re.search(r"log_rank\(truncate=60\): -[\d.]+ \(.*may not be English; truncated\)", shown)
    assert "observer and performer are one model" in shown
    (stage,) = json.loads(tried(tmp_path, GERMAN, *arguments, "--json"))
    assert set(stage["score_notes"]) == set(stage["scores"])
