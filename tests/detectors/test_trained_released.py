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
from evenhand.detectors.trained.mage_text import cleaned
from evenhand.detectors.trained.panel import PANEL_HUMAN, PANEL_MACHINE
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
    "editlens",
)
PANEL = PANEL_HUMAN + PANEL_MACHINE


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


# EditLens


@pytest.fixture(scope="module")
def buckets(taught, tmp_path_factory):
    """A RoBERTa of four outputs that learns the panel as its first and last bucket."""
    from transformers import AutoModelForSequenceClassification

    folder = tmp_path_factory.mktemp("buckets")
    read = tokenizer()
    model = AutoModelForSequenceClassification.from_pretrained(
        taught["roberta"], num_labels=4, ignore_mismatched_sizes=True
    )
    ids = [read(text, truncation=True, max_length=128)["input_ids"] for text in PANEL]
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(12):
        losses = [
            torch.nn.functional.cross_entropy(model(input_ids=torch.tensor([one])).logits, torch.tensor([3 * (i >= 4)]))
            for i, one in enumerate(ids)
        ]
        torch.stack(losses).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    model.config.id2label = {i: f"LABEL_{i}" for i in range(4)}
    model.save_pretrained(folder)
    read.save_pretrained(folder)
    return str(folder)


def test_editlens_is_the_mean_bucket(buckets):
    found = detectors.get(f"editlens(model={buckets!r})")
    by = finetune.classifier(buckets)
    logits = np.array([finetune.logits(by, by.reader.read(t, 512)) for t in PANEL])
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    assert found(PANEL) == pytest.approx((p[:, 1] + 2 * p[:, 2] + 3 * p[:, 3]) / 3)
    assert found.value(np.array([0.0, 0.0, 0.0, 0.0])) == pytest.approx(0.5)
    assert found.value(np.log([0.1, 0.2, 0.3, 0.4])) == pytest.approx((0.2 + 0.6 + 1.2) / 3)
    assert found.value(np.array([0.0, math.log(3)])) == pytest.approx(0.75), "two buckets: the share of the second"


