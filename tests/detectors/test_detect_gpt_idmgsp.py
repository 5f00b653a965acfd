"""DetectGPT with a BERT, on tiny models of random weights made here: nothing that these numbers say is about the real ones."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

pytest.importorskip("torch")

from evenhand import detectors
from evenhand.detectors.zero_shot.detect_gpt_idmgsp import choose, chunks, insert, insert_stored, perturbed, pieces
from evenhand.errors import Abstain, SpecError
from evenhand.models.masked import Filling

TEXT = (
    "The ferry left at seven [12], and nobody on the pier could say why it was early. A clerk counted crates, lost count, and "
    "began again; two children raced a dog along the rail. By noon the wind had turned, so the captain kept close to the shore."
)


def test_the_score_is_z_with_ddof_1_averaged_over_chunks(tiny_models, bert, own_cache):
    """By hand, with the causal model's plain losses of each chunk and of each of its copies."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    spec = f"detect_gpt_idmgsp(model={tiny_models['first']!r}, filler={bert!r}, k=5, chunk_words=20)"
    score = detectors.get(spec)([TEXT])[0]
    reader, model = (kind.from_pretrained(tiny_models["first"]) for kind in (AutoTokenizer, AutoModelForCausalLM))

    def likelihood(text: str) -> float:
        ids = reader(text, return_tensors="pt").input_ids
        with torch.no_grad():
            return -float(model(ids, labels=ids).loss)

    zs = []
    for chunk in chunks(TEXT, 20):
        own, others = likelihood(chunk), [likelihood(copy) for copy in perturbed(chunk, bert, 5, 0.15, "intended", 0)]
        zs.append((own - np.mean(others)) / np.std(others, ddof=1))
    assert len(zs) == 3
    assert score == pytest.approx(np.mean(zs), rel=1e-4)


def test_words_are_masked_one_of_every_two_and_replaced_by_another(bert):
    chunk = chunks(TEXT, 100)[0]
    copies = perturbed(chunk, bert, 20, 0.15, "intended", 0)
    assert "[12]" not in chunk
    assert len(set(copies)) > 1
    words = [i for i, token in enumerate(chunk.split()) if re.search(r"[^\d\W]", token)]
    for copy in copies:
        pairs = enumerate(zip(chunk.split(), copy.split(), strict=True))
        changed = [words.index(i) for i, (old, new) in pairs if old != new]
        assert 1 <= len(changed) <= int(0.15 * len(words))
        assert all(i % 2 == 0 or i == len(words) - 1 for i in changed)
    assert perturbed(chunk, bert, 20, 0.15, "intended", 1) != copies
    with pytest.raises(Abstain, match="too few"):
        perturbed("six words are too few here", bert, 5, 0.15, "intended", 0)


def test_chunks_of_the_stored_code():
    assert chunks(" ".join(f"w{i}" for i in range(10)), 4) == ["w0 w1 w2 w3", "w4 w5 w6 w7", "w8 w9"]
    assert chunks("a [3] b\nc", 100) == ["a  b c"]
    assert chunks("- . -", 2) == []


def test_draws_never_mask_a_word_twice():
    words = [(i, i + 1) for i in range(7)]
    drawn = choose(words, 5, np.random.default_rng(0))
    assert drawn == [(0, 1), (2, 3), (4, 5), (6, 7)]


def test_fillings_in_place_and_as_the_stored_code_put_them():
    text, gaps = "a dog ran home", [(2, 5), (10, 14)]
    filled = [[Filling("Dog", 0.6), Filling("cat", 0.3)], [Filling("off", 0.5)]]
    assert pieces(text, gaps) == ["a ", " ran ", ""]
    assert insert(text, gaps, filled) == "a cat ran off"
    assert insert(text, gaps, filled[:1]) == "a cat ran home"  # behind the filler's longest input
    # In 'a [MASK] ran [MASK]' the first letters of the set are M and A, at 3 and 4: 'cat' goes over characters 2 and 3, which
    # is noted as 4 lost; so 'off' goes over the first character alone.
    assert insert_stored(text, gaps, filled) == "off catASK] ran [MASK]"


def test_the_stored_profile_is_another_detector_and_both_abstain_on_nothing(tiny_models, bert, own_cache):
    told = f"model={tiny_models['first']!r}, filler={bert!r}, k=4"
    intended, stored = (detectors.get(f"detect_gpt_idmgsp({told}, profile={p!r})") for p in ("intended", "stored"))
    assert intended([TEXT])[0] != stored([TEXT])[0]
    assert intended.key != stored.key
    for text in ("", "...", "too short a text"):
        (found,) = intended.judge([text])
        assert (found.status, math.isnan(found.score)) == ("abstained", True)
    assert intended.threshold_ == intended.published_threshold == 1.1  # so that audits judge it as the paper did
    for wrong in ("k=1", "pct=2.0", "chunk_words=0", "profile='x'"):
        with pytest.raises(SpecError):
            detectors.get(f"detect_gpt_idmgsp({wrong})")
