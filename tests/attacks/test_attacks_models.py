"""Attacks through a model: tiny random ones, made here, and the embedded one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from evenhand import attacks
from evenhand.attacks.function_words import FUNCTION_WORDS
from evenhand.attacks.similar import neighbours, same_part_of_speech
from evenhand.attacks.vectors import read_vectors
from evenhand.errors import DataError, MissingError

TEXT = "The old dog walked home. A big cat slept near the river, and the small house was quiet."
WORDS = "the a cat dog house home big large old small walked slept quiet calm river road boat near".split()


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

    folder = tmp_path_factory.mktemp("tiny") / "bert"
    folder.mkdir()
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text(
        "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, "##s", "."]), encoding="utf-8"
    )
    BertTokenizerFast(vocab=str(vocabulary), vocab_file=str(vocabulary), do_lower_case=True).save_pretrained(folder)
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(WORDS) + 7, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64
    )
    BertForMaskedLM(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Vectors in fastText's form, in which words of a pair are close."""
    path = tmp_path_factory.mktemp("vectors") / "tiny.vec"
    random = np.random.default_rng(1)
    lines = [f"{len(WORDS)} 6"]
    for number, word in enumerate(WORDS):
        centre = np.eye(6)[number // 2 % 6] * 3
        lines.append(f"{word} " + " ".join(f"{x:.4f}" for x in centre + random.normal(0, 0.2, 6)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def changed(text: str, spec: str, seed: int = 1) -> list[str]:
    edited = attacks.get(spec)(text, seed=seed)
    assert edited.edits == len(edited.spans)
    return [edited.text[start:end] for start, end in edited.spans]


def test_synonyms_of_a_masked_model(bert: str, vectors: str) -> None:
    default = changed(TEXT, f"synonym(model={bert!r}, rate=1.0)")
    assert default
    assert all(new in WORDS and new not in FUNCTION_WORDS for new in default)
    raid = attacks.get(f"synonym(profile='raid', model={bert!r}, vectors={vectors!r})")
    one, two = raid(TEXT, seed=1), raid(TEXT, seed=2)
    assert one.text == two.text  # nothing is drawn
    assert one.edits <= 0.5 * 20


def test_vectors_give_neighbours_and_refuse_what_they_cannot_read(vectors: str, tmp_path: Path) -> None:
    read = read_vectors(vectors)
    assert read.matrix.shape == (len(WORDS), 6)
    assert np.allclose(np.linalg.norm(read.matrix, axis=1), 1, atol=1e-5)
    brute = sorted((-read.cosine("big", word), word) for word in WORDS if word != "big")
    assert read.nearest("big", 3) == tuple(word for _, word in brute[:3])
    assert np.isnan(read.cosine("big", "unknown"))
    assert neighbours("Big", vectors, 2, 0.5)[0][0].isupper()
    (tmp_path / "bad.txt").write_text("one 1 2\ntwo 1\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2"):
        read_vectors(str(tmp_path / "bad.txt"))
    with pytest.raises(MissingError, match="counter-fitted"):
        read_vectors(str(tmp_path / "none.txt"))


def test_word_and_sentence_as_published_change_every_sentence(vectors: str) -> None:
    text = "The old dog slept. A big cat walked near the river. The house was quiet."
    for name in ("word", "sentence"):
        edited = attacks.get(f"{name}(profile='detectrl', vectors={vectors!r})")(text, seed=3)
        assert edited.edits == 3
        assert "\n" not in edited.text
    for new in changed(text, f"word(profile='detectrl', vectors={vectors!r})"):
        assert new.lower() in WORDS
    assert same_part_of_speech("walk", "house")  # noun and verb may stand for each other
    assert not same_part_of_speech("quickly", "house")


def test_paraphrase_and_translation_through_an_encoder_decoder_model(tiny_t5: str) -> None:
    text = "The old dog slept."
    for spec in (f"paraphrase(model={tiny_t5!r})", f"back_translation(model={tiny_t5!r}, language='zh')"):
        edited = attacks.get(spec)(text, seed=4)
        again = attacks.get(spec)(text, seed=4)
        assert edited == again
        assert edited.changed or (edited.note or "").startswith("failed")


@pytest.mark.model
def test_the_embedded_model_polishes_and_paraphrases() -> None:
    text = "She go to the market every day, because her mother like fresh bread."
    for spec in ("polish(max_new_tokens=60)", "paraphrase(writer='embedded')"):
        edited = attacks.get(spec)(text, seed=2)
        assert edited.changed or (edited.note or "").startswith("failed")
        assert attacks.get(spec)(text, seed=2) == edited
