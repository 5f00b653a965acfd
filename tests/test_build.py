"""Texts at contribution levels: what they cost, how they are made, and how they come back from the file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from evenhand import build, corpora
from evenhand.documents import Document, Level
from evenhand.errors import SpecError
from evenhand.models.chat import Cached, Completion, LocalChat, Request, Writer

HUMANS = [
    Document(
        f"h{n}",
        f"The mill number {n} stood by the river.",
        "human",
        Level.HUMAN,
        corpus="c",
        cluster=f"c{n}",
        task=f"Mill {n}.",
    )
    for n in range(3)
]


@dataclass
class Pen(Writer):
    model: str = "pen"
    asked: list[Request] = field(default_factory=list)

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        self.asked += requests
        yield from (
            (i, Completion(f"Here is the text: {r.seed}.", "stop", 4, self.model)) for i, r in enumerate(requests)
        )


@pytest.mark.parametrize(
    ("spec", "requests", "answers"),
    [
        ("improve_human", 3, 3 * 512),
        ("summary(max_new_tokens=100)", 6, 3 * (100 + 120)),
        ("task(task_paraphrases=4, max_new_tokens=10)", 27, 27 * 10),
        ("rewrite_llm", 3, 3 * 512),
    ],
)
def test_the_cost_is_what_a_writer_would_be_asked(spec, requests, answers):
    cost = build.estimate(HUMANS, [spec])[0]
    assert (cost.requests, cost.answer_tokens) == (requests, answers)
    pen = Pen()
    other = Pen("quill")
    build.build_levels(HUMANS, [spec], pen, other=other)
    assert len(pen.asked) == requests
    assert len(other.asked) == (3 if spec == "rewrite_llm" else 0)


def test_a_t5_is_neither_billed_nor_run_to_tell_the_cost():
    (cost,) = build.estimate(HUMANS, ["summary(summary_from='t5:hub:nobody/has-this')"])
    assert (cost.requests, cost.answer_tokens) == (3, 3 * 512)


def test_the_other_writer_must_be_another_model():
    with pytest.raises(SpecError, match="both writers are pen"):
        build.build_levels(HUMANS, ["improve_human", "rewrite_llm"], Pen(), other=Pen())


def test_what_two_levels_ask_for_alike_is_counted_once_and_the_other_model_too():
    costs = build.estimate(HUMANS, ["summary", "task_summary", "rewrite_llm(max_new_tokens=50)"])
    assert [(cost.level, cost.requests) for cost in costs] == [
        ("summary", 6),
        ("task_summary", 3),
        ("rewrite_llm(max_new_tokens=50)", 3),
        ("other: task(temperature=1.0, max_new_tokens=50)", 3),
    ]


def test_dipper_humanizes_window_by_window(tiny_t5, own_cache):
    """A tiny T5 of random weights stands in for DIPPER: the way is the same, the text has no sense."""
    spec = f"humanize(profile='gede', paraphraser={tiny_t5!r})"
    essays = replace(HUMANS[0], task="Tell of rain."), HUMANS[1]
    made = build.build_levels(essays, [spec], Pen(), other=Pen("quill"))
    tasks, humanized = made[:2], made[2:]
    assert [one.level for one in humanized] == [Level.HUMANIZE] * 2
    assert all(one.text and one.text != source.text for one, source in zip(humanized, tasks, strict=True))
    assert {one.meta["pool"] for one in humanized} == {"quill"}, "counted under the model whose text was edited"
    assert humanized[0].generator.startswith("paraphrase(")
    assert humanized[0].decoding == "lexical=60, order=0, top_p=0.75"
    assert build.build_levels(essays, [spec], Pen(), other=Pen("quill")) == made
    here, other = build.estimate(essays, [spec])
    assert (here.requests, here.prompt_tokens, here.answer_tokens) == (2, 0, 0), "it runs on this machine"
    assert (other.requests, other.answer_tokens) == (2, 1024)


def test_the_words_of_the_prompts_are_counted():
    (cost,) = build.estimate(HUMANS, ["rewrite_human"])
    assert cost.prompt_tokens == round(3 * (3 + 8) * 4 / 3)


def test_levels_of_machine_texts_rework_those_of_the_other_writer():
    made = build.build_levels(HUMANS[:1], ["task", "rewrite_llm", "humanize"], Pen(), other=Pen("quill"))
    assert [(one.id, one.generator) for one in made] == [
        ("h0/task@quill", "quill"),
        ("h0/task", "pen"),
        ("h0/task@quill/rewrite-llm", "pen"),
        ("h0/task@quill/humanize", "pen"),
    ]
    assert made[2].source_id == made[3].source_id == made[0].id
    assert made[2].meta["source_digest"] == made[0].digest
    with pytest.raises(SpecError, match="needs a second model"):
        build.build_levels(HUMANS, ["rewrite_llm"], Pen())


def test_texts_come_back_from_the_file_as_they_were(tmp_path):
    made = build.build_levels(HUMANS, ["improve_human", "task_summary"], Pen())
    build.save([*HUMANS, *made], tmp_path / "x.parquet")
    assert list(corpora.get(f"parquet(path={str(tmp_path / 'x.parquet')!r})")) == [*HUMANS, *made]


def test_the_facts_count_every_text():
    table = build.facts(build.build_levels(HUMANS, ["improve_human", "task"], Pen()))
    assert table.splitlines()[2].startswith("| None | improve-human | 3 | 1 |")
    assert len(table.splitlines()) == 4


def test_another_command_is_refused():
    with pytest.raises(SystemExit, match="usage"):
        build.main([])


@pytest.mark.long
@pytest.mark.model
def test_the_embedded_corpus_is_made_again_as_it_is(tmp_path):
    """Same machine type and versions: the same texts. Elsewhere rounding may turn some: nine of ten must be equal."""
    shipped = {one.id: one for one in corpora.get("embedded") if one.split == "train" and one.label == "machine"}
    sources = [one for one in corpora.get("embedded") if one.split == "train" and one.label == "human"]
    writer = Cached(LocalChat(batch=48), tmp_path)
    again = build.build_levels(sources, [f"task({build.DEMO_SETTINGS})"], writer, build.DEMO_SEED)
    equal = sum(one.text == shipped[one.id].text for one in again)
    assert {one.id for one in again} == shipped.keys()
    assert equal >= 0.9 * len(again)


def test_prompts_and_parameters_are_found_in_a_run_of_the_texts(tmp_path):
    """From the builder through the file and the run folder to the audit that prints GEDE's tables 7 and 8."""
    from evenhand import audits
    from evenhand.audits.rows import Settings, read_rows
    from evenhand.cli.files import write_documents
    from evenhand.plan import Plan
    from evenhand.store import Store, row_of

    specs = ["improve_human", "task_summary(temperature=0.5)"]
    write_documents([*HUMANS, *build.build_levels(HUMANS, specs, Pen())], str(tmp_path / "levels.jsonl"))
    store = Store.at(tmp_path / "run")
    store.create()
    documents = list(Plan(f"jsonl(path={str(tmp_path / 'levels.jsonl')!r})").documents())
    store.append("documents", [row_of(one, text=False) for one in documents])
    store.write_text("environment.json", json.dumps({"detectors": {"lrr": "lrr#key"}}))
    result = audits.get("run_settings")(read_rows(store), Settings.of({}))
    prompts = {f.where["level"]: f.where for f in result.findings if f.table == "run_prompts"}
    assert prompts["improve-human"]["system"].startswith("Your task is to improve a given text. Structure and content")
    assert prompts["improve-human"]["prompt"] == "Rewrite this text: {human-text}"
    assert prompts["task-summary"]["summary_prompt"].startswith("Summarize this text in a few short bullet points")
    models = {f.where["decoding"]: f.where["generator"] for f in result.findings if f.table == "run_models"}
    assert models == {
        "-": "-",
        "temperature=1.0, max_new_tokens=512": "pen",
        "temperature=0.5, max_new_tokens=512": "pen",
    }
