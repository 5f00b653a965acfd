"""IDMGSP's bag of words: its word splitting and stop words, its six models under one name, the study's plan."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from evenhand import Plan, corpora, detectors
from evenhand.detectors.trained.tfidf import STOP_WORDS, without_stop_words
from evenhand.errors import SpecError
from evenhand.levels.papers.grammar import GrammarPapers, made_up_titles
from evenhand.sections import SECTIONS, join_sections

PLAN = Path(__file__).resolve().parents[2] / "examples" / "idmgsp.toml"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("The state-of-the-art model, and/or this one.", "state-of-the-art model , and/or one ."),
        ("We don't know; it's John's, they'll say I'm right.", "n't know ; 's john 's , 'll say 'm right ."),
        ("They cannot, e.g. at 3:15, pay 1,000 dollars.", ", e.g . 3:15 , pay 1,000 dollars ."),
        ("It (the end) was [very] “good”.", "( end ) [ ] “ good ” ."),
        ("A ﬁne diﬀerence — of opinion", "ne dierence — opinion"),
        ("model—the best", "model—the best"),
    ],
)
def test_words_are_split_as_nltk_splits_them(text, left):
    """By hand from NLTK's rules; signs that a vectorizer drops may stand otherwise."""
    assert without_stop_words(text) == left


def test_the_stop_words_are_nltks():
    assert len(STOP_WORDS - {"cannot"}) == 153
    assert {"ourselves", "wouldn", "ve", "y"} <= STOP_WORDS
    assert not {"many", "would", "could", "us", "however"} & STOP_WORDS, "scikit-learn's list has these"


@pytest.mark.long
def test_they_are_split_as_nltk_splits_them_on_real_texts(shared):
    nltk = pytest.importorskip("nltk.tokenize", reason="nltk is not installed; it is not needed elsewhere")
    from nupunkt import sent_spans

    rows = list(corpora.get(f"jsonl(path={str(shared / 'data/dev/scientific.jsonl.gz')!r})"))[::4]
    differ = total = 0
    for row in rows:
        sentences = [row.text[a:b].lower() for a, b in sent_spans(re.sub("[\ufb00-\ufb06]", "", row.text))]
        words = [w for s in sentences for w in nltk.NLTKWordTokenizer().tokenize(s) if w not in STOP_WORDS]
        theirs, ours = (re.findall(r"\b\w\w+\b", text) for text in (" ".join(words), without_stop_words(row.text)))
        differ += abs(len(theirs) - len(ours))
        total += len(theirs)
    assert differ < 0.003 * total


def test_six_models_stand_under_one_name():
    six = detectors.group("idmgsp_bow")
    assert len({detectors.canonical(spec) for spec in six}) == 6
    plan = Plan.parse('corpus = "embedded"\ndetectors = ["idmgsp_bow", "log_rank"]')
    assert plan.detectors == (*six, "log_rank")
    assert Plan.parse(plan.to_toml()).detectors == plan.detectors
    with pytest.raises(SpecError, match="detectors is a list"):
        Plan.parse('corpus = "embedded"\ndetectors = "idmgsp_bow"')


TRAIN = "TRAIN,TRAIN+GPT3,TRAIN-CG"


@pytest.fixture(scope="module")
def papers(tmp_path_factory) -> str:
    """Passages of the embedded corpus in the form of papers, and papers of the grammar, in the sets of table 2 by their names."""
    from nupunkt import sent_spans

    people = [d for d in corpora.get("embedded") if d.label == "human"][::3]
    rows = []
    for n, (person, title) in enumerate(zip(people, made_up_titles(len(people)), strict=True)):
        found = [person.text[a:b].strip() for a, b in sent_spans(person.text)]
        third = max(1, len(found) // 3)
        bounds = zip((0, third, 2 * third), (third, 2 * third, len(found)), strict=True)
        own = {name: " ".join(found[a:b]) for name, (a, b) in zip(SECTIONS, bounds, strict=True)}
        fake = GrammarPapers().parts(title, 0)
        told = {
            "cluster": person.id,
            "meta": {"training_sets": TRAIN} if n % 2 else {"test_sets": ("TEST", "OOD-REAL")[n % 4 // 2]},
        }
        rows.append({"id": person.id, "text": join_sections(own), "label": "human", "level": "human", **told})
        tests = ("TEST,TECG", "OOD-GPT3")[n % 4 // 2]
        made = {"training_sets": (TRAIN, "TRAIN+GPT3")[n % 4 // 2]} if n % 2 else {"test_sets": tests}
        rows.append(
            {"id": f"fake/{n}", "text": join_sections(fake), "label": "machine", "level": "task", **told, "meta": made}
        )
        if not n % 2:
            mixed = {**own, "conclusion": fake["conclusion"]}
            cc = {"meta": {"test_sets": "TEST-CC", "paraphrased_sections": ["conclusion"]}, "level": "rewrite-human"}
            rows.append({**rows[-2], "id": f"mixed/{n}", "text": join_sections(mixed), "label": "mixed", **cc})
    path = tmp_path_factory.mktemp("papers") / "papers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return f"jsonl(path={str(path)!r})"


def test_the_study_is_a_plan_of_some_twenty_lines():
    assert len([line for line in PLAN.read_text("utf-8").splitlines() if line[:1] not in ("#", "")]) <= 24
    plan = Plan.read(PLAN)
    assert set(detectors.group("idmgsp_bow")) <= set(plan.detectors)
    for spec in plan.detectors:
        assert detectors.canonical(spec)


def test_the_study_runs_in_small_to_the_report_with_eighteen_rows(papers, tmp_path):
    from evenhand import audits
    from evenhand.reports import report
    from evenhand.run import score

    study = Plan.read(PLAN)
    quick = tuple(spec for spec in study.detectors if "hub:" not in spec)
    small = replace(
        study, corpus=papers, detectors=quick, measures=(), audits=("accuracy_by_set(sets='test_sets')", "clean")
    )
    findings = audits.audit(score(small, tmp_path / "run"))
    cells = [f for result in findings.results for f in result.findings if f.table == "accuracy_by_set"]
    rows = {(f.where["detector"], f.where["training"]) for f in cells}
    assert len([row for row in rows if row[0].startswith("tfidf")]) == 18
    assert {f.where["set"] for f in cells} == {"TEST", "OOD-GPT3", "OOD-REAL", "TECG", "TEST-CC"}
    caught = [f.estimate.value for f in cells if f.where["set"] == "TECG" and f.metric == "recall of fake"]
    assert len(caught) == 21
    assert max(caught) == 1.0, "speeches and a grammar are far apart: this tries the machinery"
    report(findings).save(tmp_path / "report.html")
