"""LLMFE step by step: pairs, features, consolidation against scipy and by hand, scores, forest; and what is kept."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

from evenhand import detectors
from evenhand.detectors.judging import key
from evenhand.detectors.prompted.dendrogram import clusters_at, leaf_order, svg
from evenhand.detectors.prompted.drawing import Known, in_turn
from evenhand.detectors.prompted.features import Feature, consolidate
from evenhand.detectors.prompted.features import label as field
from evenhand.detectors.trained.panel import PANEL_HUMAN, PANEL_MACHINE
from evenhand.errors import DataError, SpecError
from evenhand.models.weights import resolve

HUMAN = "Stop {}: we got off at the harbour, lost the dog twice, found it, ate plums till dark, and ran for the bus."
MACHINE = "The harbour offers {} benefits to the community, and its many visitors value the place in the evening."
TEXTS = [HUMAN.format(i) for i in range(8)] + [MACHINE.format(i) for i in range(8)]
LABELS = [0] * 8 + [1] * 8
PANEL = len(PANEL_HUMAN) + len(PANEL_MACHINE)
NAMES = ["talk of benefits", "number of plums"]


class Judge:
    """Names two features (on every third pair only one, without its end), and counts words to score texts along them."""

    def __init__(self) -> None:
        self.pairs = self.scores = 0

    def __call__(self, body: dict) -> str:
        text = body["messages"][-1]["content"]
        if "written by a HUMAN" in text:
            self.pairs += 1
            told = [{"name": name, "zero": "none", "ten": "many", "hypothesis": "h"} for name in NAMES]
            return json.dumps({"features": [*told, {"name": "no end", "zero": "a"}]})
        self.scores += 1
        shown = text.split("######")[0]
        value = {"talk of benefits": 9 * ("benefits" in shown), "number of plums": 3 * ("plums" in shown)}
        listed = [line for line in text.splitlines() if line[:1].isdigit() and "(0 =" in line]
        return "\n".join(f"{line.split('.')[0]}: {value[line.split('. ')[1].split(' (')[0]]}" for line in listed)


@pytest.fixture
def vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """One direction a name, so that no encoder is loaded; the encoder's own test is below."""
    made = dict(zip(NAMES, np.eye(2), strict=True))
    monkeypatch.setattr(
        "evenhand.detectors.prompted.llmfe.embed", lambda told, _: np.array([made[one.split(" (")[0]] for one in told])
    )


def fitted(server, **more):
    detector = detectors.get(server.spec("llmfe", **{"n_pairs": 4, "n_train": 12, "trees": 20, **more}))
    return detector.fit(np.array(TEXTS), np.array(LABELS), generators=[None] * 8 + ["a"] * 5 + ["b"] * 3)


def test_it_learns_what_the_features_tell(endpoint, vectors):
    judge = Judge()
    detector = fitted(endpoint(judge))
    assert detector.feature_names == tuple(NAMES)
    assert detector(["The new hall offers benefits of many kinds to all the people.", HUMAN.format(99)]).tolist() == [
        1.0,
        0.0,
    ]
    told = detector.training_
    assert (told["pairs"], told["pairs_read"], told["features_dropped"]) == (4, 4, 4)
    assert (told["features_before_cut"], told["features_after_cut"], told["positive"], told["negative"]) == (8, 2, 6, 6)
    assert told["scores_missing"] == 0
    assert (judge.pairs, judge.scores) == (4, 12 + PANEL + 2)


def test_any_step_is_done_again_without_asking(endpoint, vectors):
    judge = Judge()
    server = endpoint(judge)
    first = fitted(server)
    asked = len(server.bodies)
    again = fitted(server)
    assert len(server.bodies) == asked
    assert key(again) == key(first)
    assert again(TEXTS[:2]).tolist() == first(TEXTS[:2]).tolist()
    assert fitted(server, seed=1).key != first.key
    wider = fitted(server, trees=10)
    assert wider.training_["features_after_cut"] == 2


def test_scores_are_asked_for_in_chunks_at_temperature_0(endpoint, vectors):
    server = endpoint(Judge())
    fitted(server, chunk=1)
    of_pairs = [body for body in server.bodies if "HUMAN" in body["messages"][-1]["content"]]
    of_texts = [body for body in server.bodies if body not in of_pairs]
    assert {body["temperature"] for body in of_pairs} == {0.7}
    assert {body["temperature"] for body in of_texts} == {0.0}
    assert {body["max_tokens"] for body in of_texts} == {24}  # a line for one feature
    assert len(of_texts) == (12 + PANEL) * 2


