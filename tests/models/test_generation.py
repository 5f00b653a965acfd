"""Sampling: the distribution that is drawn from, the cuts, the seeds, the ends."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from evenhand.errors import SpecError  # noqa: E402
from evenhand.models import generation  # noqa: E402
from evenhand.models.chat import LocalChat  # noqa: E402
from evenhand.models.generation import Sampling, chat_ids, continue_ids, draw_token  # noqa: E402
from evenhand.models.loading import causal_model, tokenizer  # noqa: E402
from evenhand.models.weights import resolve  # noqa: E402

LOGITS = np.array([2.0, 1.0, 0.0, -1.0, 1.5, -3.0], np.float32)


def shares(sampling: Sampling, n: int = 40_000) -> np.ndarray:
    generator = np.random.default_rng(3)
    return np.bincount([draw_token(LOGITS, generator, sampling) for _ in range(n)], minlength=6) / n


def softmax(values: np.ndarray) -> np.ndarray:
    return np.exp(values) / np.exp(values).sum()


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_draws_follow_the_softmax(temperature: float) -> None:
    np.testing.assert_allclose(shares(Sampling(temperature)), softmax(LOGITS / temperature), atol=0.01)


def test_top_k_and_top_p_cut_the_tail() -> None:
    p = softmax(LOGITS)
    order = np.argsort(-p)
    for k in (1, 2, 4):
        kept = np.where(np.isin(np.arange(6), order[:k]), p, 0)
        np.testing.assert_allclose(shares(Sampling(top_k=k)), kept / kept.sum(), atol=0.01)
    n_kept = int(np.searchsorted(p[order].cumsum(), 0.8)) + 1
    kept = np.where(np.isin(np.arange(6), order[:n_kept]), p, 0)
    np.testing.assert_allclose(shares(Sampling(top_p=0.8)), kept / kept.sum(), atol=0.01)


def test_temperature_zero_takes_the_likeliest() -> None:
    assert shares(Sampling(0), 10)[0] == 1


@pytest.mark.parametrize(
    "wrong", [{"temperature": -1}, {"top_p": 0}, {"top_p": 1.5}, {"top_k": -1}, {"max_new_tokens": 0}]
)
def test_wrong_parameters_are_told(wrong: dict) -> None:
    with pytest.raises(SpecError):
        Sampling(**wrong)


@pytest.fixture
def prompts(tiny_models: dict[str, str]) -> list[list[int]]:
    reader = tokenizer(resolve(tiny_models["first"]))
    return [reader(text)["input_ids"] for text in ("The ferry", "Two children raced a dog", "A", "By noon the wind")]


def plain(ids: list[int], weights, seed: int, sampling: Sampling) -> list[int]:  # type: ignore[no-untyped-def]
    """Token after token, each from a whole forward pass without a cache."""
    generator, made = np.random.default_rng(seed), []
    for _ in range(sampling.max_new_tokens):
        with torch.no_grad():
            logits = causal_model(weights)(input_ids=torch.tensor([ids + made])).logits[0, -1].numpy()
        token = draw_token(logits, generator, sampling)
        if token == 0:
            break
        made.append(token)
    return made


def test_batches_with_padding_and_cache_give_what_plain_passes_give(
    tiny_models: dict[str, str], prompts: list[list[int]]
) -> None:
    weights, sampling = resolve(tiny_models["first"]), Sampling(max_new_tokens=30)
    found = continue_ids(prompts, weights, seeds=[5, 6, 7, 8], sampling=sampling, batch=3)
    for ids, seed, answer in zip(prompts, [5, 6, 7, 8], found, strict=True):
        expected = plain(ids, weights, seed, sampling)
        assert answer.text == tokenizer(weights).decode(expected, skip_special_tokens=True).strip()
        assert answer.n_tokens == len(expected)
        assert answer.n_prompt_tokens == len(ids)
        assert answer.finish_reason == ("length" if len(expected) == 30 else "stop")


def test_an_end_token_ends_its_row_only(
    tiny_models: dict[str, str], prompts: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = resolve(tiny_models["first"])
    monkeypatch.setattr(generation, "_end_ids", lambda _: set(range(0, 300, 7)))
    found = continue_ids(prompts, weights, seeds=[1, 2, 3, 4], sampling=Sampling(max_new_tokens=40), batch=4)
    assert {answer.finish_reason for answer in found} == {"stop"}
    assert len({answer.n_tokens for answer in found}) > 1


def test_seeds_decide(tiny_models: dict[str, str], prompts: list[list[int]]) -> None:
    weights, sampling = resolve(tiny_models["first"]), Sampling(max_new_tokens=12)
    one, two, other = (continue_ids(prompts, weights, seeds=[s] * 4, sampling=sampling) for s in (1, 1, 2))
    assert one == two != other
    with pytest.raises(SpecError, match="as many seeds"):
        continue_ids(prompts, weights, seeds=[1])


def test_chat_needs_a_template(tiny_models: dict[str, str], tmp_path: Path) -> None:
    import shutil

    talk = [{"role": "user", "content": "the dog"}]
    with pytest.raises(SpecError, match="chat template"):
        chat_ids(talk, resolve(tiny_models["first"]))
    folder = Path(shutil.copytree(tiny_models["first"], tmp_path / "chat"))
    config = json.loads((folder / "tokenizer_config.json").read_text())
    config["chat_template"] = "{% for m in messages %}{{ m.content }}: {% endfor %}"
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    (folder / "chat_template.jinja").unlink(missing_ok=True)
    weights = resolve(str(folder))
    assert chat_ids(talk, weights) == tokenizer(weights)("the dog: ")["input_ids"]
    (answer,) = continue_ids([chat_ids(talk, weights)], weights, seeds=[1], sampling=Sampling(max_new_tokens=5))
    (written,) = LocalChat(str(folder)).complete([talk], [1], Sampling(max_new_tokens=5))
    assert (written.text, written.n_tokens) == (answer.text, answer.n_tokens)
