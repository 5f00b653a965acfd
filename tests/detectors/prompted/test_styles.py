"""The four prompting styles: what is asked, what is made of the answers, what is asked again and what never is."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sklearn.base import clone

from evenhand import detectors
from evenhand.detectors.judging import key
from evenhand.detectors.prompted.asking import CUT, UNREADABLE, first_words
from evenhand.detectors.prompted.styles import UNKNOWN
from evenhand.errors import DataError, MissingError, SpecError
from evenhand.testing import detector_checks, run_checks

HUMAN = "Stop {}: we got off at the harbour, lost the dog twice, found it, ate plums till dark, and ran for the bus."
MACHINE = "The harbour offers {} benefits to the community, and its many visitors value the place in the evening."
TEXTS = [HUMAN.format(i) for i in range(8)] + [MACHINE.format(i) for i in range(8)]
LABELS = [0] * 8 + [1] * 8
STYLES = ("prompted_io", "prompted_cot", "prompted_ip")


def says(author: str, **more: object) -> str:
    return "```json\n" + json.dumps({"author": author, **more}) + "\n```"


def judged_by_benefits(body: dict) -> str:
    """An honest, if simple, judge: machines speak of benefits."""
    return says("machine" if "benefits" in body["messages"][-1]["content"] else "human", explanation="by a word")


def test_every_style_asks_in_the_papers_words_and_reads_the_answer(endpoint):
    server = endpoint(judged_by_benefits)
    for style in STYLES:
        detector = detectors.get(server.spec(style, profile="idmgsp"))
        assert detector(TEXTS).tolist() == [0.0] * 8 + [1.0] * 8
    asked = {}
    for body in server.bodies:
        system, user = body["messages"]
        assert (
            system["content"] == "Your task is to guess if a scientific paper was written by a machine language model."
        )
        assert (body["temperature"], body["model"]) == (0.7, "m")
        fields = [line.split('"')[1] for line in user["content"].splitlines() if line.startswith('\t"')]
        asked[tuple(fields)] = user["content"]
    assert set(asked) == {
        ("author", "explanation"),
        ("thoughts", "author"),
        ("human_indications", "machine_indications", "author"),
    }
    assert "answer. Let's think step by step.\n\n" in asked["thoughts", "author"]
    assert (
        "answer. First, identify indications for a human author"
        in asked["human_indications", "machine_indications", "author"]
    )
    assert asked["author", "explanation"].startswith(
        "Here is a scientific paper with its abstract, introduction, and conclusion:\n\n"
    )
    seeds = {body["seed"] for body in server.bodies}
    assert len(seeds) == len(STYLES) * len(TEXTS)  # each text's own, in each style


def test_texts_at_large_are_no_papers(endpoint):
    server = endpoint(judged_by_benefits)
    detectors.get(server.spec("prompted_io"))(TEXTS[:1])
    assert "paper" not in json.dumps(server.bodies)


def test_the_ledger_tells_unknown_unreadable_lost_and_empty_apart(endpoint, last):
    def speak(body: dict):
        text = last(body)
        if "came:" in text:
            return "still nothing"
        return 400 if "four" in text else {"one": says("unknown"), "two": "hm", "three": says("human")}[text.split()[4]]

    server = endpoint(speak)
    texts = ["one walked", "two walked", "three walked", "four walked", " \n"]
    found = detectors.get(server.spec("prompted_io")).judge(texts)
    assert [one.status for one in found] == ["abstained", "abstained", "ok", "failed", "abstained"]
    assert [one.reason for one in found[:3]] == [UNKNOWN, UNREADABLE, None]
    assert "made to fail" in str(found[3].reason)
    assert found[4].reason == "the text is empty"
    assert all(math.isnan(one.score) for i, one in enumerate(found) if i != 2)
    assert len(server.bodies) == 5  # the four texts, and one call to mend the second's answer


def test_a_second_call_mends_an_answer_and_is_counted(endpoint, last):
    def speak(body: dict) -> str:
        if "came:" in last(body):
            assert "rather smooth" in last(body)
            return says("machine")
        return "rather smooth, this one"

    server = endpoint(speak)
    detector = detectors.get(server.spec("prompted_io"))
    (reply,) = detector.replies(TEXTS[:1])
    assert (reply.value.author, reply.repaired, reply.requests, reply.raw) == (
        "machine",
        True,
        2,
        "rather smooth, this one",
    )
    assert detector.judge(TEXTS[:1])[0].reason == "read after a second call"
    assert len(server.bodies) == 2
    assert detectors.get(server.spec("prompted_io", repairs=0)).judge(TEXTS[:1])[0].reason == UNREADABLE


def test_an_answer_that_was_cut_off_says_so(endpoint):
    server = endpoint(lambda body: {"finish_reason": "length", "message": {"role": "assistant", "content": "Let me"}})
    assert detectors.get(server.spec("prompted_cot", repairs=0)).judge(TEXTS[:1])[0].reason == CUT


def test_the_cost_is_told_before_anything_is_asked_and_falls_with_what_is_kept(endpoint):
    server = endpoint(judged_by_benefits)
    detector = detectors.get(server.spec("prompted_io", max_new_tokens=100))
    before = detector.cost([*TEXTS, TEXTS[0], " "])
    assert (before.requests, before.kept, before.answer_tokens, before.repairs) == (16, 0, 1600, 16)
    words = sum(len(m["content"].split()) for text in TEXTS for m in detector.request(text).messages)
    assert before.prompt_tokens == round(words * 4 / 3)
    assert not server.bodies
    detector(TEXTS[:10])
    after = detector.cost(TEXTS)
    assert (after.requests, after.kept, after.answer_tokens) == (16, 10, 600)
    assert "16 requests (10 of them answered before and kept)" in str(after)


def test_a_run_that_was_stopped_asks_nothing_twice(endpoint):
    broken = []

    def dies(body: dict):
        broken.append(body)
        return judged_by_benefits(body) if len(broken) <= 5 else 400

    server = endpoint(dies)
    detector = detectors.get(server.spec("prompted_io"))
    first = detector.judge(TEXTS)
    done = [body["messages"] for body in server.bodies[:5]]
    assert sum(one.status == "ok" for one in first) == 5
    server.speak = judged_by_benefits
    asked_before = len(server.bodies)
    assert detector(TEXTS).tolist() == [0.0] * 8 + [1.0] * 8
    again = [body["messages"] for body in server.bodies[asked_before:]]
    assert len(again) == 11
    assert not [messages for messages in again if messages in done]


def test_the_explanation_is_kept_beside_the_score(endpoint):
    server = endpoint(judged_by_benefits)
    detector = detectors.get(server.spec("prompted_io"))
    detector(TEXTS[:2])
    assert detector.explain(TEXTS[1]).explanation == "by a word"
    assert len(server.bodies) == 2


def test_a_verdict_needs_no_fit_to_predict(endpoint):
    server = endpoint(judged_by_benefits)
    detector = detectors.get(server.spec("prompted_io"))
    assert detector.predict(TEXTS).tolist() == LABELS
    assert (detector.threshold_, detectors.get(server.spec("prompted_io", output="log_odds")).threshold_) == (0.5, 0.0)
    with pytest.raises(DataError, match="abstained"):
        detector.predict([" "])


def test_the_contract_holds(endpoint):
    server = endpoint(judged_by_benefits)
    found = run_checks(detectors.get(server.spec("prompted_io")), detector_checks())
    assert not {name for name, problem in found if problem}


def top(**listed: float) -> dict:
    told = [{"token": token, "logprob": value, "bytes": None} for token, value in listed.items()]
    content = [{"token": "Human", "logprob": -0.1, "bytes": None, "top_logprobs": told}]
    return {"message": {"role": "assistant", "content": "Human"}, "logprobs": {"content": content}}


def test_odds_of_an_endpoints_alternatives(endpoint):
    server = endpoint(lambda body: top(human=-1.0, Human=-2.0, mach=-3.0, the=-4.0))
    detector = detectors.get(server.spec("prompted_io", output="log_odds"))
    (found,) = detector.judge(TEXTS[:1])
    assert found.score == pytest.approx(-3 - np.logaddexp(-1, -2))
    body = server.bodies[0]
    assert (body["max_tokens"], body["logprobs"], body["top_logprobs"], body["temperature"]) == (1, True, 20, 0)
    assert body["messages"][-1]["content"].endswith("Answer with one word: 'human' or 'machine'.")
    assert (detector.cost(TEXTS).answer_tokens, detector.cost(TEXTS).repairs) == (15, 0)
    server.speak = judged_by_benefits
    assert detector.explain(TEXTS[0]).explanation == "by a word"  # the whole question, asked for the explanation


def test_odds_that_are_bounds_or_none(endpoint, last):
    server = endpoint(lambda body: top(human=-0.1, the=-5.0) if "plums" in last(body) else top(the=-1.0))
    bound, none = detectors.get(server.spec("prompted_io", output="log_odds")).judge([TEXTS[0], TEXTS[-1]])
    assert bound.score == pytest.approx(-4.9)
    assert "a bound" in str(bound.reason)
    assert (none.status, math.isnan(none.score)) == ("abstained", True)


def test_an_endpoint_without_odds_stops_with_the_cure(endpoint):
    server = endpoint(lambda body: "human")
    with pytest.raises(MissingError, match="output='answer'"):
        detectors.get(server.spec("prompted_io", output="log_odds"))(TEXTS[:1])
    with pytest.raises(SpecError, match="the author comes last"):
        detectors.get(server.spec("prompted_cot", output="log_odds"))


def test_no_key_reaches_a_file_a_key_or_a_name(endpoint, own_cache):
    server = endpoint(judged_by_benefits)
    detector = detectors.get(server.spec("prompted_io", key_env="OPENAI_API_KEY"))
    detector(TEXTS[:2])
    from .conftest import SECRET

    files = [file for file in own_cache.rglob("*") if file.is_file()]
    assert files
    assert not [file for file in files if SECRET in file.read_text()]
    assert SECRET not in repr(detector)
    assert key(detector) == key(clone(detector).set_params(key_env="ANOTHER"))
    assert "m at http" in key(detector)


def test_forgetting_a_text_removes_its_answers(endpoint, own_cache):
    from evenhand.documents import digest
    from evenhand.models.chat import forget

    server = endpoint(judged_by_benefits)
    detector = detectors.get(server.spec("prompted_io"))
    detector(TEXTS[:2])
    assert forget(own_cache / "answers", digest(TEXTS[0])) == 1
    assert (detector.cost(TEXTS[:2]).kept, forget(own_cache / "answers", "no such")) == (1, 0)


def test_long_texts_are_cut_and_marked(endpoint):
    server = endpoint(judged_by_benefits)
    (found,) = detectors.get(server.spec("prompted_io", max_words=5)).judge(TEXTS[-1:])
    assert (found.truncated, found.score) == (True, 1.0)
    assert "The harbour offers 7 benefits\n\nWas this" in server.bodies[0]["messages"][-1]["content"]
    assert first_words("a  b\n c ", 3) == ("a  b\n c ", False)
    assert first_words("a  b\n c ", 2) == ("a  b", True)


@pytest.mark.parametrize(
    "wrong", ["temperature=-1.0", "max_new_tokens=0", "repairs=-1", "max_words=0", "profile='raid'"]
)
def test_settings_without_sense(wrong):
    with pytest.raises(SpecError):
        detectors.get(f"prompted_io({wrong})")


# --- few-shot


def test_examples_come_from_the_training_split_and_are_part_of_the_key(endpoint):
    server = endpoint(judged_by_benefits)
    detector = detectors.get(server.spec("prompted_fs", shots=5, humans=2))
    with pytest.raises(DataError, match="learnt nothing"):
        detector(TEXTS[:1])
    generators = [None] * 8 + ["a"] * 6 + ["b", "c"]
    detector.fit(TEXTS, LABELS, generators=generators)
    assert not server.bodies  # learning asks nothing
    assert detector(["A new text, with benefits."]).tolist() == [1.0]
    roles = [message["role"] for message in server.bodies[0]["messages"]]
    assert roles == ["system", *["user", "assistant"] * 5, "user"]
    answers = [m["content"] for m in server.bodies[0]["messages"] if m["role"] == "assistant"]
    assert answers == [f'```json\n{{\n\t"author": "{who}"\n}}\n```' for who in ("human", "human", *["machine"] * 3)]
    machine = [one.text for one in detector.examples_shown if one.author == "machine"]
    assert {generators[TEXTS.index(text)] for text in machine} == {"a", "b", "c"}  # one of each
    again = clone(detector).fit(TEXTS[::-1], LABELS[::-1], generators=generators[::-1])
    assert key(again) == key(detector)
    assert key(clone(detector).set_params(seed=1).fit(TEXTS, LABELS)) != key(detector)


def test_too_few_examples_or_generators(endpoint):
    with pytest.raises(DataError, match="16 texts and 3 generators; one for each text"):
        detectors.get("prompted_fs").fit(TEXTS, LABELS, generators=["a", "b", "c"])
    with pytest.raises(DataError, match="lower shots"):
        detectors.get("prompted_fs(shots=10, humans=1)").fit(TEXTS, LABELS)
    with pytest.raises(SpecError, match="shots"):
        detectors.get("prompted_fs(shots=2, humans=3)")


def test_a_fitted_few_shot_detector_is_saved_without_pickle(endpoint, tmp_path):
    server = endpoint(judged_by_benefits)
    detector = detectors.get(server.spec("prompted_fs", shots=2)).fit(TEXTS, LABELS)
    detectors.save(detector, tmp_path / "saved")
    loaded = detectors.load(tmp_path / "saved")
    assert (key(loaded), loaded(TEXTS[:3]).tolist()) == (key(detector), detector(TEXTS[:3]).tolist())


def test_examples_of_ones_own_with_explanations(endpoint, tmp_path):
    file = tmp_path / "examples.jsonl"
    rows = [
        {"text": TEXTS[0], "label": "human", "explanation": "a dog"},
        {"text": TEXTS[-1], "label": "machine", "explanation": "fog"},
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    server = endpoint(judged_by_benefits)
    detector = detectors.get(server.spec("prompted_fs", examples=str(file)))
    assert not detector.learns
    assert detector(TEXTS[1:2]).tolist() == [0.0]
    assert '"explanation": "fog"' in server.bodies[0]["messages"][4]["content"]
    assert str(file) not in key(detector)
    before = key(detector)
    file.write_text(json.dumps(rows[0]))
    assert key(detector) != before


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "needs a text"),
        ('{"text": "a", "label": "dog"}', "label human or machine"),
        ("nonsense", "each line"),
        ('{"text": "a", "label": "human", "explanation": "b"}\n{"text": "c", "label": "machine"}', "explain all"),
    ],
)
def test_files_of_examples_that_are_none(tmp_path, content, told):
    file = tmp_path / "examples.jsonl"
    file.write_text(content)
    with pytest.raises(DataError, match=told):
        detectors.get(f"prompted_fs(examples={str(file)!r})")(["a text"])
    with pytest.raises(DataError, match="no file"):
        detectors.get("prompted_fs(examples='/no/such')")(["a text"])


@pytest.mark.model
def test_the_embedded_model_answers_and_its_odds_are_those_of_its_tokens(embedded, answers_apart):
    """The odds by hand: the whole answer, token by token, through the model's own forward pass."""
    from evenhand.models.generation import chat_ids
    from evenhand.models.loading import causal_model, tokenizer
    from evenhand.models.weights import import_torch, resolve

    detector = detectors.get("prompted_io(output='log_odds', max_words=12)")
    (found,) = detector.judge(TEXTS[:1])
    torch, weights = import_torch(), resolve(embedded)
    ids = chat_ids(detector.one_word(TEXTS[0]).messages, weights)
    values = {}
    for word in ("human", "machine"):
        tokens = tokenizer(weights)(word, add_special_tokens=False)["input_ids"]
        with torch.inference_mode():
            logits = causal_model(weights)(torch.tensor([[*ids, *tokens]])).logits[0].log_softmax(-1)
        values[word] = sum(float(logits[len(ids) - 1 + i, token]) for i, token in enumerate(tokens))
    assert found.score == pytest.approx(values["machine"] - values["human"], abs=1e-4)
    (answered,) = detectors.get("prompted_io(max_words=12, max_new_tokens=8, repairs=0)").judge(TEXTS[:1])
    assert answered.status in ("ok", "abstained")  # a model of 135M parameters may say anything; it is never a guess
    assert math.isnan(answered.score) == (answered.status == "abstained")
