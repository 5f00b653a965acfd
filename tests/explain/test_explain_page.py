"""The command and its page: a real run, a saved detector, hostile text, nothing from elsewhere."""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser

import numpy as np
import pytest
from typer.testing import CliRunner

from evenhand import detectors, explain
from evenhand.cli.app import app
from evenhand.errors import DataError, SpecError
from evenhand.explain import Settings, account, page, reading, standing
from evenhand.explain.heat import runs, shade
from evenhand.explain.methods import applicable, chosen, costs, usual
from evenhand.explain.parts import Part
from evenhand.sections import join_sections
from evenhand.store import Store

from .conftest import human, machine

HOSTILE = (
    "<script>alert('x')</script> & \"quotes\" </span> alpha beta {{ 7*7 }} \u202eabc plums till dark and more words"
)
QUICK = Settings(samples=30, seeds=2)


class Page(HTMLParser):
    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.text, self.stack = [], "", []
        self.feed(html)
        assert self.stack == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if "style" not in self.stack:
            self.text += data


def test_the_page_is_offline_and_shows_the_text_as_it_is(additive):
    found = account(HOSTILE, additive, ["lime"], QUICK)
    html = page(found, "<b>name</b>")
    read = Page(html)
    assert page(found, "<b>name</b>") == html
    assert not [tag for tag, _ in read.tags if tag in ("script", "img", "link", "iframe", "a", "b")]
    assert not re.search(r"https?://|@import|url\(", html)
    assert not [a for _, a in read.tags if "style" in a or any(name.startswith("on") for name in a)]
    assert "default-src 'none'" in next(a["content"] for t, a in read.tags if a.get("http-equiv"))
    assert HOSTILE in read.text
    assert "{{ 7*7 }}" in read.text
    assert explain.__getattr__("page") is page
    assert "does not say who wrote the text" in read.text
    assert "No run was given" in read.text


def test_the_table_says_what_the_colours_say(additive):
    found = account(
        "alpha beta gamma delta zeta eta theta iota kappa lambda", additive, ["lime"], Settings(samples=100, seeds=3)
    )
    read = Page(page(found, "x"))
    marked = {a["title"].partition(":")[0]: a["class"] for t, a in read.tags if t == "span" and "title" in a}
    assert marked["alpha"] == "m4"
    assert marked["beta"].startswith("h")
    headings = [t for t, _ in read.tags if t in ("h1", "h2")]
    assert headings[0] == "h1"
    assert headings.count("h1") == 1
    assert all("scope" in a for t, a in read.tags if t == "th")


def test_colours_cover_the_text_once():
    text = "one two three"
    parts = (Part("one two", ((0, 7),), 1.0), Part("two", ((4, 7),), -0.5), Part("three", ((8, 13),), 0.2, -0.1, 0.5))
    found = list(runs(text, parts))
    assert "".join(text[run.start : run.end] for run in found) == text
    assert [(text[run.start : run.end], run.weight) for run in found] == [
        ("one ", 1),
        ("two", 0.5),
        (" ", 0),
        ("three", 0),
    ]
    assert (shade(1, 1), shade(-1, 1), shade(0.26, 1), shade(0.01, 1), shade(0, 0)) == ("m4", "h4", "m2", "", "")


def test_methods_follow_the_detector(linear, forest):
    assert applicable(linear) == ("coefficients", "lime", "shap")
    assert usual(linear) == ("coefficients",)
    assert usual(forest) == ("importances", "lime")
    assert usual(detectors.get("log_rank")) == ("lime", "tokens")
    assert chosen(linear, ["shap", "lime", "shap"]) == ("shap", "lime")
    with pytest.raises(SpecError, match="allows no 'tokens'"):
        chosen(linear, ["tokens"])
    with pytest.raises(SpecError, match="the methods are"):
        chosen(linear, ["magic"])
    assert costs("a b c", ["lime", "shap", "coefficients"], QUICK) == {"lime": 61, "shap": 9, "coefficients": 1}


