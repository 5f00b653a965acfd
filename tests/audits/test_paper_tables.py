"""The audits behind tables 2, 4-6, 11, 15-17 and figures 5 and 7, each against numbers counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand import audits
from evenhand.audits.backbones import split
from evenhand.audits.families import family_of
from evenhand.audits.restoration import kept, turned_back
from evenhand.errors import SpecError

NEO, XL = (
    "fast_detect_gpt(model='hub:EleutherAI/gpt-neo-2.7B')",
    "fast_detect_gpt(model='hub:openai-community/gpt2-xl')",
)


def pick(result, table, metric, **where):
    found = [
        f for f in result.findings
        if f.table == table and f.metric == metric and all(f.where.get(k) == v for k, v in where.items())
    ]  # fmt: skip
    assert len(found) == 1, (table, metric, where, len(found))
    return found[0]


def column(records, detector, **where):
    return np.array([
        r["scores"][detector] for r in records
        if all(r.get(k, "none" if k in ("attack", "sanitizer") else "") == v for k, v in where.items())
    ])  # fmt: skip


def threshold(records, rows, settings, detector):
    half = dict(zip(rows["id"], rows.half(settings.seed), strict=True))
    clean = [r for r in records if r["label"] == "human" and not r.get("attack") and not r.get("sanitizer")]
    scores = np.sort([r["scores"][detector] for r in clean if half[r["id"]] == "calibration"])
    return scores[len(scores) - int(np.floor(settings.policy.fpr * len(scores) + 1e-9)) - 1]


def test_table_4_shifts_are_paired_and_in_units_of_the_clean_separation(study_of, rows_of, settings):
    records = study_of()
    result = audits.get("score_shift")(rows_of(records), settings)
    for detector in ("log_rank", "lrr"):
        clean = {label: column(records, detector, label=label, attack="none") for label in ("human", "machine")}
        unit = clean["machine"].mean() - clean["human"].mean()
        for label in ("human", "machine"):
            moved = column(records, detector, label=label, attack="polish") - clean[label]
            shift = pick(result, "score_shift", f"shift, {label}", detector=detector, attack="polish")
            assert shift.estimate.value == pytest.approx(moved.mean() / unit)
            assert shift.estimate.low < shift.estimate.value < shift.estimate.high
            assert shift.marks == ("up",), "polish was made to move every score by 0.8"
        assert shift.where["family"] == "legacy statistical"


def test_a_detector_that_runs_backwards_has_no_unit_to_shift_in(study_of, rows_of, settings):
    records = [{**r, "scores": {"lrr": -r["scores"]["lrr"]}} for r in study_of()]
    shift = pick(audits.get("score_shift")(rows_of(records), settings), "score_shift", "shift, human", attack="polish")
    assert "no higher than human" in shift.note


def test_families_are_those_of_the_paper():
    assert family_of(NEO) == "modern zero-shot"
    assert family_of("log_likelihood") == "legacy statistical"
    assert family_of("radar(model='x')") == "trained or other"


def test_table_2_holds_detectors_that_differ_in_their_model_only(study_of, rows_of, settings):
    records = study_of(detectors=(NEO, XL, "lrr", "fast_detect_gpt(analytic=False)"))
    rows = rows_of(records)
    result = audits.get("backbones(replicates=200)")(rows, settings)
    assert {f.where["formula"] for f in result.findings} == {"fast_detect_gpt"}
    assert {f.where["backbone"] for f in result.findings} == {
        "hub:EleutherAI/gpt-neo-2.7B",
        "hub:openai-community/gpt2-xl",
    }
    two_sided = audits.get("two_sided(replicates=200)")(rows, settings)
    for metric, protocol in (
        ("AUROC clean", "clean"),
        ("AUROC one-sided", "one-sided"),
        ("AUROC two-sided", "two-sided"),
    ):
        ours = pick(result, "backbones", metric, backbone="hub:openai-community/gpt2-xl", attack="polish")
        assert (
            ours.estimate
            == pick(two_sided, "two_sided_auroc", "AUROC", detector=XL, attack="polish", protocol=protocol).estimate
        )


def test_a_spec_without_a_model_has_the_plans():
    assert split("lastde(s=3)", "hub:x/y") == ("lastde(s=3)", "hub:x/y")
    assert split("binoculars(observer='a', model='b')", None) == ("binoculars", "a, b")
    assert split("no spec at all", None) == ("no spec at all", "one model")


def test_table_11_sets_the_generator_gap_beside_the_worst_attack(study_of, rows_of, settings):
    records = study_of(human=60, machine=90, attacks=("mild", "harsh"))
    for r in records:
        if r["label"] == "machine":
            push = {"a": 1.0, "b": 0.0, "c": -1.0}[r["generator"]] - 0.5 * (r.get("attack") == "harsh")
            r["scores"] = {d: s + push for d, s in r["scores"].items()}
    result = audits.get("generators(replicates=300)")(rows_of(records), settings)
    human = column(records, "lrr", label="human", attack="none")
    areas = {}
    for generator in "abc":
        for decoding in ("greedy", "sampling"):
            mine = column(records, "lrr", generator=generator, decoding=decoding, attack="none")
            areas[f"{generator}, {decoding}"] = np.mean([(m > human).mean() for m in mine])
    gap = pick(result, "generators_gap", "gap", detector="lrr")
    assert gap.estimate.value == pytest.approx(max(areas.values()) - min(areas.values()))
    assert pick(result, "generators_gap", "best generator", detector="lrr").note == max(areas, key=areas.get)
    loss = pick(result, "generators_gap", "loss, one-sided", detector="lrr")
    clean, edited = (
        np.mean([(m > human).mean() for m in column(records, "lrr", label="machine", attack=a)])
        for a in ("none", loss.note)
    )
    assert loss.estimate.value == pytest.approx(clean - edited)
    assert loss.estimate.low <= loss.estimate.value <= loss.estimate.high


def with_cleaned(records, shift, sanitizer="uts39"):
    """Every text, edited or not, cleaned: the scores move by ``shift``."""
    return records + [
        {
            **r,
            "id": f"{r['id']}|{sanitizer}",
            "source_id": r["id"],
            "sanitizer": sanitizer,
            "scores": {d: s + shift for d, s in r["scores"].items()},
        }
        for r in records
    ]


def test_tables_6_and_17_detection_given_back_and_its_cost(study_of, rows_of, settings):
    records = with_cleaned(study_of(human=150, machine=80, attacks=("polish",)), 0.6)
    rows = rows_of(records)
    result = audits.get("sanitized(replicates=400)")(rows, settings)
    for detector in ("log_rank", "lrr"):
        tau = threshold(records, rows, settings, detector)
        clean = (column(records, detector, label="machine", attack="none", sanitizer="none") > tau).mean()
        cleaned = (column(records, detector, label="machine", attack="polish", sanitizer="uts39") > tau).mean()
        share = pick(result, "sanitized_share", "TPR / clean TPR", detector=detector)
        assert share.estimate.value == pytest.approx(cleaned / clean)
        before, after = (
            column(records, detector, label="human", attack="none", sanitizer=s) for s in ("none", "uts39")
        )
        cost = pick(result, "sanitized_cost", "change of FPR", detector=detector)
        assert cost.estimate.value == pytest.approx((after > tau).mean() - (before > tau).mean())
        assert cost.marks[0] == "up"
    shares = [f.estimate.value for f in result.findings if f.table == "sanitized_share"]
    assert pick(result, "sanitized_range", "least", row="polish").estimate.value == min(shares)
    assert pick(result, "sanitized_range", "most", row="polish").estimate.value == max(shares)
    assert pick(result, "sanitized_range", "most", row="cost: detectors that accuse more").estimate.value == 2
    assert any(a.kind == "warning" for a in result.answers)


def test_of_a_few_writers_cleaning_is_not_said_to_harm_nobody(study_of, rows_of, settings):
    few = audits.get("sanitized(replicates=400)")(
        rows_of(with_cleaned(study_of(human=9, machine=9, attacks=("polish",)), 0.0)), settings
    )
    assert [(a.kind, "cannot be tested" in a.text) for a in few.answers] == [("missing", True)]
    assert not any(f.where.get("row") == "cost: detectors that accuse more" for f in few.findings)
    enough = audits.get("sanitized(replicates=400)")(
        rows_of(with_cleaned(study_of(human=40, machine=9, attacks=("polish",)), 0.0)), settings
    )
    assert [(a.kind, "in 0 of 2 detectors" in a.text) for a in enough.answers] == [("shown", True)]


def test_cleaning_that_changes_nothing_costs_nothing(study_of, rows_of, settings):
    result = audits.get("sanitized(replicates=200)")(rows_of(with_cleaned(study_of(), 0.0)), settings)
    cost = pick(result, "sanitized_cost", "change of FPR", detector="lrr")
    assert (cost.estimate.value, cost.marks) == (0.0, ())


PLAIN = "The cat sat on a mat, and a dog came by."
SWAPPED = "The сat sаt on а mаt, and a dog came by."
HALF = "The cat sat on а mаt, and a dog came by."


def test_letters_turned_back_are_counted_letter_by_letter():
    assert turned_back(PLAIN, SWAPPED, PLAIN) == (4, 4)
    assert turned_back(PLAIN, SWAPPED, HALF) == (2, 4)
    assert turned_back(PLAIN, SWAPPED, SWAPPED) == (0, 4)
    assert turned_back(PLAIN, SWAPPED.replace("The ", "The\u200b "), PLAIN) == (4, 4), "other lengths are aligned"
    assert turned_back(PLAIN, PLAIN.replace("cat", "fox"), PLAIN) == (0, 0), "no foreign letter was put in"
    assert turned_back("Кот", "Koт", "Кот") == (0, 0), "ASCII put in place of Cyrillic is none of it"


def test_what_is_kept_is_found_by_alignment():
    assert kept("abc", "xabc").all()
    assert list(kept("abc", "aXc")) == [True, False, True]
    assert list(kept("abcd", "acd")) == [True, False, True, True]


def test_tables_5_and_16_from_the_texts(rows_of, settings):
    records = []
    for i in range(12):
        source = {
            "id": f"t{i}",
            "label": "human" if i % 2 else "machine",
            "cluster": f"t{i}",
            "scores": {"lrr": float(i)},
        }
        plain = PLAIN + f" Number {i}." + (" Naïve." if i < 3 else "")
        edited = plain if i == 11 else plain.replace(PLAIN, SWAPPED)
        cleaned = plain.replace(PLAIN, HALF if i < 4 else PLAIN)
        records += [
            {**source, "text": plain},
            {**source, "id": f"t{i}|h", "source_id": f"t{i}", "attack": "homoglyph", "text": edited},
            {
                **source,
                "id": f"t{i}|h|s",
                "source_id": f"t{i}|h",
                "attack": "homoglyph",
                "sanitizer": "curated47",
                "text": cleaned,
            },
            {
                **source,
                "id": f"t{i}|s",
                "source_id": f"t{i}",
                "sanitizer": "curated47",
                "text": plain.replace("ï", "i"),
            },
        ]
    result = audits.get("restoration(replicates=200)")(rows_of(records), settings)
    as_is, cleaned = ({"attack": "homoglyph", "sanitizer": s} for s in ("none", "curated47"))
    assert pick(result, "restoration", "exact", **as_is).estimate.value == 1 / 12
    assert pick(result, "restoration", "exact, of changed texts", **as_is).estimate.value == 0
    assert pick(result, "restoration", "exact", **cleaned).estimate.value == 8 / 12
    assert pick(result, "restoration", "exact, of changed texts", **cleaned).estimate.value == 7 / 11
    turned = pick(result, "restoration", "letters turned back", **cleaned)
    assert turned.estimate.value == pytest.approx((7 * 4 + 4 * 2) / 44)
    assert pick(result, "rewritten", "share of all texts").estimate.value == 3 / 12
    assert pick(result, "rewritten", "share of human texts").estimate.value == 1 / 6
    before, after = (pick(result, "restoration", "trigram similarity", **w).estimate.value for w in (as_is, cleaned))
    assert before < after < 1
    assert any("folds 47 characters" in note for note in result.notes)


def test_without_texts_restoration_says_so(study_of, rows_of, settings):
    result = audits.get("restoration")(rows_of(study_of()), settings)
    assert not result.findings
    assert "not stored" in result.notes[0]


def test_table_15_positions_word_by_word_and_measures_of_the_run(rows_of, settings):
    records = []
    for i in range(10):
        source = {
            "id": f"t{i}",
            "label": "human" if i % 2 else "machine",
            "cluster": f"t{i}",
            "scores": {"lrr": float(i)},
        }
        edit = {"id": f"t{i}|a", "source_id": f"t{i}", "attack": "article_deletion", "text": "b c d"}
        records += [{**source, "text": "a b c d"}, {**source, **edit, "measures": {"cosine": 0.9 + i / 100}}]
    result = audits.get("meaning(replicates=200)")(rows_of(records), settings)
    assert pick(result, "meaning", "mean", measure="words_changed", texts="all").estimate.value == 1, (
        "one deletion shifts all"
    )
    human = pick(result, "meaning", "mean", measure="cosine", texts="human").estimate
    assert human.value == pytest.approx(np.mean([0.91, 0.93, 0.95, 0.97, 0.99]))


def test_figure_7_compares_the_same_sources_at_every_limit(study_of, rows_of, settings):
    base = study_of(attacks=())
    short = {r["id"] for r in base[:5]}
    records = [{**r, "digest": r["id"]} for r in base]
    for words, shift in ((50, 1.0), (100, 0.5)):
        for r in base:
            same = words == 100 and r["id"] in short
            records.append({
                **r,
                "id": f"{r['id']}|{words}",
                "source_id": r["id"],
                "attack": f"truncate(words={words})",
                "digest": r["id"] if same else f"{r['id']}|{words}",
                "scores": {d: s + (0 if same else shift) for d, s in r["scores"].items()},
            })  # fmt: skip
    rows = rows_of(records)
    result = audits.get("truncation(replicates=200)")(rows, settings)
    tau = threshold(records, rows, settings, "lrr")
    kept_ids = {r["id"] for r in base} - short
    for words, attack in (("50", "truncate(words=50)"), ("100", "truncate(words=100)"), ("full", "none")):
        human = np.array([
            r["scores"]["lrr"] for r in records
            if r["label"] == "human" and r.get("attack", "none") == attack and r["id"].split("|")[0] in kept_ids
        ])  # fmt: skip
        fpr = pick(result, "truncation", "FPR", detector="lrr", words=words)
        assert (fpr.estimate.value, fpr.counts["human"]) == ((human > tau).mean(), 35)
    assert result.figures[0].ticks == ("50", "100", "full")
    assert any("Cut to 50 words" in a.text for a in result.answers)


@pytest.mark.parametrize("spec", ["two_sided(replicates=10)", "beside_published(models='none')"])
def test_parameters_that_mean_nothing_are_refused(spec):
    with pytest.raises(SpecError):
        audits.get(spec)
