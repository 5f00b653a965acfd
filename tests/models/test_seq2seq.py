"""T5 fillings with a tiny T5 that is made here: the loop against plain passes, and what an answer's pieces are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from evenhand.errors import DataError, SpecError  # noqa: E402
from evenhand.models.generation import Sampling, draw_token  # noqa: E402
from evenhand.models.loading import tokenizer  # noqa: E402
from evenhand.models.seq2seq import fill_gaps, fillings, seq2seq_model, transduce  # noqa: E402
from evenhand.models.weights import Weights, resolve  # noqa: E402


@pytest.fixture
def t5(tiny_t5: str) -> Weights:
    return resolve(tiny_t5)


TEXTS = ["the <extra_id_0> left at <extra_id_1> today", "a <extra_id_0>", "two children <extra_id_0> a dog"]


def plain(text: str, weights: Weights, seed: int, n: int) -> list[int]:
    """Without a cache and without padding."""
    generator, made = np.random.default_rng(seed), [0]
    ids = tokenizer(weights)(text, return_tensors="pt").input_ids
    for _ in range(n):
        with torch.no_grad():
            logits = seq2seq_model(weights)(input_ids=ids, decoder_input_ids=torch.tensor([made])).logits[0, -1]
        made.append(draw_token(logits.numpy(), generator, Sampling()))
        if made[-1] == 1:
            break
    return made[1:]


def test_batched_answers_are_those_of_plain_passes(t5: Weights) -> None:
    found = transduce(TEXTS, t5, seeds=[1, 2, 3], sampling=Sampling(max_new_tokens=15))
    assert found == [plain(text, t5, seed, 15) for text, seed in zip(TEXTS, [1, 2, 3], strict=True)]
    with pytest.raises(SpecError, match="as many seeds"):
        transduce(TEXTS, t5, seeds=[1], sampling=Sampling())


def test_fillings_are_at_most_one_a_gap(t5: Weights) -> None:
    found = fill_gaps(TEXTS, t5, seeds=[1, 2, 3])
    assert [len(pieces) <= n for pieces, n in zip(found, (2, 1, 1), strict=True)] == [True] * 3
    assert found == fill_gaps(TEXTS, t5, seeds=[1, 2, 3])


@pytest.mark.parametrize(
    ("answer", "n", "expected"),
    [
        ("<pad><extra_id_0> old boat<extra_id_1> noon <extra_id_2></s>", 2, ["old boat", "noon"]),
        ("<extra_id_0> one", 3, ["one"]),
        ("no mark at all", 2, []),
        ("<extra_id_0><extra_id_1> late</s>", 2, ["", "late"]),
    ],
)
def test_pieces_of_an_answer(answer: str, n: int, expected: list[str]) -> None:
    assert fillings(answer, n) == expected


def test_a_model_without_gap_marks_is_told(t5: Weights, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="fewer gap marks than the 30"):
        fill_gaps([" ".join(f"<extra_id_{i % 9}>" for i in range(30))], t5, seeds=[1])
