"""Makers of papers: what they ask, what they take, what they skip and say of it, and who wrote which characters."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from evenhand import levels
from evenhand.documents import Document, Level, Span
from evenhand.errors import DataError, MissingError, SpecError
from evenhand.levels.papers import grammar as own
from evenhand.levels.papers.base import by_section, outcome
from evenhand.levels.papers.causal import GALACTICA, GPT2
from evenhand.levels.papers.chat import DOCUMENT
from evenhand.levels.papers.co_created import SUBSETS
from evenhand.levels.papers.expand import check_grammar, draw, read_grammar
from evenhand.levels.papers.scigen import sections_of
from evenhand.levels.papers.tidy import cut_at_end, numbered_references, own_section, without_fragment
from evenhand.models.chat import Completion, Request, Writer
from evenhand.sections import SECTIONS, join_sections, split_sections

TITLES = [
    Document(f"t{n}", "", "unknown", title=title, cluster=f"c{n}")
    for n, title in enumerate(("Sparse attention for long rivers", "On the tides of small lakes"))
]
PARTS = {
    "abstract": "We speak of the old harbour and of nothing else at all.",
    "introduction": "Harbours are older than the towns around them. Nobody has asked why before.",
    "conclusion": "Ships come first, as we have shown; the walls are built later, if at all.",
}
PAPER = Document("h", join_sections(PARTS), "human", Level.HUMAN, title="Old harbours", cluster="c", split="test")


@dataclass
class Pen(Writer):
    """A writer that answers by a rule: (request, how many it was asked before) -> text, or text and finish reason."""

    rule: Callable[[Request, int], object]
    model: str = "pen"
    asked: list[Request] = field(default_factory=list)

    @property
    def about(self) -> dict[str, str]:
        return {"provider": "a desk"}

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        for index, request in enumerate(requests):
            told = self.rule(request, len(self.asked))
            text, reason = told if isinstance(told, tuple) else (told, "stop")
            self.asked.append(request)
            yield index, Completion(text, reason, 9, self.model, "no connection" if reason == "error" else None)


# grammar


def test_the_grammar_is_whole_and_every_rule_is_used():
    rules = read_grammar(own.RULES)
    used = {name for texts in rules.values() for text in texts for name in re.findall(r"\{([A-Z_]+)", text)}
    assert set(rules) - used == {"TITLE", "ABSTRACT", "INTRODUCTION", "CONCLUSION"}
    with pytest.raises(DataError, match="A calls B, which is no rule"):
        check_grammar({"A": ["{B}"]}, set(), "x")
    with pytest.raises(DataError, match="does not end"):
        draw({"A": ["{A} a"]}, "A", Random(0), {})


def test_a_derivation_by_hand():
    rules = {"S": ["{X*2-2} {Y?}of {T}. {X}."], "X": ["a {T}"], "Y": ["never "]}
    found = {draw(rules, "S", Random(seed), {"T": ["apple"]}) for seed in range(20)}
    assert found == {
        "An apple an apple never of apple. An apple.",
        "An apple an apple of apple. An apple.",
    }


def test_papers_of_the_grammar_depend_on_title_and_seed_alone():
    maker = levels.get("grammar_papers")
    both, one = maker.build(TITLES, None), maker.build(TITLES[1:], None)
    assert both[1] == one[0]
    assert maker.build(TITLES, None, seed=1)[0].text != both[0].text
    assert set(split_sections(both[0].text)) == set(SECTIONS)
    assert "sparse attention" in both[0].text or "long rivers" in both[0].text
    assert (both[0].label, both[0].level, both[0].source_id) == ("machine", Level.TASK, None)
    assert both[0].spans == (Span(0, len(both[0].text), "machine"),)


def test_papers_of_the_grammar_differ():
    titles = own.made_up_titles(100)
    assert len(set(titles)) == 100
    made = [levels.get("grammar_papers").parts(title, 0) for title in titles]
    assert len({part for parts in made for part in parts.values()}) == 300
    words = [len(parts["introduction"].split()) for parts in made]
    assert 80 < min(words) < max(words) < 300
    assert not [part for parts in made for part in parts.values() if re.search(r"[{}]| [.,;]|  |\ba [aeio]", part)]


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("Deep Learning for BERT-like Models: a Survey", ["deep learning", "BERT-like models", "survey"]),
        ("On the", ["the present problem"]),
    ],
)
def test_topics_of_a_title(title, found):
    assert own.topics(title) == found


# SCIgen


@pytest.fixture
def scigen(tmp_path: Path) -> Callable[[str], str]:
    """A folder with SCIgen's interface: the files that it is known by, and a scigen.pl of our own."""

    def make(program: str) -> str:
        if not os.access("/usr/bin/perl", os.X_OK):
            pytest.skip("perl is not here")
        for name in ("scigen.pm", "scirules.in", "system_names.in"):
            (tmp_path / name).write_text("")
        (tmp_path / "scigen.pl").write_text(program)
        (tmp_path / "scigen.pl").chmod(stat.S_IRWXU)
        return f"scigen(path={str(tmp_path)!r}, seconds=5)"

    return make


