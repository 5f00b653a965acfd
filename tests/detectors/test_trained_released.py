"""Released classifiers, against random models of their architectures that learn the panel on the spot: no real weights here."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from evenhand import detectors
from evenhand.detectors.trained import released
from evenhand.errors import DataError, MissingError, SpecError

torch = pytest.importorskip("torch")
from evenhand.models import finetune  # noqa: E402
from evenhand.models.weights import resolve  # noqa: E402

PRESETS = (
    "openai_roberta_base",
    "openai_roberta_large",
    "hc3_roberta",
    "radar",
    "mage",
    "gede_roberta",
    "idmgsp_roberta",
)
PANEL = released.PANEL_HUMAN + released.PANEL_MACHINE


def tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    splitter = pre_tokenizers.Whitespace()
    words = sorted({word for text in PANEL for word, _ in splitter.pre_tokenize_str(text)})
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    made = Tokenizer(models.WordLevel({w: i for i, w in enumerate([*special, *words])}, unk_token="<unk>"))
    made.pre_tokenizer = splitter
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    marks = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>", "cls_token": "<s>"}
    return PreTrainedTokenizerFast(tokenizer_object=made, sep_token="</s>", **marks)


SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 130,
    "pad_token_id": 1,
}


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """Folders of a RoBERTa and a Longformer whose output 1 is for the panel's machine texts."""
    from transformers import LongformerConfig, LongformerModel, RobertaConfig, RobertaModel

    read = tokenizer()
    bases = {
        "roberta": RobertaModel(RobertaConfig(vocab_size=len(read), **SIZES)),
        "longformer": LongformerModel(LongformerConfig(vocab_size=len(read), attention_window=[16], **SIZES)),
    }
    folders = {}
    for name, model in bases.items():
        base = tmp_path_factory.mktemp(name)
        model.save_pretrained(base)
        read.save_pretrained(base)
        reader = finetune.reader(base)
        examples = finetune.Examples([reader.read(t, 512) for t in PANEL], np.array([[False]] * 4 + [[True]] * 4))
        plan = finetune.Schedule(epochs=8, lr=1e-2, batch=8)
        done = finetune.fine_tune(resolve(str(base)), examples, examples, plan, tmp_path_factory.mktemp("work"))
        folders[name] = str(done.folder)
    return folders


@pytest.mark.parametrize("kind", ["roberta", "longformer"])
def test_the_orientation_is_shown_and_a_swapped_one_refused(kind, taught):
    right = detectors.get(f"hub_classifier(model={taught[kind]!r}, positive=1)")
    scores = right(PANEL)
    assert scores[4:].mean() > scores[:4].mean()
    by = finetune.classifier(taught[kind])
    logits = np.array([finetune.logits(by, by.reader.read(t, 512)) for t in PANEL])
    assert scores == pytest.approx(logits[:, 1] - logits[:, 0])
    swapped = detectors.get(f"hub_classifier(model={taught[kind]!r}, positive=0)")
    with pytest.raises(DataError, match="the labels are swapped"):
        swapped(PANEL)
    unchecked = detectors.get(f"hub_classifier(model={taught[kind]!r}, positive=0, check='names')")
    assert unchecked(PANEL) == pytest.approx(-scores), "only where it is asked for, and never flipped by itself"


@pytest.mark.parametrize("names", [("Fake", "Real"), ("ChatGPT", "LABEL_1"), ("LABEL_0", "Human")])
def test_names_of_outputs_are_read(names, taught, tmp_path):
    folder = shutil.copytree(taught["roberta"], tmp_path / "named")
    config = json.loads((folder / "config.json").read_text())
    config |= {"id2label": dict(enumerate(names)), "label2id": {name: i for i, name in enumerate(names)}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(DataError, match="the labels are swapped; set positive"):
        detectors.get(f"hub_classifier(model={str(folder)!r}, positive=1, check='names')")(PANEL)
    assert np.isfinite(detectors.get(f"hub_classifier(model={str(folder)!r}, positive=0, check='names')")(PANEL)).all()


def test_three_outputs_rank_as_softmax(taught):
    logits = np.array([0.3, 2.0, -1.0])
    share = np.exp(logits) / np.exp(logits).sum()
    assert released.odds(logits, 1) == pytest.approx(math.log(share[1] / (1 - share[1])))


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name, taught, capsys):
    """Each with its own parameters, on a model of its architecture in the place of the real one."""
    preset = detectors.get(name)
    assert preset.model.startswith("hub:")
    assert "not run with the real weights" in preset.card.summary
    stand_in = taught["longformer" if name == "mage" else "roberta"]
    found = detectors.get(f"{name}(model={stand_in!r}, check='names')")
    scores = found(PANEL)
    sign = 1 if preset.positive == 1 else -1
    assert sign * (scores[4:].mean() - scores[:4].mean()) > 0
    if "NON-COMMERCIAL" in preset.card.licence:
        assert "non-commercial" in capsys.readouterr().err
    assert detectors.get(name, model="embedded").model == preset.model, "the plan's model is not put in its place"


def test_what_is_put_before_a_text(taught):
    lines = detectors.get(f"gede_roberta(model={taught['roberta']!r})")
    assert lines.prepared("a\r\nb\nc") == "a b c"
    assert detectors.get("idmgsp_roberta").prepared("a\nb") == "Abstract: a\nb"
    assert detectors.get("radar").prepared("a\nb") == "a\nb"


def test_long_and_empty_texts(taught):
    found = detectors.get(f"hub_classifier(model={taught['roberta']!r})").judge(["life " * 500, "", " \n", "\ud800 x"])
    assert (found[0].truncated, found[0].n_tokens) == (True, 128)
    assert "first 128 tokens" in found[0].reason
    assert [j.status for j in found[1:]] == ["abstained"] * 3
    cut = detectors.get(f"hub_classifier(model={taught['roberta']!r}, max_tokens=16)").judge([PANEL[0]])[0]
    assert (cut.truncated, cut.n_tokens) == (True, 16)


def test_what_is_refused(taught, tmp_path, monkeypatch):
    for wrong in ("positive=-1", "max_tokens=0", "preprocessing='x'", "check='no'"):
        with pytest.raises(SpecError, match="hub_classifier: " + wrong.split("=")[0]):
            detectors.get(f"hub_classifier(model='x', {wrong})")
    with pytest.raises(DataError, match="and no other two sides with 5"):
        detectors.get(f"hub_classifier(model={taught['roberta']!r}, positive=5)")(PANEL)
    folder = Path(shutil.copytree(taught["roberta"], tmp_path / "pickled"))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(MissingError, match="weights in pickle files are not read"):
        detectors.get(f"hub_classifier(model={str(folder)!r})")(PANEL)
    monkeypatch.setenv("EVENHAND_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(MissingError, match="not in the cache"):
        detectors.get("radar")(PANEL)
