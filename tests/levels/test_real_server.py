"""All levels from a real OpenAI-compatible server: `transformers serve` with the embedded model, on loopback."""

from __future__ import annotations

import time

import pytest

from evenhand import corpora
from evenhand.build import build_levels
from evenhand.corpora.sampling import shortened
from evenhand.documents import Level
from evenhand.levels.base import counts
from evenhand.models.chat import Cached, LocalChat, OpenAIChat
from evenhand.models.generation import Sampling

pytestmark = [pytest.mark.long, pytest.mark.model]
LIMIT = "max_new_tokens=16"
NAMES = [str(level).replace("-", "_") for level in Level if level != Level.HUMAN]


def test_ten_passages_at_every_level(model_server, tmp_path):
    """The server answers one request after the other, 25 tokens a second: passages of 60 words and short answers will do."""
    url, model = model_server
    writer = Cached(OpenAIChat(url, model, key_env="", timeout=900), tmp_path)
    other = Cached(LocalChat(), tmp_path)  # the same weights, loaded here: another model in name only
    humans = [document for document in corpora.get("embedded") if document.label == "human"][:10]
    humans = list(shortened(humans, 60))
    started = time.perf_counter()
    made = build_levels(humans, [f"{name}({LIMIT})" for name in NAMES], writer, other=other)
    table = counts(made)
    print(f"{time.perf_counter() - started:.0f} s", table)
    assert {level: row["n"] for level, row in table.items()} == {
        **{str(level): 10 for level in Level if level not in (Level.HUMAN, Level.TASK)},
        "task": 20,  # ten of its own, and the ten of the other model that rewrite-llm and humanize rework
    }
    assert not any("error" in row for row in table.values())
    assert all(bool(document.text) != ("empty" in document.meta["marks"]) for document in made)
    assert {document.meta["provider"] for document in made} == {url, "local (embedded)"}
    started = time.perf_counter()
    assert build_levels(humans, [f"{name}({LIMIT})" for name in NAMES], writer, other=other) == made
    assert time.perf_counter() - started < 10  # nothing was asked again


def test_the_same_seed_gives_the_same_answer_where_requests_do_not_overlap(model_server):
    """`transformers serve` seeds one generator for all: side by side, one request draws another's numbers."""
    url, model = model_server
    writer = OpenAIChat(url, model, key_env="", concurrency=1, timeout=900)
    prompts = [[{"role": "user", "content": f"Name {n} fruits."}] for n in ("two", "three")]
    first, second = (writer.complete(prompts, [1, 2], Sampling(max_new_tokens=8)) for _ in range(2))
    assert [one.text for one in first] == [one.text for one in second]
    assert writer.complete(prompts[:1], [3], Sampling(max_new_tokens=8))[0].text != first[0].text