LATEX = r"""
if ("@ARGV" =~ /SYSTEM_NAME/) { print "Harbour\n"; } else { my $n = int(rand(1000));
print "\\section*{Abstract}\n Ships \\cite{cite:0} are {\\em old} ($n) \\%.\n\n\\section{Introduction}\nWe row~on.\n";
print "\\begin{figure}\nlost\n\\end{figure}\n\\section{Model}\nNo.\n\\section{Conclusion}\n\nWe ``end''.\n";
print "\\begin{footnotesize}\n\\bibliography{x}\n" }
"""


def test_scigen_is_run_with_a_seed_a_title(scigen):
    maker = levels.get(scigen(LATEX))
    made = maker.build(TITLES, None)
    assert made == maker.build(TITLES, None)
    assert re.fullmatch(r"Ships are old \(\d+\) %\.", split_sections(made[0].text)["abstract"])
    assert split_sections(made[0].text)["introduction"] == "We row on."
    assert split_sections(made[0].text)["conclusion"] == "We “end”."
    assert made[0].text != made[1].text
    assert "/" not in made[0].meta["prompt"], "no folder of this machine is told"


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("sleep 60;", "no end within 0.5 seconds"),
        ("die 'no rules';", "perl ended with"),
        ("print 'nothing';", "no abstract and no introduction and no conclusion"),
    ],
)
def test_a_run_that_fails_is_the_titles_reason(scigen, program, why):
    made = levels.get(scigen(program).replace("seconds=5", "seconds=0.5")).build(TITLES[:1], None)
    assert why in made[0].meta["error"]
    assert (made[0].text, made[0].spans) == ("", ())


def test_a_scigen_that_is_not_there():
    with pytest.raises(MissingError, match="grammar_papers needs neither"):
        levels.get("scigen(path='/nowhere')").build(TITLES, None)
    with pytest.raises(SpecError, match="seconds"):
        levels.get("scigen(seconds=0)")


def test_latex_becomes_plain_text():
    latex = (
        "\\section{Introduction}We % a comment\nrow \\textbf{fast} $\\Theta(n)$ \\& far.\n\n\\label{x} On~\\cite{a}."
    )
    assert sections_of(latex) == {"introduction": "We row fast Θ(n) & far.\n\nOn."}
    assert sections_of("\\section{Introduction} Hi. \\section{Conclusions} Bye.") == {
        "introduction": "Hi.",
        "conclusion": "Bye.",
    }


# what is cut off


def test_ends_headings_and_fragments():
    assert cut_at_end("We row. <END> And more.") == ("We row. ", True)
    assert cut_at_end("We row.") == ("We row.", False)
    assert own_section("**Abstract:** We row.\n\nReferences\n[1] A.", "abstract") == "We row."
    assert own_section("We row.\n\n2. Methods\nNo.", "abstract") == "We row."
    assert own_section("Conclusion: We stop.", "abstract") == ""
    assert own_section("The introduction of steam changed all. Results were good.", "introduction").startswith(
        "The introduction"
    )
    assert without_fragment("ing of the hull. We row on.") == "We row on."
    assert without_fragment("of the Thames only") == "Thames only"
    assert without_fragment("We row on.") == "We row on."
    assert without_fragment(", and lower case alone") == ""
    text = "As [START_REF] Rowing, Ada[END_REF] says, and [START_REF] Oars, Bo[END_REF], and [START_REF] Rowing, Ada[END_REF]."
    assert numbered_references(text) == "As 1 says, and 2, and 1."


# chat models


