"""IDMGSP's published files: golden records on small files of the same shape, and what a reader of them must survive."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from evenhand import corpora, evaluations
from evenhand.corpora.base import check
from evenhand.errors import DataError, SpecError
from evenhand.sections import split_sections

COLUMNS = ("id", "year", "title", "abstract", "introduction", "conclusion", "categories", "src", "label")


def row(i: int, src: str, label: int, **more: object) -> dict[str, object]:
    parts = {name: f"The {name} of paper {i}." for name in ("abstract", "introduction", "conclusion")}
    return {
        "id": f"{i}",
        "year": "2021.0",
        "title": f"Title {i}",
        **parts,
        "categories": "cs.CL cs.LG",
        "src": src,
        "label": label,
        **more,
    }


def write(path: Path, rows: list[dict[str, object]], columns: tuple[str, ...] = COLUMNS) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    fake = ("chatgpt", "gpt2", "scigen", "galactica")
    train = [row(1, "real", 0), row(2, "real", 0), *(row(10 + i, src, 1) for i, src in enumerate(fake))]
    test = [row(3, "real", 0), *(row(20 + i, src, 1) for i, src in enumerate(fake))]
    write(tmp_path / "classifier_input" / "train.csv", train)
    write(tmp_path / "classifier_input" / "test.csv", test)
    write(tmp_path / "train-cg" / "train-cg.csv", [one for one in train if one["src"] != "chatgpt"])
    write(tmp_path / "train+gpt3.csv", [*train, row(30, "gpt3", 1)])
    write(tmp_path / "tecg" / "tecg.csv", [test[1]], ("title", "abstract", "introduction", "conclusion"))
    short = {
        key: value
        for key, value in row(31, "", 1).items()
        if key in ("title", "abstract", "introduction", "conclusion", "label")
    }
    (tmp_path / "ood_gpt3").mkdir()
    pq.write_table(pa.Table.from_pylist([short]), tmp_path / "ood_gpt3" / "test.parquet")
    write(tmp_path / "ood_real.csv", [row(4, "", 0)], COLUMNS[1:7])
    mixed = row(3, "", 1, abstract="Another abstract.", paraphrased_sections="['abstract']")
    write(tmp_path / "test-cc" / "test.csv", [mixed], (*COLUMNS, "paraphrased_sections"))
    return tmp_path


def spec(folder: Path, **more: object) -> str:
    return f"idmgsp({', '.join(f'{key}={value!r}' for key, value in {'path': str(folder), **more}.items())})"


def test_papers_are_one_document_with_all_their_sets(folder):
    found = {d.title: d for d in corpora.get(spec(folder)) if d.label != "mixed"}
    assert len(found) == 6 + 5 + 1 + 1 + 1
    sets = {title: (d.split, d.meta.get("training_sets"), d.meta.get("test_sets")) for title, d in found.items()}
    assert sets["Title 1"] == ("train", "TRAIN,TRAIN+GPT3,TRAIN-CG", None)
    assert sets["Title 10"] == ("train", "TRAIN,TRAIN+GPT3", None)
    assert sets["Title 20"] == ("test", None, "TEST,TECG")
    assert sets["Title 30"] == ("train", "TRAIN+GPT3", None)
    assert sets["Title 31"] == ("test", None, "OOD-GPT3")
    assert sets["Title 4"] == ("test", None, "OOD-REAL")


def test_a_golden_record(folder):
    first = next(iter(corpora.get(spec(folder))))
    assert (first.id, first.label, str(first.level), first.generator) == (
        "classifier_input/test/1",
        "human",
        "human",
        None,
    )
    assert split_sections(first.text)["introduction"] == "The introduction of paper 3."
    assert (first.title, first.domain, first.corpus, first.cluster) == ("Title 3", "cs.CL", "idmgsp", "title3")
    assert first.meta == {"test_sets": "TEST", "src": "real", "parsing": "1", "categories": "cs.CL cs.LG", "year": 2021}


def test_labels_generators_and_parsings(folder):
    found = list(corpora.get(spec(folder)))
    by = Counter((d.label, d.generator) for d in found)
    assert by == {
        ("human", None): 4, ("machine", "chatgpt"): 2, ("machine", "gpt2"): 2, ("machine", "scigen"): 2,
        ("machine", "galactica"): 2, ("machine", "gpt3"): 1, ("machine", "GPT-3"): 1, ("mixed", "gpt-3.5-turbo-0613"): 1,
    }  # fmt: skip
    (second,) = [d for d in found if d.meta.get("parsing") == "2"]
    assert second.meta["test_sets"] == "OOD-REAL"
    (mixed,) = [d for d in found if d.label == "mixed"]
    assert mixed.meta["paraphrased_sections"] == "abstract"
    assert (mixed.source_id, mixed.cluster) == ("classifier_input/test/1", "title3")
    assert check(found) == []


def test_sections_of_co_created_papers_have_their_own_author(folder):
    found = {d.id: d for d in corpora.get(spec(folder, unit="sections", configs=["classifier_input", "test-cc"]))}
    mixed = [d for d in found.values() if d.id.startswith("test-cc")]
    assert {d.section: d.label for d in mixed} == {
        "abstract": "machine",
        "introduction": "human",
        "conclusion": "human",
    }
    assert [d.meta.get("paraphrased_sections") for d in mixed] == ["abstract", None, None]
    assert [(d.generator, str(d.level)) for d in mixed] == [("gpt-3.5-turbo-0613", "None"), *[(None, "human")] * 2]
    assert found["test-cc/test/1#abstract"].source_id == "classifier_input/test/1#abstract"
    write(folder / "test-cc" / "test.csv", [row(3, "", 1, abstract="Another abstract.")])
    with pytest.raises(DataError, match=r"no paraphrased_sections tell which .* unit='whole'"):
        list(corpora.get(spec(folder, unit="sections")))
    assert [d.label for d in corpora.get(spec(folder, configs=["test-cc"]))] == ["mixed"]


def test_a_set_in_several_files_is_one(folder):
    before = {d.id: d.text for d in corpora.get(spec(folder, configs=["ood_real"]))}
    write(folder / "ood_real-2.csv", [row(5, "", 0)], COLUMNS[1:7])
    after = {d.id: d.text for d in corpora.get(spec(folder, configs=["ood_real"]))}
    assert len(after) == 2
    assert "The abstract of paper 5." in after["ood_real/test/1"] + after["ood_real/test/2"]
    assert set(before.values()) < set(after.values())


@pytest.mark.parametrize(("file", "split"), [
    ("train-cg/train.csv", "train"), ("train-cg/test.csv", "test"), ("train-cg/train-cg.csv", "train"),
    ("train-cg.csv", "train"), ("train-cg/latest.csv", "train"), ("train+gpt3_test.csv", "test"),
    ("classifier_input/train.csv", "train"), ("classifier_input_test.csv", "test"), ("test-cc.csv", "test"),
    ("tecg/data.csv", "test"), ("classifier_input/test/train.csv", "train"),
])  # fmt: skip
def test_the_split_of_a_file_is_the_last_word_of_its_name(tmp_path, file, split):
    write(tmp_path / file, [row(1, "", 1)])
    (paper,) = corpora.get(spec(tmp_path))
    assert paper.split == split
    assert bool(paper.meta.get("training_sets")) == (split == "train"), "what is tested is not learnt from"


def test_published_sets_go_before_a_draw(folder):
    chosen = evaluations.get("idmgsp_sets(train=['TRAIN', 'TRAIN-CG'], test=['TEST', 'TEST-CC'])")
    placed = chosen.placed(list(corpora.get(spec(folder))), 0)
    assert [sum(chosen.trains(fold, d) for d in placed) for fold in chosen.folds(placed)] == [6, 5]
    assert Counter(d.meta["test_sets"] for d in placed if chosen.tests("TRAIN", d)) == {"TEST": 5, "TEST-CC": 1}
    with pytest.raises(DataError, match="but no TRAIN-SUB"):
        evaluations.get("idmgsp_sets(train=['TRAIN-SUB'])").placed(placed, 0)


def test_pointers_packed_files_and_foreign_ones_name_the_cure(folder, tmp_path):
    (folder / "tecg" / "tecg.csv").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "utf-8"
    )
    with pytest.raises(DataError, match=r"Git LFS pointer, not the data; run `git lfs pull`"):
        list(corpora.get(spec(folder, configs=["tecg"])))
    packed = tmp_path / "packed"
    packed.mkdir()
    (packed / "tecg.zip").write_bytes(b"PK")
    with pytest.raises(DataError, match=r"unpack 'tecg.zip' first"):
        list(corpora.get(spec(packed)))
    write(packed / "ood_real.csv", [{"text": "a"}], ("text",))
    with pytest.raises(DataError, match="no column 'title', 'abstract'"):
        list(corpora.get(spec(packed)))
    write(packed / "ood_real.csv", [row(1, "", 2)])
    with pytest.raises(DataError, match=r"label '2'; IDMGSP's are 0 \(real\) and 1 \(fake\)"):
        list(corpora.get(spec(packed)))
    with pytest.raises(SpecError, match="no configuration 'TRAIN'"):
        corpora.get(spec(folder, configs=["TRAIN"]))
    with pytest.raises(DataError, match="no file of 'train-cg'"):
        list(corpora.get(spec(packed, configs=["train-cg"])))
