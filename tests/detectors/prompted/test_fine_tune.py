"""Fine-tuning against a service of our own that speaks OpenAI's API: files, jobs with their states and faults, and a model that
has learnt (word counts of the examples that were uploaded). No paid service was asked, here or anywhere."""

from __future__ import annotations

import json
import math
import re
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from evenhand import detectors
from evenhand.detectors.judging import key
from evenhand.errors import DataError, MissingError, SpecError, StoreError
from evenhand.models.chat import OpenAIChat
from evenhand.models.tuning import SEPARATOR, Lesson, Service, to_jsonl, tune
from evenhand.testing import detector_checks, run_checks

pytest.importorskip("openai", reason="needs the extra llm")

SECRET = "sk-very-secret-0123456789"
HUMAN = "Stop {}: we got off at the harbour, lost the dog twice, found it, ate plums till dark, and ran for the bus."
MACHINE = "The harbour offers {} benefits to the community, and its many visitors value the place in the evening."
TEXTS = [HUMAN.format(i) for i in range(8)] + [MACHINE.format(i) for i in range(8)]
LABELS = [0] * 8 + [1] * 8
STATES = ("validating_files", "queued", "running", "succeeded")


class Tuned:
    """Naive Bayes over words: what an answer's probability is, learnt from (question, answer) pairs."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self.words: dict[str, Counter[str]] = {}
        for question, answer in pairs:
            self.words.setdefault(answer, Counter()).update(re.findall(r"\w+", question.lower()))

    def log_probabilities(self, question: str) -> dict[str, float]:
        known = {word for counts in self.words.values() for word in counts}
        sums = {
            answer: sum(
                math.log((counts[word] + 1) / (counts.total() + len(known)))
                for word in re.findall(r"\w+", question.lower())
                if word in known
            )
            for answer, counts in self.words.items()
        }
        top = max(sums.values())
        norm = top + math.log(sum(math.exp(value - top) for value in sums.values()))
        return {answer: value - norm for answer, value in sums.items()}


class TuningService:
    """``faults``: route -> what happens to its next calls: a status code, or 'lost' (done, but the answer never arrives)."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, Any]] = {}
        self.jobs: dict[str, dict[str, Any]] = {}
        self.models: dict[str, Tuned] = {}
        self.calls: Counter[str] = Counter()
        self.faults: dict[str, list[int | str]] = {}
        self.ends, self.steps, self.lock = "succeeded", 1, threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None: ...

            def do_GET(self) -> None:
                outer.respond(self)

            def do_POST(self) -> None:
                outer.respond(self)

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def respond(self, request: BaseHTTPRequestHandler) -> None:
        path = request.path.partition("?")[0].removeprefix("/v1")
        route = f"{request.command} {re.sub('/ftjob-.*', '/{id}', path)}"
        body = request.rfile.read(int(request.headers.get("content-length", 0)))
        with self.lock:
            self.calls[route] += 1
            fault = self.faults[route].pop(0) if self.faults.get(route) else None
            if request.headers["authorization"] != f"Bearer {SECRET}":
                return self.send(request, 401, {"error": {"message": f"bad key {request.headers['authorization']}"}})
            if isinstance(fault, int):
                return self.send(request, fault, {"error": {"message": "made to fail"}})
            status, told = self.handle(route, path, body, request.headers["content-type"])
        if fault == "page":
            return self.send(request, 200, "<html>a page for people</html>", "text/html")
        if fault == "lost":
            request.close_connection = True
            return None
        return self.send(request, status, told)

    def send(
        self, request: BaseHTTPRequestHandler, status: int, told: dict | str, kind: str = "application/json"
    ) -> None:
        sent = told.encode() if isinstance(told, str) else json.dumps(told).encode()
        request.send_response(status)
        request.send_header("content-type", kind)
        request.send_header("content-length", str(len(sent)))
        request.end_headers()
        request.wfile.write(sent)

    def handle(self, route: str, path: str, body: bytes, kind: str | None) -> tuple[int, dict]:
        if route in ("GET /files", "GET /fine_tuning/jobs"):
            kept = self.files if route == "GET /files" else self.jobs
            shown = [
                {name: value for name, value in one.items() if name not in ("rows", "polls")} for one in kept.values()
            ]
            return 200, {"object": "list", "data": shown[::-1], "has_more": False}
        if route == "POST /files":
            return 200, self.add_file(body, str(kind))
        if route == "POST /fine_tuning/jobs":
            return self.add_job(json.loads(body))
        if route == "GET /fine_tuning/jobs/{id}":
            return self.look(path.rpartition("/")[2])
        if route in ("POST /chat/completions", "POST /completions"):
            return self.answer(json.loads(body), legacy=route == "POST /completions")
        return 404, {"error": {"message": f"no route {route}"}}

    def add_file(self, body: bytes, kind: str) -> dict:
        parts = body.split(b"--" + kind.rpartition("boundary=")[2].strip('"').encode())
        fields = {}
        for part in parts[1:-1]:
            head, _, content = part[2:-2].partition(b"\r\n\r\n")
            name = re.search(rb'name="([^"]*)"(?:; filename="([^"]*)")?', head)
            fields[name[1].decode()] = (content, name[2].decode() if name[2] else "")
        content, filename = fields["file"]
        name = f"file-{len(self.files)}"
        told = {"id": name, "object": "file", "bytes": len(content), "created_at": 1, "filename": filename}
        rows = [json.loads(line) for line in content.decode().splitlines()]
        self.files[name] = {**told, "purpose": fields["purpose"][0].decode(), "status": "processed", "rows": rows}
        return {**told, "purpose": "fine-tune", "status": "processed"}

    def add_job(self, asked: dict) -> tuple[int, dict]:
        if asked["training_file"] not in self.files:
            return 400, {"error": {"message": "invalid training_file"}}
        if not asked["model"].startswith("base"):
            return 400, {"error": {"message": f"model {asked['model']} cannot be fine-tuned"}}
        name = f"ftjob-{len(self.jobs)}"
        job = {"id": name, "object": "fine_tuning.job", "created_at": 1, "model": asked["model"], "status": STATES[0]}
        more = {"fine_tuned_model": None, "error": None, "organization_id": "o", "result_files": [], "seed": 1}
        job |= {**more, "training_file": asked["training_file"], "hyperparameters": asked.get("hyperparameters", {})}
        self.jobs[name] = {**job, "polls": 0, "suffix": asked.get("suffix")}
        return 200, job

    def look(self, name: str) -> tuple[int, dict]:
        if name not in self.jobs:
            return 404, {"error": {"message": "no such job"}}
        job = self.jobs[name]
        job["polls"] += 1
        job["status"] = STATES[min(job["polls"] // self.steps, 3)]
        rows = self.files[job["training_file"]]["rows"]
        if job["status"] == "succeeded" and self.ends != "succeeded":
            job |= {"status": self.ends, "error": {"code": "x", "message": "the loss is not a number", "param": None}}
        elif job["status"] == "succeeded":
            job["fine_tuned_model"] = f"ft:{job['model']}:o:{job['suffix']}:{name[6:]}"
            self.models[job["fine_tuned_model"]] = Tuned([self.pair(row) for row in rows])
        return 200, {key: value for key, value in job.items() if key != "polls"}

    def pair(self, row: dict) -> tuple[str, str]:
        if "prompt" in row:
            assert row["prompt"].endswith(SEPARATOR)
            return row["prompt"], row["completion"]
        assert [one["role"] for one in row["messages"]] == ["system", "user", "assistant"]
        return row["messages"][1]["content"], row["messages"][2]["content"]

    def answer(self, asked: dict, legacy: bool) -> tuple[int, dict]:
        if asked["model"] not in self.models:
            return 404, {"error": {"message": "no such model"}}
        question = asked["prompt"] if legacy else asked["messages"][-1]["content"]
        found = self.models[asked["model"]].log_probabilities(question)
        said = max(found, key=lambda answer: found[answer])
        told = {"id": "1", "created": 1, "model": asked["model"]}
        if legacy:
            odds = {"tokens": [said], "token_logprobs": [found[said]], "top_logprobs": [found], "text_offset": [0]}
            choice = {"index": 0, "finish_reason": "length", "text": said, "logprobs": odds}
            return 200, {**told, "object": "text_completion", "choices": [choice]}
        top = [{"token": token, "logprob": value, "bytes": None} for token, value in found.items()]
        content = [{"token": said, "logprob": found[said], "bytes": None, "top_logprobs": top}]
        choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": said}}
        return 200, {**told, "object": "chat.completion", "choices": [{**choice, "logprobs": {"content": content}}]}


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, own_cache) -> Iterator[TuningService]:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    made = TuningService()
    yield made
    made.http.shutdown()
    made.http.server_close()


def spec(service: TuningService, **more: object) -> str:
    told = {"endpoint": service.url, "model": "base-1", "wait": 0.0, **more}
    return f"chat_fine_tune({', '.join(f'{name}={value!r}' for name, value in told.items())})"


@pytest.mark.parametrize("form", ["chat", "completion"])
def test_it_writes_submits_follows_and_judges_by_one_token(service, form):
    detector = detectors.get(spec(service, form=form)).fit(TEXTS, LABELS)
    assert detector.tuned_ == "ft:base-1:o:evenhand:0"
    (file,) = service.files.values()
    assert (file["purpose"], len(file["rows"])) == ("fine-tune", 16)
    answers = Counter(service.pair(row)[1] for row in file["rows"])
    assert answers == ({"human": 8, "machine": 8} if form == "chat" else {" 0": 8, " 1": 8})
    assert service.calls["GET /fine_tuning/jobs/{id}"] == 3
    scores = detector([HUMAN.format(77), MACHINE.format(77), ""])
    learnt = service.models[detector.tuned_]
    high, low = ("machine", "human") if form == "chat" else (" 1", " 0")
    expected = [learnt.log_probabilities(text) for text in (HUMAN.format(77), MACHINE.format(77))]
    assert scores[:2] == pytest.approx([one[high] - one[low] for one in expected])
    assert scores[0] < 0 < scores[1]
    assert math.isnan(scores[2])


def test_a_job_that_was_begun_is_taken_up_again(service, own_cache):
    service.steps = 10**6
    with pytest.raises(MissingError, match="'validating_files' after 1 s; it goes on there"):
        detectors.get(spec(service, patience=1 / 60)).fit(TEXTS, LABELS)
    service.steps = 1
    detector = detectors.get(spec(service)).fit(TEXTS, LABELS)
    again = detectors.get(spec(service)).fit(TEXTS[::-1], LABELS[::-1])
    assert key(again) == key(detector)
    assert (service.calls["POST /files"], service.calls["POST /fine_tuning/jobs"], len(service.jobs)) == (1, 1, 1)
    assert not list(own_cache.rglob("*.jsonl"))  # people's texts do not stay behind
    assert "ft:base-1" in next(own_cache.rglob("job.json")).read_text()


def test_other_epochs_are_another_job(service):
    found = [detectors.get(spec(service, epochs=epochs)).fit(TEXTS, LABELS).tuned_ for epochs in (None, 2, 3, 2)]
    assert [name[-1] for name in found] == ["0", "1", "2", "1"]
    assert [job["hyperparameters"] for job in service.jobs.values()] == [{}, {"n_epochs": 2}, {"n_epochs": 3}]


def test_what_passes_is_tried_again_and_lost_answers_cost_no_second_job(service):
    service.faults = {
        "POST /files": [500, "lost"],
        "GET /files": [429],
        "POST /fine_tuning/jobs": ["lost", 503],
        "GET /fine_tuning/jobs/{id}": [502, "lost"],
    }
    detectors.get(spec(service)).fit(TEXTS, LABELS)
    assert (len(service.files), len(service.jobs)) == (1, 1)


@pytest.mark.parametrize("route", ["GET /files", "POST /files", "GET /fine_tuning/jobs", "GET /fine_tuning/jobs/{id}"])
def test_an_address_that_answers_with_a_page_is_told(service, route):
    service.faults = {route: ["page"]}
    with pytest.raises(DataError, match="no answer of this API; check the address"):
        detectors.get(spec(service)).fit(TEXTS, LABELS)


def test_a_job_that_fails_says_why_and_the_next_call_begins_another(service):
    service.ends = "failed"
    with pytest.raises(DataError, match=r"ftjob-0 .* failed: the loss is not a number"):
        detectors.get(spec(service)).fit(TEXTS, LABELS)
    service.ends = "succeeded"
    assert detectors.get(spec(service)).fit(TEXTS, LABELS).tuned_.endswith(":1")
    assert (len(service.files), len(service.jobs)) == (1, 2)


def test_a_model_that_cannot_be_tuned_a_service_that_cannot_a_refused_key(service, monkeypatch):
    with pytest.raises(DataError, match="cannot be fine-tuned"):
        detectors.get(spec(service, model="other")).fit(TEXTS, LABELS)
    with pytest.raises(MissingError, match="no fine-tuning at all"):
        detectors.get(spec(service, endpoint=f"{service.url}/elsewhere")).fit(TEXTS, LABELS)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-0123456789")
    with pytest.raises(MissingError, match="refuses the key") as raised:
        detectors.get(spec(service, seed=5)).fit(TEXTS, LABELS)
    assert "sk-wrong-0123456789" not in str(raised.value)


def test_the_detectors_contract_saving_and_resuming(service, tmp_path):
    detector = detectors.get(spec(service)).fit(TEXTS, LABELS)
    assert not {name for name, found in run_checks(detector, detector_checks()) if found}
    asked = service.calls["POST /chat/completions"]
    detectors.save(detector, tmp_path / "saved")
    loaded = detectors.load(tmp_path / "saved")
    assert (key(loaded), loaded(TEXTS).tolist()) == (key(detector), detector(TEXTS).tolist())
    assert service.calls["POST /chat/completions"] == asked + len(TEXTS)  # each text once, whoever asks
    assert SECRET not in (tmp_path / "saved" / "card.json").read_text()
    assert detector.training_["sent"] == 16


def test_only_so_many_texts_are_sent_and_both_classes(service):
    detector = detectors.get(spec(service, n_train=10, max_words=4))
    detector.fit(TEXTS, LABELS)
    rows = [service.pair(row) for row in service.files["file-0"]["rows"]]
    assert Counter(answer for _, answer in rows) == {"human": 5, "machine": 5}
    assert all(len(question.split()) == 4 for question, _ in rows)
    assert detector.judge(TEXTS[:1])[0].truncated
    assert detector.cost(TEXTS).requests == 16


def test_the_generators_side_and_the_files_form(service, tmp_path):
    """Titles -> abstracts, as IDMGSP tuned GPT-3, and the model's name for any writer."""
    lessons = [Lesson(f"Title {i}", f" Abstract {i}<END>") for i in range(10)]
    lines = to_jsonl(lessons, "completion").splitlines()
    assert json.loads(lines[3]) == {"prompt": "Title 3\n\n###\n\n", "completion": " Abstract 3<END>"}
    told = json.loads(Lesson("Title", "Abstract", "Write.").line("chat"))["messages"]
    assert [one["role"] for one in told] == ["system", "user", "assistant"]
    where = Service(service.url, "base-curie", wait=0.0)
    model = tune(lessons, "completion", where, tmp_path)
    assert OpenAIChat(service.url, model).model == "ft:base-curie:o:evenhand:0"
    with pytest.raises(StoreError, match="other examples"):
        tune([*lessons, Lesson("more", "more")], "completion", where, tmp_path)


def test_examples_and_settings_without_sense(service):
    with pytest.raises(DataError, match="takes 10 or more"):
        detectors.get(spec(service)).fit(TEXTS[6:10], LABELS[6:10])
    with pytest.raises(DataError, match="empty prompt"):
        to_jsonl([Lesson("", "x")] * 10, "chat")
    for wrong in ({"n_train": 0}, {"patience": 0.0}, {"epochs": 0}, {"form": "text"}):
        with pytest.raises(SpecError):
            detectors.get(spec(service, **wrong))