def test_what_is_told_of_the_text_alone():
    parts = {
        "abstract": "The cat sat on the mat.",
        "introduction": "It purred there.",
        "conclusion": "We, two, were well-rested.",
    }
    text = join_sections(parts)
    source = text.replace("It purred there.", "It purred there and it slept.")
    told = {one.measure: one for one in reading(text, source)}
    assert told["section_words(section='introduction')"].value == 3
    assert told["length_ratio(section='introduction')"].value == 0.5
    assert told["length_ratio(section='abstract')"].value == 1
    assert told["length_ratio"].value == 16 / 19
    assert "length_ratio" not in {one.measure for one in reading(text)}
    empty = {one.measure: one for one in reading("...")}
    assert np.isnan(empty["flesch_kincaid"].value)
    assert empty["flesch_kincaid"].reason == "the text has no word"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A run of two trained detectors on texts made here, and a text file."""
    from evenhand.plan import Plan
    from evenhand.run import score

    folder = tmp_path_factory.mktemp("study")
    with (folder / "texts.jsonl").open("w", encoding="utf-8") as stream:
        for i in range(80):
            for label, text in (("human", human(i)), ("machine", machine(i))):
                split = "train" if i < 30 else "test"
                row = {
                    "id": f"{label}{i}",
                    "text": f"{text} {i}",
                    "label": label,
                    "cluster": f"{label}{i}",
                    "split": split,
                }
                stream.write(json.dumps(row) + "\n")
    (folder / "letter.txt").write_text(machine(3) + " We ate plums.", encoding="utf-8")
    corpus = f"jsonl(path={str(folder / 'texts.jsonl')!r})"
    score(Plan(corpus, detectors=("tfidf_lr", "tfidf_rf(trees=20)"), audits=("clean",)), folder / "run")
    return folder


def test_the_run_folder_tells_weights_and_thresholds(study):
    about = json.loads((study / "run" / "environment.json").read_text("utf-8"))["about"]
    assert about["tfidf_lr"]["weights"]["kind"] == "coefficient"
    assert about["tfidf_lr"]["threshold"] == 0.0
    assert about["tfidf_rf(trees=20)"]["threshold"] == 0.5
    assert about["tfidf_rf(trees=20)"]["weights"]["heaviest"][0][1] > 0


def test_what_is_forgotten_leaves_no_weight_behind(study, tmp_path):
    copied = shutil.copytree(study / "run", tmp_path / "run")
    before = json.loads((copied / "environment.json").read_text("utf-8"))["about"]
    assert before["tfidf_lr"]["weights"]
    Store.existing(copied).forget(["human1"])
    after = json.loads((copied / "environment.json").read_text("utf-8"))["about"]
    assert not any("weights" in about for about in after.values())
    assert after["tfidf_lr"]["training"] == before["tfidf_lr"]["training"]


def test_the_command_explains_beside_a_run(study):
    done = CliRunner().invoke(
        app, ["explain", str(study / "letter.txt"), "-d", "tfidf_lr", "--run", str(study / "run"), "--json"]
    )
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    (found,) = told["explanations"]
    assert found["base"] + sum(part["weight"] for part in found["parts"]) == pytest.approx(told["score"])
    beside = told["standing"]
    assert beside["human"] == 25  # half of the 50 clean human texts outside the training split
    assert beside["p"] == pytest.approx((beside["above"] + 1) / 26)
    assert "coefficients: at most 1 text" in done.stderr


def test_a_text_of_the_run_is_not_compared_with_itself(study, tmp_path):
    from evenhand.explain import standing

    texts = {i: f"{human(i)} {i}" for i in range(30, 80)}
    beside = {i: standing(study / "run", "tfidf_lr", -100.0, text) for i, text in texts.items()}
    halves = {i: (one.human, one.above) for i, one in beside.items()}
    assert set(halves.values()) == {(24, 24), (25, 25)}  # those of the calibration half have one fewer beside them
    (tmp_path / "own.txt").write_text(texts[next(i for i, one in halves.items() if one[0] == 24)], encoding="utf-8")
    told = CliRunner().invoke(
        app, ["explain", str(tmp_path / "own.txt"), "-d", "tfidf_lr", "--run", str(study / "run"), "--json"]
    )
    assert json.loads(told.stdout)["standing"]["human"] == 24


def test_permutation_importances_of_the_run_and_a_page(study, tmp_path):
    out = tmp_path / "why.html"
    done = CliRunner().invoke(
        app,
        ["explain", str(study / "letter.txt"), "-d", "tfidf_rf(trees=20)", "--run", str(study / "run"),
         "--method", "importances", "-o", str(out)],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    read = Page(out.read_text(encoding="utf-8"))
    assert "100 held-out texts" in done.stderr
    assert "fall of AUROC" in read.text
    assert "which 5.0% of human texts may pass" in read.text


def test_a_saved_detector_from_the_command_line(study, linear, tmp_path):
    detectors.save(linear, tmp_path / "kept")
    done = CliRunner().invoke(
        app, ["explain", str(study / "letter.txt"), "-d", f"saved(path={str(tmp_path / 'kept')!r})"]
    )
    assert done.exit_code == 0, done.output
    assert "the model's largest coefficients" in done.stdout


def test_the_cost_comes_first(study):
    done = CliRunner().invoke(
        app, ["explain", str(study / "letter.txt"), "-d", "log_rank", "--method", "shap,lime", "--dry-run"]
    )
    assert done.exit_code == 0, done.output
    # 19 distinct words: 5 runs of one order, both ways, its ends twice
    assert done.stdout.splitlines() == ["shap: at most 202 texts to score", "lime: at most 1,001 texts to score"]


def test_papers_are_read_from_their_files(tmp_path):
    paper = tmp_path / "paper.tex"
    body = "\\section{Introduction}\nWe ate plums.\n\\section{Conclusion}\nThey were ripe.\n\\end{document}"
    paper.write_text(
        "\\documentclass{article}\\begin{document}\\begin{abstract}On plums.\\end{abstract}" + body + "\\end{document}"
    )
    call = ["explain", str(paper), "-d", "log_rank", "--method", "shap", "--dry-run"]
    done = CliRunner().invoke(app, call)
    assert done.exit_code == 0, done.output
    assert "abstract, introduction and conclusion" in done.stderr
    (tmp_path / "x.pdf").write_text("no PDF")
    bad = CliRunner().invoke(app, ["explain", str(tmp_path / "x.pdf"), "-d", "log_rank"])
    assert isinstance(bad.exception, DataError)
    assert "gave no text" in str(bad.exception)


def test_wrong_calls_say_what_to_do(study, tmp_path):
    letter = str(study / "letter.txt")
    unfitted = CliRunner().invoke(app, ["explain", letter, "-d", "tfidf_lr"])
    assert isinstance(unfitted.exception, DataError)
    assert "--run DIR" in str(unfitted.exception)
    absent = CliRunner().invoke(app, ["explain", letter, "-d", "lrr", "--run", str(study / "run")])
    assert "it has: tfidf_lr" in str(absent.exception)
    bad = CliRunner().invoke(
        app, ["explain", letter, "-d", "tfidf_lr", "--run", str(study / "run"), "-o", str(tmp_path / "x.pdf")]
    )
    assert isinstance(bad.exception, SpecError)
    with pytest.raises(DataError, match="holds no scores of"):
        standing(study / "run", "lrr", 0.0)
