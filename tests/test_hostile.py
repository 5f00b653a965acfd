"""Values of the wrong type are refused with a sentence that names the parameter, wherever they come in."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from evenhand import Plan, attacks, audit, detectors, evaluations, sanitizers, score_texts, stats
from evenhand.cli.app import app
from evenhand.errors import DataError, EvenhandError, SpecError, StoreError
from evenhand.registry import accepts, shorten

WRONG: list[Any] = [None, "zz", -1, 1.5, [1], True, float("nan"), {}, 10**30]


@pytest.mark.parametrize("family", [attacks, sanitizers, detectors, evaluations], ids=lambda family: family.__name__)
def test_every_parameter_of_every_component_refuses_or_takes(family: Any) -> None:
    """No value of another type ends in Python's own TypeError."""
    for name in family.names():
        try:
            made = family.get(name)
        except SpecError:  # it has a parameter without a default
            continue
        given = {f.name: getattr(made, f.name) for f in fields(made) if f.init}
        for key in given:
            for value in WRONG:
                with suppress(EvenhandError):
                    type(made)(**{**given, key: value})


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("homoglyph(profile=[1])", r"homoglyph: profile takes str, got \[1\]"),
        ("homoglyph(rate='a')", r"homoglyph: rate takes float \| None, got 'a'"),
        ("homoglyph(rate=True)", "got True"),
        ("polish(kind={})", "kind takes"),
    ],
)
def test_the_message_names_parameter_and_type(spec: str, told: str) -> None:
    with pytest.raises(SpecError, match=told):
        attacks.get(spec)


def test_what_fits_a_type() -> None:
    import numpy as np

    assert accepts(float, 1)
    assert accepts(int, np.int64(1))
    assert accepts(tuple[int, ...], [1, 2])
    assert accepts(int | None, None)
    assert not accepts(int, True)
    assert not accepts(int, 1.0)
    assert not accepts(tuple[str, ...], "ab")
    assert not accepts(tuple[int, int], (1,))


def test_a_long_spec_is_not_echoed_whole() -> None:
    with pytest.raises(SpecError) as error:
        attacks.get("a" * 100_000)
    assert len(str(error.value)) < 300
    assert len(shorten("a" * 1000)) <= 80


@pytest.mark.parametrize("text", [None, 5, b"x", ["a"], float("nan")])
def test_an_attack_takes_one_text(text: Any) -> None:
    with pytest.raises(DataError, match="takes one text"):
        attacks.get("homoglyph")(text)
    with pytest.raises(DataError, match="takes one text"):
        sanitizers.get("script_aware")(text)


@pytest.mark.parametrize("seed", [None, "x", 1.5, [1], True])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(SpecError, match="seed is a whole number"):
        attacks.get("homoglyph")("hello world", seed=seed)


@pytest.mark.parametrize("texts", [None, 5, "x", {"a": 1}, [None], [5], [b"x"]])
def test_texts_are_a_list_of_strings(texts: Any) -> None:
    with pytest.raises(DataError):
        score_texts(texts, ["log_likelihood"], model="embedded")


def test_a_column_of_arrow_is_a_list_of_texts() -> None:
    def length(texts: list[str]) -> list[float]:
        return [float(len(text)) for text in texts]

    scored = score_texts(pa.array(["a", "bcd"]), [length])  # type: ignore[arg-type]
    assert scored["score"].to_pylist() == [1.0, 3.0]


@pytest.mark.parametrize("asked", [None, 5, [None], [5]])
def test_detectors_are_specs_or_callables(asked: Any) -> None:
    with pytest.raises(DataError, match="detector"):
        score_texts(["a b"], asked, model="embedded")


def test_statistics_name_the_parameter() -> None:
    scores = [1.0, 2.0, 3.0]
    for call, told in [
        (lambda: stats.threshold(scores, fpr="a"), "fpr"),
        (lambda: stats.auroc(scores, scores, level=None), "level"),
        (lambda: stats.average_precision(scores, scores, replicates="a"), "replicates"),
        (lambda: stats.true_positive_rate(scores, [1]), "threshold"),
        (lambda: stats.certificate("a", 10), "count"),
        (lambda: stats.holm(["a"]), "p-values"),
        (lambda: stats.auroc_matrix(scores, [0, 1, 1], clusters=[1]), "clusters"),
        (lambda: stats.texts_needed(0.01, errors=-1), "errors"),
        (stats.quantile_strata, "no lengths"),
    ]:
        with pytest.raises(EvenhandError, match=told):
            call()


def test_paths_that_are_none() -> None:
    with pytest.raises(SpecError, match="path of its file"):
        Plan.read(None)  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="path of its folder"):
        audit(None)  # type: ignore[arg-type]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run folder of two texts, scored by a detector that needs no model."""
    rows = [{"id": str(i), "text": f"We walked home, {i} of us, by the river.", "label": "human"} for i in range(2)]
    source = tmp_path / "a.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = CliRunner().invoke(
        app, ["score", str(source), "-d", "log_rank(min_tokens=500)", "-o", str(tmp_path / "run")]
    )
    assert made.exit_code == 0, made.output
    return tmp_path / "run"


@pytest.mark.model
def test_status_says_what_is_damaged(run: Path) -> None:
    shutil.rmtree(run / "documents")
    assert "deleted: run it again" in CliRunner().invoke(app, ["status", str(run)]).output
    (run / "plan.toml").write_text("x = [")
    result = CliRunner().invoke(app, ["status", str(run)])
    assert isinstance(result.exception, StoreError)
    assert "writes the file anew" in " ".join(str(result.exception).split())


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["try", "."], "it is a folder"),
        (["try", "nowhere.txt"], "no such file"),
        (["try", "binary"], "evenhand import"),
        (["lint", ""], "no texts were named"),
        (["split", "a.jsonl", "--shares", "x=a"], "write them like"),
    ],
)
def test_commands_name_the_cure(command: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("binary").write_bytes(b"%PDF-1.4\n\xd0\xff")
    Path("a.jsonl").write_text('{"text": "a b", "label": "human"}\n')
    result = CliRunner().invoke(app, command)
    assert result.exit_code != 0
    assert told in str(result.exception)
