"""A saved detector scores to the bit as before; a damaged, exchanged or foreign one is refused."""

from __future__ import annotations

import json
from string import Template

import numpy as np
import pytest
from skops.io import dump

from evenhand import detectors
from evenhand.detectors.trained import saving
from evenhand.errors import DataError
from evenhand.files import file_digest
from evenhand.plan import Plan
from evenhand.run import score

HUMAN = "Stop {}: we got off at the harbour, lost the dog twice, found it, ate plums till dark, and ran for the bus."
MACHINE = "The harbour offers {} benefits to the community, and its many visitors value the place in the evening."
TEXTS = [HUMAN.format(i) for i in range(8)] + [MACHINE.format(i) for i in range(8)]
LABELS = [0] * 8 + [1] * 8
LEVELS = ["human"] * 4 + ["improve-human"] * 4 + ["task"] * 8
SPECS = (
    "tfidf_lr",
    "tfidf_lr(labels='ordinal', preprocessing='idmgsp')",
    "tfidf_rf(trees=5)",
    "gltr_lr",
    "diveye",
    "one_pass_lr",
    "one_pass_boosted(leaf=3)",
    "adadetect_gpt",
)


@pytest.fixture(autouse=True, scope="module")
def _cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVENHAND_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def saved(tmp_path):
    fitted = detectors.get("tfidf_lr").fit(TEXTS, LABELS, levels=LEVELS, corpora=["mine"] * 16)
    detectors.save(fitted, tmp_path / "kept")
    return tmp_path / "kept"


@pytest.mark.parametrize("spec", SPECS)
def test_loaded_it_scores_to_the_bit(spec, tiny_models, tmp_path):
    fitted = detectors.get(spec, tiny_models["first"]).fit(TEXTS, np.array(LABELS), levels=LEVELS)
    detectors.save(fitted, tmp_path / "kept")
    again = detectors.load(tmp_path / "kept")
    assert again.key == fitted.key
    assert np.array_equal(again(TEXTS), fitted(TEXTS))
    assert np.array_equal(again.predict(TEXTS), fitted.predict(TEXTS))
    by_spec = detectors.get(f"saved(path={str(tmp_path / 'kept')!r})")
    assert by_spec.key == fitted.key
    assert np.array_equal(by_spec(TEXTS), fitted(TEXTS))
    assert by_spec.judge(["one"])[0].status == "abstained"
    assert not by_spec.learns


def test_the_card_tells_what_it_was_trained_on(saved):
    card = json.loads((saved / "card.json").read_text())
    told = card["trained_on"]
    assert (told["negative"], told["positive"]) == (8, 8)
    assert told["levels"] == {"human": 4, "improve-human": 4, "task": 8}
    assert told["corpora"] == {"mine": 16}
    assert set(card["files"]) == {"parts.skops"}
    assert "harbour" not in (saved / "card.json").read_text()


def test_a_run_takes_it_by_its_spec_and_needs_no_training_split(saved, tmp_path):
    rows = [
        {"id": str(i), "text": t, "label": "machine" if y else "human"}
        for i, (t, y) in enumerate(zip(TEXTS, LABELS, strict=True))
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    plan = Plan(f"jsonl(path={str(tmp_path / 't.jsonl')!r})", (f"saved(path={str(saved)!r})",))
    found = score(plan, tmp_path / "run").read("scores").to_pylist()
    assert sorted(r["score"] for r in found) == sorted(detectors.load(saved)(TEXTS))


def test_nothing_is_written_over_and_nothing_half(saved, tmp_path, monkeypatch):
    with pytest.raises(DataError, match="is there already"):
        detectors.save(detectors.load(saved), saved)
    with pytest.raises(DataError, match="has learnt nothing yet"):
        detectors.save(detectors.get("tfidf_lr"), tmp_path / "new")
    with pytest.raises(DataError, match="learns nothing"):
        detectors.save(detectors.get("lrr"), tmp_path / "new")
    monkeypatch.setattr(saving, "card_digest", lambda card: 1 / 0)
    fitted = detectors.get("tfidf_lr").fit(TEXTS, LABELS)
    with pytest.raises(ZeroDivisionError):
        detectors.save(fitted, tmp_path / "new")
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]


