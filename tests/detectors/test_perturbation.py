"""DetectGPT, NPR and DNA-GPT: how copies are made, what is made of them, and when there is no score."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from evenhand import detectors, score_texts  # noqa: E402
from evenhand.detectors.zero_shot import perturbation  # noqa: E402
from evenhand.detectors.zero_shot.dna_gpt import first_words, rewritten  # noqa: E402
from evenhand.detectors.zero_shot.perturbation import (  # noqa: E402
    SPANS_AT_MOST,
    Masking,
    choose_spans,
    insert,
    perturbed,
    word_spans,
)
from evenhand.errors import Abstain  # noqa: E402
from evenhand.models.causal import token_statistics  # noqa: E402
from evenhand.models.proposals import propose  # noqa: E402
from evenhand.models.weights import resolve  # noqa: E402

TEXT = (
    "The ferry left at seven, and nobody on the pier could say why it was early. A clerk counted crates, lost count, "
    "and began again; two children raced a dog along the rail until the captain called."
)
PLAN = Masking(filler="own", k=4, pct=0.3, span=2, buffer=1, seed=0, max_tries=20)


@pytest.fixture(autouse=True)
def _own_cache(own_cache: Path) -> None:
    perturbed.cache_clear()
    rewritten.cache_clear()


def test_spans_keep_their_distance_and_number() -> None:
    words = word_spans(TEXT)
    n = int(0.3 * len(words) / 4)
    for seed in range(50):
        chosen = choose_spans(words, n, PLAN, Random(seed))
        assert len(chosen) == n
        for start, end in chosen:
            assert len(TEXT[start:end].split(" ")) == 2
        assert all(after[0] - before[1] > 2 for before, after in pairwise(chosen))


def test_insert_puts_each_filling_in_its_place() -> None:
    assert insert("one two three four", [(4, 7), (14, 18)], ["2", "IV"]) == "one 2 three IV"
    assert insert("one two", [(0, 3)], [None]) is None
    assert insert("one two", [(0, 3), (4, 7)], ["1"]) is None


def test_copies_differ_from_the_text_in_the_masked_words_only(tiny_models: dict[str, str]) -> None:
    copies = perturbed(TEXT, PLAN, resolve(tiny_models["first"]))
    assert len(set(copies)) == 4
    assert TEXT not in copies
    assert copies == perturbed.__wrapped__(TEXT, PLAN, resolve(tiny_models["first"]))
    for copy in copies:
        kept = [word for word in TEXT.split(" ") if word in copy.split(" ")]
        assert len(kept) >= 0.6 * len(TEXT.split(" "))


def test_long_text_has_at_most_27_gaps(tiny_models: dict[str, str]) -> None:
    words = word_spans(" ".join(["word"] * 2000))
    assert len(choose_spans(words, min(int(0.3 * 2000 / 4), SPANS_AT_MOST), PLAN, Random(1))) == SPANS_AT_MOST


def test_proposals_come_from_the_places_of_the_words(tiny_models: dict[str, str]) -> None:
    weights = resolve(tiny_models["first"])
    spans = [(4, 9), (20, 23)]
    found = propose(TEXT, spans, weights, seed=1)
    assert len(found) == 2
    assert found == propose(TEXT, spans, weights, seed=1)
    assert propose(TEXT, [(0, 1)], weights, seed=1) == [None], "nothing foretells the first token"
    assert propose("bad \ud800", [(0, 3)], weights, seed=1) == [None]


@pytest.mark.parametrize("filler", ["own", "t5"])
def test_scores_against_their_formulas(
    tiny_models: dict[str, str], tiny_t5: str, filler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_models["first"]
    if filler == "t5":
        monkeypatch.setattr(
            perturbation, "fill_gaps", lambda texts, *_, **__: [["one", "two", "three", "four"]] * len(texts)
        )
    told = "own" if filler == "own" else tiny_t5
    specs = [f"{name}(k=4, filler={told!r})" for name in ("detect_gpt", "npr")]
    rows = score_texts([TEXT], [*specs, f"detect_gpt(k=4, filler={told!r}, normalised=False)"], model=model).to_pylist()
    assert [row["status"] for row in rows] == ["ok"] * 3, rows
    copies = perturbed(TEXT, Masking(told, 4, 0.3, 2, 1, 0, 20), resolve(model))
    own, *others = token_statistics([TEXT, *copies], model)
    means = [other.log_prob.mean(dtype=float) for other in others]
    ranks = [np.log(stats.rank.astype(float)).mean() for stats in (own, *others)]
    difference = own.log_prob.mean(dtype=float) - np.mean(means)
    expected = [difference / np.std(means), np.mean(ranks[1:]) / ranks[0], difference]
    np.testing.assert_allclose([row["score"] for row in rows], expected, rtol=1e-6)


def test_a_t5_that_never_fills_ends_in_an_abstention(
    tiny_models: dict[str, str], tiny_t5: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The published code tries for ever here. The answers are cut to one token, too few for a second gap."""
    real = perturbation.fill_gaps
    monkeypatch.setattr(
        perturbation, "fill_gaps", lambda texts, weights, seeds: real(texts, weights, seeds=seeds, max_tokens=1)
    )
    row = score_texts([TEXT], [f"npr(k=2, max_tries=2, filler={tiny_t5!r})"], model=tiny_models["first"]).to_pylist()[0]
    assert row["status"] == "abstained"
    assert "in 2 tries" in row["reason"]


