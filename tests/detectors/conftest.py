"""Tiny models of random weights that the tests of several detectors need."""

from __future__ import annotations

import string

import pytest

WORDS = "the ferry left at seven and nobody on pier could say why it was early clerk kept close to shore wind".split()


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A random BERT of the letters and a few words."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

    folder = tmp_path_factory.mktemp("tiny") / "bert"
    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *string.ascii_lowercase, *WORDS, ".", ",", ";"]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    path = str(folder / "vocab.txt")
    BertTokenizerFast(vocab=path, vocab_file=path, do_lower_case=True).save_pretrained(folder)
    torch.manual_seed(5)
    shape = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    BertForMaskedLM(BertConfig(vocab_size=len(words), max_position_embeddings=128, **shape)).save_pretrained(folder)
    return str(folder)
