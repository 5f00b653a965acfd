"""The odds of given answers: read from an endpoint's alternatives, and from a model's own forward pass."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from evenhand.models.odds import LocalOdds, begins, log_odds, log_probabilities, odds_of


def test_alternatives_that_begin_an_answer_are_added_up():
    listed = {"human": -1.0, " Human": -2.0, '"hum': -3.0, "machine": -4.0, "m": -5.0, "the": -0.5}
    found = odds_of(listed, ("human", "machine"))
    assert found["human"] == pytest.approx(np.log(sum(np.exp([-1.0, -2.0, -3.0]))))
    assert found["machine"] == pytest.approx(np.log(sum(np.exp([-4.0, -5.0]))))
    assert log_odds(json.dumps(found), "machine", "human") == pytest.approx(found["machine"] - found["human"])


def test_what_is_not_listed_is_bounded_and_named():
    found = odds_of({"human": -0.01, "x": -7.0}, ("human", "machine"))
    assert (found["machine"], found["bounded"]) == (-7.0, ["machine"])
    assert math.isnan(log_odds(json.dumps(odds_of({"x": -1.0}, ("human", "machine"))), "machine", "human"))


def test_beginnings_that_two_answers_share_belong_to_neither():
    options = ("human", "humanoid", "machine")
    assert not begins("hum", "human", options)
    assert begins("humano", "humanoid", options)
    assert [begins(token, " 0", (" 0", " 1")) for token in (" 0", "0", " 1", "", "10")] == [
        True,
        True,
        False,
        False,
        False,
    ]


@pytest.fixture
def chatty(tiny_models, tmp_path):
    """A tiny model with a chat template."""
    pytest.importorskip("torch")
    import shutil

    folder = tmp_path / "chatty"
    shutil.copytree(tiny_models["first"], folder)
    told = json.loads((folder / "tokenizer_config.json").read_text())
    told["chat_template"] = "{% for m in messages %}{{ m.content }}\\n{% endfor %}"
    (folder / "tokenizer_config.json").write_text(json.dumps(told))
    return str(folder)


def test_local_odds_are_those_of_plain_passes_whatever_the_options_share(chatty):
    """Options of several tokens, some with a common beginning, against one plain forward pass each."""
    import torch

    from evenhand.models.loading import causal_model, tokenizer
    from evenhand.models.weights import resolve

    weights = resolve(chatty)
    read, model = tokenizer(weights), causal_model(weights)
    ids = read("Who wrote this?\n", add_special_tokens=False)["input_ids"]
    options = ("human", "humane", "machine", "m")
    found = log_probabilities(ids, options, weights)
    for option in options:
        tokens = read(option, add_special_tokens=False)["input_ids"]
        with torch.no_grad():
            logits = model(torch.tensor([[*ids, *tokens]])).logits[0].log_softmax(-1)
        assert found[option] == pytest.approx(
            sum(float(logits[len(ids) - 1 + i, t]) for i, t in enumerate(tokens)), abs=1e-4
        )


def test_a_prompt_that_is_too_long_is_an_answer_with_a_reason(chatty):
    short, long = LocalOdds(chatty).complete(
        [[{"role": "user", "content": text}] for text in ("Who?", "who " * 300)], [1, 2]
    )
    assert set(json.loads(short.text)) == {"human", "machine"}
    assert (long.finish_reason, "the model has 256" in str(long.error)) == ("error", True)