def test_a_card_that_was_changed(saved):
    text = (saved / "card.json").read_text()
    (saved / "card.json").write_text(text.replace('"threshold_": 0.0', '"threshold_": 9.0'))
    with pytest.raises(DataError, match="changed after it was written"):
        detectors.load(saved)
    (saved / "card.json").write_text(text[:-20])
    with pytest.raises(DataError, match="cannot be read"):
        detectors.load(saved)
    (saved / "card.json").unlink()
    with pytest.raises(DataError, match="no saved detector at"):
        detectors.load(saved)


def rewritten(folder, **changes):
    """A card that agrees with itself, as a deliberate hand would make it."""
    card = {**json.loads((folder / "card.json").read_text()), **changes}
    (folder / "card.json").write_text(json.dumps({**card, "digest": saving.card_digest(card)}))


def test_parts_that_were_changed(saved):
    data = bytearray((saved / "parts.skops").read_bytes())
    data[len(data) // 2] ^= 1
    (saved / "parts.skops").write_bytes(data)
    with pytest.raises(DataError, match=r"parts\.skops is missing, new or not as it was saved"):
        detectors.load(saved)
    (saved / "parts.skops").unlink()
    with pytest.raises(DataError, match="is missing"):
        detectors.load(saved)


@pytest.mark.parametrize("gone", ["spec", "files", "state", "versions", "models"])
def test_a_card_that_agrees_with_itself_and_lacks_something(saved, gone):
    card = json.loads((saved / "card.json").read_text())
    del card[gone]
    (saved / "card.json").write_text(json.dumps({**card, "digest": saving.card_digest(card)}))
    with pytest.raises(DataError, match=rf"not what save\(\) writes .*{gone}.*train and save the detector anew"):
        detectors.load(saved)


def test_a_card_of_a_detector_that_learns_nothing(saved):
    rewritten(saved, spec="lrr")
    with pytest.raises(DataError, match="learns nothing"):
        detectors.load(saved)


def test_another_version(saved):
    rewritten(saved, format=0)
    with pytest.raises(DataError, match="has the format 0"):
        detectors.load(saved)
    rewritten(saved, format=1, versions={"scikit-learn": "0.1"})
    with pytest.raises(DataError, match=r"saved with scikit-learn 0\.1, here is"):
        detectors.load(saved)
    card = json.loads((saved / "card.json").read_text())
    rewritten(
        saved, versions={**card["versions"], "scikit-learn": saving.versions(detectors.get("tfidf_lr"))["scikit-learn"]}
    )
    with pytest.raises(DataError, match=r"saved with evenhand \(not told\)"):
        detectors.load(saved)
    rewritten(saved, versions={**saving.versions(detectors.get("tfidf_lr")), "evenhand": "9.9"})
    with pytest.raises(
        DataError, match=r"saved with evenhand 9\.9, here is .* install evenhand 9\.9, or train it anew"
    ):
        detectors.load(saved)


def test_other_model_weights(tiny_models, tmp_path):
    fitted = detectors.get("gltr_lr", tiny_models["first"]).fit(TEXTS, LABELS)
    detectors.save(fitted, tmp_path / "kept")
    rewritten(tmp_path / "kept", models={"model": "first@0[dtype=float32,device=cpu]"})
    with pytest.raises(DataError, match="learnt from model first@0"):
        detectors.load(tmp_path / "kept")


def test_a_type_that_is_not_on_the_list_is_not_built(saved):
    """The file is put together by hand, and the card's digests with it: the list is what holds."""
    dump({"reader_": None, "heads_": [Template("no classifier")]}, saved / "parts.skops")
    rewritten(saved, files={"parts.skops": file_digest(saved / "parts.skops")})
    with pytest.raises(DataError, match=r"asks for types .*string\.Template"):
        detectors.load(saved)
