"""Writers, against a server on loopback that misbehaves in every way that a real one does."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec

import pytest

from evenhand.build import build_levels
from evenhand.documents import Document
from evenhand.errors import MissingError, SpecError
from evenhand.levels.base import counts
from evenhand.models.chat import Cached, Completion, LocalChat, OpenAIChat, Seq2SeqChat, Writer
from evenhand.models.generation import Sampling
from evenhand.seeds import seed_of

pytest.importorskip("openai", reason="needs the extra llm")

SECRET = "sk-very-secret-0123456789"


class Server:
    """Answers each prompt in the way that ``plan`` has for it, one step a call, and well once the plan is used up."""

    def __init__(self, plan: dict[str, list[str]] | None = None, dies_after: int | None = None, port: int = 0) -> None:
        self.plan = {prompt: list(steps) for prompt, steps in (plan or {}).items()}
        self.calls: Counter[str] = Counter()
        self.served: Counter[str] = Counter()
        self.bodies: list[dict] = []
        self.dies_after = dies_after
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None: ...

            def do_POST(self) -> None:
                outer.respond(self)

        self.http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def __enter__(self) -> Server:
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.http.shutdown()
        self.http.server_close()

    def respond(self, request: BaseHTTPRequestHandler) -> None:
        body = json.loads(request.rfile.read(int(request.headers["content-length"])))
        prompt = body["messages"][-1]["content"]
        with self.lock:
            self.bodies.append(body)
            self.calls[prompt] += 1
            step = self.mood(prompt)
            if self.dies_after is not None and sum(self.served.values()) >= self.dies_after:
                step = "nothing"
            if step == "ok":
                self.served[prompt] += 1
        getattr(self, step)(request, prompt)

    def mood(self, prompt: str) -> str:
        return self.plan[prompt].pop(0) if self.plan.get(prompt) else "ok"

    def send(self, request: BaseHTTPRequestHandler, status: int, body: bytes, length: int = 0, **headers: str) -> None:
        request.send_response(status)
        request.send_header("content-type", "application/json")
        request.send_header("content-length", str(length or len(body)))
        for key, value in headers.items():
            request.send_header(key.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    def ok(self, request: BaseHTTPRequestHandler, prompt: str) -> None:
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": prompt.upper()}}
        usage = {"prompt_tokens": 1, "completion_tokens": 3, "total_tokens": 4}
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "m-1",
            "choices": [choice],
            "usage": usage,
        }
        self.send(request, 200, json.dumps(answer).encode())

    def busy(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.send(request, 429, b'{"error": {"message": "slow down"}}', retry_after="0")

    def busy_for_no_time(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.send(request, 429, b"{}", retry_after="nan")

    def busy_in_the_past(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.send(request, 503, b"{}", retry_after="-5")

    def declined(self, request: BaseHTTPRequestHandler, _: str) -> None:
        message = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
        answer = {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], "model": "m-1"}
        self.send(request, 200, json.dumps(answer).encode())

    def tells_the_key(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.say(request, f"You sent {request.headers['authorization']}.")

    def broken(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.send(request, 500, b"<html>oops</html>")

    def garbage(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.send(request, 200, b"{]")

    def page(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.send(request, 200, b'"hello"')

    def no_choice(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.send(request, 200, b'{"error": "overloaded"}')

    def say(self, request: BaseHTTPRequestHandler, content: object) -> None:
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        usage = {"completion_tokens": "three"}
        self.send(request, 200, json.dumps({"choices": [choice], "model": 7, "usage": usage}).encode())

    def parts(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.say(request, [{"type": "text", "text": "a part"}])

    def mapping(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.say(request, {"text": "no text"})

    def half_character(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.say(request, "cut \ud83d here")

    def half(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.send(request, 200, b'{"id": "1", "choices": [{"mess', length=400)
        request.close_connection = True

    def nothing(self, request: BaseHTTPRequestHandler, _: str) -> None:
        request.close_connection = True

    def silent(self, request: BaseHTTPRequestHandler, _: str) -> None:
        threading.Event().wait(3)
        request.close_connection = True

    def slow(self, request: BaseHTTPRequestHandler, prompt: str) -> None:
        time.sleep(1.5)
        with suppress(OSError):  # nobody may be waiting any more
            self.ok(request, prompt)

    def too_long(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.send(request, 400, b'{"error": {"message": "too many tokens"}}')

    def refused(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.send(request, 401, json.dumps({"error": {"message": f"bad key {SECRET}"}}).encode())

    def unknown(self, request: BaseHTTPRequestHandler, _: str) -> None:
        self.send(request, 404, b'{"error": {"message": "no such model"}}')


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)


def writer(server: Server, **more: object) -> OpenAIChat:
    return OpenAIChat(server.url, "m", **{"wait": 0.01, "timeout": 60.0, **more})  # type: ignore[arg-type]


def ask(chosen, prompts: list[str]) -> list[Completion]:
    return chosen.complete([[{"role": "user", "content": p}] for p in prompts], list(range(len(prompts))), Sampling())


FAULTS = ["busy", "busy_for_no_time", "busy_in_the_past", "broken", "garbage", "page", "no_choice", "half", "nothing"]


def test_every_answer_arrives_in_its_place_whatever_the_server_does_first():
    prompts = [f"prompt {fault}" for fault in FAULTS] + ["all of them"]
    plan = {f"prompt {fault}": [fault] for fault in FAULTS} | {"all of them": FAULTS[:5]}
    with Server(plan) as server:
        answers = ask(writer(server), prompts)
    assert [answer.text for answer in answers] == [prompt.upper() for prompt in prompts]
    assert server.served == Counter(prompts)
    assert answers[0] == Completion("PROMPT BUSY", "stop", 3, "m-1")


def test_a_server_that_says_nothing_is_not_waited_for():
    with Server({"a": ["silent"]}) as server:
        (answer,) = ask(writer(server, timeout=1.5, attempts=9), ["a"])
    assert answer.text == "A"
    assert server.calls["a"] >= 2


def test_a_server_that_is_slower_than_the_time_out_is_given_more_time():
    with Server({"a": ["slow"] * 3}) as server:
        (answer,) = ask(writer(server, timeout=0.6, attempts=3), ["a"])
    assert answer.text == "A"
    assert server.calls["a"] == 3  # 0.6 s, 1.2 s, 2.4 s


def test_what_never_comes_is_an_answer_with_a_reason():
    with Server({"lost": ["broken"] * 9, "long": ["too_long"]}) as server:
        lost, long, good = ask(writer(server, attempts=3), ["lost", "long", "good"])
    assert (lost.text, lost.finish_reason) == ("", "error")
    assert "InternalServerError" in str(lost.error)
    assert server.calls == {"lost": 3, "long": 1, "good": 1}
    assert "too many tokens" in str(long.error)
    assert good.text == "GOOD"


def test_an_answer_that_is_no_text_or_half_a_character_is_told_of_and_kept_as_nothing_else(tmp_path):
    plan = {"a": ["parts", "mapping"], "b": ["mapping"] * 2, "c": ["half_character"]}
    with Server(plan) as server:
        chosen = Cached(writer(server, attempts=2), tmp_path)
        parts, mapping, half = ask(chosen, ["a", "b", "c"])
    assert parts.finish_reason == mapping.finish_reason == "error"
    assert "something else than a text" in str(mapping.error)
    assert (half.text, half.n_tokens, half.model) == ("cut ? here", None, "7")
    (kept,) = tmp_path.rglob("*.json")
    amiss = kept.read_text().replace('"cut ? here"', '{"text": "no text"}')
    kept.write_text(amiss)  # as versions before this one kept it
    with Server(port=server.http.server_port) as again:
        ask(Cached(writer(again), tmp_path), ["c"])
    assert again.calls["c"] == 1


def test_a_server_that_dies_and_comes_back_is_not_asked_twice_for_what_it_gave(tmp_path):
    prompts = [f"text {i}" for i in range(20)]
    with Server(dies_after=7) as first:
        answers = ask(Cached(writer(first, attempts=2), tmp_path), prompts)
    given = [answer for answer in answers if answer.finish_reason == "stop"]
    assert len(given) == 7
    assert all(answer.error for answer in answers if answer not in given)
    with Server(port=first.http.server_port) as second:
        answers = ask(Cached(writer(second), tmp_path), prompts)
    assert [answer.text for answer in answers] == [prompt.upper() for prompt in prompts]
    assert first.served + second.served == Counter(prompts)


class Moody(Server):
    """Fails every request once or twice, one in nine for ever; which and how depends on the prompt alone."""

    def mood(self, prompt: str) -> str:
        number = seed_of("mood", prompt)
        if number % 9 == 0:
            return "broken"
        return FAULTS[number % len(FAULTS)] if self.calls[prompt] <= 1 + number % 2 else "ok"


def test_levels_from_a_bad_server_arrive_or_say_why_not_and_none_comes_twice(tmp_path):
    specs = ("improve_human", "summary", "task(task_paraphrases=1)")
    humans = [Document(f"h{n}", f"The mill number {n} stood.", "human", task=f"Tell of mill {n}.") for n in range(8)]
    with Moody(dies_after=20) as first:
        build_levels(humans, specs, Cached(writer(first, attempts=4), tmp_path))
    with Moody(port=first.http.server_port) as second:
        made = build_levels(humans, specs, Cached(writer(second, attempts=4), tmp_path))
    assert len({one.id for one in made}) == len(made) == 8 * (1 + 1 + 2)
    lost = [one for one in made if not one.text]
    assert 0 < len(lost) < len(made)
    assert all("InternalServerError" in one.meta["error"] for one in lost)
    assert sum(first.served.values()) == 20
    assert max((first.served + second.served).values()) == 1, "no answer was asked for twice"
    assert sum(row.get("error", 0) for row in counts(made).values()) == len(lost)


def test_kept_answers_survive_a_half_written_file_and_hold_no_key(tmp_path):
    with Server() as server:
        ask(Cached(writer(server), tmp_path), ["a", "b"])
        files = sorted(tmp_path.rglob("*.json"))
        assert len(files) == 2
        assert all(SECRET not in file.read_text() for file in files)
        files[0].write_text(files[0].read_text()[:20])
        assert [answer.text for answer in ask(Cached(writer(server), tmp_path), ["a", "b"])] == ["A", "B"]
        assert sum(server.calls.values()) == 3


def test_equal_requests_are_asked_once_and_other_settings_anew(tmp_path):
    prompt = [{"role": "user", "content": "same"}]
    with Server() as server:
        chosen = Cached(writer(server), tmp_path)
        assert [a.text for a in chosen.complete([prompt, prompt], [5, 5])] == ["SAME", "SAME"]
        assert server.calls["same"] == 1
        chosen.complete([prompt], [6])
        chosen.complete([prompt], [5], Sampling(temperature=0.5, top_k=3))
    assert [body["seed"] for body in server.bodies] == [5, 6, 5]
    assert (server.bodies[2]["temperature"], server.bodies[2]["top_k"], server.bodies[2]["max_tokens"]) == (0.5, 3, 512)


def test_a_refused_key_stops_the_run_and_is_never_repeated():
    with (
        Server({"a": ["refused"]}) as server,
        pytest.raises(MissingError, match="refuses the key in OPENAI_API_KEY") as raised,
    ):
        ask(writer(server), ["a"])
    assert SECRET not in str(raised.value)
    assert SECRET not in repr(writer(server))


def test_an_answer_that_holds_the_key_is_kept_without_it(tmp_path, monkeypatch):
    with Server({"a": ["tells_the_key"]}) as server:
        (answer,) = ask(Cached(writer(server), tmp_path), ["a"])
    assert answer.text == "You sent Bearer [key]."
    (kept,) = tmp_path.rglob("*.json")
    assert SECRET not in kept.read_text()
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with Server({"a": ["tells_the_key"]}) as server:
        assert ask(writer(server), ["a"])[0].text == "You sent Bearer none."


@pytest.mark.parametrize("key", ["sk-1\n", "sk-1\r", " sk-1", "sk-\u00e9"])
def test_a_key_that_no_header_may_hold_is_refused_before_anything_is_asked(monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with Server() as server, pytest.raises(MissingError, match="holds a space, a line break or a letter"):
        ask(writer(server), ["a"])
    assert not server.calls


def test_a_refusal_in_a_field_of_its_own_is_what_came():
    with Server({"a": ["declined"]}) as server:
        assert ask(writer(server), ["a"])[0].text == "I cannot help with that."


@pytest.mark.parametrize("address", ["http://me:word@host/v1", "http://host/v1?key=1"])
def test_an_address_that_holds_a_secret_is_refused(address):
    with pytest.raises(SpecError, match="keys go into key_env"):
        OpenAIChat(address, "m")


def test_weights_that_cannot_be_loaded_in_four_bits_are_told_of():
    if find_spec("bitsandbytes"):
        pytest.skip("bitsandbytes is here")
    with pytest.raises(MissingError, match="pip install bitsandbytes, or leave quantization out"):
        ask(LocalChat("embedded[quantization=4bit]"), ["a"])


def test_an_unknown_model_stops_the_run():
    with Server({"a": ["unknown"]}) as server, pytest.raises(MissingError, match="knows no model 'm'"):
        ask(writer(server), ["a"])


def test_no_key_no_server_no_sense(monkeypatch):
    with pytest.raises(SpecError, match="concurrency"):
        OpenAIChat("http://x", "m", concurrency=0)
    gone = OpenAIChat("http://127.0.0.1:9/v1", "m", attempts=2, wait=0.0)
    assert "Connection" in str(ask(gone, ["a"])[0].error)
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(MissingError, match="OPENAI_API_KEY"):
        ask(gone, ["a"])


def test_a_server_without_a_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with Server() as server:
        assert ask(writer(server, key_env=""), ["a"])[0].text == "A"


@pytest.fixture(scope="module")
def tiny_t5(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A T5 of random weights that knows sixteen words: what it says has no sense, but it runs whole."""
    pytest.importorskip("torch", reason="needs the extra torch")
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration, set_seed

    words = ["<pad>", "</s>", "<unk>", *"summarize : a mill stood by the river and rain fell on".split()]
    core = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    folder = tmp_path_factory.mktemp("t5")
    reader = PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")
    reader.save_pretrained(folder)
    set_seed(1)
    shape = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    config = T5Config(vocab_size=len(words), decoder_start_token_id=0, pad_token_id=0, eos_token_id=1, **shape)
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return str(folder)


