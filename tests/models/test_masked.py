"""Mask filling with a tiny BERT that is made here, against plain passes of the model."""

from __future__ import annotations

from itertools import pairwise

import pytest

torch = pytest.importorskip("torch")

from evenhand.errors import DataError, MissingError  # noqa: E402
from evenhand.models.masked import Filling, fill, fill_all  # noqa: E402

WORDS = "the a cat dog house home big large old small walked ran quickly slowly was is and near river road".split()


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a random BERT of 32 positions."""
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
        vocab_size=len(WORDS) + 7,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=32,
    )
    BertForMaskedLM(config).save_pretrained(folder)
    return str(folder)


GAPS = [("the ", " walked near the river"), ("", " dog was old."), ("a big house and a small ", "")]


def plain(before: str, behind: str, folder: str) -> list[Filling]:
    from transformers import BertForMaskedLM, BertTokenizerFast

    reader, model = BertTokenizerFast.from_pretrained(folder), BertForMaskedLM.from_pretrained(folder)
    read = reader(f"{before}[MASK]{behind}", return_tensors="pt")
    place = read.input_ids[0].tolist().index(reader.mask_token_id)
    with torch.no_grad():
        found = model(**read).logits[0, place].softmax(-1).topk(4)
    return [Filling(reader.decode([i]), p) for i, p in zip(found.indices.tolist(), found.values.tolist(), strict=True)]


def test_fillings_are_those_of_plain_passes(bert: str) -> None:
    for (before, behind), found in zip(GAPS, fill(GAPS, bert, top=4), strict=True):
        expected = plain(before, behind, bert)
        assert [one.token for one in found] == [one.token for one in expected]
        assert [one.probability for one in found] == pytest.approx([one.probability for one in expected], abs=1e-6)


def test_probabilities_fall_and_batches_do_not_matter(bert: str) -> None:
    alone = [fill([gap], bert)[0] for gap in GAPS]
    for one, other in zip(alone, fill(GAPS, bert, batch=2), strict=True):
        assert [filling.token for filling in one] == [filling.token for filling in other]
        assert all(first.probability >= second.probability for first, second in pairwise(one))


def test_a_gap_beyond_the_longest_input_has_no_filling(bert: str) -> None:
    assert fill([("the cat " * 40, "")], bert) == [()]
    assert fill([], bert) == []
    assert fill([("the \ud800 ", " cat")], bert)[0]


def test_a_model_without_mask_token_and_a_missing_one_are_told(tiny_t5: str) -> None:
    with pytest.raises(DataError, match="mask token"):
        fill(GAPS, tiny_t5)
    with pytest.raises((DataError, MissingError), match="nowhere"):
        fill(GAPS, "nowhere/at/all")


def test_all_gaps_of_a_text_are_open_at_once(bert: str) -> None:
    from transformers import BertForMaskedLM, BertTokenizerFast

    pieces = ["the ", " cat ran near the ", " road"]
    reader, model = BertTokenizerFast.from_pretrained(bert), BertForMaskedLM.from_pretrained(bert)
    read = reader("[MASK]".join(pieces), return_tensors="pt")
    places = [at for at, token in enumerate(read.input_ids[0].tolist()) if token == reader.mask_token_id]
    with torch.no_grad():
        best = model(**read).logits[0, places].argmax(-1).tolist()
    first, none, cut = fill_all([pieces, ["no gap"], ["the ", " cat " * 40, " dog"]], bert, top=2)
    assert [found[0].token for found in first] == [reader.decode([i]) for i in best]
    assert (none, len(cut)) == ([], 1)
