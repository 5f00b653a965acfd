"""A detector that runs elsewhere: what a plan scores is written out blind, and what comes back stands as its own would."""

from __future__ import annotations

import gzip
import json
import math
import pickle
import subprocess
import sys

import pytest
from sklearn.base import clone

from evenhand import audit, detectors
from evenhand.documents import digest
from evenhand.errors import DataError, SpecError
from evenhand.plan import Plan
from evenhand.run import Options, score
from evenhand.testing import detector_checks, run_checks

HUMAN = "Number {}: we got off at the harbour, lost the dog twice, found it, and then ate plums till it was dark."
MACHINE = "The harbour is an important place that offers {} benefits to the community and its many visitors."
SCORER = """
import json, sys
from evenhand import score_texts
lines = [json.loads(line) for line in open("texts.jsonl", encoding="utf-8")]
rows = score_texts([line["text"] for line in lines], [sys.argv[1]]).to_pylist()
for line, row in zip(lines, rows, strict=True):
    told = {"score": row["score"]} if row["status"] == "ok" else {"score": None, "reason": row["reason"]}
    print(json.dumps({"digest": line["digest"], **told}))
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = [(label, i, text.format(i)) for label, text in (("human", HUMAN), ("machine", MACHINE)) for i in range(12)]
    rows = [{"id": f"{label}{i}", "text": text, "label": label, "cluster": f"c{i}"} for label, i, text in texts]
    rows[-1]["text"] = "too short"
    rows += [{**rows[0], "id": "copy"}, {**rows[0], "id": "learnt", "text": "Never scored.", "split": "train"}]
    lines(tmp_path / "corpus.jsonl", rows)
    (tmp_path / "plan.toml").write_text(
        "corpus = \"jsonl(path='corpus.jsonl')\"\nattacks = ['homoglyph(rate=0.2)']\nsanitizers = ['script_aware']"
    )
    return Plan.read("plan.toml")


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def file(tmp_path, text, name="scores.jsonl"):
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    return f"scores(path={str(tmp_path / name)!r})"


def evenhand(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "evenhand", *arguments], check=False, capture_output=True, text=True, encoding="utf-8"
    )


def by_text(store, name):
    found = store.read("scores").to_pylist()
    return {row["digest"]: (row["score"], row["status"]) for row in found if row["detector"].startswith(f"{name}(")}


@pytest.mark.parametrize("higher", ["machine", "human"])
def test_scores_from_another_process_are_the_detectors_own(study, tiny_models, tmp_path, higher):
    own = f"log_rank(model={tiny_models['first']!r})"
    assert evenhand("texts", "plan.toml", "-o", "texts.jsonl").returncode == 0
    scored = subprocess.run([sys.executable, "-c", SCORER, own], check=True, capture_output=True, text=True).stdout
    rows = [json.loads(line) for line in scored.splitlines()]
    if higher == "human":
        rows = [row | {"score": row["score"] and -row["score"]} for row in rows]
    lines(tmp_path / "scores.jsonl", rows)
    external = f"scores(path='scores.jsonl', higher={higher!r})"
    plan = Plan(study.corpus, (own, external), study.attacks, study.sanitizers, audits=("clean", "two_sided"))
    store = score(plan, "out", Options("processes(workers=1)", batch=5))
    ours, theirs = by_text(store, "log_rank"), by_text(store, "scores")
    assert ours == theirs
    assert len(ours) == len({d.digest for d in plan.documents() if d.split != "train"}) > 40
    assert {status for _, status in ours.values()} == {"ok", "abstained"}
    found = {}
    for result in audit(store).results:
        for one in result.findings:
            told = {key: value for key, value in one.where.items() if key != "detector"}
            found.setdefault(one.where.get("detector"), []).append(repr((one.table, told, one.metric, one.estimate)))
    assert found["log_rank"] == found["scores"]
    assert len(found["scores"]) > 10


def test_what_is_to_be_scored_is_every_text_once_and_nothing_of_its_author(study):
    done = evenhand("texts", "plan.toml", "-o", "texts.jsonl.gz")
    with gzip.open("texts.jsonl.gz", "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    wanted = {d.text for d in study.documents() if d.split != "train"}
    assert [row["text"] for row in rows] == sorted(wanted, key=digest)
    assert all(row == {"digest": digest(row["text"]), "text": row["text"]} for row in rows)
    assert "Never scored." not in wanted
    assert done.stdout.split()[0] == str(len(wanted))
    again = evenhand("texts", "plan.toml", "-o", "texts.jsonl.gz")
    assert again.returncode == 3
    assert "is there already" in again.stderr


def test_fewer_texts_are_those_of_a_run_with_the_same_limit(study, tmp_path):
    evenhand("texts", "plan.toml", "-o", "few.jsonl", "--limit", "3")
    with open("few.jsonl", encoding="utf-8") as stream:
        rows = [{**json.loads(line), "score": 1.0} for line in stream]
    lines(tmp_path / "scores.jsonl", rows)
    done = evenhand("score", "plan.toml", "-d", "scores(path='scores.jsonl')", "-o", "out", "--limit", "3")
    assert done.returncode == 0, done.stderr
    status = json.loads(evenhand("status", "out", "--json").stdout)["detectors"][0]
    assert (status["ok"], status["abstained"], status["left"]) == (len(rows), 0, 0)


def test_a_changed_file_is_not_answered_from_the_store(study, tmp_path):
    texts = sorted({d.text for d in study.documents() if d.split != "train"})
    plan = Plan(study.corpus, ("scores(path='scores.jsonl')",), study.attacks, study.sanitizers)
    for value in (0.25, 0.75):
        lines(tmp_path / "scores.jsonl", [{"text": text, "score": value} for text in texts])
        store = score(plan, "out")
        key = store.read_json("environment.json")["detectors"][plan.detectors[0]]
        found = [row for row in store.read("scores").to_pylist() if row["detector"] == key]
        assert len(found) == len(texts)
        assert {row["score"] for row in found} == {value}


def test_its_key_is_what_it_answers(tmp_path):
    key = detectors.get(file(tmp_path, 'text,score\n"a",1\nb,2\n', "one.csv")).key
    same = file(tmp_path, '{"text": "b", "score": 2.0}\n\n{"text": "a", "score": 1}\n')
    assert detectors.get(same).key == key
    assert detectors.get(same[:-1] + ", higher='human')").key != key
    for other in ('{"text": "a", "score": 1}\n', '{"text": "a", "score": 1}\n{"text": "b", "score": null}\n'):
        assert detectors.get(file(tmp_path, other)).key != key


def test_a_file_that_changes_under_a_run_answers_as_it_was(tmp_path):
    detector = detectors.get(file(tmp_path, '{"text": "a", "score": 1}\n'))
    before = detector.key
    spec = file(tmp_path, '{"text": "a", "score": 2}\n')
    assert (detector(["a"])[0], pickle.loads(pickle.dumps(detector))(["a"])[0], detector.key) == (1, 1, before)
    assert detectors.get(spec)(["a"])[0] == clone(detector)(["a"])[0] == 2
    file(tmp_path, '{"text": "a", "score": 3}\n', "other.jsonl")
    assert detector.set_params(path=str(tmp_path / "other.jsonl"))(["a"])[0] == 3


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.csv", 'text,score,reason\na,12.5,\nb,,rate limit\nc,NaN,\n"d,\r\n""d""",-3,\ne,NA,\n'),
        ("s.tsv", 'text\tscore\treason\na\t12.5\t\nb\t\trate limit\nc\tnan\t\n"d,\r\n""d"""\t-3e0\t\ne\tnull\t\n'),
        (
            "s.jsonl",
            '\ufeff{"text": "a", "score": 12.5}\r\n{"text": "b", "score": null, "reason": "rate limit"}\n'
            '{"text": "c", "score": NaN}\n{"text": "d,\\r\\n\\"d\\"", "score": "-3"}\n{"text": "e", "score": null}',
        ),
    ],
)
def test_a_score_of_any_scale_or_none_with_the_reason(tmp_path, name, text):
    found = detectors.get(file(tmp_path, text, name)).judge(["a", "b", "c", 'd,\r\n"d"', "e", "f"])
    assert [one.score for one in found][::3] == [12.5, -3]
    assert [one.status for one in found] == ["ok", "abstained", "abstained", "ok", "abstained", "abstained"]
    assert [math.isnan(one.score) for one in found] == [False, True, True, False, True, True]
    assert found[1].reason == "told by the file of scores: rate limit"
    assert "and no reason" in found[2].reason == found[4].reason
    assert "holds none of this text" in found[5].reason