def test_an_encoder_decoder_answers_what_it_has_room_for(tiny_t5):
    chosen = Seq2SeqChat(tiny_t5, longest=8)
    short, long = ask(chosen, ["a mill stood by the river", "rain " * 9])
    assert short.finish_reason in ("stop", "length")
    assert short.model == chosen.model
    assert (long.text, long.error) == ("", "9 tokens, the model reads 8")
    sampled = chosen.complete([[{"role": "user", "content": "a mill"}]] * 2, [1, 1], Sampling(max_new_tokens=6))
    assert sampled[0] == sampled[1]
    assert sampled[0].n_tokens <= 6


def test_summaries_by_a_t5_are_kept(tiny_t5, own_cache, monkeypatch):
    from evenhand import levels
    from evenhand.documents import Document

    class Echo(Writer):
        model = "echo"

        def answer(self, requests):
            yield from ((i, Completion(r.messages[-1]["content"], "stop")) for i, r in enumerate(requests))

    builder = levels.get(f"summary(summary_from={'t5:' + tiny_t5!r})")
    source = Document(id="h", text="a mill stood by the river", label="human")
    made, lost = builder.build([source, Document(id="l", text="rain " * 600, label="human")], Echo())
    assert made.meta["summary_from"] == Seq2SeqChat(tiny_t5).model
    assert made.text.endswith(made.meta["summary"])
    assert lost.meta["error"] == "no summary: 602 tokens, the model reads 512"
    monkeypatch.setattr(Seq2SeqChat, "_batch", None)
    assert builder.build([source], Echo()) == [made], "no text is summarised twice"


@pytest.mark.model
def test_a_text_beyond_the_context_is_an_error_and_costs_the_others_nothing():
    prompts = [[{"role": "user", "content": text}] for text in ("word " * 400_000, "Say yes.")]
    long, short = LocalChat().complete(prompts, [1, 2], Sampling(max_new_tokens=4))
    assert long.finish_reason == "error"
    assert "tokens needed, the model has" in str(long.error)
    assert short.n_tokens


@pytest.mark.model
def test_the_embedded_model_answers_the_same_twice():
    chosen = LocalChat()
    prompts = [[{"role": "user", "content": f"Name {n} fruits."}] for n in ("two", "three")]
    first, second = (chosen.complete(prompts, [1, 2], Sampling(max_new_tokens=12)) for _ in range(2))
    assert first == second
    assert all(answer.text and answer.model == chosen.model for answer in first)
