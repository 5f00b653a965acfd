"""GEDE's tables 1 to 9 and figures from made-up rows, each number counted by hand or by scikit-learn."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, roc_curve

from evenhand import audits
from evenhand.audits.by_corpus import trained_on
from evenhand.audits.changed_words import word_changes
from evenhand.audits.keyed import spread, told
from evenhand.audits.linear import implied, pooled
from evenhand.audits.published import tables
from evenhand.documents import Level

LEVELS = [str(level) for level in Level]
AREA, STEP, JOINED = "AUROC", "TPR at 10% FPR, in sample", "TPR at 10% FPR, in sample, interpolated"
FEW = ("truncate(words=50)", "truncate(words=100)")


@pytest.fixture(scope="module")
def records(essays_of):
    return essays_of(essays=18, attacks=FEW)


@pytest.fixture(scope="module")
def rows(records, rows_of):
    return rows_of(records)


@pytest.fixture(scope="module")
def result_of(rows, settings):
    kept = {}

    def ask(spec):
        if spec not in kept:
            kept[spec] = audits.get(spec)(rows, settings)
        return kept[spec]

    return ask


def pick(result, metric, /, of=None, **where):
    found = [
        f for f in result.findings
        if f.metric == metric and of in (None, f.table)
        and all(f.where.get(k) == v for k, v in where.items())
    ]  # fmt: skip
    assert len(found) == 1, (metric, where, len(found))
    return found[0]


def scores(records, detector="lrr", levels=LEVELS, attack="none", **where):
    return np.array([
        r["scores"][detector] for r in records
        if r["level"] in levels and r.get("attack", "none") == attack and all(r[k] == v for k, v in where.items())
    ])  # fmt: skip


def brute(positive, negative):
    return roc_auc_score([1] * len(positive) + [0] * len(negative), [*positive, *negative])


def brute_step(positive, negative, fpr):
    """The largest TPR of any threshold whose FPR on these texts is within ``fpr``."""
    thresholds = [*negative, *positive]
    return max((positive > t).mean() for t in thresholds if (negative > t).mean() <= fpr + 1e-12)


def brute_joined(positive, negative, fpr):
    x, y, _ = roc_curve([1] * len(positive) + [0] * len(negative), [*positive, *negative])
    return np.interp(fpr, x, y)


def test_table_2_at_every_boundary(records, result_of, settings):
    result = result_of("boundary(replicates=100)")
    for i, boundary in enumerate(LEVELS[:5]):
        positive, negative = scores(records, levels=LEVELS[i + 1 :]), scores(records, levels=LEVELS[: i + 1])
        area = pick(result, AREA, boundary=boundary, detector="lrr")
        assert area.estimate.value == pytest.approx(brute(positive, negative))
        assert area.estimate.n == 18, "eight levels of one essay are one draw"
        assert (area.counts["positive"], area.counts["negative"]) == (len(positive), len(negative))
        step = pick(result, STEP, boundary=boundary, detector="lrr").estimate
        assert step.value == pytest.approx(brute_step(positive, negative, 0.1))
        assert step.low <= step.value <= step.high
        joined = pick(result, JOINED, boundary=boundary, detector="lrr").estimate
        assert (joined.value, joined.low, joined.high) == (step.value, step.low, step.high)
        assert "no positive ties" in joined.method
    assert {f.name for f in result.figures} == {"roc-boundary-log_rank", "roc-boundary-lrr"}
    assert [s.name for s in result.figures[0].series] == LEVELS[:5]


def test_interpolation_is_that_of_the_authors_where_scores_tie(records, rows_of, settings):
    tied = [{**r, "scores": {"lrr": float(round(r["scores"]["lrr"]))}} for r in records]
    result = audits.get("boundary(replicates=60)")(rows_of(tied), settings)
    positive, negative = scores(tied, levels=LEVELS[3:]), scores(tied, levels=LEVELS[:3])
    joined = pick(result, JOINED, boundary="rewrite-human", detector="lrr").estimate
    assert joined.value == pytest.approx(brute_joined(positive, negative, 0.1))
    step = pick(result, STEP, boundary="rewrite-human", detector="lrr").estimate
    assert step.value == pytest.approx(brute_step(positive, negative, 0.1))
    assert joined.low <= joined.value <= joined.high
    assert joined.value > step.value, "these scores were rounded so that the two rules differ"


def test_the_held_out_threshold_never_sees_the_texts_it_judges(records, rows, result_of, settings):
    half = dict(zip(rows["id"], rows.half(settings.seed), strict=True))
    accepted = [r for r in records if r["level"] in LEVELS[:2] and "attack" not in r]
    calibration = np.sort([r["scores"]["lrr"] for r in accepted if half[r["id"]] == "calibration"])
    tau = calibration[len(calibration) - int(0.1 * len(calibration)) - 1]
    judged = np.array([r["scores"]["lrr"] for r in accepted if half[r["id"]] == "verification"])
    result = result_of("boundary(replicates=100)")
    fpr = pick(result, "FPR, verification half", boundary="improve-human", detector="lrr")
    assert fpr.estimate.value == pytest.approx((judged > tau).mean())
    tpr = pick(result, "TPR", boundary="improve-human", detector="lrr")
    assert tpr.estimate.value == pytest.approx((scores(records, levels=LEVELS[2:]) > tau).mean())


def test_table_3_pairs_levels_as_the_paper(records, result_of):
    result = result_of("levels(replicates=100)")
    human, task = scores(records, levels=["human"]), scores(records, levels=["task"])
    for level in LEVELS:
        mine = scores(records, levels=[level])
        expected = brute(task, mine) if level in LEVELS[:3] else brute(mine, human)
        cell = pick(result, AREA, of="levels", level=level, detector="lrr")
        assert cell.estimate.value == pytest.approx(expected), level
        assert cell.where["against"] == ("task" if level in LEVELS[:3] else "human")
    ends = [pick(result, AREA, of="levels", level=level, detector="lrr") for level in ("human", "task")]
    assert ends[0].estimate == ends[1].estimate, "Human and Task are one comparison"


def test_the_self_checks_hold_and_can_fail(records, result_of, rows_of, settings):
    result = result_of("levels(replicates=100)")
    assert pick(result, "difference", detector="lrr").estimate.value == pytest.approx(0, abs=1e-12)
    left = pick(result, "implied AUROC of the revised levels", detector="lrr").estimate
    assert left.value == pytest.approx(brute(scores(records, levels=LEVELS[1:3]), scores(records, levels=["human"])))
    assert left.low < left.value < left.high
    assert not [a for a in result.answers if a.kind == "warning"]
    broken = [{**r, "level": ""} if r["level"] == "task" else r for r in records]
    warned = audits.get("levels(replicates=60)")(rows_of(broken), settings)
    assert sum("do not add up" in a.text for a in warned.answers if a.kind == "warning") == 2, "one a detector"


def test_table_4_counts_each_text_under_its_generator(records, result_of, rows_of, settings):
    result = result_of("by_generator(replicates=100)")
    human = scores(records, levels=["human"])
    for generator in ("alpha", "beta"):
        accepted = np.concatenate([human, scores(records, levels=LEVELS[1:3], generator=generator)])
        positive = scores(records, levels=LEVELS[3:], generator=generator)
        cell = pick(result, AREA, generator=generator, detector="lrr")
        assert cell.estimate.value == pytest.approx(brute(positive, accepted))
    for metric in (AREA, STEP):
        both = pick(result, metric, of="by_generator", generator="all", detector="lrr").estimate
        line = pick(result_of("boundary(replicates=100)"), metric, boundary="rewrite-human", detector="lrr").estimate
        assert (both.value, both.low, both.high) == (line.value, line.low, line.high), "T4 'both' is T2 Rewrite-Human"
        assert pick(result, metric, of="by_generator_check", detector="lrr").estimate.value == 0
    assert not result.answers
    unnamed = [{**r, "generator": ""} if r["id"].startswith("essay3/") else r for r in records]
    warned = audits.get("by_generator(replicates=60)")(rows_of(unnamed), settings)
    assert any(a.kind == "warning" and "no generator" in a.text for a in warned.answers)


def test_a_pool_in_meta_decides_the_generator(records, rows_of, settings):
    pooled = [
        {**r, "meta": {**r["meta"], "pool": json.dumps("alpha")}} if r["level"] == "humanize" else r for r in records
    ]
    result = audits.get("by_generator(replicates=60)")(rows_of(pooled), settings)
    assert pick(result, AREA, generator="alpha", detector="lrr").counts["positive"] == 18 * 4 + 36
    assert pick(result, AREA, generator="beta", detector="lrr").counts["positive"] == 18 * 4


def test_table_5_keeps_corpora_and_training_corpora_apart(records, rows_of, settings):
    trained = [{**r, "scores": {"encoder(train_corpus='aae')": r["scores"]["lrr"]}} for r in records]
    result = audits.get("by_corpus(replicates=60)")(rows_of(trained), settings)
    for corpus in ("aae", "bawe"):
        positive, negative = (scores(records, levels=some, corpus=corpus) for some in (LEVELS[3:], LEVELS[:3]))
        cell = pick(result, AREA, corpus=corpus)
        assert cell.estimate.value == pytest.approx(brute(positive, negative))
        assert cell.where["trained on"] == "aae"
        assert (cell.note == "the corpus it was trained on") == (corpus == "aae")
    assert trained_on("lrr") == trained_on("no spec at all") == ""


def test_table_6_finds_the_discipline_of_a_generated_text_by_its_cluster(records, rows, result_of):
    result = result_of("by_discipline(replicates=100)")
    of_essay = {r["cluster"]: json.loads(r["meta"]["discipline"]) for r in records if r["level"] == "human"}
    for discipline in ("law", "physics", "history"):
        mine = [r for r in records if of_essay[r["cluster"]] == discipline]
        areas = []
        for detector in ("log_rank", "lrr"):
            areas.append(brute(scores(mine, detector, LEVELS[3:]), scores(mine, detector, LEVELS[:3])))
            cell = pick(result, AREA, discipline=discipline, detector=detector)
            assert cell.estimate.value == pytest.approx(areas[-1])
        mean = pick(result, AREA, discipline=discipline, detector="mean over detectors")
        assert mean.estimate.value == pytest.approx(np.mean(areas))
        assert (mean.counts["human"], mean.counts["detectors"]) == (6, 2)
        spread_over = pick(result, AREA, discipline=discipline, detector="standard deviation over detectors")
        assert spread_over.estimate.value == pytest.approx(np.std(areas, ddof=1))


def test_a_cluster_whose_texts_disagree_lends_nothing(rows_of, essays_of):
    records = [{**r, "cluster": "all"} for r in essays_of(essays=4, attacks=())]
    rows = rows_of(records)
    words = spread(rows, told(rows, "discipline"))
    assert (words != "").sum() == 4, "only the human texts, which are told it themselves"


def test_figure_3_has_both_readings(records, result_of):
    result = result_of("by_length(replicates=100)")
    for words, attack in (("50", FEW[0]), ("100", FEW[1]), ("full", "none")):
        levels = scores(records, levels=LEVELS[3:], attack=attack), scores(records, levels=LEVELS[:3], attack=attack)
        two = scores(records, levels=["task"], attack=attack), scores(records, levels=["human"], attack=attack)
        for reading, sides in (("all levels", levels), ("Task against Human", two)):
            cell = pick(result, AREA, of="by_length", reading=reading, words=words, detector="lrr")
            assert cell.estimate.value == pytest.approx(brute(*sides))
            step = pick(result, STEP, of="by_length", reading=reading, words=words, detector="lrr")
            assert step.estimate.value == pytest.approx(brute_step(*sides, 0.1))
    lines = [f for f in result.figures if f.name.startswith("length-")]
    assert len(lines) == 4
    assert all(f.ticks == ("50", "100", "full") for f in lines)


def test_figure_3_takes_texts_cut_at_sentence_ends_and_tells_what_was_dropped(essays_of, rows_of, settings):
    gede = "truncate(profile='gede', words=50)"
    records = essays_of(essays=6, attacks=("truncate(words=50)", gede))
    note = {"edit.note": json.dumps("dropped: the first sentence has 50 words or more")}
    lost = [r for r in records if r.get("attack") == gede and r["level"] in ("human", "task")][:3]
    for r in lost:
        r["meta"], r["scores"] = {**r["meta"], **note}, {"log_rank": np.nan, "lrr": np.nan}
    result = audits.get("by_length(replicates=60)")(rows_of(records), settings)
    human, other = (sum((r["level"] == "human") == is_human for r in lost) for is_human in (True, False))
    assert f"At 50 words {human} of 6 human and {other} of 84 other texts are dropped: their first" in result.notes[-1]
    cell = pick(result, AREA, of="by_length", reading="Task against Human", words="50", detector="lrr")
    kept = [
        [r["scores"]["lrr"] for r in records if r.get("attack") == gede and r["level"] == level and r not in lost]
        for level in ("task", "human")
    ]
    assert cell.estimate.value == pytest.approx(brute(*kept))


def test_like_lengths_compare_within_strata_only(records, rows_of, settings):
    longer = [
        {**r, "measures": {"words()": 100.0 + 100 * (r["level"] in LEVELS[3:])}, "scores": {"lrr": r["scores"]["lrr"]}}
        for r in records
    ]
    result = audits.get("by_length(replicates=60, strata=5)")(rows_of(longer), settings)
    assert pick(result, "AUROC of length alone").estimate.value == 1.0
    assert "no stratum holds both" in pick(result, "AUROC at like length").note
    result = audits.get("by_length(replicates=60, strata=1)")(rows_of(longer), settings)
    same = pick(result, "AUROC at like length").estimate
    assert same.value == pytest.approx(pick(result, AREA, of="by_length_matched").estimate.value)
    assert same.low < same.value < same.high


def test_table_1_beside_the_published_counts(records, rows_of, settings):
    result = audits.get("gede_counts")(rows_of(records), settings)
    assert pick(result, "texts", corpus="aae", level="human").estimate.value == 9
    assert pick(result, "texts", corpus="bawe", level="task").estimate.value == 18
    assert pick(result, "published", corpus="aae", level="task-summary").estimate.value == 758
    assert result.answers[0].kind == "warning"
    counts = tables()["gede.T1"]["values"]
    assert sum(n for row in counts.values() for level, n in row.items() if level != "Human") == 12_663


def test_tables_7_to_9_come_from_the_run(records, rows_of, settings):
    result = audits.get("run_settings")(rows_of(records), settings)
    made = pick(result, "texts", of="run_texts", level="task", generator="alpha")
    assert made.estimate.value == 18
    prompt = pick(result, "texts", level="task", system="-", prompt="Write of {task}.")
    assert (prompt.table, prompt.estimate.value) == ("run_prompts", 36)
    model = pick(result, "texts", generator="alpha", provider="local", quantization="4bit")
    assert (model.table, model.estimate.value) == ("run_models", 7 * 18)
    assert not any(f.table == "run_training" for f in result.findings), "no detector of this run was fine-tuned"
    cut = pick(result, "cut", level="task", generator="alpha").estimate
    assert cut.value == pytest.approx(3 / 18)
    assert cut.low < cut.value < cut.high
    assert any("3 of 18 answers were cut" in a.text for a in result.answers)
    assert pick(result, "mark: loop", level="task", generator="alpha").estimate.value == 1
    assert pick(result, "ok", detector="lrr").estimate.value == len(records)
    assert pick(result, "texts", of="run_prompts", level="human").where["prompt"] == "-"


def test_table_9_tells_the_epoch_that_was_kept(records, rows_of, settings):
    told = {"batch": 32, "validation_share": 0.2, "epochs": 5, "kept_epoch": 2, "negative": 10, "positive": 20}
    environment = {"about": {"lrr": {"training": {**told, "corpora": {"aae": 30}}}}}
    result = audits.get("run_settings")(rows_of(records), replace(settings, environment=environment))
    found = {f.metric: f.estimate.value for f in result.findings if f.table == "run_training"}
    assert (found["batch size"], found["test size"], found["epochs"], found["best epoch"]) == (32, 0.2, 5, 2)
    assert math.isnan(found["lr"])
    assert pick(result, "best epoch", detector="lrr").where["trained on"] == "aae"
    assert pick(result, "best epoch").counts == {"texts": 30}


def test_corpus_statistics_are_means_and_their_differences(records, result_of):
    result = result_of("corpus_statistics(replicates=100)")
    clean = [r for r in records if "attack" not in r and r["corpus"] == "aae"]
    human = [r["measures"]["words()"] for r in clean if r["level"] == "human"]
    task = [r["measures"]["words()"] for r in clean if r["level"] == "task" and r["generator"] == "alpha"]
    where = {"corpus": "aae", "generator": "alpha", "measure": "words()"}
    assert pick(result, "mean", texts="human", **where).estimate.value == pytest.approx(np.mean(human))
    assert pick(result, "mean", texts="task", **where).estimate.value == pytest.approx(np.mean(task))
    difference = pick(result, "mean", texts="difference", **where)
    assert difference.estimate.value == pytest.approx(5.0), "the words were made to grow by the level's place"
    assert difference.estimate.n < 10 or "up" in difference.marks
    assert {f.name for f in result.figures} == {"statistics-words()", "statistics-gunning_fog()"}


def test_revisions_are_measured_against_their_sources(records, result_of):
    result = result_of("revisions(replicates=100)")
    for level in ("improve-human", "rewrite-human"):
        share = pick(result, "mean", level=level, generator="alpha")
        assert share.estimate.value == pytest.approx(1 / 3, abs=0.01), "every third word was made another one"
        assert share.counts == {"texts": 18}
    assert "No similarity of meaning" in result.notes[0]


def test_figure_7_shows_an_improved_text_word_by_word(records, rows_of, settings, result_of):
    assert word_changes("a b c d e f", "a x c d g h f i") == [("b", "x"), ("e", "g h"), ("", "i")]
    assert word_changes("a b", "a b") == []
    result = audits.get("revisions(examples=1, replicates=60)")(rows_of(records), settings)
    shown = [f for f in result.findings if f.table == "revisions_words"]
    assert {f.where["generator"] for f in shown} == {"alpha", "beta"}
    assert len({f.where["text"] for f in shown}) == 2
    assert shown[0].where["change"] == "1. w0 \u2192 v0"
    assert not [f for f in result_of("revisions(replicates=100)").findings if f.table == "revisions_words"]
    dark = replace(rows_of(records), texts=(None,) * len(records))
    assert not [f for f in audits.get("revisions(examples=1)")(dark, settings).findings if f.table == "revisions_words"]


def test_the_published_numbers_keep_the_same_laws():
    """T4 'Both' is T2 Rewrite-Human to the digit; what T2 and T3 leave for the two revised levels lies in [0, 1]."""
    t2, t3, t4 = (tables()[f"gede.T{i}"]["values"] for i in (2, 3, 4))
    counts = tables()["gede.T1"]["values"]
    n = {level: sum(row[level] for row in counts.values()) for level in counts["AAE"]}
    generated = [level for level in n if level not in ("Human", "Improve-Human", "Rewrite-Human")]
    left = {}
    for detector, row in t3.items():
        assert t4[detector]["Both"] == t2["Rewrite-Human"][detector]
        whole = (t2["Human"][detector]["AUC"], sum(n.values()) - n["Human"])
        value, texts = implied(whole, [(row[level]["AUC"], n[level]) for level in generated])
        assert 0 <= value <= 1
        assert texts == n["Improve-Human"] + n["Rewrite-Human"]
        left[detector] = round(value, 3)
    assert left == {"DetectGPT": 0.862, "Fast-DetectGPT": 0.808, "Ghostbuster": 0.726, "RoBERTa": 0.934}


def test_pooling_and_what_is_left_are_inverse():
    parts = [(0.9, 10), (0.5, 30), (0.2, 5)]
    assert implied(pooled(parts), parts[:2]) == (pytest.approx(0.2), 5)
    assert pooled([(0.7, 4), (0.1, 0)]) == (0.7, 4)


@pytest.fixture(scope="module")
def gede(records, rows_of):
    spec = "fast_detect_gpt(model='hub:EleutherAI/gpt-neo-2.7B')"
    names = {"alpha": "gpt-4o-mini-2024-07-18", "beta": "meta-llama/Llama-3.3-70B-Instruct", "": ""}
    return rows_of([
        {**r, "corpus": "gede", "domain": r["corpus"], "generator": names[r["generator"]], "scores": {spec: r["scores"]["lrr"]}}
        for r in records
    ])  # fmt: skip


def test_published_cells_stand_beside_ours(gede, records, settings):
    result = audits.get("beside_gede(replicates=60)")(gede, settings)
    told_cells = {(f.where["table"], f.where["cell"]) for f in result.findings}
    assert told_cells == (
        {("GEDE T2", level) for level in LEVELS[:5]} | {("GEDE T3", level) for level in LEVELS}
        | {("GEDE T4", name) for name in ("gpt-4o-mini", "llama-3.3", "all")} | {("GEDE T5", c) for c in ("aae", "bawe")}
    )  # fmt: skip
    where = {"table": "GEDE T5", "cell": "bawe", "quantity": "AUC"}
    assert pick(result, "published", **where).estimate.value == 0.928
    ours = pick(result, "ours", **where).estimate.value
    assert ours == pytest.approx(brute(*(scores(records, levels=s, corpus="bawe") for s in (LEVELS[3:], LEVELS[:3]))))
    assert pick(result, "difference", **where).estimate.value == pytest.approx(ours - 0.928)
    tpr = pick(result, "ours", **{**where, "quantity": "TPR@5%FPR"})
    sides = [scores(records, levels=s, corpus="bawe") for s in (LEVELS[3:], LEVELS[:3])]
    assert tpr.estimate.value == pytest.approx(brute_joined(*sides, 0.05))
    assert "published numbers lie within" in result.answers[0].text


def test_other_texts_and_other_models_are_not_compared(gede, rows, settings):
    assert "not GEDE's" in audits.get("beside_gede")(rows, settings).answers[0].text
    other = type(gede)(**{**vars_of(gede), "scores": {"fast_detect_gpt": next(iter(gede.scores.values()))}})
    assert not audits.get("beside_gede(replicates=60)")(other, settings).findings
    assert audits.get("beside_gede(replicates=60, models='any')")(other, settings).findings


def vars_of(rows):
    names = ("columns", "scores", "status", "reason", "truncated", "meta", "texts", "measures")
    return {name: getattr(rows, name) for name in names}


def test_the_laws_hold_for_published_and_own_numbers(records, result_of):
    result = result_of("gede_checks")
    assert [a.text.partition(":")[0] for a in result.answers] == ["published", "this run"]
    assert {a.kind for a in result.answers} == {"shown"}
    left = "implied AUROC of the revised levels"
    implied_by = {f.where["detector"]: f.estimate for f in result.findings if f.metric == left}
    assert round(implied_by["RoBERTa"].value, 3) == 0.934
    assert implied_by["RoBERTa"].low < 0.934 < implied_by["RoBERTa"].high < 0.94
    direct = brute(scores(records, levels=LEVELS[1:3]), scores(records, levels=["human"]))
    assert implied_by["lrr"].value == pytest.approx(direct)


def test_a_broken_law_is_named(records, rows_of, settings):
    """A text above human without a level, and one without a generator."""
    wrong = [{**r, "level": "", "generator": ""} if r["id"] == "essay1/task@alpha" else r for r in records]
    told = [a.text for a in audits.get("gede_checks")(rows_of(wrong), settings).answers if a.kind == "warning"]
    assert any("lrr: all generators less the policy's row is" in text for text in told)
    assert any("lrr: all positives less the mean of their levels is" in text for text in told)