def test_the_answer_has_room_for_every_feature_whatever_the_pairs_have(embedded):
    """The paper's 83 features in one request: their JSON takes more than the 1,024 tokens that a pair's answer may have."""
    from transformers import AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(resolve("embedded").folder())
    part = [
        Feature(f"Presence of {'domain-specific terminology and ' * (i % 5)}rigour {i}", "no", "yes") for i in range(83)
    ]
    answers = {
        "idmgsp": f"```json\n{json.dumps({field(one): '10' for one in part}, indent=1)}\n```",
        "general": "\n".join(f"{i}: 10" for i in range(1, 84)),
    }
    for profile, shown in answers.items():
        asked = detectors.get(f"llmfe(profile={profile!r}, max_new_tokens=64)").score_request("A text.", part)
        needed = len(tokens(shown).input_ids)
        assert needed <= asked.sampling.max_new_tokens < 4 * needed, profile
    assert len(tokens(answers["idmgsp"]).input_ids) > 1024


def test_the_papers_profile_fills_in_its_values():
    detector = detectors.get("llmfe(profile='idmgsp')")
    assert (detector.n_pairs, detector.cut, detector.n_train, detector.trees) == (100, 0.05, 600, 100)
    assert "n_pairs=100" in detector.spec
    assert "n_pairs=100, n_train=600, cut=0.05" in detector.card.follows
    assert detectors.get("llmfe(profile='idmgsp', n_pairs=7)").n_pairs == 7
    human, machine = "A paper.", "Another paper."
    from evenhand.detectors.prompted.features import pair_messages, score_form

    system, user = pair_messages(human, machine, "idmgsp")
    assert "You are a data scientist." in system["content"]
    assert (
        "###### The following paper was written by a HUMAN ######\n\nA paper.\n\n###### The following paper"
        in user["content"]
    )
    assert "generalize to scientific papers" in user["content"]
    form = score_form([Feature("Use of jargon", "none", "much")], "idmgsp")
    assert (
        "\"use_of_jargon\": string  // to what degree the paper shows 'use of jargon' (value from 0 to 10, 0 = 'none'"
        in form
    )


def test_unread_scores_are_missing_and_too_many_are_an_abstention(endpoint, vectors):
    judge = Judge()
    server = endpoint(judge)
    detector = fitted(server, chunk=1, repairs=0)

    def half(body: dict):
        text = body["messages"][-1]["content"]
        if "silent" in text:
            return "hm"
        return 400 if "lost" in text and "Stop" not in text else ("hm" if "number of plums" in text else judge(body))

    server.speak = half
    texts = [
        "The hall offers benefits of many kinds to all people here.",
        "A silent hall of many kinds for all the people here.",
    ]
    texts.append("A lost hall of many kinds for all of the people here.")
    some, none, lost = detector.judge([*texts])
    assert (some.status, some.score > 0.5) == ("ok", True)
    assert (none.status, none.reason) == ("abstained", "fewer than half of the features could be scored")
    assert (lost.status, "made to fail" in str(lost.reason)) == ("failed", True)
    assert detector.judge(["too short"])[0].reason == "fewer than 10 words"


def test_a_model_that_names_nothing_is_refused_with_the_cure(endpoint, vectors):
    with pytest.raises(DataError, match="take a stronger model"):
        fitted(endpoint(lambda body: "Vehicle safety is important."))


def test_an_endpoint_that_answers_no_pair_is_told_from_a_weak_model(endpoint, vectors):
    with pytest.raises(DataError, match=r"no answer: .*so for all 4 pairs.; the same call asks again"):
        fitted(endpoint(lambda body: 400))


def test_a_model_that_scores_all_alike_has_taught_nothing(endpoint, vectors):
    judge = Judge()

    def dull(body: dict) -> str:
        return judge(body) if "HUMAN" in body["messages"][-1]["content"] else "1: 5\n2: 5"

    with pytest.raises(DataError, match="score alike"):
        fitted(endpoint(dull))


def test_saved_without_pickle_and_loaded(endpoint, vectors, tmp_path):
    detector = fitted(endpoint(Judge()))
    detectors.save(detector, tmp_path / "saved")
    loaded = detectors.load(tmp_path / "saved")
    assert loaded(TEXTS).tolist() == detector(TEXTS).tolist()
    assert (key(loaded), loaded.dendrogram()) == (key(detector), detector.dendrogram())


def test_the_command_shows_features_another_cut_and_the_tree(endpoint, vectors, tmp_path):
    from typer.testing import CliRunner

    from evenhand.cli.app import app

    server = endpoint(Judge())
    detectors.save(fitted(server), tmp_path / "saved")
    asked, spec = len(server.bodies), f"saved(path={str(tmp_path / 'saved')!r})"
    shown = CliRunner().invoke(app, ["features", spec, "--out", str(tmp_path / "tree.svg")])
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.splitlines()[:2] == [
        "8 features proposed, 2 kept at the cut 0.3",
        "  talk of benefits (0 = none; 10 = many)",
    ]
    assert ET.parse(tmp_path / "tree.svg") is not None
    told = json.loads(CliRunner().invoke(app, ["features", spec, "--cut", "1.5", "--json"]).stdout)
    assert (told["proposed"], len(told["kept"]), told["training"]["pairs"]) == (8, 1, 4)
    assert len(server.bodies) == asked
    assert CliRunner().invoke(app, ["features", "lrr"]).exit_code != 0


