"""The study of trained detectors, on the embedded corpus's texts in the layout of the published sets."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from evenhand import corpora, stats
from evenhand.documents import Level
from evenhand.errors import DataError
from evenhand.hygiene import check_split

ROOT = Path(__file__).resolve().parents[2]
DOMAINS = ("arxiv", "xsum", "writing_prompt", "yelp_review")
GENERATORS = ("ChatGPT", "Claude-instant", "Google-PaLM", "Llama-2-70b")
ATTACKS = ("back_translation", "character", "dipper", "mixing", "polish", "sentence", "word")
WORDS = 25


@pytest.fixture(autouse=True, scope="module")
def _path():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        yield


@pytest.fixture(scope="module")
def known():
    """Short texts by label, each of another passage."""
    found = {"human": [], "machine": []}
    for document in corpora.get("embedded"):
        words = document.text.split()
        if document.label in found and len(words) > WORDS:
            found[document.label].append(" \n".join(words[:WORDS]))
    return {label: list(dict.fromkeys(texts)) for label, texts in found.items()}


def record(text, label, i, **more):
    identity = f"{label}/{i}"
    return {"id": identity, "text": text, "label": label, "level": "human", "attack": "none", "doc": identity, **more}


def direct(known):
    """32 texts a class, over four domains and generators."""
    for label in ("human", "machine"):
        for i, text in enumerate(known[label][:32]):
            made = {"level": "task", "generator": GENERATORS[i // 4 % 4]} if label == "machine" else {}
            yield record(text, label, i, domain=DOMAINS[i % 4], **made)


def two_sided(rows):
    """Eight sources a class, themselves and without every n-th word."""
    for row in rows:
        if int(row["id"].split("/")[1]) < 8:
            yield row
            for n, attack in enumerate(ATTACKS, 2):
                text = " ".join(word for i, word in enumerate(row["text"].split()) if i % n)
                yield {**row, "id": f"{row['id']}/{attack}", "text": text, "attack": attack, "source_id": row["id"]}


def essays(known):
    levels = ["human", "human", "improve-human", "rewrite-human", "task", "rewrite-llm"]
    texts = {level: iter(known["human" if level == "human" else "machine"]) for level in levels}
    for i in range(72):
        level = levels[i % 6]
        domain = ("essay_toefl", "report_cs224n")[i // 6 % 2]
        yield record(next(texts[level]), "human" if level == "human" else "machine", i, level=level, domain=domain)


def mixed(known):
    """Each source with the operations of two editors."""
    texts = iter(known["machine"])
    for i, text in enumerate(known["human"][:12]):
        yield record(text, "human", i, operation="original", domain="blog")
        for name, level in (("rewrite", "rewrite-human"), ("polish_token", "improve-human"), ("humanize", "humanize")):
            for editor in ("gpt4", "2llama"):
                told = {"id": f"m/{i}/{editor}/{name}", "source_id": f"human/{i}", "doc": f"human/{i}"}
                row = record(next(texts), "machine", i, level=level, operation=f"{editor}_{name}", domain="blog")
                yield {**row, **told}
        if i % 2:
            told = {"id": f"m/{i}/complete", "source_id": f"human/{i}", "doc": f"human/{i}", "level": None}
            yield {**record(next(texts), "machine", i, operation="gpt4_complete", domain="blog"), **told}


@pytest.fixture(scope="module")
def data(tmp_path_factory, known):
    folder = tmp_path_factory.mktemp("data")
    rows = list(direct(known))
    sets = {
        "detectrl_clean": rows,
        "detectrl_two_sided": two_sided(rows),
        "student_essays": essays(known),
        "mixset": mixed(known),
    }
    for name, records in sets.items():
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as out:
            out.writelines(json.dumps(row) + "\n" for row in records)
    return folder


@pytest.fixture(scope="module")
def results(tmp_path_factory, data):
    """Everything that one learner without a model leaves, by the command."""
    from studies.trained.__main__ import main

    folder = tmp_path_factory.mktemp("results")
    assert main(["run", str(data), str(folder), "--learner", "tfidf_lr"]) == 0
    return folder


def test_texts_are_their_first_words_on_one_line(data):
    from studies.trained.texts import first_words, read

    assert first_words("\n Title: On\n ferries, and more", 3) == "On ferries, and"
    found = read(data, "detectrl", words=10)
    assert len(found) == 64 + 16 * len(ATTACKS)
    assert all(len(d.text.split()) == 10 and "\n" not in d.text for d in found if d.attack == "none")
    assert found[0].cluster == found[0].id == "human/0"


def test_one_editor_is_drawn_for_each_source_and_operation(data):
    from studies.trained.texts import operation, read

    found = [d for d in read(data, "mixset") if d.source_id]
    counts = Counter((d.source_id, operation(d.meta["operation"])) for d in found)
    assert len(counts) == 12 * 3 + 6
    assert set(counts.values()) == {1}
    assert {d.meta["operation"].partition("_")[0] for d in found} == {"gpt4", "2llama"}
    assert [d.id for d in found] == [d.id for d in read(data, "mixset") if d.source_id], "and the same one each time"
    assert operation("MGT_polish_token") == operation("MGT_polish_sentence") == "human_edit"
    assert operation("original_variant") == "original_variant"


def test_files_that_are_not_there_and_ids_of_two_texts_are_refused(data, tmp_path):
    from studies.trained.texts import distinct, read

    with pytest.raises(DataError, match=r"mixset\.jsonl\.gz is not there"):
        read(tmp_path, "mixset")
    with pytest.raises(DataError, match="no set 'raid'"):
        read(data, "raid")
    with pytest.raises(DataError, match="two texts have the id 'a'"):
        distinct([{"id": "a", "text": "one"}, {"id": "a", "text": "two"}])


@pytest.mark.parametrize("study", ["domains", "unglued", "generators", "attacks", "essays", "mixset"])
def test_folds_share_nothing_and_test_each_text_once(study, data):
    from studies.trained.folds import documents_of, folds, positive

    documents = documents_of(study, data)
    check_split([d for d in documents if d.attack == "none"])
    tested = Counter()
    for fold in folds(study, documents):
        assert {d.cluster for d in fold.train}.isdisjoint(d.cluster for d in fold.test)
        assert {positive(study, d) for d in fold.train} == {positive(study, d) for d in fold.test} == {True, False}
        assert all(d.attack == "none" for d in fold.train)
        tested.update((fold.name.rpartition(".")[0], d.id) for d in fold.test)
    assert set(tested.values()) == {1}


def test_a_generator_that_is_left_out_is_learnt_from_nowhere(data):
    from studies.trained.folds import documents_of, folds

    for fold in folds("generators", documents_of("generators", data)):
        name = fold.name.rpartition(".")[0]
        assert {d.generator for d in fold.train} == {None, *GENERATORS} - {name}
        assert {d.generator for d in fold.test} == {None, name}
    for fold in folds("domains", documents_of("domains", data)):
        assert {d.domain for d in fold.train} == {fold.name.rpartition(".")[0]}
        assert {d.domain for d in fold.test} == set(DOMAINS)


def test_the_boundary_is_that_of_the_policy_where_levels_are_studied(data):
    from studies.trained.folds import documents_of, positive

    found = {d.level: positive("mixset", d) for d in documents_of("mixset", data)}
    assert found == {
        Level.HUMAN: False, Level.IMPROVE_HUMAN: False, Level.REWRITE_HUMAN: False, Level.HUMANIZE: True, None: True,
    }  # fmt: skip


def test_an_attacked_text_without_its_source_is_refused(data):
    from studies.trained.folds import parts
    from studies.trained.texts import read

    documents = [d for d in read(data, "detectrl") if d.id != "human/3"]
    with pytest.raises(DataError, match="7 attacked texts have no clean text"):
        parts(documents, 2)


def test_what_is_on_disk_is_not_done_again_unless_the_spec_is_another(data, results, tmp_path):
    from studies.trained.folds import documents_of, folds
    from studies.trained.learners import result_file, run

    fold = folds("essays", documents_of("essays", data))[0]
    assert not run(fold, "tfidf_lr", "usual", results)
    assert run(fold, "tfidf_lr", "usual", tmp_path)
    old, new = (json.loads(result_file(f, fold, "tfidf_lr", "usual").read_text()) for f in (results, tmp_path))
    assert old["scores"] == new["scores"]
    assert new["training"]["levels"] == {"human": new["training"]["negative"], "task": new["training"]["positive"]}
    file = result_file(tmp_path, fold, "tfidf_lr", "usual")
    file.write_text(json.dumps({**new, "spec": "tfidf_lr(ngrams=(1, 2))"}))
    assert run(fold, "tfidf_lr", "usual", tmp_path)


def test_a_run_whose_time_is_up_goes_on_with_the_same_command(data, tmp_path):
    from studies.trained.__main__ import LATER, main

    words = ["run", str(data), str(tmp_path), "--learner", "tfidf_lr", "--study", "mixset"]
    assert main([*words, "--minutes", "1e-9"]) == LATER
    assert len(list(tmp_path.rglob("*.json"))) == 1
    assert main(words) == 0
    assert len(list(tmp_path.rglob("*.json"))) == 9


def test_cells_are_means_of_the_folds(data, results):
    from studies.trained.scores import Study

    one, choice = Study("attacks", data, results), ("tfidf_lr", "policy")
    clean = {label: (lambda d, label=label: d.label == label and d.attack == "none") for label in ("human", "machine")}
    aurocs, rates = [], []
    for fold in one.folds:
        scores = one.found(fold, choice)["scores"]
        human, machine = ([scores[d.id] for d in fold.test if clean[label](d)] for label in ("human", "machine"))
        aurocs.append(roc_auc_score([0] * len(human) + [1] * len(machine), human + machine))
        rates.append(np.mean(np.array(machine) > stats.threshold(human, 0.05).value))
    auroc = one.auroc(choice, clean["machine"], clean["human"]).estimates()[0]
    assert auroc.value == pytest.approx(np.mean(aurocs), abs=1e-12)
    assert auroc.low <= auroc.value <= auroc.high
    assert one.rate(choice, clean["machine"], clean["human"]).values[0] == pytest.approx(np.mean(rates), abs=1e-12)


def test_thresholds_come_from_human_texts_that_nobody_edited(data, results):
    from studies.trained import attack_tables
    from studies.trained.scores import Study

    one = Study("attacks", data, results)
    calibration = [d for d in one.documents if attack_tables.others(one)(d)]
    assert len(calibration) == 24
    clean = [d for d in one.documents if attack_tables.texts(one, "human", "none")(d)]
    assert len(clean) == 8
    assert {d.id for d in clean}.isdisjoint(d.id for d in calibration)


@pytest.fixture(scope="module")
def page(data, results):
    from studies.pages import filled
    from studies.trained.page import TABLES

    marks = "\n\n".join(
        f"Before {name}.\n\n<!-- table {name} -->\nstale cells\n<!-- end -->\n\nAfter." for name in TABLES
    )
    return filled(f"# Title\n\n{marks}\n", TABLES, data, results)


def section(page, name):
    lines = page.partition(f"<!-- table {name} -->\n")[2].partition("\n<!-- end -->")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_table_is_made_and_says_what_was_not_run(page):
    from studies.trained.page import TABLES

    for name in TABLES:
        head, _, *rows = section(page, name)
        assert all(len(row) == len(head) for row in rows), name
        if name.startswith(("domains", "generators", "attacks")):
            assert "not run" not in next(row for row in rows if row[0] == "tfidf_lr")
            assert "not run" in next(row for row in rows if row[0] == "encoder")
    assert "stale cells" not in page
    assert page.startswith("# Title\n\nBefore")
    assert page.count("After.") == len(TABLES)


def test_tables_hold_what_the_cells_say(page, data, results):
    from studies.trained.domain_tables import auroc
    from studies.trained.forms import cell
    from studies.trained.scores import Study

    one = Study("domains", data, results)
    row = next(row for row in section(page, "domains_auroc")[2:] if row[:2] == ["tfidf_lr", "xsum"])
    assert row[2:] == [cell(auroc(one, ("tfidf_lr", "policy"), "xsum", tested)) for tested in DOMAINS]
    fpr = next(row for row in section(page, "domains_fpr_carried")[2:] if row[:2] == ["tfidf_lr", "xsum"])
    assert fpr[3] == "set here"
    ranking = section(page, "essays_ranking")[2:]
    values = [float(row[2].split()[0]) for row in ranking]
    assert values == sorted(values, reverse=True)
    assert ranking[0][3] == "–"
    assert {row[0] for row in section(page, "costs")} >= {"encoder", "ghostbuster", "tfidf_lr"}


def test_no_text_reaches_the_page_and_a_table_that_is_none_is_refused(page, known, data, results):
    from studies.pages import filled
    from studies.trained.page import TABLES

    for text in known["human"] + known["machine"]:
        assert " ".join(text.split()[:6]) not in page
    with pytest.raises(DataError, match="asks for the table 'roc'"):
        filled("<!-- table roc -->\n<!-- end -->", TABLES, data, results)


def test_the_page_of_the_documents_has_all_tables():
    from studies.pages import MARKED
    from studies.trained.page import TABLES

    found = MARKED.findall((ROOT / "docs" / "trained.md").read_text(encoding="utf-8"))
    assert {name for _, name, _, _ in found} == set(TABLES)
    assert all(body.startswith("| ") for _, _, body, _ in found)


def test_texts_that_are_too_short_are_missing_and_counted(data, tmp_path):
    from studies.trained.folds import Fold, documents_of, folds
    from studies.trained.learners import result_file, run
    from studies.trained.scores import Study

    fold = folds("attacks", documents_of("attacks", data))[0]
    cut = tuple(d if d.id != fold.test[0].id else type(d)(**{**fields_of(d), "text": "Too short."}) for d in fold.test)
    run(Fold("attacks", fold.name, fold.train, cut), "tfidf_lr", "policy", tmp_path)
    told = json.loads(result_file(tmp_path, fold, "tfidf_lr", "policy").read_text())
    assert told["scores"][fold.test[0].id] is None
    assert told["missing"] == {fold.test[0].id: "fewer than 10 words"}
    one = Study("attacks", data, tmp_path)
    assert len(one.rows(fold, ("tfidf_lr", "policy"), lambda d: True).scores) == len(fold.test) - 1


def fields_of(document):
    return {name: getattr(document, name) for name in type(document).__slots__}


@pytest.mark.model
def test_whatever_reads_the_pass_scores_every_text(data, embedded, tmp_path):
    from studies.trained.folds import documents_of, folds
    from studies.trained.learners import LEARNERS, UNTRAINED, result_file, run

    fold = folds("generators", documents_of("generators", data))[0]
    readers = set(LEARNERS) - {"tfidf_lr", "tfidf_rf", "encoder"}
    for name in sorted(readers.union(UNTRAINED)):
        assert run(fold, name, "policy", tmp_path)
        told = json.loads(result_file(tmp_path, fold, name, "policy").read_text())
        assert not told["missing"], name
        assert np.isfinite(list(told["scores"].values())).all()
        assert told["learnt_from"] == (len(fold.train) if name in readers else 0)
        assert told["peak_mb"] > 0


@pytest.mark.model
@pytest.mark.long
def test_the_encoder_learns_a_fold(data, tmp_path):
    pytest.importorskip("torch")
    from studies.trained.folds import documents_of, folds
    from studies.trained.learners import result_file, run

    fold = folds("attacks", documents_of("attacks", data))[0]
    assert run(fold, "encoder", "policy", tmp_path)
    told = json.loads(result_file(tmp_path, fold, "encoder", "policy").read_text())
    assert np.isfinite(list(told["scores"].values())).all()
    assert told["training"]["validation"] >= 0.2 * len(fold.train)
    assert 1 <= told["training"]["kept_epoch"] <= 2


@pytest.mark.model
def test_the_same_seed_gives_the_same_scores_and_another_training_does_not(data, embedded):
    from studies.trained.again import compare, once, two_runs
    from studies.trained.folds import documents_of, folds

    first, second = two_runs(folds("domains", documents_of("domains", data))[0], "gltr_lr")
    assert compare(first, second) == {"scores": True, "state": True}
    other = once(folds("domains", documents_of("domains", data))[1], "gltr_lr")
    assert compare(first, other) == {"scores": False, "state": False}


def test_weights_that_differ_are_told():
    from studies.trained.again import compare

    card = {"state": {}, "files": {"model/model.safetensors": "a", "model/config.json": "b"}}
    other = {"state": {}, "files": {"model/model.safetensors": "c", "model/config.json": "b"}}
    made = [{"card": one, "scores": b"1"} for one in (card, other)]
    assert compare(*made) == {"scores": True, "state": True, "weights": False}
