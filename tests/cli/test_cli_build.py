"""evenhand build: what it would cost, and texts from a server that answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evenhand import corpora
from evenhand.cli.app import app
from evenhand.errors import DataError, SpecError


class Upper(BaseHTTPRequestHandler):
    asked = 0

    def log_message(self, *_: object) -> None: ...

    def do_POST(self) -> None:
        type(self).asked += 1
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = {"role": "assistant", "content": body["messages"][-1]["content"].upper()}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        answer = json.dumps(
            {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


@pytest.fixture
def url() -> Iterator[str]:
    pytest.importorskip("openai", reason="needs the extra llm")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upper)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("EVENHAND_CACHE", str(tmp_path / "cache"))
    rows = [
        {"id": f"h{n}", "text": f"Rain fell on hill {n}.", "label": "human", "task": "Describe rain."} for n in range(3)
    ]
    rows.append({"id": "m", "text": "A machine wrote it.", "label": "machine", "task": "Describe rain."})
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(tmp_path / "in.jsonl")


def call(*arguments: str):
    return CliRunner().invoke(app, ["build", "levels", *arguments], catch_exceptions=True)


def test_a_dry_run_asks_nobody_and_counts(texts):
    told = call(texts, "--dry-run", "--level", "task", "--level", "summary", "--json")
    assert [(row["level"], row["requests"]) for row in json.loads(told.stdout)] == [("task", 3), ("summary", 6)]
    assert "task: 3 requests, about" in call(texts, "--dry-run", "--level", "task").stdout


def test_texts_come_into_the_file_and_are_not_asked_for_again(texts, url, tmp_path):
    Upper.asked = 0
    server = ("--base-url", url, "--model", "m", "--key-env", "", "--level", "improve_human")
    told = call(texts, "-o", str(tmp_path / "a.jsonl"), *server)
    assert told.exit_code == 0, told.output
    found = list(corpora.get(f"jsonl(path={str(tmp_path / 'a.jsonl')!r})"))
    assert [(one.id, str(one.level)) for one in found[3:]] == [
        (f"h{n}/improve-human", "improve-human") for n in range(3)
    ]
    assert [one.text for one in found[3:]] == [f"RAIN FELL ON HILL {n}." for n in range(3)]
    assert {one.source_id for one in found[3:]} == {"h0", "h1", "h2"}
    assert "3 texts from 3 human ones (0 of them cut at a sentence end) in" in told.stdout
    assert "improve-human: 3; their answers: 3 echo" in told.stdout
    assert "improve_human: 3 requests" in told.stderr
    assert {one.meta["provider"] for one in found[3:]} == {url}
    call(texts, "-o", str(tmp_path / "b.jsonl"), *server)
    assert (tmp_path / "a.jsonl").read_text() == (tmp_path / "b.jsonl").read_text()
    assert Upper.asked == 3


def test_a_file_that_is_there_is_not_written_over(texts):
    assert isinstance(call(texts, "-o", texts).exception, DataError)
    assert isinstance(call(texts).exception, SpecError)


def test_all_levels_where_there_is_another_model_and_what_did_not_come_is_told(texts, url, tmp_path):
    told = call(texts, "--dry-run", "--other", "embedded", "--json").stdout
    names = [row["level"] for row in json.loads(told)]
    assert names[5:] == ["rewrite_llm", "humanize", "other: task(temperature=1.0, max_new_tokens=512)"]
    empty = {"id": "e", "text": " ", "label": "human"}
    Path(texts).write_text(json.dumps(empty))
    server = ("--base-url", url, "--model", "m", "--key-env", "", "--level", "improve_human")
    told = call(texts, "-o", str(tmp_path / "d.jsonl"), *server).stdout
    assert "1 texts did not come (meta 'error' says why)" in told


def test_the_price_of_it_is_told_before(texts):
    told = call(texts, "--dry-run", "--level", "task", "--price", "1000000/2").stdout
    (cost,) = json.loads(call(texts, "--dry-run", "--level", "task", "--price", "1000000/2", "--json").stdout)
    assert cost["price"] == pytest.approx(cost["prompt_tokens"] + 3 * 512 * 2e-6, abs=1e-3)
    assert f"in all at most {cost['price']:.2f}" in told
    for wrong in ("cheap", "nan/1", "-1/1", "inf/1"):
        assert isinstance(call(texts, "--dry-run", f"--price={wrong}").exception, SpecError)


def test_levels_are_made_from_what_humans_alone_wrote(texts):
    rows = [json.loads(line) for line in Path(texts).read_text().splitlines()]
    edits = [{"attack": "homoglyph(rate=0.1)"}, {"sanitizer": "nfkc"}, {"level": "improve-human"}]
    edited = [{**rows[0], "id": f"e{n}", **one} for n, one in enumerate(edits)]
    Path(texts).write_text("\n".join(map(json.dumps, [*rows, *edited])))
    told = call(texts, "--dry-run", "--level", "task", "--json").stdout
    assert [row["requests"] for row in json.loads(told)] == [3]
    Path(texts).write_text("\n".join(map(json.dumps, edited)))
    assert "that nobody edited" in str(call(texts, "--dry-run").exception)


def test_levels_go_by_the_names_that_tables_give_them_and_each_once(texts, tmp_path):
    told = call(texts, "--dry-run", "--level", "improve-human(temperature=0.5)", "--json").stdout
    assert [row["level"] for row in json.loads(told)] == ["improve_human(temperature=0.5)"]
    twice = call(
        texts, "-o", str(tmp_path / "x.jsonl"), "--level", "task", "--level", "task(temperature=0.5)"
    ).exception
    assert isinstance(twice, SpecError)
    assert "task: named twice" in str(twice)


def test_human_texts_are_cut_at_sentence_ends(texts, url, tmp_path):
    long = {"id": "l", "text": "One two three. Four five. Six seven eight.", "label": "human", "task": "Count."}
    Path(texts).write_text(json.dumps(long))
    server = ("--base-url", url, "--model", "m", "--key-env", "", "--level", "task", "--max-words", "6")
    told = call(texts, "-o", str(tmp_path / "c.jsonl"), *server)
    assert "1 of them cut" in told.stdout
    human, _ = corpora.get(f"jsonl(path={str(tmp_path / 'c.jsonl')!r})")
    assert (human.text, human.truncated) == ("One two three. Four five.", True)
    assert isinstance(call(texts, "--dry-run", "--max-words", "-1").exception, SpecError)


def test_nothing_to_begin_with(tmp_path):
    (tmp_path / "in.jsonl").write_text(json.dumps({"id": "m", "text": "By a machine.", "label": "machine"}))
    assert isinstance(call(str(tmp_path / "in.jsonl"), "--dry-run").exception, DataError)