def test_what_was_tried_again_has_its_score(tmp_path):
    none, some = '{"text": "a", "score": null, "reason": "timeout"}\n', '{"text": "a", "score": 0.5}\n'
    for text in (none + some, some + none, some + some):
        assert detectors.get(file(tmp_path, text))(["a"])[0] == 0.5


def test_lower_is_machine_by_parameter(tmp_path):
    spec = file(tmp_path, '{"text": "a", "score": 2.876}\n')
    assert detectors.get(spec[:-1] + ", higher='human')")(["a"])[0] == -2.876
    with pytest.raises(SpecError, match="higher takes"):
        detectors.get(spec[:-1] + ", higher='ai')")


def test_a_text_that_no_utf8_can_hold_has_its_digest(tmp_path):
    text = "We walked \udc80 home."
    row = json.dumps({"digest": digest(text), "text": text, "score": 1})
    assert detectors.get(file(tmp_path, row))([text])[0] == 1


A = digest("a")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("s.jsonl", "", "is empty"),
        ("s.jsonl", "\n \n", "holds no score"),
        ("s.csv", "digest,score\n", "holds no score"),
        ("s.jsonl", f'{{"digest": "{A}", "score": 1}}\n{{"digest": \n', r"line 2 is no JSON.*one object a line"),
        ("s.jsonl", f'[{{"digest": "{A}", "score": 1}}]', "line 1 holds a list, not an object"),
        ("s.csv", f"digest,score\n{A},1,2\n", "line 2: 3 cells, but the header has 2"),
        ("s.csv", f"digest,score,score\n{A},1,2\n", "'score' more than once"),
        ("s.csv", f"digest;score\n{A};1\n", r"line 2: neither a digest nor a text.*here they are 'digest;score'"),
        ("s.jsonl", '{"id": "7", "score": 1}', r"line 1: neither a digest nor a text.*here they are 'id', 'score'"),
        ("s.jsonl", f'{{"digest": "{A}", "p": 1}}', r"line 1: no score; .*here they are 'digest', 'p'"),
        ("s.csv", "digest,score\n1.2E+31,1\n", r"line 2: '1.2E\+31' is no digest of a text; copy it"),
        ("s.jsonl", '{"digest": 7, "score": 1}', "line 1: 7 is no digest"),
        ("s.jsonl", '{"text": ["a"], "score": 1}', "line 1: neither a digest nor a text"),
        ("s.jsonl", f'{{"digest": "{A}", "text": "b", "score": 1}}', "line 1: the text is not that of the digest"),
        ("s.jsonl", '{"text": "a", "score": 1}\n{"text": "a", "score": 0}', r"line 2: the score 0\.0 .*1\.0 on line 1"),
        ("s.jsonl", '{"text": "a", "score": Infinity}', "line 1: the score inf is no finite number"),
        ("s.jsonl", '{"text": "a", "score": 1e999}', "line 1: the score inf is no finite number"),
        ("s.jsonl", '{"text": "a", "score": 1' + "0" * 400 + "}", "line 1: the score 1000.* is no finite number"),
        ("s.csv", "text,score\na,-inf\n", "line 2: the score '-inf' is no finite number"),
        ("s.csv", "text,score\na,97%\n", "line 2: the score '97%' is no finite number"),
        ("s.tsv", "text\tscore\na\t0,97\n", "line 2: the score '0,97' is no finite number"),
        ("s.jsonl", '{"text": "a", "score": true}', "line 1: the score True is no finite number"),
        ("s.jsonl", '{"text": "a", "score": {"ai": 1}}', "line 1: the score .* is no finite number"),
        ("s.json", "[]", r"read from \.jsonl, \.csv or \.tsv"),
        ("s.parquet", "PAR1", r"read from \.jsonl, \.csv or \.tsv"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(tmp_path, name, text, told):
    detector = detectors.get(file(tmp_path, text, name))
    for ask in (lambda: detector.key, lambda: detector(["a"])):
        with pytest.raises(DataError, match=told):
            ask()


def test_a_wrong_file_stops_a_run_with_one_line(study, tmp_path):
    for spec in ("scores(path='nowhere.jsonl')", file(tmp_path, '{"text": "a", "score": "high"}\n', "s.jsonl")):
        done = evenhand("score", "plan.toml", "-d", spec, "-o", "out")
        assert done.returncode == 3
        assert "Traceback" not in done.stderr
        assert not list((tmp_path / "out" / "scores").glob("*.parquet"))


def test_it_keeps_the_contract_of_detectors(tmp_path):
    detector = detectors.get(file(tmp_path, '{"text": "one", "score": 3}\n'))
    assert [found for _, found in run_checks(detector, detector_checks()) if found] == []


@pytest.mark.parametrize(
    ("machine", "higher", "told"),
    [
        (0.5, "machine", "gives all 24 unedited texts one score, 0.5:"),
        (0.1, "machine", "scores human texts above machine texts: AUROC 0.000, 95% interval 0.000 to"),
        (0.1, "human", None),
        (0.9, "machine", None),
    ],
)
def test_one_score_for_all_and_a_direction_that_looks_reversed_are_told(tmp_path, monkeypatch, machine, higher, told):
    monkeypatch.chdir(tmp_path)
    texts = [(label, f"{label} text {i} of plums") for label in ("human", "machine") for i in range(12)]
    lines(tmp_path / "corpus.jsonl", [{"id": text, "text": text, "label": label} for label, text in texts])
    given = {"human": 0.5, "machine": machine}
    lines(tmp_path / "scores.jsonl", [{"text": text, "score": given[label]} for label, text in texts])
    plan = Plan("jsonl(path='corpus.jsonl')", (f"scores(path='scores.jsonl', higher={higher!r})",), audits=("clean",))
    warnings = [one.text for one in audit(score(plan, "out")).results[0].answers if one.kind == "warning"]
    assert len(warnings) == bool(told)
    assert not told or told in warnings[0]