def test_the_cost_before_and_after(endpoint, vectors):
    server = endpoint(Judge())
    detector = detectors.get(server.spec("llmfe", n_pairs=4, n_train=12))
    rows = [Known(text, bool(label)) for text, label in zip(TEXTS, LABELS, strict=True)]
    pairs, scores = detector.training_costs(rows)
    assert (pairs.requests, scores.requests) == (4, 12 + PANEL)
    assert not server.bodies
    detector.fit(TEXTS, LABELS)
    assert [one.kept for one in detector.training_costs(rows)] == [4, 12 + PANEL]
    assert detector.cost(["A text of ten words and a little more than that."]).requests == 1


def test_settings_without_sense():
    for wrong in ("n_pairs=0", "n_train=2", "cut=3.0", "chunk=0", "trees=0", "profile='raid'"):
        with pytest.raises(SpecError):
            detectors.get(f"llmfe({wrong})")


# --- drawing


def test_generators_take_turns_and_order_does_not_matter():
    rows = [Known(f"h{i}", False) for i in range(3)]
    rows += [Known(f"{g}{i}", True, g) for g, n in (("a", 5), ("b", 2), ("c", 1)) for i in range(n)]
    people, machine = in_turn(rows, "x", 0)
    assert [text[0] for text in machine] == ["a", "b", "c", "a", "b", "a", "a", "a"]
    assert in_turn(rows[::-1], "x", 0) == (people, machine)
    assert in_turn(rows, "x", 1) != (people, machine)


# --- consolidation


def features(n: int) -> list[Feature]:
    return [Feature(f"feature {i}", "few", "many") for i in range(n)]


def test_clusters_are_scipys_and_the_nearest_to_the_centroid_stays():
    draw = np.random.default_rng(5)
    centres = draw.normal(size=(4, 8))
    vectors = np.concatenate([centre + 0.15 * draw.normal(size=(5, 8)) for centre in centres])
    found = consolidate(features(20), vectors, 0.3)
    assert len(found.kept) == 4
    expected = fcluster(linkage(vectors, "average", "cosine"), 0.3, "distance")
    same = found.clusters[:, None] == found.clusters
    assert (same == (expected[:, None] == expected)).all()
    for label in np.unique(found.clusters):
        members = np.flatnonzero(found.clusters == label)
        mean = vectors[members].mean(0)
        cosine = [float(v @ mean / np.linalg.norm(v) / np.linalg.norm(mean)) for v in vectors[members]]
        assert features(20)[members[int(np.argmax(cosine))]] in found.kept


def test_average_linkage_by_hand():
    """Three directions at 0, 60 and 90 degrees: the last two join at 1 - cos 30, the first at the mean of its distances."""
    angles = np.radians([0, 60, 90])
    found = consolidate(features(3), np.column_stack([np.cos(angles), np.sin(angles)]), 0.2)
    assert found.tree[:, 2] == pytest.approx([1 - math.cos(math.radians(30)), (0.5 + 1) / 2])
    assert [one.name for one in found.kept] == ["feature 0", "feature 1"]
    assert (clusters_at(found.tree, 3, 0.1), clusters_at(found.tree, 3, 0.2), clusters_at(found.tree, 3, 0.9)) == (
        3,
        2,
        1,
    )


def test_one_feature_equal_features_and_a_cut_of_0():
    assert consolidate(features(1), np.ones((1, 3)), 0.5).kept == tuple(features(1))
    same = consolidate(features(3), np.ones((3, 3)), 0.0)
    assert [one.name for one in same.kept] == ["feature 0"]


def test_the_dendrogram_is_a_picture_of_the_tree():
    draw = np.random.default_rng(3)
    names = ["<a> & b", *(f"feature {i} {'x' * 80}" for i in range(29))]
    tree = consolidate([Feature(n, "a", "b") for n in names], draw.normal(size=(30, 4)), 0.4).tree
    root = ET.fromstring(svg(names, tree, 0.4))
    lines = [one for one in root.iter() if one.tag.endswith("polyline")]
    shown = [one.text for one in root.iter() if one.tag.endswith("}text")]
    assert len(lines) == 29
    assert "<a> & b" in shown
    assert f"30 features, {clusters_at(tree, 30, 0.4)} at the cut 0.4" in shown
    assert sorted(leaf_order(tree, 30)) == list(range(30))
    assert max(float(p.split(",")[0]) for one in lines for p in one.attrib["points"].split()) <= 330 + 620.1
    assert ET.fromstring(svg(["alone"], np.empty((0, 4)), 0.1)) is not None


@pytest.mark.model
def test_the_embedded_encoder_brings_like_features_together(embedded):
    from evenhand.models.encoder import embed

    told = [
        "sentence length (0 = short; 10 = long)",
        "length of sentences (0 = short; 10 = long)",
        "humour (0 = none; 10 = much)",
    ]
    found = consolidate([Feature(one, "a", "b") for one in told], embed(told), 0.3)
    assert len(found.kept) == 2
    assert found.clusters[0] == found.clusters[1] != found.clusters[2]
