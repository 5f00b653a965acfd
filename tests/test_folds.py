"""A study with an evaluation: each fold's detector scores what it has not seen, resumes, and audits read the right scores."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from evenhand import audit, detectors, evaluations
from evenhand.audits.learnt import told_by_evaluation
from evenhand.audits.rows import Settings, read_rows
from evenhand.documents import Document, Policy
from evenhand.errors import DataError, SpecError, StoreError
from evenhand.folds import LEARNT, check_apart, of_folds
from evenhand.plan import Plan
from evenhand.run import Options, score
from evenhand.training import fitted

DOMAINS = ("news", "reviews", "stories")
OWN = {
    "news": "minister budget vote council law",
    "stories": "castle dragon sword ghost moon",
    "reviews": "dish waiter menu",
}
COMMON = "the a of to and in that it was for on with as his they at be this from or had by but some what there".split()
MARKS = {"human": "honestly maybe weird stuff anyway", "machine": "furthermore overall crucial notably seamless"}


SERIAL = Options(engine="serial")


def text(draw: Random, domain: str, label: str) -> str:
    words = [draw.choice(COMMON) for _ in range(22)] + draw.choices(OWN[domain].split(), k=6)
    words += [word for word in MARKS[label].split() if draw.random() < 0.6] + [str(draw.randrange(10**9))]
    draw.shuffle(words)
    return " ".join(words)


def write(path: Path, n: int = 16) -> str:
    draw, rows = Random(5), []
    for domain in DOMAINS:
        for label in ("human", "machine"):
            rows += [
                {
                    "text": text(draw, domain, label),
                    "label": label,
                    "domain": domain,
                    "cluster": f"{domain}{i // 2}{label}",
                }
                for i in range(n)
            ]
    lines = [json.dumps({"id": str(i), **row}) for i, row in enumerate(rows)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return f"jsonl(path={str(path)!r})"


@pytest.fixture
def plan(tmp_path):
    return Plan(
        write(tmp_path / "texts.jsonl"),
        ("tfidf_lr",),
        ("upper_lower",),
        audits=("clean",),
        evaluation="leave_out(by='domain')",
    )


def documents(plan: Plan) -> list:
    return list(plan.documents())


def test_one_column_each_text_by_the_detector_that_has_not_seen_its_domain(plan, tmp_path):
    store = score(plan, tmp_path / "run")
    rows = read_rows(store)
    made = {d.id: d for d in documents(plan)}
    assert list(rows.scores) == ["tfidf_lr"]
    assert (rows.status["tfidf_lr"] == "ok").all()
    for domain in DOMAINS:
        train = [d for d in made.values() if d.attack == "none" and d.domain != domain]
        by_hand = detectors.get("tfidf_lr").fit([d.text for d in train], [int(d.label == "machine") for d in train])
        mine = rows["domain"] == domain
        texts = [made[name].text for name in rows["id"][mine]]
        assert np.array_equal(rows.scores["tfidf_lr"][mine], by_hand(texts)), "attacked texts as well"
        key = store.read_json("environment.json")["folds"]["tfidf_lr"][domain]
        assert key == by_hand.key
    told = store.read_json("environment.json")["about"]["tfidf_lr"]
    assert {fold: one["negative"] for fold, one in told["training"]["folds"].items()} == dict.fromkeys(DOMAINS, 32)
    assert (told["threshold"], told["weights"]) == (0.0, None), "no fold's weights stand for all"
    (settings,) = audit(store, ["run_settings"]).results
    shown = {f.where["training"] for f in settings.findings if "training" in f.where}
    assert shown == {f"leave_out(by='domain'); {'; '.join(f'fold {d}: 32 + 32 texts' for d in DOMAINS)}"}
    progress = store.progress()["detectors"][0]
    assert (progress["ok"], progress["left"]) == (192, 0)
    assert audit(store, ["clean"]).results
    assert by_corpus(store, "domain") == {d: f"all but {d}" for d in DOMAINS}
    assert by_corpus(store, "attack") == {"none": ""}, "several detectors stand in the cell"


def by_corpus(store, by: str) -> dict[str, str]:
    found = audit(store, [f"by_corpus(by={by!r}, replicates=50)"]).results[0].findings
    return {f.where[by]: f.where["trained on"] for f in found}


def test_a_column_a_fold_where_texts_are_tested_by_several(plan, tmp_path):
    store = score(replace(plan, evaluation="train_on(by='domain', held=0.25)"), tmp_path / "run")
    rows = read_rows(store)
    assert list(rows.scores) == [f"tfidf_lr(trained_on={domain!r})" for domain in DOMAINS]
    for domain, (spec, scores) in zip(DOMAINS, rows.scores.items(), strict=True):
        learnt = np.array([reason == LEARNT for reason in rows.reason[spec]])
        assert set(rows["domain"][learnt]) == {domain}
        assert learnt.sum() == 2 * 24, "three quarters of its texts, and what was made of them by the attack"
        assert np.isnan(scores).sum() == learnt.sum()
        assert store.progress()["detectors"][DOMAINS.index(domain)]["left"] == 0
    found = audit(store, ["by_corpus(by='domain')"]).results[0].findings
    own = [f for f in found if f.where["trained on"] == f.where["domain"] and f.metric == "AUROC"]
    assert [f.counts["positive"] for f in own] == [4, 4, 4]
    again = fitted(store, "tfidf_lr(trained_on='news')")
    news = rows["domain"] != "news"
    made = {d.id: d.text for d in documents(plan)}
    scores = again([made[name] for name in rows["id"][news]])
    assert np.array_equal(scores, rows.scores["tfidf_lr(trained_on='news')"][news])


def test_resumed_it_is_the_same_run(plan, tmp_path):
    whole = score(plan, tmp_path / "whole")
    half = score(replace(plan, detectors=()), tmp_path / "half")
    score(plan, tmp_path / "half", Options(batch=7))
    part = half.parts("scores")[0]
    part.unlink()
    score(plan, tmp_path / "half")
    for name in ("scores", "documents"):
        assert half.read(name).equals(whole.read(name))
    before = len(half.parts("scores"))
    score(plan, tmp_path / "half")
    assert len(half.parts("scores")) == before, "nothing is done twice"
    with pytest.raises(StoreError, match='evaluation: there "leave_out'):
        score(replace(plan, evaluation="cross_validation(n=3)"), tmp_path / "half")


def test_detectors_that_learn_nothing_score_every_text_once(plan, tmp_path, tiny_models, own_cache):
    both = replace(plan, detectors=("log_rank", "one_pass_lr"), attacks=(), model=tiny_models["first"])
    store = score(replace(both, evaluation="train_on(by='domain')"), tmp_path / "run", SERIAL)
    rows = read_rows(store)
    assert list(rows.scores) == ["log_rank", *(f"one_pass_lr(trained_on={domain!r})" for domain in DOMAINS)]
    assert not np.isnan(rows.scores["log_rank"]).any()
    assert all(0 < np.isnan(rows.scores[f"one_pass_lr(trained_on={domain!r})"]).sum() < 32 for domain in DOMAINS)


def test_the_plan_s_file_keeps_it(plan, tmp_path):
    (tmp_path / "plan.toml").write_text(plan.resolved().to_toml())
    assert Plan.read(tmp_path / "plan.toml").evaluation == "leave_out(by='domain')"
    with pytest.raises(SpecError, match="did you mean 'leave_out'"):
        replace(plan, evaluation="leave_outt")
    with pytest.raises(SpecError, match="has no parameter 'on'"):
        replace(plan, evaluation="leave_out(on='domain')")


def test_a_fold_that_cannot_be_learnt_is_named(plan, tmp_path):
    lines = (tmp_path / "texts.jsonl").read_text().splitlines()
    kept = [line for line in lines if '"news"' in line or '"human"' in line]
    (tmp_path / "texts.jsonl").write_text("\n".join(kept))
    with pytest.raises(DataError, match=r"leave_out\(by='domain'\), fold 'news': .* the classes \[False\]"):
        score(plan, tmp_path / "run")


def test_a_cluster_on_both_sides_is_refused_whatever_the_evaluation_says(plan):
    class Careless(evaluations.Evaluation):
        name = "careless"
        spec = "careless"

        def folds(self, documents):
            return ["all"]

        def trains(self, fold, document):
            return True

        def tests(self, fold, document):
            return True

    with pytest.raises(DataError, match="fold 'all' learns from 48 clusters and 96 texts that it is tested on"):
        of_folds("tfidf_lr", detectors.get("tfidf_lr"), documents(plan), Careless(), lambda detector, train: detector)
    check_apart("x", [], documents(plan))


@pytest.mark.parametrize("evaluation", ["cross_validation(n=2)", "leave_out(by='domain')", "train_on(by='domain')"])
def test_texts_without_a_word_stop_no_run(evaluation, tmp_path):
    """Blank ones on both sides are no leak, copies of signs hang together; all are rows of the ledger."""
    spec, path = write(tmp_path / "texts.jsonl"), tmp_path / "texts.jsonl"
    odd = [(text, domain, label) for text in ("", "...") for domain in DOMAINS for label in ("human", "machine")]
    rows = [{"id": f"odd{i}", "text": t, "domain": d, "label": y} for i, (t, d, y) in enumerate(odd)]
    path.write_text("\n".join([path.read_text(encoding="utf-8"), *map(json.dumps, rows)]), encoding="utf-8")
    store = score(Plan(spec, ("tfidf_lr",), audits=("clean",), evaluation=evaluation), tmp_path / "run", SERIAL)
    reasons = {
        row["reason"] for row in store.read("scores").to_pylist() if row["digest"] == Document("", "", "human").digest
    }
    assert reasons == {"fewer than 10 words"}


def brute(machine: np.ndarray, human: np.ndarray) -> float:
    return float(np.mean([(m > h) + 0.5 * (m == h) for m in machine for h in human]))


def cells(store) -> dict[tuple[str, str, str], dict]:
    found: dict = {}
    for f in audit(store, ["transfer(replicates=200)"]).results[0].findings:
        found.setdefault((f.where["detector"], f.where["trained on"], f.where["tested on"]), {})[f.metric] = f
    return found


def test_transfer_of_a_column_that_folds_share(plan, tmp_path, tiny_models, own_cache):
    store = score(
        replace(plan, detectors=("tfidf_lr", "log_rank"), model=tiny_models["first"]), tmp_path / "run", SERIAL
    )
    rows, found = read_rows(store), cells(store)
    assert set(found) == {("tfidf_lr", f"all but {d}", d) for d in DOMAINS} | {
        ("log_rank", "nothing", d) for d in DOMAINS
    }
    for (name, _, domain), by_metric in found.items():
        mine = rows.clean & (rows["domain"] == domain)
        scores = rows.scores[name]
        expected = brute(scores[mine & (rows["label"] == "machine")], scores[mine & (rows["label"] == "human")])
        one = by_metric["AUROC"]
        assert one.estimate.value == pytest.approx(expected)
        assert one.counts == {"positive": 16, "negative": 16, "clusters": 16}
        assert {"TPR", "FPR, verification half"} < set(by_metric)


def test_transfer_of_columns_that_are_one_fold_each(plan, tmp_path):
    store = score(replace(plan, evaluation="train_on(by='domain', held=0.25)"), tmp_path / "run")
    found = cells(store)
    assert set(found) == {("tfidf_lr", trained, tested) for trained in DOMAINS for tested in DOMAINS}
    assert found["tfidf_lr", "news", "news"]["AUROC"].counts == {
        "positive": 4, "negative": 4, "clusters": 4, "positive not scored": 12, "negative not scored": 12
    }  # fmt: skip
    assert found["tfidf_lr", "news", "stories"]["AUROC"].counts["positive"] == 16
    answer = audit(store, ["transfer(replicates=200)"]).results[0].answers[0].text
    assert answer.startswith("tfidf_lr: AUROC from 0.")


def test_texts_that_all_hang_together_leave_nothing_to_test(plan, tmp_path):
    lines = [json.loads(line) for line in (tmp_path / "texts.jsonl").read_text().splitlines()]
    (tmp_path / "texts.jsonl").write_text("\n".join(json.dumps({**row, "cluster": "one"}) for row in lines))
    with pytest.raises(DataError, match="no text is left that can be tested: all hang together"):
        documents(replace(plan, evaluation="train_on(by='domain')"))


def test_transfer_tells_what_gede_chose_to_learn_from(plan, tmp_path):
    lines = (tmp_path / "texts.jsonl").read_text()
    for domain, corpus in zip(DOMAINS, ("aae", "bawe", "persuade"), strict=True):
        lines = lines.replace(f'"domain": "{domain}"', f'"domain": "{corpus}"')
    (tmp_path / "texts.jsonl").write_text(lines)
    store = score(replace(plan, evaluation="gede_choice(by='domain')"), tmp_path / "run")
    assert {where[1:] for where in cells(store)} == {("persuade", "aae"), ("aae", "bawe"), ("aae", "persuade")}
    answer = audit(store, ["transfer(replicates=200)"]).results[0].answers[0].text
    assert "all but" not in answer
    assert by_corpus(store, "domain") == {"aae": "persuade", "bawe": "aae", "persuade": "aae"}


def test_transfer_when_generators_are_left_out_has_the_people_of_the_fold(plan, tmp_path):
    lines = [json.loads(line) for line in (tmp_path / "texts.jsonl").read_text().splitlines()]
    rows = [{**row, "generator": f"g{i % 3}"} if row["label"] == "machine" else row for i, row in enumerate(lines)]
    rows = [{**row, "cluster": row["id"]} for row in rows]
    (tmp_path / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    store = score(replace(plan, evaluation="leave_out(by='generator')", attacks=()), tmp_path / "run")
    found = cells(store)
    assert [found["tfidf_lr", f"all but {g}", g]["AUROC"].counts["positive"] for g in ("g0", "g1", "g2")] == [16] * 3
    assert [found["tfidf_lr", f"all but {g}", g]["AUROC"].counts["negative"] for g in ("g0", "g1", "g2")] == [16] * 3


def test_what_is_told_of_an_evaluation_that_is_not_installed_here():
    settings = Settings(
        Policy(),
        0,
        {},
        environment={"folds": {"d": {"x": "key"}}, "about": {"d": {"training": {"evaluation": "mine"}}}},
    )
    told = told_by_evaluation("d", settings)
    assert told
    assert told("x") == "other texts"
    assert told_by_evaluation("another", settings) is None


def test_without_an_evaluation_transfer_says_what_to_write(plan, tmp_path, tiny_models, own_cache):
    plain = replace(plan, evaluation=None, detectors=("log_rank",), attacks=(), model=tiny_models["first"])
    (result,) = audit(score(plain, tmp_path / "run", SERIAL), ["transfer"]).results
    assert "set evaluation = " in result.notes[0]
