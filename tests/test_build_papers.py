"""Titles, one class a title, what papers cost, section models: and the command that makes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from typer.testing import CliRunner

from evenhand import corpora
from evenhand.build_papers import (
    build_papers,
    check_titles,
    estimate_papers,
    read_titles,
    sections_apart,
    tune_sections,
)
from evenhand.cli.build import app
from evenhand.documents import Document, Level
from evenhand.errors import DataError, SpecError
from evenhand.models.chat import Completion, Request, Writer
from evenhand.models.finetune import Schedule
from evenhand.sections import SECTIONS, join_sections

TITLES = read_titles("made_up(n=4, seed=3)")
PARTS = {name: f"Here the {name} is written, of one sentence." for name in SECTIONS}


@dataclass
class Pen(Writer):
    model: str = "pen"
    asked: list[Request] = field(default_factory=list)

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        self.asked += requests
        yield from ((i, Completion(join_sections(PARTS), "stop", 4, self.model)) for i in range(len(requests)))


def human(n: int) -> Document:
    parts = {name: f"Person {n} wrote this {name}, and meant it." for name in SECTIONS}
    return Document(
        f"h{n}", join_sections(parts), "human", Level.HUMAN, title=f"Paper {n}", corpus="c", cluster=f"c{n}"
    )


def call(*arguments: str):
    return CliRunner().invoke(app, ["papers", *arguments], catch_exceptions=True)


def test_titles_come_from_files_of_every_kind(tmp_path):
    (tmp_path / "a.txt").write_text("One title\n\nAnother title\n")
    (tmp_path / "b.csv").write_text("title,year\nOne title,2001\nAnother title,2002\n")
    rows = [{"id": "x", "text": "Words.", "label": "human", "title": "One title"}]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    read = {name: read_titles(str(tmp_path / name)) for name in ("a.txt", "b.csv", "c.jsonl")}
    assert [[d.title for d in found] for found in read.values()] == [["One title", "Another title"]] * 2 + [
        ["One title"]
    ]
    assert [(d.text, d.label) for d in read["b.csv"]] == [("", "unknown")] * 2
    assert (read["c.jsonl"][0].text, read["c.jsonl"][0].label) == ("Words.", "human")
    assert [d.title for d in TITLES] == [d.title for d in read_titles("made_up(n=4, seed=3)")]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("nowhere.csv", "no file nowhere.csv"),
        ("twice.txt", "stands twice"),
        ("none.txt", "holds no title"),
        ("titles.odt", "titles are read from"),
        ("torn.jsonl", "row 1: no column 'text'"),
    ],
)
def test_titles_that_cannot_be_used(tmp_path, monkeypatch, source, why):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "twice.txt").write_text("Boats\nboats.\n")
    (tmp_path / "none.txt").write_text("\n")
    (tmp_path / "titles.odt").write_text("x")
    (tmp_path / "torn.jsonl").write_text('{"title": "Boats"}\n{"title": "Oars", "text": "We row.", "label": "human"}\n')
    with pytest.raises(DataError, match=why):
        read_titles(source)
    with pytest.raises(SpecError):
        read_titles("made_up(n=0)")


def test_a_title_stands_in_one_class_only():
    fake = build_papers([Document("t", "", "unknown", title="Paper 2")], ["grammar_papers"], None)
    with pytest.raises(
        DataError, match=r"1 titles stand in both classes, such as 'Paper 2' \('t/grammar_papers' and 'h2'\)"
    ):
        check_titles(fake, [human(1), human(2)])
    check_titles(fake, [human(1), human(3)])
    pen = Pen()
    with pytest.raises(DataError, match="stand in both classes"):
        build_papers([Document("t", "", "unknown", title="Paper 2")], ["chat_papers"], pen, beside=[human(2)])
    assert not pen.asked, "refused before it costs anything"
    mixed = build_papers([human(2)], ["co_created(sections='abstract')"], Pen(), beside=[human(2)])
    check_titles(mixed, [human(2)])


@pytest.mark.parametrize(
    ("spec", "requests", "answers"),
    [
        ("grammar_papers", 0, 0),
        ("chat_papers", 4, 4 * 2048),
        ("cascade_papers(max_new_tokens=100)", 12, 1200),
        ("causal_papers", 12, 12 * 512),
        ("causal_papers(recipe='galactica')", 12, 4 * (512 + 1024 + 1024)),
    ],
)
def test_the_cost_is_known_before_a_model_is_asked(spec, requests, answers):
    (cost,) = estimate_papers(TITLES, [spec])
    assert (cost.requests, cost.answer_tokens) == (requests, answers)


def test_the_cost_of_paraphrases():
    (cost,) = estimate_papers([human(1), human(2)], ["co_created(sections='abstract+conclusion', max_new_tokens=50)"])
    assert (cost.requests, cost.answer_tokens) == (4, 200)


def test_makers_that_ask_need_a_writer_and_levels_are_no_makers():
    with pytest.raises(SpecError, match="chat_papers asks a chat model"):
        build_papers(TITLES, ["chat_papers"], None)
    with pytest.raises(SpecError, match=r"task makes no papers; these do: .*grammar_papers"):
        build_papers(TITLES, ["task"], Pen())


def test_the_command_writes_papers_that_come_back(tmp_path):
    out = tmp_path / "x.parquet"
    told = call("made_up(n=3)", "-o", str(out), "-g", "grammar_papers", "--json")
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert list(found["makers"].values()) == [{"n": 3, "accepted": 3, "at once": 3, "skipped": 0, "tries": 3}]
    papers = list(corpora.get(f"parquet(path={str(out)!r})"))
    made = build_papers(read_titles("made_up(n=3)"), ["grammar_papers"], None)
    assert papers == made
    assert isinstance(call("made_up(n=3)", "-o", str(out)).exception, DataError)
    assert isinstance(call("made_up(n=3)").exception, SpecError)


def test_the_command_says_the_cost_first_and_can_write_sections(tmp_path):
    dry = call("made_up(n=2)", "-g", "chat_papers", "--dry-run")
    assert "2 requests, about" in dry.stdout
    told = call("made_up(n=2)", "-o", str(tmp_path / "x.jsonl"), "--sections")
    assert "grammar_papers: 2 of 2 papers, 2 without a second try, 0 skipped" in told.stdout
    found = list(corpora.get(f"jsonl(path={str(tmp_path / 'x.jsonl')!r})"))
    assert [d.section for d in found] == [*SECTIONS, *SECTIONS]
    assert len({d.cluster for d in found}) == 2


def test_titles_of_the_other_class_are_refused_by_the_command(tmp_path):
    rows = [{"id": "h", "text": "A text.", "label": "human", "title": read_titles("made_up(n=1)")[0].title}]
    (tmp_path / "real.jsonl").write_text(json.dumps(rows[0]) + "\n")
    told = call("made_up(n=2)", "-o", str(tmp_path / "x.jsonl"), "--beside", str(tmp_path / "real.jsonl"))
    assert isinstance(told.exception, DataError)
    assert not (tmp_path / "x.jsonl").exists()
    told = call(str(tmp_path / "real.jsonl"), "-o", str(tmp_path / "x.jsonl"))
    assert "titles stand in both classes" in str(told.exception)


def test_papers_keep_their_spans_in_a_file(tmp_path):
    from evenhand.build import save

    made = build_papers([human(1)], ["co_created(sections='all')"], Pen())
    save(made, tmp_path / "x.parquet")
    assert list(corpora.get(f"parquet(path={str(tmp_path / 'x.parquet')!r})")) == made
    assert len(sections_apart(made)) == 21


def test_section_models_are_tuned_on_whole_clusters(tiny_models, own_cache, tmp_path):
    plan = Schedule(epochs=1, lr=1e-3, batch=4, max_tokens=64)
    told = tune_sections([human(n) for n in range(5)], tiny_models["first"], tmp_path / "models", plan, validation=0.2)
    assert [told[name]["train"] for name in SECTIONS] == [4, 4, 4]
    assert told["papers"] == 5
    assert json.loads((tmp_path / "models" / "recipe.json").read_text())["schedule"]["epochs"] == 1
    spec = f"causal_papers(model={str(tmp_path / 'models')!r}, max_new_tokens=8, tries=1)"
    (made,) = build_papers([Document("t", "", "unknown", title="Paper 9")], [spec], None)
    assert made.meta["tries"] >= 1
    with pytest.raises(DataError, match="1 human papers with a title"):
        tune_sections([human(1)], tiny_models["first"], tmp_path / "other", plan)


def test_the_command_tunes_and_says_the_recipe(tiny_models, own_cache, tmp_path):
    rows = [{"id": d.id, "text": d.text, "label": "human", "title": d.title} for d in map(human, range(4))]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [
        "section-models",
        str(tmp_path / "x.jsonl"),
        "--model",
        tiny_models["first"],
        "--epochs",
        "1",
        "--max-tokens",
        "32",
    ]
    told = CliRunner().invoke(app, [*command, "-o", str(tmp_path / "models")])
    assert told.exit_code == 0, told.output
    assert "recipe: Schedule(epochs=1, lr=5e-05, batch=16" in told.stderr
    assert (tmp_path / "models" / "conclusion" / "config.json").is_file()
    again = CliRunner().invoke(app, [*command, "-o", str(tmp_path / "models")])
    assert isinstance(again.exception, SpecError)