def test_short_text_is_not_masked(tiny_models: dict[str, str]) -> None:
    rows = score_texts(["only a few words are here to be masked"], ["detect_gpt", "npr"], model=tiny_models["first"])
    for row in rows.to_pylist():
        assert row["status"] == "abstained"
        assert math.isnan(row["score"])
        assert "too few to mask" in row["reason"]


def test_longer_than_t5_was_trained_on_is_an_abstention(tiny_models: dict[str, str], tiny_t5: str) -> None:
    row = score_texts([TEXT * 12], [f"npr(k=2, filler={tiny_t5!r})"], model=tiny_models["first"]).to_pylist()[0]
    assert "more than the 512" in row["reason"]


@pytest.mark.parametrize("spec", ["detect_gpt(k=3", "npr(k=3", "dna_gpt(k=2, max_new_tokens=20"])
def test_what_is_cut_off_is_not_rewritten_either(spec: str, tiny_models: dict[str, str]) -> None:
    """Else copies would differ where nothing is read, and the text would be compared with itself."""
    detector = detectors.get(f"{spec}, truncate=90)", model=tiny_models["first"])
    read = token_statistics([TEXT], detector.model, truncate=90)[0].read(TEXT)
    assert TEXT.startswith(read)
    assert len(TEXT.split()) // 2 < len(read.split()) < len(TEXT.split())
    long, short = detector([TEXT, read])
    assert long == short
    assert long != 0


def test_own_proposals_end_with_the_context(tiny_models: dict[str, str]) -> None:
    specs = ["detect_gpt(k=2)", "detect_gpt(k=2, truncate=120)"]
    whole, cut = score_texts([TEXT * 4], specs, model=tiny_models["first"]).to_pylist()
    assert "within its context of 256: set truncate" in whole["reason"]
    assert cut["status"] == "ok"


def test_the_filler_is_in_the_key(tiny_models: dict[str, str], tiny_t5: str) -> None:
    own, other = (detectors.get(f"npr(filler={f!r})", model=tiny_models["first"]) for f in ("own", tiny_t5))
    assert "filler='own'" in own.key
    assert "filler='t5@" in other.key
    assert own.models == (tiny_models["first"],)
    assert other.models == (tiny_models["first"], tiny_t5)


class TestDnaGpt:
    """Second halves written anew."""

    def test_score_is_the_mean_difference(self, tiny_models: dict[str, str]) -> None:
        detector = detectors.get("dna_gpt(k=3, max_new_tokens=60)", model=tiny_models["first"])
        found = detector([TEXT])[0]
        copies = rewritten(TEXT, detector, resolve(detector.model))
        assert len(set(copies)) == 3
        differences = []
        for copy in copies:
            assert copy.startswith(first_words(TEXT, len(TEXT.split()) // 2))
            n = min(len(copy.split()), len(TEXT.split()))
            a, b = token_statistics([first_words(TEXT, n), first_words(copy, n)], detector.model)
            differences.append(a.log_prob.mean(dtype=float) - b.log_prob.mean(dtype=float))
        assert found == pytest.approx(np.mean(differences))

    def test_a_model_that_writes_nothing_gives_no_score(
        self, tiny_models: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("evenhand.models.generation._end_ids", lambda _: set(range(300)))
        row = score_texts([TEXT], ["dna_gpt(k=2)"], model=tiny_models["first"]).to_pylist()[0]
        assert (row["status"], row["reason"]) == ("abstained", "the model wrote nothing after the first part")

    def test_first_words_keep_the_spacing(self) -> None:
        assert first_words("  one  two\nthree", 2) == "  one  two"
        assert first_words("one", 5) == "one"
        with pytest.raises(Abstain, match="too few"):
            rewritten("one two three", detectors.get("dna_gpt"), None)  # type: ignore[arg-type]
