"""Explanations of prompted detectors: the model's own words, LLMFE's features of a text and over the sources of a run, LIME."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evenhand import detectors
from evenhand.errors import DataError
from evenhand.explain import Settings, account, lime, page
from evenhand.explain.methods import applicable, usual
from evenhand.plan import Plan
from evenhand.readings import measure_of, reading_rows
from evenhand.run import score

HUMAN = "Stop {}: we got off at the harbour, lost the dog twice, found it, ate plums till dark, and ran for the bus."
MACHINE = "The harbour offers {} benefits to the community, and its many visitors value the place in the evening."


def asker(body: dict) -> str:
    shown = body["messages"][-1]["content"]
    return json.dumps(
        {"author": "machine" if "benefits" in shown else "human", "explanation": "it <b>speaks</b> of benefits"}
    )


def test_the_models_own_words_stand_on_the_page(endpoint):
    server = endpoint(asker)
    detector = detectors.get(server.spec("prompted_io"))
    assert applicable(detector) == ("words", "lime", "shap")
    assert usual(detector) == ("words",)  # LIME would be a thousand calls: only where it is asked for
    found = account(MACHINE.format(3), detector)
    assert found.words == (("author", "machine"), ("explanation", "it <b>speaks</b> of benefits"))
    assert "it &lt;b&gt;speaks&lt;/b&gt; of benefits" in page(found, "x")
    assert len(server.bodies) == 1  # the answer that was scored is the answer that is shown


def test_the_words_of_a_model_that_does_not_know_are_shown(endpoint):
    unsure = json.dumps({"author": "unknown", "explanation": "nothing in it tells"})
    detector = detectors.get(endpoint(lambda body: unsure).spec("prompted_io"))
    found = account(MACHINE.format(3), detector)
    assert np.isnan(found.score)
    assert ("explanation", "nothing in it tells") in found.words
    assert "abstained: there is no score to explain" in page(found, "x")
    with pytest.raises(DataError, match="gives this text no score"):
        account(MACHINE.format(3), detector, ["words", "lime"])


def test_lime_works_on_answers_of_a_chat_model(endpoint):
    detector = detectors.get(endpoint(asker).spec("prompted_io"))
    found = lime(MACHINE.format(3), detector, samples=30, seeds=2)
    assert found.heaviest(1)[0].name == "benefits"
    assert found.heaviest(1)[0].weight > 0.5


def features(body: dict) -> str:
    """Two features named, then scores for the texts along them."""
    text = body["messages"][-1]["content"]
    if "written by a HUMAN" in text:
        names = ("talk of benefits", "number of plums")
        return json.dumps({"features": [{"name": n, "zero": "none", "ten": "many", "hypothesis": "h"} for n in names]})
    shown = text.split("######")[0]
    value = {"talk of benefits": 9 * ("benefits" in shown), "number of plums": 3 * ("plums" in shown)}
    listed = [line for line in text.splitlines() if line[:1].isdigit() and "(0 =" in line]
    return "\n".join(f"{line.split('.')[0]}: {value[line.split('. ')[1].split(' (')[0]]}" for line in listed)


@pytest.fixture
def vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"talk of benefits": np.eye(2)[0], "number of plums": np.eye(2)[1]}
    monkeypatch.setattr(
        "evenhand.detectors.prompted.llmfe.embed", lambda told, _: np.array([made[one.split(" (")[0]] for one in told])
    )


def test_llmfe_shows_its_features_of_this_text(endpoint, vectors):
    detector = detectors.get(endpoint(features).spec("llmfe", n_pairs=2, n_train=12))
    texts = [HUMAN.format(i) for i in range(6)] + [MACHINE.format(i) for i in range(6)]
    detector.fit(texts, [0] * 6 + [1] * 6, generators=[None] * 6 + ["a"] * 6)
    assert usual(detector) == ("importances",)
    found = account(MACHINE.format(99), detector, settings=Settings(seeds=2))
    assert {one.name: one.value for one in found.importances} == {"talk of benefits": 9.0, "number of plums": 0.0}
    assert sum(one.impurity for one in found.importances) == pytest.approx(1.0)
    assert list(reading_rows("log_rank", detectors.get("log_rank"), [])) == []


def test_a_run_keeps_llmfes_features_and_draws_them_by_source(endpoint, vectors, tmp_path):
    from evenhand import audit

    spec = endpoint(features).spec("llmfe", n_pairs=2, n_train=12)
    with (tmp_path / "papers.jsonl").open("w", encoding="utf-8") as stream:
        for i in range(20):
            for label, made in (("human", HUMAN), ("machine", MACHINE)):
                row = {"id": f"{label}{i}", "text": made.format(i), "label": label, "cluster": f"{label}{i}"}
                more = {"split": "train" if i < 8 else "test"} | ({"generator": "gpt2"} if label == "machine" else {})
                stream.write(json.dumps(row | more) + "\n")
    plan = Plan(f"jsonl(path={str(tmp_path / 'papers.jsonl')!r})", detectors=(spec,), audits=("by_source",))
    store = score(plan, tmp_path / "run")
    kept = {(row["id"], row["measure"]): row["value"] for row in store.read("measures").to_pylist()}
    assert len(kept) == 2 * 24
    assert kept["machine19", measure_of(spec, "talk of benefits")] == 9.0
    (result,) = audit(store).results
    means = {
        (f.where["measure"].partition(" (")[0], f.where["source"]): f for f in result.findings if f.metric == "mean"
    }
    assert means["talk of benefits", "GPT-2"].estimate.value == 9.0
    assert means["number of plums", "arXiv"].estimate.value == 3.0
    assert means["talk of benefits", "arXiv"].counts == {"texts": 12}
    assert [figure.kind for figure in result.figures] == ["density", "density"]