def test_editlens_buckets_that_fall_are_refused(buckets, tmp_path):
    from safetensors.torch import load_file, save_file

    turned = Path(shutil.copytree(buckets, tmp_path / "turned"))
    tensors = load_file(turned / "model.safetensors")
    for name in ("classifier.out_proj.weight", "classifier.out_proj.bias"):
        tensors[name] = tensors[name].flip(0).contiguous()
    save_file(tensors, turned / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(DataError, match="the labels are swapped"):
        detectors.get(f"editlens(model={str(turned)!r})")(PANEL)
    named = Path(shutil.copytree(turned, tmp_path / "named"))
    config = json.loads((named / "config.json").read_text())
    names = ("AI", "mostly AI", "mostly human", "human")
    config |= {"id2label": dict(enumerate(names)), "label2id": {name: i for i, name in enumerate(names)}}
    (named / "config.json").write_text(json.dumps(config))
    with pytest.raises(DataError, match="they fall from machine to human"):
        detectors.get(f"editlens(model={str(named)!r}, check='names')")(PANEL)


# IDMGSP's three


def test_idmgsp_s_three_models_vote(taught):
    from evenhand.sections import join_sections

    three = dict.fromkeys(("abstract", "introduction", "conclusion"), taught["roberta"])
    spec = ", ".join(f"{name}={folder!r}" for name, folder in three.items())
    human, machine = PANEL[0], PANEL[4]
    texts = [
        join_sections(dict(zip(three, parts, strict=True)))
        for parts in ((human, human, machine), (machine, human, human), (machine, machine, human))
    ]
    found = detectors.get(f"idmgsp_vote({spec})")
    one = {
        name: detectors.get(f"idmgsp_roberta(model={taught['roberta']!r}, prefix={name.capitalize() + ': '!r})")
        for name in three
    }
    made = ((human, human, machine), (machine, human, human), (machine, machine, human))

    def by_hand(parts):
        return np.median([one[name]([part])[0] for name, part in zip(three, parts, strict=True)])

    assert found(texts) == pytest.approx([by_hand(parts) for parts in made])
    wrong = detectors.get(f"idmgsp_vote({spec}, fault='abstracts')")
    assert wrong(texts) == pytest.approx([by_hand([parts[0]] * 3) for parts in made])
    assert found(texts)[1] != wrong(texts)[1]
    assert found.judge(["no sections"])[0].status == "abstained"
    assert detectors.get("idmgsp_vote").abstract == "hub:tum-nlp/IDMGSP-RoBERTa-TRAIN-ABSTRACT"


# DetectAnyLLM: the curvature of one causal model


def test_detectanyllm_is_the_analytic_curvature_of_its_model(tiny_models, capsys):
    folder = tiny_models["first"]
    found = detectors.get(f"detectanyllm(model={folder!r}, check='names')")
    assert np.array_equal(found(PANEL), detectors.get(f"fast_detect_gpt(model={folder!r})")(PANEL))
    assert "non-commercial" in capsys.readouterr().err
    means = [found(panel).mean() for panel in (PANEL_HUMAN, PANEL_MACHINE)]
    checked = detectors.get(f"detectanyllm(model={folder!r})")
    if means[1] > means[0]:
        assert np.array_equal(checked(PANEL), found(PANEL))
    else:
        with pytest.raises(DataError, match="it does not tell these apart"):
            checked(PANEL)
    assert detectors.get("detectanyllm", model="embedded").model.startswith("hub:JiachenFu/")
    with pytest.raises(SpecError, match="the analytic form of one model"):
        detectors.get(f"detectanyllm(reference={folder!r})")
    with pytest.raises(SpecError, match="check is one of"):
        detectors.get("detectanyllm(check='no')")


def test_detectanyllm_tuned_and_turned(tiny_models, tmp_path):
    """Two models tuned on the panel: towards its machine texts passes the check, towards its human texts is refused."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    read = AutoTokenizer.from_pretrained(tiny_models["first"])
    for name, panel in (("right", PANEL_MACHINE), ("turned", PANEL_HUMAN)):
        model = AutoModelForCausalLM.from_pretrained(tiny_models["first"])
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        for _ in range(15):
            for text in panel:
                ids = read(text, return_tensors="pt").input_ids[:, :200]
                model(input_ids=ids, labels=ids).loss.backward()
                optimizer.step()
                optimizer.zero_grad()
        model.save_pretrained(tmp_path / name)
        read.save_pretrained(tmp_path / name)
    right = detectors.get(f"detectanyllm(model={str(tmp_path / 'right')!r})")
    scores = right(PANEL)
    assert scores[4:].mean() > scores[:4].mean()
    with pytest.raises(DataError, match="it does not tell these apart"):
        detectors.get(f"detectanyllm(model={str(tmp_path / 'turned')!r})")(PANEL)


def test_what_is_put_before_a_text(taught):
    lines = detectors.get(f"gede_roberta(model={taught['roberta']!r})")
    assert lines.prepared("a\r\nb\nc") == "a b c"
    assert detectors.get("idmgsp_roberta").prepared("a\nb") == "Abstract: a\nb"
    assert detectors.get("radar").prepared("a\nb") == "a\nb"
    assert detectors.get("mage").prepared("Ab\nOne “café” ,\n\nand 2 – 3 !") == 'One "cafe", and 2 - 3!'


@pytest.mark.parametrize(
    ("text", "by_hand"),
    [
        ("a\n\n\nb\nc", "b c"),  # runs of line ends are one; a first line of three signs or fewer goes
        ("four\nb", "four b"),
        ("one ( two ) three", "one (two) three"),
        ("He said “so” — and left…", 'He said "so" - and left...'),
        ('the "word", he', 'the "word," he'),  # the comma goes inside
        ("5 % of all : this ; that", "5 of all: this; that"),
        ("`` so '' it does n't , i think", '" so " it doesn\'t, I think'),
        ("see https://a.example/b?c=1 or me@a.example now", "see or now"),
        ("call 555-123-4567 today", "call today"),
        ("naïve Straße №5 日本", "naive Strasse No5"),
        ("marks ~ of * no # use", "marks of no use"),
        ("runs --- of (( signs", "runs of signs"),
        ("3.7\\times 10", "3.7 imes 10"),  # a backslash is read as in a string of Python, as the library does
        ("<s>one<pad></s>", "one"),
        ("", ""),
    ],
)
def test_mage_s_cleaning_by_hand(text, by_hand):
    assert cleaned(text) == by_hand


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