def test_only_the_form_is_taken_and_titles_are_skipped_after_three_tries():
    def rule(request: Request, n: int) -> str:
        long = "lakes" in request.messages[-1]["content"]
        return "Here is a paper about lakes." if long or n < 2 else join_sections(PARTS)

    pen = Pen(rule)
    made = levels.get("chat_papers").build(TITLES, pen)
    assert [bool(one.text) for one in made] == [True, False]
    assert (made[0].meta["tries"], made[1].meta["tries"]) == (2, 3)
    assert made[1].meta["error"] == "no usable answer in 3 tries: not in the form (3)"
    assert len({request.seed for request in pen.asked}) == len(pen.asked) == 5
    assert pen.asked[0].messages[-1]["content"] == DOCUMENT.format(title="Sparse attention for long rivers")
    assert pen.asked[0].sampling.temperature == 0.7
    assert outcome(made) == {"n": 2, "accepted": 1, "at once": 0, "skipped": 1, "tries": 5}


def test_the_prompt_is_the_papers(shared):
    text = (shared / "papers" / "scientific-papers.txt").read_text(encoding="utf-8")
    asked = re.search(r"prompt ChatGPT .*? with “([^”]+)”", text)[1].replace("title[Title]", "title {title}")
    asked = " ".join(asked.split())
    assert asked == DOCUMENT


def test_markdown_headings_where_asked_for():
    text = "## Abstract\nWe row.\n\n**Introduction:**\nWe rowed.\n\nConclusions\nWe end."
    strict, tolerant = (
        levels.get(f"chat_papers(tries=1, headings={kind!r})").build(TITLES[:1], Pen(lambda r, n: text))
        for kind in ("paper", "any")
    )
    assert strict[0].text == ""
    assert split_sections(tolerant[0].text) == {
        "abstract": "We row.",
        "introduction": "We rowed.",
        "conclusion": "We end.",
    }


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (("", "error"), "error: no connection (1)"),
        ("I'm sorry, but I can't assist with that.", "refusal (3)"),
        ("  ", "empty (3)"),
    ],
)
def test_refusals_and_failures_are_told(answer, why):
    made = levels.get("chat_papers").build(TITLES[:1], Pen(lambda r, n: answer))
    assert made[0].meta["error"].endswith(why)


def test_a_cut_paper_is_marked_and_ends_with_a_sentence():
    made = levels.get("chat_papers").build(
        TITLES[:1], Pen(lambda r, n: (f"{join_sections(PARTS)} And then the", "length"))
    )
    assert made[0].truncated
    assert made[0].text.endswith("at all.")
    assert outcome(made)["cut"] == 1


def test_a_cascade_shows_what_came_before_and_is_cut_at_its_end():
    pen = Pen(lambda r, n: f"We row {n} boats. <END> Not this.")
    made = levels.get("cascade_papers").build(TITLES[:1], pen)
    assert split_sections(made[0].text) == {name: f"We row {n} boats." for n, name in enumerate(SECTIONS)}
    last = pen.asked[-1].messages[-1]["content"]
    assert last.endswith(
        "Title: Sparse attention for long rivers\n\nAbstract: We row 0 boats.\n\nIntroduction: We row 1 boats."
    )
    assert outcome(made)["at once"] == 1
    assert made[0].meta["provider"] == "a desk"


def test_what_is_said_around_a_section_goes():
    rule = "Here is the abstract:\n\nWe row two boats.\n\nLet me know if you want more!"
    made = levels.get("cascade_papers").build(TITLES[:1], Pen(lambda r, n: rule))
    assert set(split_sections(made[0].text).values()) == {"We row two boats."}
    whole = levels.get("chat_papers").build(
        TITLES[:1], Pen(lambda r, n: f"Sure!\n\n{join_sections(PARTS)}\n\nI hope this helps.")
    )
    assert split_sections(whole[0].text) == PARTS
    assert {"lead-out"} <= set(whole[0].meta["marks"])


def test_a_cascade_that_finds_no_end_stops_at_its_section():
    pen = Pen(lambda r, n: ("We row on and on", "length") if "introduction" in r.messages[-1]["content"] else "We row.")
    made = levels.get("cascade_papers(tries=2)").build(TITLES[:1], pen)
    assert made[0].meta["error"] == "introduction: no usable answer in 2 tries: no end within the token limit (2)"
    assert len(pen.asked) == 3


# causal models


def own_models(spec: str, pen: Pen) -> list[Document]:
    """As ``build``, with a pen in the place of the maker's models."""
    maker = levels.get(spec)
    return [maker.document(one, made, 0) for one, made in maker.make(TITLES[:1], pen, 0)]


@pytest.mark.parametrize("lead", ["", " ", "\n", "Abstract: ", "and so on. "])
@pytest.mark.parametrize(("end", "finish", "kept"), [
    (" And we", "length", ""), (" And we", "stop", " And we"), ("<|sep|> And we", "length", ""),
    (" And we\nConclusion: No", "length", " And we"),
])  # fmt: skip
def test_what_the_limit_cut_off_goes_whatever_the_answer_begins_with(lead, end, finish, kept):
    whole = "We row. We row all day, and further."
    reading = levels.get("causal_papers").read("abstract")(Completion(lead + whole + end, finish), "prompt")
    assert (reading.text, reading.refused) == (whole + kept, None)


