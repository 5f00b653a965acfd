"""Readers of files that somebody gives: what is read, and what is said of a file that cannot be used."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evenhand import corpora
from evenhand.documents import Level, Span
from evenhand.errors import DataError, SpecError

ROWS = [
    {"id": "a", "text": "We walked home, slowly.", "label": "human", "level": "human", "doc": "d1", "group": "x"},
    {
        "id": "b",
        "text": "The walk home was slow.",
        "label": "machine",
        "level": "rewrite-human",
        "source_id": "a",
        "doc": "d1",
        "generator": "g",
        "attack": "none",
        "scores": {"other": 0.5},
        "spans": [{"start": 0, "end": 3, "author": "machine"}],
        "truncated": True,
    },
]


def write(path: Path, rows: list[dict], pack=lambda data: data) -> str:
    path.write_bytes(pack("".join(json.dumps(row) + "\n" for row in rows).encode()))
    return str(path)


def read(spec: str):
    return list(corpora.get(spec))


def test_known_columns_fill_the_record_and_the_others_go_to_meta(tmp_path):
    human, machine = read(f"jsonl(path={write(tmp_path / 'x.jsonl', ROWS)!r})")
    assert (human.id, human.label, human.level, human.cluster, human.corpus) == ("a", "human", Level.HUMAN, "d1", "x")
    assert human.meta == {"doc": "d1", "group": "x"}
    assert (machine.source_id, machine.generator, machine.truncated) == ("a", "g", True)
    assert machine.spans == (Span(0, 3, "machine"),)
    assert machine.meta["scores"] == {"other": 0.5}


def test_gzip_is_told_by_its_content_not_by_its_name(tmp_path):
    path = write(tmp_path / "packed", ROWS, gzip.compress)
    assert [document.id for document in read(f"jsonl(path={path!r})")] == ["a", "b"]


def test_damaged_gzip(tmp_path):
    path = write(tmp_path / "x.jsonl.gz", ROWS * 50, lambda data: gzip.compress(data)[:60])
    with pytest.raises(DataError, match="damaged gzip"):
        read(f"jsonl(path={path!r})")


def test_cluster_is_the_named_column_else_the_source_of_the_source(tmp_path):
    rows = [
        {"id": "h", "text": "one", "label": "human", "speech": "s"},
        {"id": "t", "text": "two", "label": "machine", "source_id": "h", "speech": "s"},
        {"id": "u", "text": "three", "label": "machine", "source_id": "t", "speech": "s"},
    ]
    path = write(tmp_path / "x.jsonl", rows)
    assert {d.cluster for d in read(f"jsonl(path={path!r}, cluster='speech')")} == {"s"}
    assert {d.cluster for d in read(f"jsonl(path={path!r})")} == {"h"}


def test_labels_are_never_guessed_and_the_message_counts_the_spellings(tmp_path):
    rows = [{"text": "a", "label": "HWT"}, {"text": "b", "label": "HWT"}, {"text": "c", "label": "MGT"}]
    path = write(tmp_path / "x.jsonl", rows)
    with pytest.raises(DataError, match=r"'HWT' \(2\), 'MGT' \(1\).*labels=\{'HWT': \.\.\., 'MGT': \.\.\.\}"):
        read(f"jsonl(path={path!r})")
    mapped = read(f"jsonl(path={path!r}, labels={{'HWT': 'human', 'MGT': 'machine'}})")
    assert [(d.id, d.label) for d in mapped] == [("x/1", "human"), ("x/2", "human"), ("x/3", "machine")]


def test_a_late_unknown_label_is_an_error_too(tmp_path):
    path = write(tmp_path / "x.jsonl", [*ROWS, {"id": "c", "text": "t", "label": "Human"}])
    with pytest.raises(DataError, match=r"'Human' \(1\).*labels=\{'Human': \.\.\.\}"):
        read(f"jsonl(path={path!r})")


def test_numbers_as_labels_and_one_label_for_all(tmp_path):
    path = write(tmp_path / "x.jsonl", [{"text": "a", "label": 0}, {"text": "b", "label": 1}])
    assert [d.label for d in read(f"jsonl(path={path!r}, labels={{0: 'human', 1: 'machine'}})")] == ["human", "machine"]
    bare = write(tmp_path / "y.jsonl", [{"text": "a"}])
    with pytest.raises(DataError, match=r"no column 'label'.*labels='human'"):
        read(f"jsonl(path={bare!r})")
    assert read(f"jsonl(path={bare!r}, labels='machine')")[0].label == "machine"


@pytest.mark.parametrize("labels", ["{'x': 'robot'}", "'people'"])
def test_labels_map_to_the_three_labels_only(labels):
    with pytest.raises(SpecError, match="'human', 'machine' or 'mixed'"):
        corpora.get(f"jsonl(path='x', labels={labels})")


def test_one_class_is_no_error_of_the_reader_but_checked(tmp_path):
    documents = read(f"jsonl(path={write(tmp_path / 'x.jsonl', ROWS[:1])!r})")
    assert any("one class only (human 1)" in line for line in corpora.check(documents))


def test_duplicate_ids_are_named(tmp_path):
    path = write(tmp_path / "x.jsonl", [ROWS[0], ROWS[1], ROWS[0], ROWS[1]])
    with pytest.raises(DataError, match="2 ids stand more than once: 'a', 'b'"):
        read(f"jsonl(path={path!r})")


def test_a_lost_source_is_reported_by_check(tmp_path):
    path = write(tmp_path / "x.jsonl", [ROWS[1] | {"attack": "homoglyph"}])
    (document,) = read(f"jsonl(path={path!r})")
    assert (document.attack, document.source_id) == ("homoglyph", "a")
    assert any("source of 1 documents is not in the corpus: 'b'" in line for line in corpora.check([document]))


def test_check_says_nothing_of_a_sound_corpus_and_something_of_torn_ones(tmp_path):
    documents = read(f"jsonl(path={write(tmp_path / 'x.jsonl', ROWS)!r})")
    assert corpora.check(documents) == []
    assert corpora.check([]) == ["there is no document"]
    rows = [ROWS[0] | {"split": "train"}, ROWS[1] | {"split": "test"}]
    assert any("two sides" in p for p in corpora.check(read(f"jsonl(path={write(tmp_path / 'y.jsonl', rows)!r})")))
    rows = [ROWS[0], ROWS[1] | {"doc": "other"}]
    assert any(
        "another cluster" in p for p in corpora.check(read(f"jsonl(path={write(tmp_path / 'z.jsonl', rows)!r})"))
    )


def test_missing_text_column_lists_what_is_there(tmp_path):
    path = write(tmp_path / "x.jsonl", [{"body": "a", "label": "human"}])
    with pytest.raises(DataError, match=r"no column 'text'; name it with text=... among: 'body', 'label'"):
        read(f"jsonl(path={path!r})")
    assert read(f"jsonl(path={path!r}, text='body')")[0].text == "a"


@pytest.mark.parametrize(
    "text", ["", " ", "a\0b", "\ud800", "word " * 420_000, "\U0001f600\U0001f3c4", "שלום", "a\u2028b\x85c"]
)
def test_any_string_stays_a_document(tmp_path, text):
    path = write(tmp_path / "x.jsonl", [{"text": text, "label": "human"}])
    (document,) = read(f"jsonl(path={path!r})")
    assert document.text == text
    assert len(document.digest) == 32


def test_a_text_that_is_no_string(tmp_path):
    path = write(tmp_path / "x.jsonl", [{"text": ["a"], "label": "human"}])
    with pytest.raises(DataError, match="row 1: the text is of type list"):
        read(f"jsonl(path={path!r})")
    assert read(f"jsonl(path={write(tmp_path / 'y.jsonl', [{'text': None, 'label': 'human'}])!r})")[0].text == ""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"text": "a", "label": "human"}\n{"text": \n', "line 2 is no JSON"),
        (b'[{"text": "a"}]\n', "line 1 holds a list"),
        (b'{"text": "caf\xe9", "label": "human"}\n', r"byte 0xE9 at offset 13 \(line 1\) is not utf-8"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "Git LFS pointer"),
        (b"", "is empty"),
        (b"\n\n", "holds no document"),
        (b'{"text": "a", "label": "human", "level": "Task"}\n', "no contribution level 'Task'"),
        (b'{"text": "a", "label": "machine", "level": "human"}\n', "label is machine and the level human.* swapped"),
        (b'{"text": "a", "label": "human", "level": "summary"}\n', "label is human and the level summary.* swapped"),
        (b'{"text": "a", "label": "human", "id": null}\n', "row 1: the id is empty"),
        (b'{"text": "a", "label": "human", "spans": [1]}\n', "spans must be a list"),
    ],
)
def test_bad_files(tmp_path, content, message):
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        read(f"jsonl(path={str(path)!r})")


def test_no_such_file_and_a_folder_in_its_place(tmp_path):
    with pytest.raises(DataError, match=r"no such file: nowhere\.jsonl"):
        read("jsonl(path='nowhere.jsonl')")
    with pytest.raises(DataError, match="is a folder, not a file"):
        read(f"jsonl(path={str(tmp_path)!r})")


def test_encoding_is_a_parameter(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes('{"text": "café", "label": "human"}'.encode("cp1252"))
    assert read(f"jsonl(path={str(path)!r}, encoding='cp1252')")[0].text == "café"
    with pytest.raises(SpecError, match="no encoding 'utf-88'"):
        corpora.get("jsonl(path='x', encoding='utf-88')")


def test_a_byte_order_mark_is_no_text(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes("\ufefftext,label\na,human\n".encode())
    assert read(f"csv(path={str(path)!r})")[0].text == "a"


def test_csv(tmp_path):
    path = tmp_path / "x.csv"
    long = "word " * 420_000
    path.write_text(
        f'id,text,label,model,grade\na,"one, ""two""\nthree",human,,8\nb,,machine,m,\nc,{long},human,,9\n', newline=""
    )
    a, b, c = read(f"csv(path={str(path)!r}, columns={{'generator': 'model'}})")
    assert a.text == 'one, "two"\nthree'
    assert (b.text, b.generator, a.generator) == ("", "m", None)
    assert c.text == long
    assert a.meta == {"grade": "8"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("text,label\na,human,x\n", "line 2: 3 cells, but the header has 2"),
        ("text,label\na\n", "line 2: 1 cells, but the header has 2"),
        ('text,label\n"a,human\n', "check quotes"),
        ("text,text\na,b\n", "names 'text' more than once"),
        ("text,label\n", "holds no document"),
        ("body,label\na,human\n", "among: 'body', 'label'"),
    ],
)
def test_bad_csv(tmp_path, content, message):
    path = tmp_path / "x.csv"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        read(f"csv(path={str(path)!r})")


def test_tabs_by_name_and_by_parameter(tmp_path):
    (tmp_path / "x.tsv").write_text("text\tlabel\na,b\thuman\n")
    assert read(f"csv(path={str(tmp_path / 'x.tsv')!r})")[0].text == "a,b"
    (tmp_path / "x.txt").write_text("text;label\na;human\n")
    assert read(f"csv(path={str(tmp_path / 'x.txt')!r}, delimiter=';')")[0].text == "a"
    with pytest.raises(SpecError, match="one character"):
        corpora.get("csv(path='x', delimiter=';;')")


def test_parquet_and_our_own_documents_table(tmp_path):
    from evenhand.documents import documents_schema

    path = tmp_path / "x.parquet"
    rows = [
        {
            "id": "a",
            "text": "t",
            "digest": "0",
            "label": "human",
            "cluster": "c",
            "meta": [("year", "1999")],
            "spans": [],
        }
    ]
    pq.write_table(pa.Table.from_pylist(rows, documents_schema()), path)
    (document,) = read(f"parquet(path={str(path)!r})")
    assert (document.cluster, document.meta, document.truncated) == ("c", {"year": 1999}, False)
    path.write_bytes(b"PAR1 not really")
    with pytest.raises(DataError, match="no readable Parquet"):
        read(f"parquet(path={str(path)!r})")


def test_folder(tmp_path):
    for name, text in {
        "real/a.txt": "one",
        "real/._a.txt": "x",
        "__MACOSX/b.txt": "x",
        "fake/c.txt": "",
        "fake/d.md": "x",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = read(f"folder(path={str(tmp_path)!r}, labels={{'real': 'human', 'fake': 'machine'}})")
    assert [(d.id, d.label, d.text) for d in found] == [("fake/c", "machine", ""), ("real/a", "human", "one")]
    with pytest.raises(DataError, match=r"'fake' \(1\), 'real' \(1\)"):
        read(f"folder(path={str(tmp_path)!r})")
    with pytest.raises(DataError, match="no file matches"):
        read(f"folder(path={str(tmp_path)!r}, pattern='*.rst')")
    with pytest.raises(DataError, match="no such folder"):
        read("folder(path='nowhere')")


def test_unknown_field_in_columns():
    with pytest.raises(SpecError, match="no field 'genre'"):
        corpora.get("jsonl(path='x', columns={'genre': 'g'})")


def test_specs_print_back(tmp_path):
    for spec in (
        "jsonl(path='x', labels={'HWT': 'human'})",
        "csv(path='y', delimiter=';')",
        "folder(path='z')",
        "parquet(path='p')",
    ):
        assert corpora.canonical(corpora.canonical(spec)) == corpora.canonical(spec)


@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("detectrl_clean", 800),
        ("detectrl_two_sided", 1200),
        ("fastdetect_published", 1214),
        ("lastde", 1638),
        ("mixset", 1072),
        ("scientific", 320),
        ("student_essays", 588),
    ],
)
def test_real_sets_load_whole_and_sound(shared, name, n):
    documents = read(f"jsonl(path={str(shared / 'data' / 'dev' / f'{name}.jsonl.gz')!r})")
    assert len(documents) == n
    assert corpora.check(documents) == []
    assert all(document.cluster == document.meta["doc"] for document in documents)
