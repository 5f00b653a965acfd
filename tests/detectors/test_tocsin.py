"""TOCSIN with a tiny BART made here: its likelihoods against plain passes, its copies, its scores and when there is none."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from evenhand import detectors, score_texts  # noqa: E402
from evenhand.detectors.zero_shot.tocsin import deleted  # noqa: E402
from evenhand.errors import Abstain, SpecError  # noqa: E402
from evenhand.models.loading import tokenizer  # noqa: E402
from evenhand.models.seq2seq import log_likelihoods, seq2seq_model  # noqa: E402
from evenhand.models.weights import Weights, resolve  # noqa: E402

SENTENCE = "The ferry left at seven, and nobody on the pier could say why it was early; a clerk counted crates again. "
TEXT = (SENTENCE * 7).strip()


@pytest.fixture(scope="module")
def bart(tiny_t5: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A random BART of 600 positions, with the tokenizer of the tiny T5."""
    from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast

    folder = str(tmp_path_factory.mktemp("bart"))
    PreTrainedTokenizerFast.from_pretrained(tiny_t5).save_pretrained(folder)
    torch.manual_seed(6)
    sizes = dict.fromkeys(("encoder_layers", "decoder_layers"), 1) | dict.fromkeys(
        ("encoder_ffn_dim", "decoder_ffn_dim"), 32
    )
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "d_model": 16, "init_std": 0.5}
    ends = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1, "decoder_start_token_id": 1}
    config = BartConfig(vocab_size=300, max_position_embeddings=600, forced_eos_token_id=None, **sizes, **heads, **ends)
    BartForConditionalGeneration(config).save_pretrained(folder)
    yield folder
    seq2seq_model.cache_clear()


@pytest.fixture(autouse=True)
def _own_cache(own_cache: Path) -> None:
    """Nothing is read from the user's cache."""


def plain(text: str, source: str, weights: Weights) -> float:
    """One source, token by token, without padding."""
    read, model = tokenizer(weights), seq2seq_model(weights)
    target, given = read(text).input_ids, torch.tensor([read(source).input_ids])
    total = 0.0
    with torch.no_grad():
        for place, token in enumerate(target):
            before = torch.tensor([[model.config.decoder_start_token_id, *target[:place]]])
            logits = model(input_ids=given, decoder_input_ids=before).logits[0, -1].double()
            total += torch.log_softmax(logits, -1)[token].item()
    return total / len(target)


def test_likelihoods_are_those_of_plain_passes(bart: str) -> None:
    weights = resolve(bart)
    sources = [SENTENCE, "a short one", SENTENCE[:40]]
    expected = [plain(SENTENCE, source, weights) for source in sources]
    assert log_likelihoods(SENTENCE, sources, weights) == pytest.approx(expected, abs=2e-5)
    assert len({round(value, 4) for value in expected}) == 3, "a test that tells sources apart"


def test_a_text_longer_than_the_model_is_refused(bart: str) -> None:
    with pytest.raises(Abstain, match="which reads 600"):
        log_likelihoods(SENTENCE * 20, [SENTENCE], resolve(bart))


def test_deletions() -> None:
    words = TEXT.split(" ")
    for seed in range(30):
        copy = deleted(TEXT, 0.05, Random(seed)).split(" ")
        assert len(copy) == len(words)
        gone = [old for old, new in zip(words, copy, strict=True) if old != new]
        assert 1 <= len(gone) <= int(0.05 * len(words)), "with replacement: a word may be drawn twice"
        assert all(new in ("", old) for old, new in zip(words, copy, strict=True))
    with pytest.raises(Abstain, match="none is deleted below 67"):
        deleted(" ".join(["word"] * 66), 0.015, Random(0))
    assert deleted(" ".join(["word"] * 67), 0.015, Random(0)).split(" ").count("") == 1


def test_scores_are_the_bases_times_the_factor(bart: str, tiny_models: dict[str, str]) -> None:
    model = tiny_models["first"]
    bases = ["fast_detect_gpt", "lrr", "log_likelihood", "log_rank"]
    rows = score_texts(
        [TEXT], [*bases, *(f"tocsin(base={b!r}, scorer={bart!r})" for b in [*bases, "none"])], model=model
    )
    score = [row["score"] for row in rows.to_pylist()]
    b = -score[-1]
    assert b < 0
    assert score[4:8] == pytest.approx([s * math.exp(g * b) for s, g in zip(score[:4], (-1, -1, 1, 1), strict=True)])


def test_a_seed_decides_and_neighbours_do_not(bart: str, tiny_models: dict[str, str]) -> None:
    one = detectors.get(f"tocsin(base='none', scorer={bart!r})", model=tiny_models["first"])
    other = detectors.get(f"tocsin(base='none', scorer={bart!r}, seed=1)", model=tiny_models["first"])
    alone = one([TEXT])
    np.testing.assert_array_equal(one([TEXT[::-1], TEXT])[1:], alone)
    assert np.isfinite(alone).all()
    assert other([TEXT])[0] != alone[0]


def test_short_text_abstains_and_bad_parameters_are_refused(bart: str, tiny_models: dict[str, str]) -> None:
    found = detectors.get(f"tocsin(scorer={bart!r})", model=tiny_models["first"]).judge([SENTENCE])[0]
    assert found.status == "abstained"
    assert "none is deleted" in str(found.reason)
    for wrong in ("base='best'", "k=0", "rho=2"):
        with pytest.raises(SpecError):
            detectors.get(f"tocsin({wrong})")
