"""Builders of contribution levels: the paper's prompts, and records that say how each text came to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from evenhand import levels
from evenhand.documents import Document, Level, Span
from evenhand.errors import DataError, SpecError
from evenhand.levels.base import counts
from evenhand.levels.spans import kept_words
from evenhand.models.chat import Completion, Request, Writer

TEXT = "The old mill stood by the river. Nobody had worked there for years, and the wheel was broken."
SOURCE = Document(
    id="h1", text=TEXT, label="human", level=Level.HUMAN, task="Describe a mill.", cluster="c", split="test"
)
OTHER = Document(id="h2", text="Rain fell on the hills all night.", label="human", task="Describe rain.", cluster="d")
PAPER = {
    "improve_human": "Improve-Human",
    "rewrite_human": "Rewrite-Human",
    "summary": "Summary",
    "task_summary": "Summary+ Task",
    "task": "Task",
    "rewrite_llm": "Rewrite-LLM",
}


@dataclass
class Pen(Writer):
    """A writer that answers by a rule and keeps what it was asked."""

    rule: Callable[[Request], str] = lambda request: f"An answer of {request.seed % 97} words."
    model: str = "pen"
    fails: str | None = None
    own: dict[str, str] = field(default_factory=dict)
    asked: list[Request] = field(default_factory=list)

    @property
    def about(self) -> dict[str, str]:
        return self.own

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        self.asked += requests
        for index, request in enumerate(requests):
            if self.fails and self.fails in request.messages[-1]["content"]:
                yield index, Completion("", "error", 0, self.model, "no connection")
            else:
                yield index, Completion(self.rule(request), "stop", 5, self.model)


@pytest.mark.parametrize("name", PAPER)
def test_prompts_and_settings_are_those_of_the_paper(shared, name):
    rows = [line.split("\t") for line in (shared / "papers" / "contribution-levels.txt").read_text().splitlines()]
    _, system, user = next(row for row in rows if row[0] == PAPER[name] and len(row) == 3)
    pen = Pen(rule=lambda request: "A short summary of it.")
    levels.get(name).build([SOURCE], pen)
    request = pen.asked[-1]
    fields = {"human-text": TEXT, "llm-text": TEXT, "task": "Describe a mill.", "summary": "A short summary of it."}
    said = {message["role"]: message["content"] for message in request.messages}
    assert said.get("system", "-") == system
    assert said["user"] == user.format_map(fields)
    assert (request.sampling.temperature, request.sampling.max_new_tokens, request.sampling.top_p) == (1.0, 512, 1.0)


def test_every_level_says_how_its_text_came_to_be():
    made = {name: levels.get(name).build([SOURCE], Pen())[0] for name in PAPER}
    assert {name: str(one.level).replace("-", "_") for name, one in made.items()} == {name: name for name in PAPER}
    assert {one.label for name, one in made.items() if name.endswith("_human")} == {"mixed"}
    assert {one.label for name, one in made.items() if not name.endswith("_human")} == {"machine"}
    for one in made.values():
        assert (one.source_id, one.cluster, one.split, one.generator) == ("h1", "c", "test", "pen")
        assert one.id == f"h1/{one.level}"
        assert one.meta["profile"] == "gede"
        assert {"seed", "finish_reason", "n_tokens", "marks"} <= one.meta.keys()
        assert one.decoding == "temperature=1.0, max_new_tokens=512"


@pytest.mark.parametrize("name", PAPER)
def test_the_prompts_that_were_sent_can_be_made_again_from_what_the_document_tells(name):
    pen = Pen(rule=lambda request: "A short summary of it.")
    (made,) = levels.get(name).build([SOURCE], pen)
    fields = {"human-text": TEXT, "llm-text": TEXT, "task": "Describe a mill.", "summary": made.meta.get("summary")}
    said = {message["role"]: message["content"] for message in pen.asked[-1].messages}
    assert made.meta["prompt"].format_map(fields) == said["user"]
    assert made.meta["system"] == said.get("system", "")
    if "summary" in made.meta:
        assert made.meta["summary_prompt"].format_map(fields) == pen.asked[0].messages[-1]["content"]
        assert made.meta["summary_decoding"] == "temperature=0.7, max_new_tokens=120"


def test_how_a_source_was_made_is_not_told_of_what_is_made_from_it():
    (essay,) = levels.get("task").build([SOURCE], Pen(own={"provider": "there", "quantization": "4bit"}))
    (again,) = levels.get("rewrite_llm").build([essay], Pen(model="quill"))
    assert (essay.meta["provider"], essay.meta["quantization"]) == ("there", "4bit")
    assert not {"provider", "quantization"} & again.meta.keys()
    assert (again.meta["prompt"], again.meta["system"]) == ("Rewrite this text: {llm-text}", "")


def test_seeds_depend_on_the_text_the_level_and_the_seed_alone():
    builder = levels.get("rewrite_human")
    alone, behind = builder.build([SOURCE], Pen())[0], builder.build([OTHER, SOURCE], Pen())[1]
    assert alone == behind
    assert builder.build([SOURCE], Pen(), seed=1)[0].meta["seed"] != alone.meta["seed"]
    assert levels.get("improve_human").build([SOURCE], Pen())[0].meta["seed"] != alone.meta["seed"]


def test_no_answer_is_lost_and_the_counts_say_what_came():
    pen = Pen(rule=lambda request: f"Here is the text:\n\n{TEXT}", fails="Rain")
    made = levels.get("improve_human").build([SOURCE, OTHER], pen)
    assert [one.text for one in made] == [TEXT, ""]
    assert made[0].meta["raw"].startswith("Here is")
    assert (made[1].meta["error"], made[1].meta["marks"], made[1].spans) == ("no connection", ["error"], ())
    assert counts([SOURCE, *made]) == {
        "human": {"n": 1},
        "improve-human": {"n": 2, "lead-in": 1, "copy": 1, "error": 1},
    }


def test_summaries_come_from_the_writer_or_from_the_notes():
    pen = Pen(rule=lambda request: "A mill; a river.")
    (made,) = levels.get("task_summary").build([SOURCE], pen)
    assert (made.meta["summary"], made.meta["summary_from"]) == ("A mill; a river.", "pen")
    assert len(pen.asked) == 2
    noted = Document(id="n", text=TEXT, label="human", meta={"notes": "mill, wheel"})
    (made,) = levels.get("summary(summary_from='notes')").build([noted], pen)
    assert (made.meta["summary"], made.meta["summary_from"]) == ("mill, wheel", "notes")
    assert pen.asked[-1].messages[-1]["content"].endswith("information: mill, wheel")
    with pytest.raises(DataError, match="'h1' has no notes"):
        levels.get("summary(summary_from='notes')").build([SOURCE], pen)


def test_task_paraphrases_make_five_texts_a_task():
    pen = Pen(rule=lambda request: f"Tell of a mill, {request.seed % 1000}.")
    made = levels.get("task(task_paraphrases=4)").build([SOURCE], pen)
    assert [one.id for one in made] == ["h1/task", *(f"h1/task/{n}" for n in range(1, 5))]
    assert len({one.task for one in made}) == 5
    assert len({one.meta["seed"] for one in made}) == 5
    assert {one.cluster for one in made} == {"c"}
    assert [one.meta.get("task_from") for one in made] == [None] + ["pen"] * 4
    assert made[1].meta["task_prompt"].endswith("{task}")


def test_a_task_that_could_not_be_paraphrased_gets_no_essay_and_says_why():
    pen = Pen(fails="Paraphrase this task")
    made = levels.get("task(task_paraphrases=2)").build([SOURCE], pen)
    assert [bool(one.text) for one in made] == [True, False, False]
    assert made[1].meta["error"] == "no paraphrase of the task: no connection"
    assert len(pen.asked) == 3  # two paraphrases, and the essay of the task as it is


def test_what_is_odd_about_a_summary_is_told():
    pen = Pen(rule=lambda request: "Here is the summary:\n\nA mill." if "Summarize" in str(request) else "An essay.")
    (made,) = levels.get("summary").build([SOURCE], pen)
    assert (made.meta["summary"], made.meta["summary_marks"]) == ("A mill.", ["lead-in"])
    silent = Pen(rule=lambda request: " " if "Summarize" in str(request) else "An essay.")
    (made,) = levels.get("summary").build([SOURCE], silent)
    assert (made.text, made.meta["error"]) == ("", "no summary: the answer was empty")


def test_what_a_level_needs_and_does_not_find():
    with pytest.raises(DataError, match="document 'x' has no task"):
        levels.get("task").build([Document(id="x", text=TEXT, label="human")], Pen())
    essay = levels.get("task").build([SOURCE], Pen())
    with pytest.raises(DataError, match="was written by pen itself"):
        levels.get("rewrite_llm").build(essay, Pen())
    (again,) = levels.get("rewrite_llm").build(essay, Pen(model="quill"))
    assert (again.source_id, again.generator, again.cluster) == ("h1/task", "quill", "c")


@pytest.mark.parametrize(
    "spec", ["task(profile='x')", "task(temperature=-1)", "summary(summary_from='t5')", "task(task_paraphrases=-1)"]
)
def test_parameters_out_of_range(spec):
    with pytest.raises(SpecError):
        levels.get(spec)


def test_what_no_machine_can_read_stands_with_its_reason():
    empty = Document(id="e", text=" ", label="human", task="Describe fog.")
    broken = Document(id="s", text="A lone \ud800 surrogate.", label="human", task="Describe fog.")
    pen = Pen()
    made = levels.get("improve_human").build([empty, broken, SOURCE], pen)
    assert [one.meta.get("error") for one in made[:2]] == [
        "the source is empty",
        "the text has lone surrogates, which no model can be sent",
    ]
    assert [one.text for one in made[:2]] == ["", ""]
    assert len(pen.asked) == 1
    assert [bool(one.text) for one in levels.get("task").build([empty, broken], pen)] == [True, True]


def test_a_text_without_a_summary_gets_no_essay():
    pen = Pen(fails="Summarize")
    (made,) = levels.get("summary").build([SOURCE], pen)
    assert (made.text, made.meta["error"]) == ("", "no summary: no connection")
    assert len(pen.asked) == 1


def test_humanize_is_ours_and_says_so():
    (made,) = levels.get("humanize").build([SOURCE], Pen())
    assert (made.level, made.meta["profile"]) == (Level.HUMANIZE, "ours")
    assert made.meta["prompt"].startswith("Rewrite this text so that it reads as if a person")
    with pytest.raises(SpecError, match="no profile 'raid'; there is 'ours', 'gede'"):
        levels.get("humanize(profile='raid')")
    with pytest.raises(SpecError, match="made by hub:kalpeshk2011/dipper-paraphraser-xxl, not by a chat model"):
        levels.get("humanize(profile='gede')").build([SOURCE], Pen())


def test_spans_cover_the_text_and_tell_whose_words_stand():
    kept = kept_words("a b c d e f g h", "a b c d X f g Y")
    assert kept == (Span(0, 7, "human"), Span(7, 15, "machine"))
    assert kept_words(TEXT, TEXT) == (Span(0, len(TEXT), "human"),)
    assert kept_words(TEXT, "Nothing in common here.") == (Span(0, 23, "machine"),)
    assert kept_words(TEXT, "") == ()
    mixed = kept_words(TEXT, f"Once {TEXT} Then.  ")
    assert [(s.author, f"Once {TEXT} Then.  "[s.start : s.end]) for s in mixed] == [
        ("machine", "Once"),
        ("human", f" {TEXT}"),
        ("machine", " Then.  "),
    ]


def test_specs_print_back():
    for name in levels.names():
        assert levels.canonical(levels.canonical(name)) == levels.canonical(name)


def test_texts_that_did_not_come_count_under_the_name_that_the_answers_give_the_model():
    class Dated(Pen):
        def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
            told = super().answer(requests)
            yield from ((i, one if one.error else replace(one, model="pen-2024")) for i, one in told)

    empty = Document(id="h3", text=" ", label="human", task="Describe snow.")
    made = levels.get("improve_human").build([SOURCE, OTHER, empty], Dated(fails="Rain"))
    assert [bool(one.text) for one in made] == [True, False, False]
    assert {one.generator for one in made} == {"pen-2024"}
    essay = levels.get("task").build([SOURCE], Dated())
    with pytest.raises(DataError, match="was written by pen-2024 itself"):
        levels.get("rewrite_llm").build(essay, Dated())


@pytest.mark.parametrize(("sharing", "essays"), [(1, 5), (2, 5), (3, 5), (5, 5), (7, 7)])
def test_documents_that_share_a_task_divide_its_five_wordings(sharing, essays):
    pen = Pen(rule=lambda request: f"Tell of a mill, {request.seed % 1000}.")
    sources = [replace(SOURCE, id=f"h{n}", text=f"{TEXT} {n}") for n in range(sharing)]
    made = levels.get("task(task_paraphrases=4)").build([*sources, replace(OTHER, id="x")], pen)
    mine = [one for one in made if one.source_id in {source.id for source in sources}]
    assert len(mine) == len({one.id for one in mine}) == essays
    assert {one.source_id for one in mine} == {source.id for source in sources}
    assert len({one.task for one in mine}) == 5
    assert max(Counter(one.task for one in mine).values()) == -(-essays // 5)
