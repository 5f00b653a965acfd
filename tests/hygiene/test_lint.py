"""Shortcuts and damage: planted in our own texts, and those known of published ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from math import isnan
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score

from evenhand import corpora, hygiene
from evenhand.documents import Document
from evenhand.errors import SpecError
from evenhand.hygiene.features import BY_NAME, FEATURES
from evenhand.hygiene.glued import count_words, glued_words
from evenhand.hygiene.shortcuts import separation

Both = Callable[..., list[Document]]


def kinds(documents: list[Document], role: str | None = None, **options: object) -> dict[str, hygiene.Issue]:
    found = hygiene.lint(documents, **options)  # type: ignore[arg-type]
    return {issue.kind: issue for issue in found if role in (None, issue.role) and not issue.where}


def test_texts_of_one_making_have_no_issue(both: Both) -> None:
    assert hygiene.lint(both()) == []
    assert hygiene.lint([]) == []


@pytest.mark.parametrize(
    ("kind", "plant"),
    [
        ("newlines", lambda t: t.replace(". ", ".\n")),
        ("blank_line", lambda t: t.replace(". ", ".\n\n", 1)),
        ("bom", lambda t: "\ufeff" + t),
        ("lead_in", lambda t: "Here is the essay: " + t),
        ("no_final_punctuation", lambda t: t[:-1]),
        ("curly_quotes", lambda t: t.replace("boat", "“boat”")),
        ("double_space", lambda t: t.replace(". ", ".  ")),
        ("capitals", str.lower),
        ("words", lambda t: t[: len(t) // 3] + "."),
        ("digits", lambda t: t.translate({ord(d): None for d in "0123456789"})),
        ("missing_space", lambda t: t.replace(". ", ".")),
        ("carriage_return", lambda t: t.replace(". ", ".\r\n")),
        ("zero_width", lambda t: t.replace("a", "a\u200b")),
        ("control_characters", lambda t: t.replace("The", "\x92The")),
        ("refusal", lambda t: "I am sorry, but I am unable to write that. " + t),
        ("lost_escapes", lambda t: t.replace(". ", ".nn", 2)),
        ("anonymised", lambda t: t.replace("boat", "@CAPS1")),
        ("treebank_spacing", lambda t: t.replace(" times", " , times")),
        ("markup", lambda t: f"<b>{t}</b>"),
    ],
)
def test_a_planted_feature_of_one_class_is_a_shortcut(both: Both, kind: str, plant: Callable[[str], str]) -> None:
    for planted in ("human", "machine"):
        corpus = [replace(d, text=plant(d.text)) if d.label == planted else d for d in both()]
        issue = kinds(corpus, "shortcut")[kind]
        values = hygiene.feature_values(corpus)[kind]
        truth = [d.label == "machine" for d in corpus]
        assert issue.auc == pytest.approx(roc_auc_score(truth, values))
        assert abs(issue.auc - 0.5) > 0.25
        assert issue.of == {"human": 40, "machine": 40}
        assert set(issue.ids) == {d.id for d, value in zip(corpus, values, strict=True) if value > 0}
        assert "Cure:" in issue.sentence


def test_damage_in_both_classes_is_no_shortcut_but_is_told(both: Both) -> None:
    corpus = [replace(d, text="\ufeff" + d.text) for d in both()]
    issue = kinds(corpus)["bom"]
    assert issue.role == "damage"
    assert issue.counts == {"human": 40, "machine": 40}
    assert "AUROC" not in issue.sentence


def test_few_texts_are_not_enough_for_a_shortcut(both: Both) -> None:
    corpus = [replace(d, text=d.text[:-1]) if d.id == "h0" else d for d in both(3)]
    assert kinds(corpus, "shortcut") == {}


def test_a_stratum_shows_what_the_whole_hides(both: Both) -> None:
    corpus = [replace(d, domain="ab"[i // 40]) for i, d in enumerate(both())]
    planted = {"a": "human", "b": "machine"}  # both ways, so that together they cancel
    corpus = [replace(d, text=d.text.lower()) if planted[str(d.domain)] == d.label else d for d in corpus]
    found = {issue.where: issue.auc for issue in hygiene.lint(corpus) if issue.kind == "capitals"}
    assert found == {"domain a": 1.0, "domain b": 0.0}
    assert [i for i in hygiene.lint(corpus, by=None) if i.kind == "capitals"] == []


def test_copies_labels_and_edits_of_nothing(both: Both) -> None:
    corpus = both(5)
    corpus += [
        replace(corpus[0], id="again", text=corpus[0].text.upper() + " "),
        replace(corpus[1], id="other", label="human"),
        replace(corpus[0], id="edit", attack="homoglyph", source_id="h0"),
        replace(corpus[0], id="real", text="Another.", attack="homoglyph", source_id="h0"),
    ]
    found = kinds(corpus, "copy")
    assert found["copies"].ids == ("again", "other")
    assert set(found["both_labels"].ids) == {"m0", "other"}
    assert found["no_edit"].ids == ("edit",)
    assert found["no_edit"].of == {"human": 2}


def test_edited_texts_and_mixed_labels_are_left_out(both: Both) -> None:
    corpus = [replace(d, attack="whitespace", text="\ufeff" + d.text) for d in both()]
    mixed = [replace(d, label="mixed", text="\ufeff" + d.text) for d in both()]
    assert hygiene.lint(corpus) == hygiene.lint(mixed) == []


def test_separation_is_that_of_libraries() -> None:
    draw = np.random.default_rng(3)
    for _ in range(20):
        human = draw.integers(0, 5, draw.integers(5, 60)).astype(float)
        machine = draw.integers(1, 6, draw.integers(5, 60)).astype(float)
        auc, errors = separation(human, machine)
        truth = [0] * len(human) + [1] * len(machine)
        assert auc == pytest.approx(roc_auc_score(truth, np.concatenate([human, machine])))
        exact = mannwhitneyu(machine, human, use_continuity=False, method="asymptotic")
        from scipy.stats import norm

        assert 2 * norm.sf(errors) == pytest.approx(exact.pvalue)
    assert separation(np.ones(4), np.ones(5)) == (0.5, 0.0)
    assert isnan(separation(np.ones(0), np.ones(5))[0])


def test_chance_alone_raises_few_shortcuts(text: Callable[..., str]) -> None:
    """Labels drawn by lot: 100 corpora of 60 texts from one source, 36 features each."""
    draw = np.random.default_rng(5)
    pool = [text(i).replace("boat", "“boat”").replace(". ", ".\n", i % 3) for i in range(60)]
    values = np.array([[feature.value(t) for t in pool] for feature in FEATURES])
    false = 0
    for _ in range(100):
        machine = draw.permutation(60) < 30
        false += any(separation(row[~machine], row[machine])[1] >= 4 for row in values)
    assert false <= 3


def test_bad_options() -> None:
    with pytest.raises(SpecError, match="tell lies"):
        hygiene.lint([], tell=0.7)
    with pytest.raises(SpecError, match="by is domain"):
        hygiene.lint([], by="colour")


def test_features_have_names_of_their_own_and_take_any_text() -> None:
    assert len(BY_NAME) == len(FEATURES)
    for odd in ("", " ", "\n", "\ud800", "\x00", "日本語", "a" * 10_000):
        for feature in FEATURES:
            assert np.isfinite(feature.value(odd))


def test_glued_words_are_found_by_the_words_of_the_corpus() -> None:
    plain = [f"the engine of the boat was seen near the valley and the river in winter {i}" for i in range(5)]
    glued = "theengine ofthe boat wasseen nearthe valley andthe river"
    words = count_words([*plain, glued])
    cut = [glued[start:place] + "|" + glued[place:].split(maxsplit=1)[0] for start, place in glued_words(glued, words)]
    assert cut == ["the|engine", "of|the", "was|seen", "near|the", "and|the"]
    assert glued_words("theengine was here, ofthe boat", words) == []  # two are no proof
    assert all(glued_words(text, words) == [] for text in plain)


FLAGS = {
    "under_50_words": "short", "curly_quotes": "curly_quotes", "non_ascii": "non_ascii", "title_prefix": "title_prefix",
    "no_final_punct": "no_final_punctuation", "glued_words_(a.B)": "missing_space", "very_long_token": "long_token",
    "line_hyphen_(x- y)": "line_hyphen", "all_lower": "all_lower", "double_space": "double_space",
    "lead_space": "leading_blank", "trail_space": "trailing_blank", "has_blank_line": "blank_line",
    "control_chars": "control_characters", "anonymised_@CAPS": "anonymised", "zero_width": "zero_width",
    "replacement_u+fffd": "replacement", "nbsp": "no_break_space", "has_cr": "carriage_return", "bom_u+feff": "bom",
    "ideographic_space_u+3000": "ideographic_space",
}  # fmt: skip
SETS = (
    "detectrl_clean",
    "detectrl_two_sided",
    "student_essays",
    "mixset",
    "lastde",
    "fastdetect_published",
    "scientific",
)


@pytest.fixture(scope="module")
def published(shared: Path) -> dict[str, list[Document]]:
    return {s: list(corpora.get(f"jsonl(path={str(shared / f'data/dev/{s}.jsonl.gz')!r})")) for s in SETS}


@pytest.mark.parametrize("flag", FLAGS)
def test_flags_of_published_texts_equal_the_known_counts(
    published: dict[str, list[Document]], shared: Path, flag: str
) -> None:
    cases = json.loads((shared / "data/dev/lint_cases.json").read_text())[flag]
    for name, documents in published.items():
        ids = [d.id for d in documents if BY_NAME[FLAGS[flag]].value(d.text)]
        human = sum(d.label == "human" for d in documents if BY_NAME[FLAGS[flag]].value(d.text))
        known = cases.get(name, {"count": 0, "human": 0, "first": []})
        assert (len(ids), human) == (known["count"], known["human"]), name
        assert set(known["first"]) <= set(ids)


KNOWN = [  # corpus, feature, stratum, AUROC of that feature alone over both halves, as counted by someone else
    ("lastde", "newlines", "", 0.95),
    ("fastdetect_published", "newlines", "", 0.88),
    ("fastdetect_published", "newlines", "domain xsum", 0.98),
    ("mixset", "capitals", "", 0.86),
    ("detectrl_clean", "words", "domain xsum", 0.19),
    ("detectrl_clean", "capitals", "", 0.28),
    ("detectrl_clean", "digits", "", 0.33),
    ("student_essays", "words", "domain essay_college", 0.003),
    ("student_essays", "words", "domain essay_us8", 0.013),
    ("student_essays", "newlines", "domain essay_college", 0.98),
]


@pytest.fixture(scope="module")
def issues(published: dict[str, list[Document]]) -> dict[str, list[hygiene.Issue]]:
    return {name: hygiene.lint(published[name]) for name in SETS if name != "detectrl_two_sided"}


@pytest.mark.parametrize(("corpus", "feature", "where", "auc"), KNOWN)
def test_known_shortcuts_of_published_texts_are_found(
    issues: dict[str, list[hygiene.Issue]], corpus: str, feature: str, where: str, auc: float
) -> None:
    (issue,) = [i for i in issues[corpus] if (i.kind, i.where) == (feature, where)]
    assert issue.role == "shortcut"
    assert issue.auc == pytest.approx(auc, abs=0.035)  # one half of the documents here


def test_known_damage_of_published_texts_is_found(issues: dict[str, list[hygiene.Issue]]) -> None:
    def counts(corpus: str, kind: str, where: str = "") -> tuple[int, int]:
        (issue,) = [i for i in issues[corpus] if (i.kind, i.where) == (kind, where)]
        return issue.counts.get("human", 0), issue.counts.get("machine", 0)

    human, machine = counts("detectrl_clean", "glued_words", "domain arxiv")
    assert human >= 75  # of 100 abstracts whose line breaks were deleted
    assert machine == 0
    assert counts("detectrl_clean", "lost_escapes") == (83, 0)
    assert counts("scientific", "control_characters") == (0, 45)
    assert counts("scientific", "bom", "domain scientific_paper") == (48, 0)
    assert counts("student_essays", "title_prefix") == (72, 0)
    assert counts("detectrl_clean", "copies") == (0, 7)
