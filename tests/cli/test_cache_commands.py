"""The size of the statistics cache is told, and it can be cleared; what a plan needs offline is fetched."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from evenhand import kept
from evenhand.cli.app import app
from evenhand.cli.fetch import of_plan
from evenhand.documents import Document, Edited
from evenhand.errors import SpecError
from evenhand.models import cache, minilm
from evenhand.models.statistics import TokenStatistics
from evenhand.store import Store, row_of


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVENHAND_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("EVENHAND_STATISTICS_CACHE", raising=False)
    return tmp_path / "cache"


def told(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def keep_one() -> None:
    numbers = np.arange(5, dtype=np.float32)
    whole = numbers.astype(np.int32)
    stats = TokenStatistics(whole, np.zeros((5, 2), np.int32), numbers, whole, numbers, numbers, numbers, 6)
    cache.save("We walked home.", "some model", stats)


def test_its_size_is_told_and_it_is_cleared(own_cache: Path) -> None:
    keep_one()
    kept = [file for file in own_cache.rglob("*") if file.is_file()]
    size = json.loads(told("doctor", "--json"))["statistics_bytes"]
    assert size == sum(file.stat().st_size for file in kept) > 0
    assert "forget --cache" in told("doctor")
    assert f"{size / 1e6:.1f} MB" in told("forget", "--cache")
    assert not any(file.exists() for file in kept)
    assert json.loads(told("doctor", "--json"))["statistics_bytes"] == 0


@pytest.mark.parametrize("arguments", [[], ["run"], ["--cache", "run", "id"], ["--cache", "run"]])
def test_one_or_the_other(own_cache: Path, arguments: list[str]) -> None:
    keep_one()
    with pytest.raises(SpecError, match="or --cache alone"):
        CliRunner().invoke(app, ["forget", *arguments], catch_exceptions=False)
    assert cache.size() > 0


def test_a_plan_fetches_the_encoder_of_a_detector(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(minilm, "folder", lambda: asked.append("minilm") or minilm.path())
    plan = tmp_path / "plan.toml"
    plan.write_text('corpus = "embedded"\ndetectors = ["log_rank", "lrr", "phd", "encoder(base=\'embedded\')"]\n')
    found = list(of_plan(str(plan)))
    assert [name for name, bring in found if bring is None] == ["embedded"]
    assert [str(bring()) for _, bring in found if bring] == [str(minilm.path())] * 2
    assert asked == ["minilm", "minilm"]
    assert str(minilm.path()) in told("fetch", "minilm")


class Slow:
    """A costly edit, whose result is kept."""

    costly, spec = True, "slow"

    def __call__(self, text: str, seed: int) -> Edited:
        return Edited(f"{text} Slowly.")


def test_forgetting_a_text_reaches_its_kept_edits(own_cache: Path, tmp_path: Path) -> None:
    store = Store.at(tmp_path / "run")
    store.create()
    store.write_text("plan.toml", "")
    documents = [Document(name, f"{name} went home early.", "human") for name in ("anna", "berta")]
    store.append("documents", [row_of(document) for document in documents])
    for document in documents:
        kept.edited(Slow(), document.text, 1)
    assert "1 documents and 1 files of the cache" in told("forget", str(tmp_path / "run"), "anna")
    (left,) = kept.folder().rglob("*.json")
    assert "berta" in left.read_text()
