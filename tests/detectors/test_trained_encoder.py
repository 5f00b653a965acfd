"""Fine-tuning, on a random BERT of two layers made on the spot: it learns, it resumes to the bit, it says what it left out."""

from __future__ import annotations

import json
import math
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from evenhand import detectors
from evenhand.detectors.base import best_threshold
from evenhand.detectors.trained import saving
from evenhand.detectors.trained.encoder import RECIPES, device_of, minutes
from evenhand.errors import DataError, OfflineError, SpecError

torch = pytest.importorskip("torch")
from evenhand.models import finetune  # noqa: E402

HUMAN = "stop {}: we got off at the harbour, lost the dog twice, found it, and ate plums till dark."
MACHINE = "the harbour offers {} benefits to the community, and its visitors value the place."
TEXTS = [HUMAN.format(i) for i in range(16)] + [MACHINE.format(i) for i in range(16)]
LABELS = [0] * 16 + [1] * 16
LEVELS = ["human"] * 8 + ["improve-human"] * 8 + ["task"] * 16
CLUSTERS = [f"c{i % 8}" for i in range(32)]
WORDS = sorted({w for t in TEXTS for w in t.replace(",", " ,").replace(".", " .").replace(":", " :").split()})


@pytest.fixture(scope="module")
def tiny_bert(tmp_path_factory):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("bert")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    vocabulary = {word: i for i, word in enumerate([*special, *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    marks = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **marks).save_pretrained(folder)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=40,
        pad_token_id=0,
    )
    BertModel(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture(autouse=True)
def _cache(own_cache):
    """Trainings are kept in the cache, which is empty for each test."""


def encoder(tiny_bert, **parameters):
    return detectors.factory("encoder")(base=tiny_bert, **{"lr": 3e-3, "epochs": 4, "batch": 8, **parameters})


def teach(detector, **told):
    return detector.fit(TEXTS, LABELS, clusters=CLUSTERS, **told)


def test_it_learns_and_is_the_same_again(tiny_bert, monkeypatch, tmp_path):
    state = torch.random.get_rng_state()
    plan = {"epochs": 5, "batch": 4, "lr": 1e-2}
    fitted = teach(encoder(tiny_bert, **plan))
    assert torch.equal(torch.random.get_rng_state(), state), "the caller's generator is left alone"
    assert (fitted.predict(TEXTS) == LABELS).mean() > 0.9
    assert fitted.predict_proba(TEXTS).sum(1) == pytest.approx(1)
    monkeypatch.setenv("EVENHAND_CACHE", str(tmp_path / "another"))
    again = encoder(tiny_bert, **plan).fit(TEXTS[::-1], LABELS[::-1], clusters=CLUSTERS[::-1])
    assert again.key == fitted.key
    assert np.array_equal(again(TEXTS), fitted(TEXTS)), "same seed, same weights, same scores"
    assert not np.array_equal(teach(encoder(tiny_bert, seed=7))(TEXTS), fitted(TEXTS))
    assert not np.array_equal(teach(encoder(tiny_bert, class_weights=True, epochs=1))(TEXTS), fitted(TEXTS))


def test_scores_depend_on_no_neighbour(tiny_bert):
    fitted = teach(encoder(tiny_bert, epochs=1))
    assert np.array_equal(fitted(TEXTS[:5]), [fitted([t])[0] for t in TEXTS[:5]])


def test_killed_after_an_epoch_it_goes_on_to_the_bit(tiny_bert, monkeypatch, tmp_path):
    whole = teach(encoder(tiny_bert))
    monkeypatch.setenv("EVENHAND_CACHE", str(tmp_path / "another"))
    real, epochs = finetune.Training.epoch, []

    def stops(self, number):
        if number == 2 and len(epochs) == 2:
            raise KeyboardInterrupt
        epochs.append(number)
        real(self, number)

    monkeypatch.setattr(finetune.Training, "epoch", stops)
    with pytest.raises(KeyboardInterrupt):
        teach(encoder(tiny_bert))
    epochs.append("killed")
    resumed = teach(encoder(tiny_bert))
    assert epochs == [0, 1, "killed", 2, 3]
    assert np.array_equal(resumed(TEXTS), whole(TEXTS))
    assert resumed.training_ == whole.training_
    teach(encoder(tiny_bert))
    assert epochs == [0, 1, "killed", 2, 3], "a finished training is not done again"


def test_weights_are_those_of_the_lowest_validation_loss_and_it_stops_early(tiny_bert):
    fitted = teach(encoder(tiny_bert, lr=0.05, epochs=8, patience=2))
    losses, kept = fitted.training_["losses"], fitted.training_["kept_epoch"]
    assert kept == int(np.argmin(losses)) + 1
    assert len(losses) == min(8, kept + 2)
    assert [p.name for p in Path(fitted.folder_).parent.glob("epoch-*")] == []


def test_validation_is_of_whole_clusters(tiny_bert, monkeypatch):
    seen = {}
    real = finetune.fine_tune

    def spy(base, train, validation, *rest):
        seen.update(train=train, validation=validation)
        return real(base, train, validation, *rest)

    monkeypatch.setattr(finetune, "fine_tune", spy)
    fitted = teach(encoder(tiny_bert, epochs=1))
    by = finetune.reader(tiny_bert)
    cluster = {tuple(by.read(t, 512).ids): c for t, c in zip(TEXTS, CLUSTERS, strict=True)}
    sides = [{cluster[tuple(r.ids)] for r in seen[side].reads} for side in ("train", "validation")]
    assert not sides[0] & sides[1]
    assert fitted.training_["validation"] == len(seen["validation"].reads) == 8
    with pytest.raises(DataError, match=r"1 clusters, the (validation|training) side would"):
        encoder(tiny_bert).fit(TEXTS, LABELS, clusters=["one"] * 32)


def test_levels(tiny_bert):
    fitted = teach(encoder(tiny_bert, labels="ordinal", epochs=2), levels=LEVELS)
    assert fitted.steps_ == ("improve-human", "task")
    scores = fitted(TEXTS)
    assert ((scores > 0) & (scores < 2)).all()
    assert fitted.threshold_ == best_threshold(scores, np.array(LABELS) == 1)


def test_saved_and_loaded(tiny_bert, tmp_path):
    base = shutil.copytree(tiny_bert, tmp_path / "base")
    fitted = teach(encoder(str(base), epochs=1))
    expected = fitted(TEXTS)
    detectors.save(fitted, tmp_path / "kept")
    shutil.rmtree(Path(fitted.folder_).parent)
    shutil.rmtree(base)
    again = detectors.load(tmp_path / "kept")
    assert again.key == fitted.key
    assert np.array_equal(again(TEXTS), expected), "its weights are its own: the base is needed no more"
    assert again.models == ()
    names = set(json.loads((tmp_path / "kept" / "card.json").read_text())["files"])
    assert "model/model.safetensors" in names
    assert not [name for name in names if name.endswith((".bin", ".pkl", ".pt"))]
    card = json.loads((tmp_path / "kept" / "card.json").read_text())
    other = {**card, "versions": {"transformers": "3"}}
    (tmp_path / "kept" / "card.json").write_text(json.dumps({**other, "digest": saving.card_digest(other)}))
    with pytest.raises(DataError, match="was saved with transformers 3, here is"):
        detectors.load(tmp_path / "kept")
    (tmp_path / "kept" / "card.json").write_text(json.dumps(card))
    (tmp_path / "kept" / "model" / "config.json").write_text("{}")
    with pytest.raises(DataError, match=r"model/config\.json is missing, new or not as it was saved"):
        detectors.load(tmp_path / "kept")


def test_a_long_text_is_read_in_part_and_says_so_and_an_empty_one_abstains(tiny_bert):
    fitted = teach(encoder(tiny_bert, epochs=1))
    long, empty, broken, exact = fitted.judge(["plums " * 200, "", "\ud800 plums", "plums " * 38])
    assert (long.truncated, long.n_tokens, long.status) == (True, 40, "ok")
    assert "first 40 tokens" in long.reason
    assert (exact.truncated, exact.n_tokens) == (False, 40)
    assert empty.status == broken.status == "abstained"
    assert math.isnan(empty.score)
    assert "lone surrogate" in broken.reason
    told = encoder(tiny_bert, epochs=1).fit(
        [*TEXTS, "", "plums " * 200], [*LABELS, 0, 1], clusters=[*CLUSTERS, "x", "y"]
    )
    assert told.training_["unreadable"] == 1
    assert told.training_["truncated"] == 1


def test_a_base_that_is_not_there(tiny_bert, monkeypatch):
    monkeypatch.setenv("EVENHAND_OFFLINE", "1")
    with pytest.raises(OfflineError, match="not in the cache"):
        teach(detectors.get("encoder(base='hub:nobody/nothing')"))
    with pytest.raises(OfflineError, match="the embedded encoder is not in the cache"):
        teach(detectors.get("encoder"))
    with pytest.raises(DataError, match="no model at"):
        teach(encoder("/no/such/folder"))


def test_what_is_refused(tiny_bert):
    with pytest.raises(DataError, match="has learnt nothing yet"):
        encoder(tiny_bert)(TEXTS)
    with pytest.raises(DataError, match=r"the classes \[1\]"):
        encoder(tiny_bert).fit(TEXTS, [1] * 32)
    for wrong in ("recipe='x'", "epochs=0", "lr=2.0", "validation=1.5"):
        with pytest.raises(SpecError, match="encoder: " + wrong.split("=")[0]):
            detectors.get(f"encoder({wrong})")
    with pytest.raises(DataError, match="the loss of epoch 1 is"):
        teach(nan_encoder(tiny_bert))


def nan_encoder(tiny_bert):
    """A base whose weights are not numbers."""
    from safetensors.torch import load_file, save_file

    broken = Path(tiny_bert).parent / "broken"
    shutil.copytree(tiny_bert, broken, dirs_exist_ok=True)
    tensors = load_file(broken / "model.safetensors")
    save_file(
        {k: v * float("nan") for k, v in tensors.items()}, broken / "model.safetensors", metadata={"format": "pt"}
    )
    return encoder(str(broken), epochs=1)


def test_the_recipes_are_those_printed():
    aae, bawe, persuade, idmgsp = (RECIPES[n] for n in ("gede_aae", "gede_bawe", "gede_persuade", "idmgsp"))
    assert [r.epochs for r in (aae, bawe, persuade)] == [5, 5, 8]
    assert {(r.lr, r.batch, r.warmup, r.seed, r.max_tokens) for r in (aae, bawe, persuade)} == {(5e-5, 32, 0, 42, 512)}
    assert (idmgsp.lr, idmgsp.batch, idmgsp.warmup, idmgsp.weight_decay, idmgsp.seed) == (5e-6, 16, 1000, 0.001, 99)


def test_a_warm_up_longer_than_the_training_is_told(tiny_bert):
    fitted = teach(encoder(tiny_bert, recipe="idmgsp", epochs=1))
    assert "no more than the 1000 of the warm-up" in fitted.training_["note"]


def test_the_rate_rises_and_falls(tiny_bert):
    base = finetune.Weights(tiny_bert, "0")
    plan = finetune.Schedule(epochs=2, lr=1.0, batch=2, warmup=2)
    reads = [finetune.Read([2, 5, 3])] * 8
    examples = finetune.Examples(reads, np.array([[False], [True]] * 4))
    training = finetune.Training(torch, finetune.with_head(base, 2), examples, examples, plan, base, Path("unused"))
    assert [training.rate_at(i) for i in range(9)] == pytest.approx([0, 0.5, 1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6, 0])


def test_accumulated_passes_and_checkpointing_are_one_batch(tiny_bert, tmp_path):
    """8 texts at once, 4 passes of 2, or with states computed again: the same step, up to rounding (dropout off)."""
    base = finetune.Weights(tiny_bert, "0")
    reads = [finetune.reader(tiny_bert).read(t, 512) for t in TEXTS[12:20]]
    examples = finetune.Examples(reads, np.array([[False]] * 4 + [[True]] * 4))
    found = []
    for batch, accumulate, again in ((8, 1, False), (2, 4, False), (8, 1, True)):
        plan = finetune.Schedule(epochs=1, lr=1e-2, batch=batch, accumulate=accumulate, checkpointing=again)
        torch.manual_seed(0)
        by = finetune.with_head(base, 2)
        for module in by.model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        training = finetune.Training(torch, by, examples, examples, plan, base, tmp_path)
        assert training.per_epoch == 1
        training.epoch(0)
        assert by.model.is_gradient_checkpointing == again
        found.append(by.model.bert.encoder.layer[0].attention.self.query.weight.detach().clone())
    assert torch.allclose(found[0], found[1], atol=1e-4)
    assert torch.allclose(found[0], found[2], atol=1e-4)


def test_mixed_precision(tiny_bert):
    fitted = teach(encoder(f"{tiny_bert}[dtype=bfloat16]", epochs=5, batch=4, lr=1e-2))
    plain = teach(encoder(tiny_bert, epochs=5, batch=4, lr=1e-2))
    assert (fitted.predict(TEXTS) == LABELS).mean() > 0.9
    assert fitted.key != plain.key
    assert device_of("x[dtype=bfloat16,device=cuda:1]") == "cuda:1"
    assert device_of("hub:x@y") == "cpu"


def test_a_causal_model_with_a_head(tiny_models):
    fitted = detectors.factory("causal_classifier")(base=tiny_models["first"], lr=3e-3, epochs=3, batch=8)
    teach(fitted)
    assert (fitted.predict(TEXTS) == LABELS).mean() > 0.9


def test_a_causal_model_with_states_computed_again_and_passes_added_up(tiny_models):
    """The same training up to rounding, and another key: what is computed otherwise is another detector."""
    make = detectors.factory("causal_classifier")
    shared = {"base": tiny_models["first"], "lr": 3e-3, "epochs": 2}
    plain = teach(make(batch=8, **shared))
    again = teach(make(batch=8, checkpointing=True, **shared))
    added = teach(make(batch=4, accumulate=2, **shared))
    assert again.schedule.checkpointing
    assert not plain.schedule.checkpointing
    assert added.schedule.accumulate == 2
    assert again(TEXTS) == pytest.approx(plain(TEXTS), abs=1e-3)
    assert added(TEXTS) == pytest.approx(plain(TEXTS), abs=1e-3)
    assert len({one.key for one in (plain, again, added)}) == 3
    with pytest.raises(SpecError, match="accumulate must be None or a whole number"):
        make(accumulate=0)


def test_the_cost_is_told_before_and_the_epochs_after(tiny_bert, monkeypatch, capsys):
    teach(encoder(tiny_bert, epochs=2))
    assert capsys.readouterr().err == "", "a short training in a log says nothing"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    teach(encoder(tiny_bert, epochs=3, seed=3))
    first, *epochs = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"encoder: 3 epochs to go, about \d+ s left", first)
    assert len(epochs) == 3
    assert re.fullmatch(r"encoder: epoch 3 of 3: validation loss \d\.\d{4}, about 0 s left", epochs[-1])
    assert minutes(89) == "89 s"
    assert minutes(600) == "10 min"


def test_what_is_left_follows_the_pace(tiny_bert, monkeypatch):
    """Ten steps of a second each on a clock of our own: after the first nine seconds are left."""
    clock = iter(range(1000))
    monkeypatch.setattr(finetune.time, "monotonic", lambda: float(next(clock)))
    found = []
    base = finetune.Weights(tiny_bert, "0")
    plan = finetune.Schedule(epochs=2, lr=1e-3, batch=2)
    examples = finetune.Examples([finetune.Read([2, 5, 3])] * 10, np.array([[False], [True]] * 5))
    training = finetune.Training(torch, finetune.with_head(base, 2), examples, examples, plan, base, Path("unused"))
    training.progress, training.started = (lambda *told: found.append(told)), finetune.time.monotonic()
    training.epoch(0)
    assert found == [(0, 2, None, 9.0)]


def test_other_clusters_are_another_detector(tiny_bert):
    one = teach(encoder(tiny_bert, epochs=1))
    two = encoder(tiny_bert, epochs=1).fit(TEXTS, LABELS, clusters=[f"c{i % 16}" for i in range(32)])
    assert one.key != two.key, "what is set aside decides which epoch's weights are kept"


@pytest.mark.long
@pytest.mark.model
def test_minilm_learns_from_a_hundred_texts(monkeypatch):
    monkeypatch.delenv("EVENHAND_CACHE")
    texts = [HUMAN.format(i) for i in range(50)] + [MACHINE.format(i) for i in range(50)]
    fitted = detectors.get("encoder(epochs=1, max_tokens=64)").fit(texts, [0] * 50 + [1] * 50)
    try:
        assert (fitted.predict(texts) == [0] * 50 + [1] * 50).mean() > 0.9
    finally:
        shutil.rmtree(Path(fitted.folder_).parent)