def test_the_gpt2_recipe():
    pen = Pen(lambda r, n: ("ing of hulls. We row\non. We stop.\n\nReferences\n[1]", "length"))
    made = own_models("causal_papers", pen)
    assert set(split_sections(made[0].text).values()) == {"We row on. We stop."}
    assert [r.messages[-1]["content"] for r in pen.asked] == [
        f"Title: Sparse attention for long rivers\n\n{name.capitalize()}:" for name in SECTIONS
    ]
    assert {r.sampling for r in pen.asked} == {GPT2}
    assert (GPT2.temperature, GPT2.top_k, GPT2.top_p, GPT2.max_new_tokens) == (1.0, 50, 0.5, 512)


def test_section_models_are_given_the_bare_title(tmp_path):
    for name in SECTIONS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    pen = Pen(lambda r, n: "We row.")
    spec = f"causal_papers(model={str(tmp_path)!r})"
    own_models(spec, pen)
    maker = levels.get(spec)
    assert pen.asked[0].messages[-1]["content"] == "Sparse attention for long rivers<|sep|>"
    assert maker.models()["introduction"] == str(tmp_path / "introduction")
    assert str(tmp_path.parent) not in maker.recorded
    assert levels.get("causal_papers(model='released')").models()["abstract"] == "hub:tum-nlp/IDMGSP-GPT-2-ABSTRACT"


def test_the_galactica_recipe_asks_again_until_the_end_of_text():
    long = "We row over the lake and back again, day after day, " * 5

    def rule(request: Request, n: int) -> object:
        return (long, "length") if n == 1 else f"{long} as [START_REF] Oars, Bo[END_REF] says</s> more"

    pen = Pen(rule)
    made = own_models("causal_papers(recipe='galactica')", pen)
    parts = split_sections(made[0].text)
    assert parts["introduction"].endswith("as 1 says.")
    assert (len(pen.asked), made[0].meta["tries"]) == (4, 4)
    assert pen.asked[-1].messages[-1]["content"].endswith(f"Introduction: {parts['introduction']}\n\nConclusion:")
    assert [r.sampling for r in pen.asked] == [
        GALACTICA[name] for name in ("abstract", "introduction", "introduction", "conclusion")
    ]


def test_table_a1(shared):
    import json

    tables = json.loads((shared / "data" / "published_tables" / "published_tables.json").read_text())["tables"]
    for (row, printed), name in zip(tables["idm.TA1"]["values"].items(), SECTIONS, strict=True):
        assert name in row.lower()
        ours = GALACTICA[name]
        assert ours.max_new_tokens == int(printed["Max_New_Tokens"])
        if printed["Temperature"] != "-":
            told = (ours.temperature, ours.top_k, ours.top_p, ours.no_repeat_ngram)
            assert told == tuple(
                float(printed[key]) for key in ("Temperature", "top_k", "top_p", "No_Repeat_Ngram_Size")
            )


def test_too_short_a_section_is_asked_for_again():
    made = own_models("causal_papers(recipe='galactica')", Pen(lambda r, n: "We row."))
    assert made[0].meta["error"] == "introduction: no usable answer in 3 tries: too short (3)"


@pytest.mark.model
def test_the_embedded_model_writes_and_its_answers_are_kept(embedded, own_cache, monkeypatch):
    monkeypatch.delenv("EVENHAND_CACHE")  # the model from the user's cache; its answers in this test's own
    monkeypatch.setattr("evenhand.levels.papers.causal.cache_dir", lambda: own_cache)
    maker = levels.get("causal_papers(max_new_tokens=12)")
    made = maker.build(TITLES[:1], None)
    kept = {path: path.stat().st_mtime_ns for path in own_cache.rglob("*.json")}
    assert made == maker.build(TITLES[:1], None)
    assert {path: path.stat().st_mtime_ns for path in own_cache.rglob("*.json")} == kept
    assert len(kept) == made[0].meta["tries"] >= 1
    assert bool(made[0].text) != bool(made[0].meta.get("error"))


# papers of two hands


def upper(request: Request, n: int) -> str:
    return request.messages[-1]["content"].partition("\n\n")[2].upper()


