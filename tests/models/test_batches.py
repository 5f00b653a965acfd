"""Padded batches, as on a card, give what each text gives alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from evenhand.models import batches, causal  # noqa: E402
from evenhand.models.batches import groups, many  # noqa: E402
from evenhand.models.causal import Job, one  # noqa: E402
from evenhand.models.statistics import Draw, Request, TokenStatistics  # noqa: E402
from evenhand.models.weights import resolve  # noqa: E402

TEXTS = [
    "The ferry left at seven and nobody on the pier could say why.",
    "",
    "Two children raced a dog along the rail until the wind had turned and the captain called them back to the cabin.",
    "bad \ud800",
    "By noon.",
    "The ferry left at seven and nobody on the pier could say why. " * 9,
]


@pytest.fixture
def on_a_card(monkeypatch: pytest.MonkeyPatch, tiny_models: dict[str, str], own_cache: Path) -> Job:
    """A job whose weights say that they are on a card; they are run here all the same."""
    for name in ("first", "second"):
        here = resolve(tiny_models[name])
        loaded, reader = causal.causal_model(here), causal.tokenizer(here)
        for module in (causal, batches):
            real = module.causal_model
            monkeypatch.setattr(
                module, "causal_model", lambda w, m=loaded, h=here, r=real: m if w.source == h.source else r(w)
            )
        real_reader = causal.tokenizer
        monkeypatch.setattr(
            causal, "tokenizer", lambda w, t=reader, h=here, r=real_reader: t if w.source == h.source else r(w)
        )
    first, second = (replace(resolve(tiny_models[name]), device="cuda") for name in ("first", "second"))
    return Job(first, second, None, Request(draws=frozenset([Draw(3)])))


def test_a_batch_gives_what_each_gives_alone(on_a_card: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_STATISTICS_CACHE", "0")
    together = many(TEXTS, on_a_card)
    for text, stats in zip(TEXTS, together, strict=True):
        alone = one(text, on_a_card)
        assert isinstance(stats, TokenStatistics)
        assert (stats.refusal, stats.n_tokens, stats.windows) == (alone.refusal, alone.n_tokens, alone.windows)
        np.testing.assert_allclose(stats.log_prob, alone.log_prob, atol=2e-5)
        np.testing.assert_allclose(stats.entropy, alone.entropy, atol=2e-5)
        if alone.cross is not None and stats.cross is not None:
            np.testing.assert_allclose(stats.cross.cross_entropy, alone.cross.cross_entropy, rtol=2e-5)


def test_texts_share_passes(on_a_card: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    real = batches.padded_states
    monkeypatch.setattr(batches, "padded_states", lambda w, texts: sizes.append(len(texts)) or real(w, texts))
    first = many(TEXTS, on_a_card)
    assert sizes == [3, 3], "three readable texts of like length, through both models; the long one in windows"
    again = many(TEXTS, on_a_card)
    assert sizes == [3, 3], "the second time all came from the cache"
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a.log_prob, b.log_prob)  # type: ignore[union-attr]


@pytest.mark.parametrize("step", ["padded_states", "measure"])
def test_a_batch_that_does_not_fit_is_done_one_by_one(
    step: str, on_a_card: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_memory(*_: object) -> None:
        raise RuntimeError("CUDA out of memory")

    monkeypatch.setattr(batches, step, out_of_memory)
    assert all(isinstance(found, TokenStatistics) for found in many(TEXTS, on_a_card))


def test_what_fails_alone_too_is_given_back(on_a_card: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_memory(*_: object) -> None:
        raise RuntimeError("CUDA out of memory")

    monkeypatch.setattr(batches, "padded_states", out_of_memory)
    monkeypatch.setattr(causal, "hidden", out_of_memory)
    found = many(TEXTS, on_a_card)
    assert [isinstance(stats, RuntimeError) for stats in found] == [True, False, True, False, True, True]


def test_groups_hold_every_text_once_within_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH_TOKENS", 100)
    lengths = dict(enumerate(np.random.default_rng(0).integers(2, 60, 50).tolist()))
    made = list(groups(lengths, longest=45))
    assert sorted(place for group in made for place in group) == list(range(50))
    for group in made:
        longest = max(lengths[place] for place in group)
        assert len(group) * longest <= 100
        assert len(group) == 1 or longest <= 45
