"""Plain text continued, n-grams that must not come back, and tuning on what follows a prompt."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import DataError, SpecError
from evenhand.models import language_tuning
from evenhand.models.chat import Cached
from evenhand.models.continuation import Decoding, LocalContinuation, prompt_ids, repeating
from evenhand.models.finetune import Schedule
from evenhand.models.generation import Sampling, _batch, _Row
from evenhand.models.language_tuning import tune
from evenhand.models.weights import resolve


def asked(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


@pytest.mark.parametrize(
    ("ids", "n", "barred"),
    [
        ([1, 2, 3, 1, 2], 3, [3]),
        ([1, 2, 3, 1, 2, 4, 1, 2], 3, [3, 4]),
        ([1, 1, 1], 2, [1, 1]),
        ([5, 6], 3, []),
        ([5, 6, 5], 1, [5, 6, 5]),
        ([1, 2, 1, 2], 0, []),
    ],
)
def test_what_would_repeat_a_run(ids, n, barred):
    assert repeating(ids, n) == barred


def test_barred_tokens_have_no_chance():
    logits = np.array([5.0, 1.0, 0.0], np.float32)
    found = Decoding(no_repeat_ngram=2).allowed(logits, [2, 0, 2])
    assert found.tolist() == [-np.inf, 1.0, 0.0]
    assert logits[0] == 5.0
    assert Sampling().allowed(logits, [2, 0, 2]) is logits
    with pytest.raises(SpecError, match="no_repeat_ngram"):
        Decoding(no_repeat_ngram=-1)


@pytest.mark.parametrize("n", [1, 2])
def test_no_run_comes_twice(tiny_models, n):
    weights = resolve(tiny_models["first"])
    ids = prompt_ids("The ferry left at seven, and nobody on the pier", weights)
    free, kept = (_Row(list(ids), np.random.default_rng(4), []) for _ in range(2))
    _batch([free], weights, Sampling(temperature=0.5, max_new_tokens=120), False)
    _batch([kept], weights, Decoding(temperature=0.5, max_new_tokens=120, no_repeat_ngram=n), False)
    assert runs(free, n) < len(free.made), "by itself it repeats"
    assert runs(kept, n) == len(kept.made)


def runs(row: _Row, n: int) -> int:
    """How many of the runs of ``n`` tokens that end in the answer stood nowhere before."""
    every = [tuple([*row.ids, *row.made][i : i + n]) for i in range(len(row.ids) + len(row.made) - n + 1)]
    return sum(run not in every[:i] for i, run in enumerate(every) if i + n > len(row.ids))


def test_answers_do_not_depend_on_their_neighbours(tiny_models, tmp_path):
    writer = LocalContinuation(tiny_models["first"], batch=2)
    prompts, seeds = [asked(text) for text in ("A clerk", "By noon the wind", "Two children")], [1, 2, 3]
    three = writer.complete(prompts, seeds, Decoding(max_new_tokens=8))
    assert [
        writer.complete([p], [s], Decoding(max_new_tokens=8))[0] for p, s in zip(prompts, seeds, strict=True)
    ] == three
    assert Cached(writer, tmp_path).complete(prompts, seeds, Decoding(max_new_tokens=8)) == three
    assert Cached(LocalContinuation("nowhere"), tmp_path).folder == tmp_path
    (long,) = writer.complete([asked("a clerk " * 200)], [1], Decoding(max_new_tokens=8))
    assert "tokens needed, the model has 256" in str(long.error)


def test_tuning_learns_what_follows_and_goes_on(tiny_models, own_cache):
    base = resolve(tiny_models["first"])
    pairs = [(f"Boat {n}<|sep|>", f"Boat {n} left at seven, and nobody could say why.") for n in range(8)]
    plan = Schedule(epochs=3, lr=3e-3, batch=4, max_tokens=64)
    told: list[float] = []  # the losses; after the first step there is none yet
    done = tune(base, pairs[:6], pairs[6:], plan, lambda epoch, epochs, loss, *_: told.append(loss) if loss else None)
    assert done.losses == told
    assert (done.steps, len(told)) == (6, 3)
    assert told[-1] < told[0] * 0.9
    again = tune(base, pairs[:6], pairs[6:], plan, lambda *_: pytest.fail("nothing is left to do"))
    assert again == done
    (answer,) = LocalContinuation(str(done.folder)).complete([asked("Boat 7<|sep|>")], [1], Sampling(max_new_tokens=20))
    assert answer.finish_reason in ("stop", "length")


def test_a_broken_tuning_goes_on_to_the_same_weights(tiny_models, own_cache, monkeypatch):
    from safetensors.numpy import load_file

    base = resolve(tiny_models["second"])
    pairs = [(f"Rail {n}<|sep|>", f"The dog ran along rail {n}.") for n in range(6)]
    plan = Schedule(epochs=2, lr=1e-3, batch=2, max_tokens=64)

    def stop(epoch: int, epochs: int, loss: float | None, *_: object) -> None:
        if epoch == 1 and loss:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(base, pairs[:4], pairs[4:], plan, stop)
    resumed = load_file(tune(base, pairs[:4], pairs[4:], plan).folder / "model.safetensors")
    monkeypatch.setattr(language_tuning, "cache_dir", lambda: own_cache / "other")
    whole = load_file(tune(base, pairs[:4], pairs[4:], plan).folder / "model.safetensors")
    assert all(np.array_equal(resumed[name], whole[name]) for name in whole)


def test_long_examples_are_cut_and_short_ones_end(tiny_models):
    import torch

    by = language_tuning.language_model(resolve(tiny_models["first"]), torch)
    short, long = language_tuning.examples(by, [("A", "b"), ("A", "clerk " * 90)], 32).reads
    assert short.ids[-1] == by.reader.tokenizer.eos_token_id
    assert (short.truncated, long.truncated, len(long.ids)) == (False, True, 32)
    with pytest.raises(DataError, match="papers of two sides"):
        tune(resolve(tiny_models["first"]), [("A", "b")], [])