@pytest.mark.parametrize("subset", SUBSETS)
def test_spans_say_who_wrote_what(subset):
    (made,) = levels.get(f"co_created(sections={subset!r})").build([PAPER], Pen(upper))
    names = subset.split("+")
    assert made.meta["paraphrased_sections"] == names
    by = {
        author: "".join(made.text[s.start : s.end] for s in made.spans if s.author == author)
        for author in ("human", "machine")
    }
    assert len(by["human"]) + len(by["machine"]) == len(made.text)
    for name in SECTIONS:
        writer = by["machine"] if name in names else by["human"]
        assert (PARTS[name].upper() if name in names else PARTS[name]) in writer
    share = sum(len(PARTS[n]) for n in names) / sum(map(len, PARTS.values()))
    assert made.meta["machine_share"] == pytest.approx(share, abs=1e-4)
    assert (made.label, made.level, made.source_id, made.cluster) == ("mixed", Level.REWRITE_HUMAN, "h", "c")


def test_all_seven_subsets_ask_for_each_section_once():
    pen = Pen(upper)
    made = levels.get("co_created(sections='all')").build([PAPER], pen)
    assert [one.id for one in made] == [f"h/co_created/{subset}" for subset in SUBSETS]
    assert len(pen.asked) == outcome(made)["tries"] == 3
    assert pen.asked[0].messages[-1]["content"].startswith("Paraphrase this abstract")
    assert "Write about 12 words." in pen.asked[0].messages[-1]["content"]
    assert pen.asked[0].sampling.temperature == 1.0
    alone = levels.get("co_created(sections='introduction')").build([PAPER], Pen(lambda r, n: f"{r.seed}"))
    seven = levels.get("co_created(sections='all')").build([PAPER], Pen(lambda r, n: f"{r.seed}"))
    assert split_sections(alone[0].text)["introduction"] == split_sections(seven[1].text)["introduction"]


def test_copies_and_failures_are_no_paraphrase():
    copied = levels.get("co_created(sections='abstract')").build([PAPER], Pen(lambda r, n: PARTS["abstract"]))
    assert copied[0].meta["error"] == "abstract: no usable answer in 1 tries: a copy of the section (1)"
    some = Pen(
        lambda r, n: "I can't assist with that." if "conclusion" in r.messages[-1]["content"][:40] else upper(r, n)
    )
    made = levels.get("co_created(sections='all')").build([PAPER], some)
    assert [bool(one.text) for one in made] == ["conclusion" not in subset for subset in SUBSETS]


def test_what_cannot_be_paraphrased():
    with pytest.raises(DataError, match="has not the three headings"):
        levels.get("co_created").build([Document("x", "No heading.", "human", title="T")], Pen(upper))
    with pytest.raises(DataError, match="has the label 'machine'"):
        levels.get("co_created").build([Document("x", PAPER.text, "machine", title="T")], Pen(upper))


def test_sections_as_documents_keep_their_spans():
    (made,) = levels.get("co_created(sections='abstract+conclusion')").build([PAPER], Pen(upper))
    apart = list(by_section(made))
    assert [(one.section, one.id.partition("#")[2]) for one in apart] == [(name, name) for name in SECTIONS]
    assert [{s.author for s in one.spans} for one in apart] == [{"machine"}, {"human"}, {"machine"}]
    assert all(one.spans[0] == Span(0, len(one.text), one.spans[0].author) for one in apart)
    assert [one.label for one in apart] == ["machine", "human", "machine"]
    assert [one.level for one in apart] == [Level.REWRITE_HUMAN, Level.HUMAN, Level.REWRITE_HUMAN]
    assert [one.generator is None for one in apart] == [False, True, False]
    assert [one.meta["paraphrased_sections"] for one in apart] == [["abstract"], [], ["conclusion"]]
    assert {one.cluster for one in apart} == {made.cluster}
    assert list(by_section(Document("e", "", "machine"))) == []


# bad input


@pytest.mark.parametrize(
    "spec",
    [
        "chat_papers(tries=0)",
        "chat_papers(headings='html')",
        "cascade_papers(temperature=-1)",
        "causal_papers(recipe='gpt9')",
        "causal_papers(prompt='{theme}')",
        "causal_papers(tries=True)",
        "causal_papers(max_new_tokens=0)",
        "co_created(sections='abstract+title')",
        "co_created(tries=0)",
    ],
)
def test_parameters_out_of_range(spec):
    with pytest.raises(SpecError):
        levels.get(spec)


def test_a_paper_needs_a_title():
    with pytest.raises(DataError, match="'x' has no title"):
        levels.get("grammar_papers").build([Document("x", "", "unknown")], None)
