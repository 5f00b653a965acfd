"""An OpenAI-compatible endpoint on loopback, for tests of what is done with answers of every kind."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

SECRET = "sk-very-secret-0123456789"


class Endpoint:
    """``speak`` gives, for the body of a request, the answer's text, or a dict to send as the first choice, or a status code."""

    def __init__(self, speak: Callable[[dict], Any]) -> None:
        self.speak, self.bodies, self.lock = speak, [], threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None: ...

            def do_POST(self) -> None:
                outer.respond(self)

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def respond(self, request: BaseHTTPRequestHandler) -> None:
        body = json.loads(request.rfile.read(int(request.headers["content-length"])))
        with self.lock:
            self.bodies.append(body)
            said = self.speak(body)
        status = said if isinstance(said, int) else 200
        choice = said if isinstance(said, dict) else {"message": {"role": "assistant", "content": said}}
        told = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"]}
        told["choices"] = [{"index": 0, "finish_reason": "stop", **choice}]
        sent = json.dumps(told if status == 200 else {"error": {"message": "made to fail"}}).encode()
        request.send_response(status)
        request.send_header("content-type", "application/json")
        request.send_header("content-length", str(len(sent)))
        request.send_header("retry-after", "0")
        request.end_headers()
        request.wfile.write(sent)

    def spec(self, name: str, **parameters: object) -> str:
        told = {"endpoint": self.url, "model": "m", **parameters}
        return f"{name}({', '.join(f'{key}={value!r}' for key, value in told.items())})"


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, own_cache) -> Iterator[Callable[[Callable[[dict], Any]], Endpoint]]:
    """Makes endpoints that end with the test; the cache is the test's own."""
    pytest.importorskip("openai", reason="needs the extra llm")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    made: list[Endpoint] = []

    def make(speak: Callable[[dict], Any]) -> Endpoint:
        made.append(Endpoint(speak))
        return made[-1]

    yield make
    for one in made:
        one.http.shutdown()
        one.http.server_close()


@pytest.fixture(scope="session")
def last() -> Callable[[dict], str]:
    """What the last message of a request says."""
    return lambda body: str(body["messages"][-1]["content"])


@pytest.fixture
def answers_apart(embedded, tmp_path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own, with the weights of the user's: answers are asked for anew, models are not fetched."""
    from evenhand.models.home import cache_dir

    models = cache_dir() / "models"
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "models").symlink_to(models, target_is_directory=True)
    monkeypatch.setenv("EVENHAND_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
