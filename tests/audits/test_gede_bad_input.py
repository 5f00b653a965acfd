"""Every audit of levels and policies on rows that are wrong, missing or without spread: it says so, and raises nothing."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from evenhand import audits
from evenhand.documents import Level
from evenhand.errors import DataError

NAMES = (
    "boundary(replicates=60)", "levels(replicates=60)", "by_generator(replicates=60)", "by_corpus(replicates=60)",
    "by_discipline(replicates=60)", "by_length(replicates=60)", "ordinal(replicates=40)", "groups",
    "accusation", "accusation(threshold='accepted', policies=('human', 'task-summary'))",
    "decision(replicates=60)", "gede_counts", "run_settings", "corpus_statistics(replicates=60)",
    "revisions(replicates=60)", "beside_gede(replicates=60)", "gede_checks",
)  # fmt: skip


def level_absent(records):
    return [r for r in records if r["level"] != "task"]


def only_human(records):
    return [r for r in records if r["level"] == "human"]


def only_task(records):
    return [r for r in records if r["level"] == "task"]


def no_levels(records):
    return [{**r, "level": ""} for r in records]


def one_text(records):
    return [r for r in records if r["level"] == "human"][:1]


def one_essay(records):
    return [r for r in records if r["cluster"] == "essay0"]


def clusters_of_one(records):
    return [{**r, "cluster": ""} for r in records]


def one_cluster(records):
    return [{**r, "cluster": "all"} for r in records]


def nan_in_one_class(records):
    return [{**r, "scores": dict.fromkeys(r["scores"]) if r["level"] == "human" else r["scores"]} for r in records]


def nan_everywhere(records):
    return [{**r, "scores": {**r["scores"], "lrr": None}} for r in records]


def groups_of_one(records):
    return [{**r, "meta": {**r["meta"], "group": json.dumps(r["cluster"])}} for r in records]


def constant(records):
    return [{**r, "scores": dict.fromkeys(r["scores"], 0.5)} for r in records]


def infinite(records):
    return [{**r, "scores": {d: math.inf if s > 1 else s for d, s in r["scores"].items()}} for r in records]


def ties(records):
    return [{**r, "scores": {d: float(round(s)) for d, s in r["scores"].items()}} for r in records]


def no_generator(records):
    return [{**r, "generator": ""} for r in records]


def no_sources(records):
    return [{k: v for k, v in r.items() if k != "source_id"} for r in records]


def nothing_clean(records):
    return [r for r in records if r.get("attack")]


WRONG = (
    level_absent, only_human, only_task, no_levels, one_text, one_essay, clusters_of_one, one_cluster, nan_in_one_class,
    nan_everywhere, groups_of_one, constant, infinite, ties, no_generator, no_sources, nothing_clean,
)  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=lambda f: f.__name__)
def test_no_audit_breaks_and_every_missing_number_has_a_reason(wrong, essays_of, rows_of, settings):
    rows = rows_of(wrong(essays_of(essays=11, attacks=("polish", "truncate(words=50)"))))
    for name in NAMES:
        if wrong is only_task and name.startswith(("by_discipline", "groups")):
            with pytest.raises(DataError, match="by= is one of"):
                audits.get(name)(rows, settings)
            continue
        with np.errstate(all="raise"):
            result = audits.get(name)(rows, settings)
        for f in result.findings:
            e = f.estimate
            assert e.method or f.note, (name, f)
            if math.isnan(e.value):
                assert f.note, (name, f)
            if not math.isnan(e.low):
                assert e.low <= e.high, (name, f)
            if f.marks:
                assert not math.isnan(e.value)
        assert result.findings or result.notes or result.answers, name
        assert all(answer.text.endswith((".", ")")) for answer in result.answers)
        assert "nan" not in " ".join(a.text for a in result.answers), name


def test_every_level_is_in_the_made_up_study(essays_of):
    assert {r["level"] for r in essays_of(essays=2)} == {level.value for level in Level}


def test_an_unknown_key_lists_the_keys(essays_of, rows_of, settings):
    rows = rows_of(essays_of(essays=4))
    for name in ("groups(by='colour')", "by_discipline(by='colour')", "by_corpus(by='colour')"):
        with pytest.raises(ValueError, match=r"colour.*discipline.*group"):
            audits.get(name)(rows, settings)


@pytest.mark.parametrize(
    "spec",
    [
        "decision(essays=0)", "decision(class_size=True)", "decision(prevalences=(2,))", "decision(prevalences=())",
        "accusation(policies='human')", "accusation(policies=('humane',))", "accusation(threshold='best')",
        "by_length(strata=0)", "groups(confidence=1.0)", "corpus_statistics(level='human')", "beside_gede(models='all')",
    ],
)  # fmt: skip
def test_wrong_parameters_are_refused(spec):
    with pytest.raises(ValueError):
        audits.get(spec)
