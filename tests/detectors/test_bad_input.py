"""Every zero-shot detector on texts that should not break it: a score that is finite, or a reason for none."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from evenhand import detectors, score_texts

pytest.importorskip("torch")

ODD = {
    "empty": "",
    "one token": "a",
    "only whitespace": " \n\t\u00a0\u2003 \r\n" * 40,
    "one word 5,000 times": "word " * 5000,
    "a megabyte without a space": "x" * 1_000_000,
    "mixed scripts": "Привет мир, hello שלום, 你好世界 \U0001f30d and नमस्ते; μεγάλη αλήθεια, مرحبا بالعالم. " * 6,
    "combining marks": "a\u0301\u0323" * 300,
    "a lone surrogate": "We walked \udc80 home.",
    "control characters": "\x00\x01\x02 bell \x07 " * 60,
    "zero-width only": "\u200b\u200c\u200d\ufeff" * 100,
}
NONE = {"empty", "one token", "only whitespace", "a megabyte without a space", "a lone surrogate", "zero-width only"}
"""Texts that no detector can score whole."""


ZERO_SHOT = [name for name in detectors.names() if "zero_shot" in detectors.factory(name).__module__]
PRESETS = [name for name in ZERO_SHOT if detectors.factory(name).__module__.endswith("presets")]


def specs(tiny_t5: str, bert: str, model: str) -> list[str]:
    """All zero-shot detectors but presets (the same classes on models of the hub) and phd, which reads by an encoder."""
    parameters = {
        "binoculars": "variant='paper'",
        "fast_detect_gpt": "form='sampled', n_samples=50",
        "lastde_plus": "n_samples=10",
        "detect_gpt": "k=2",
        "npr": "k=2",
        "dna_gpt": "k=2, max_new_tokens=8",
        "glimpse": "tail='zipf'",
        "tocsin": f"k=2, scorer={tiny_t5!r}",
        "detect_gpt_idmgsp": f"k=2, model={model!r}, filler={bert!r}",
    }
    alone = [name for name in ZERO_SHOT if detectors.get(name).models == ("embedded",)]
    slow = ("detect_gpt", "npr", "dna_gpt")
    return [*(name for name in alone if name not in slow), *(f"{name}({told})" for name, told in parameters.items())]


@pytest.fixture(scope="module")
def rows(
    tiny_models: dict[str, str], tiny_t5: str, bert: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, str], dict]:
    """(kind of text, spec) -> its row."""
    asked, kinds = specs(tiny_t5, bert, tiny_models["first"]), list(ODD)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVENHAND_CACHE", str(tmp_path_factory.mktemp("cache")))
        table = score_texts(list(ODD.values()), asked, model=tiny_models["first"]).to_pylist()
    return {(kinds[row["text_index"]], row["detector"]): row for row in table}


def test_each_text_has_a_row_of_each_detector(
    rows: dict[tuple[str, str], dict], tiny_models: dict[str, str], tiny_t5: str, bert: str
) -> None:
    asked = specs(tiny_t5, bert, tiny_models["first"])
    assert len(rows) == len(ODD) * len(asked)
    assert {spec.partition("(")[0] for spec in asked} == set(ZERO_SHOT) - {*PRESETS, "phd"}


@pytest.mark.parametrize("kind", ODD)
def test_a_finite_score_or_a_reason(kind: str, rows: dict[tuple[str, str], dict]) -> None:
    for (text, spec), row in rows.items():
        if text == kind:
            assert row["status"] in ("ok", "abstained"), (spec, row["reason"])
            assert math.isfinite(row["score"]) == (row["status"] == "ok"), spec
            assert row["status"] == "ok" or row["reason"], spec
            assert row["status"] == "abstained" or kind not in NONE, spec


def test_a_truncated_megabyte_has_a_score(tiny_models: dict[str, str], own_cache: Path) -> None:
    texts = [ODD["a megabyte without a space"], ODD["one word 5,000 times"]]
    table = score_texts(texts, ["log_rank(truncate=64)", "entropy(truncate=64)"], model=tiny_models["first"])
    for row in table.to_pylist():
        assert (row["status"], row["truncated"], row["n_tokens"]) == ("ok", True, 64)
        assert math.isfinite(row["score"])
