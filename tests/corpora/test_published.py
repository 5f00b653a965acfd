"""Published corpora, from small files of their shape and oddities, in words of our own."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from evenhand import corpora
from evenhand.corpora.aae import read_prompts
from evenhand.corpora.raid import COLUMNS
from evenhand.corpora.sampling import first_sentences
from evenhand.documents import Document, Level
from evenhand.errors import DataError, SpecError


def read(name: str, path: Path, **more: object) -> list[Document]:
    return list(corpora.factory(name)(str(path), **more))


def table(path: Path, header: list[str], rows: list[list[object]], delimiter: str = ",") -> Path:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows([header, *rows])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    return path


def dump(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


RAID_ROWS = [
    ["h", "h", "h", "human", "", "", "none", "news", "Rain", "", "It rained."],
    ["m", "m", "h", "gpt4", "sampling", "no", "none", "news", "Rain", "Write of rain.", "Rain,\nrain."],
    ["a", "m", "h", "gpt4", "sampling", "no", "homoglyph", "news", "Rain", "Write of rain.", "Rаin."],
    ["b", "h", "h", "human", "", "", "homoglyph", "books", "Rain", "", ""],
]


def test_raid(tmp_path):
    human, machine, attacked, empty = read("raid", table(tmp_path / "train.csv", list(COLUMNS), RAID_ROWS))
    assert (human.label, human.level, human.source_id, human.generator, human.cluster) == (
        "human",
        Level.HUMAN,
        None,
        None,
        "h",
    )
    assert (machine.label, machine.level, machine.source_id, machine.generator) == ("machine", None, "h", "gpt4")
    assert (machine.text, machine.decoding, machine.meta) == ("Rain,\nrain.", "sampling", {"repetition_penalty": "no"})
    assert (attacked.attack, attacked.source_id, attacked.cluster) == ("homoglyph", "m", "h")
    assert (empty.text, empty.source_id, empty.label) == ("", "h", "human")
    only = read("raid", tmp_path / "train.csv", where={"domain": "news", "attack": "none"})
    assert [document.id for document in only] == ["h", "m"]


def test_raid_without_labels_and_with_a_false_filter(tmp_path):
    path = table(tmp_path / "test.csv", ["id", "generation"], [["x", "text"]])
    with pytest.raises(DataError, match="test files have no labels"):
        read("raid", path)
    with pytest.raises(SpecError, match="'genre'"):
        corpora.get("raid(path='x', where={'genre': 'news'})")


def test_detectrl(tmp_path):
    rows = [
        {"text": "One.", "label": "human", "data_type": "abstract", "llm_type": "ChatGPT"},
        {"text": "Two.", "label": "llm", "data_type": "direct_prompt", "llm_type": "ChatGPT"},
    ]
    odd = [{"text": "Three.", "label": "human", "data_type": "paraphrase_dipper_llm", "llm_type": "Claude-instant"}]
    sent = [{"text": "Four.", "label": "llm", "data_type": "adversarial_character_word_llm", "llm_type": "PaLM"}]
    dump(tmp_path / "Direct_Prompt/direct_prompt_test.json", rows)
    dump(tmp_path / "Paraphrase_Attacks_Human/paraphrase_attacks_human_test.json", odd)
    dump(tmp_path / "Paraphrase_Attacks_Human/paraphrase_polish_human_test.json", [odd[0] | {"text": "Five."}])
    dump(tmp_path / "Perturbation_Attacks/perturbation_sent_llm_test.json", sent)
    dump(tmp_path / "Multi_LLM/multi_test.json", sent + sent)
    dump(tmp_path / "Data_Mixing/multi_llm_mixing_test.json", rows)
    found = {document.id: document for document in read("detectrl", tmp_path)}
    assert len(found) == 7  # the mixing file equals the clean one and stands before it by name
    assert {d.attack for d in read("detectrl", tmp_path, files="Direct_Prompt/*.json")} == {"none"}
    clean = next(d for d in read("detectrl", tmp_path, files="Direct_Prompt/*.json"))
    assert (clean.label, clean.domain, clean.generator, clean.level) == ("human", "arxiv", None, Level.HUMAN)
    dipper = found["Paraphrase_Attacks_Human/paraphrase_attacks_human_test/0"]
    assert (dipper.label, dipper.attack, dipper.level_after) == ("human", "dipper", Level.REWRITE_HUMAN)
    polish = found["Paraphrase_Attacks_Human/paraphrase_polish_human_test/0"]
    assert (polish.attack, polish.level_after) == ("polish", Level.IMPROVE_HUMAN)
    assert found["Perturbation_Attacks/perturbation_sent_llm_test/0"].attack == "sentence"
    assert found["Multi_LLM/multi_test/1"].attack == "sentence"
    assert found["Multi_LLM/multi_test/1"].generator == "PaLM"


def test_detectrl_with_another_label(tmp_path):
    dump(tmp_path / "a/x_test.json", [{"text": "One.", "label": "ai", "data_type": "abstract"}])
    with pytest.raises(DataError, match="record 0: label 'ai'"):
        read("detectrl", tmp_path)
    dump(tmp_path / "a/x_test.json", {"text": "One."})
    with pytest.raises(DataError, match="no list of objects"):
        read("detectrl", tmp_path)


def test_mixset(tmp_path):
    human = {"category": "blog", "id": 7, "HWT_sentence": "a plain text", "binary": "MGT"}
    dump(tmp_path / "separated_files/gpt4_rewrite.json", [human | {"gpt4_rewrite_output": "Another text"}])
    dump(tmp_path / "separated_files/2llama_complete.json", [human | {"llama_complete_output": "a plain text goes on"}])
    machine = {"category": "squad", "id": 3, "MGT_sentence": "By a model", "model": "Dolly"}
    humanized = machine | {"binary": "HWT", "llama_humanize_output": "By\u200b a model"}
    dump(tmp_path / "separated_files/2llama_humanize.json", [humanized])
    edited = machine | {"MGT_sentence": "By another", "binary": "MGT", "polish_token_output": "By an other"}
    dump(tmp_path / "separated_files/MGT_polish_token.json", [edited])
    found = read("mixset", tmp_path)
    assert len(found) == 7  # four revised texts, three originals
    rewrite = next(d for d in found if d.id == "gpt4_rewrite/7/0")
    source = next(d for d in found if d.id == rewrite.source_id)
    assert (rewrite.level, rewrite.generator, source.text, source.label) == (
        Level.REWRITE_HUMAN,
        "GPT-4",
        "a plain text",
        "human",
    )
    human_like = next(d for d in found if d.id == "2llama_humanize/3/0")
    assert (human_like.label, human_like.level, human_like.meta["binary"]) == ("machine", Level.HUMANIZE, "HWT")
    by_hand = next(d for d in found if d.id == "MGT_polish_token/3/0")
    assert (by_hand.level, by_hand.generator, by_hand.meta["editor"]) == (None, "Dolly", "human")
    assert corpora.check(found) == []


def test_mixset_in_one_file(tmp_path):
    row = {
        "category": "speech",
        "id": 1,
        "original": "a",
        "revised": "b",
        "mixset_category": "2llama_polish_token",
        "binary": "MGT",
    }
    dump(tmp_path / "Mixset_test.json", [row, row | {"revised": "c"}])
    found = read("mixset", tmp_path / "Mixset_test.json")
    assert [(d.id.split("/")[0], d.level) for d in found] == [
        ("original", Level.HUMAN),
        ("2llama_polish_token", Level.IMPROVE_HUMAN),
        ("2llama_polish_token", Level.IMPROVE_HUMAN),
    ]
    dump(tmp_path / "Mixset_test.json", [{"id": 1, "original": "a"}])
    with pytest.raises(DataError, match="no original and revised text"):
        read("mixset", tmp_path / "Mixset_test.json")


PROMPTS = "ESSAY;PROMPT\ressay001.txt;Should towns\xa0plant trees; or not?\ressay002.txt;Why read?\n".encode(
    "mac_roman"
)


def brat(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for number, title in ((1, "Trees"), (2, "Books")):
            body = f"{title}\n\n{title} are good. Every town should have {title.lower()}.\nMore follows.\n"
            archive.writestr(f"brat-project-final/essay{number:03}.txt", body)
            archive.writestr(f"brat-project-final/essay{number:03}.ann", "T1\tClaim 0 5\tTrees")
            archive.writestr(f"__MACOSX/brat-project-final/._essay{number:03}.txt", b"\x00\x05\x16\x07Mac")
        archive.writestr("brat-project-final/._essay001.txt", b"\x00\x05")
        archive.writestr("brat-project-final/annotation.conf", "[entities]")
    return path


def test_aae(tmp_path):
    (tmp_path / "prompts.csv").write_bytes(PROMPTS)
    first, second = read("aae", brat(tmp_path / "brat-project-final.zip"))
    assert (first.id, first.title, first.task) == ("essay001", "Trees", "Should towns plant trees; or not?")
    assert first.text == "Trees are good. Every town should have trees.\nMore follows."
    assert (second.label, second.level, second.task) == ("human", Level.HUMAN, "Why read?")
    (short, _) = read("aae", tmp_path / "brat-project-final.zip", max_words=5)
    assert (short.text, short.truncated) == ("Trees are good.", True)


def test_aae_prompts_have_lone_carriage_returns_and_a_byte_of_mac_roman():
    assert b"\xca" in PROMPTS
    assert b"\r\n" not in PROMPTS
    assert read_prompts(PROMPTS) == {"essay001": "Should towns plant trees; or not?", "essay002": "Why read?"}


def test_aae_loses_no_text_where_a_blank_line_is_missing_or_bytes_are_of_another_kind(tmp_path):
    for name, body in (("whole.zip", "Trees\nTrees are good.\n\nMore."), ("other.zip", b"Trees\n\nCaf\xe9s")):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("essay001.txt", body)
    (essay,) = read("aae", tmp_path / "whole.zip")
    assert (essay.title, essay.text) == ("Trees", "Trees are good.\n\nMore.")
    with pytest.raises(DataError, match=r"essay001\.txt: .*can't decode byte 0xe9.*fetch the archive again"):
        read("aae", tmp_path / "other.zip")


def test_aae_that_is_no_archive(tmp_path):
    (tmp_path / "x.zip").write_bytes(b"PK not a zip")
    with pytest.raises(DataError, match="no readable zip"):
        read("aae", tmp_path / "x.zip")


def test_persuade(tmp_path):
    header = ["essay_id_comp", "full_text", "discourse_type", "prompt_name", "assignment", "ell_status", "grade_level"]
    rows = [
        [f"E{essay}", f"Essay {essay}. It ends.", part, f"P{essay % 2}", "Write.", "Yes", "8"]
        for essay in range(8)
        for part in ("Lead", "Claim")
    ]
    path = table(tmp_path / "persuade.csv", header, rows)
    found = read("persuade", path)
    assert [d.id for d in found] == [f"E{n}" for n in range(8)]
    assert found[0].meta == {"grade_level": "8", "ell_status": "Yes"}
    assert (found[0].task, found[0].title) == ("Write.", "P0")
    drawn = read("persuade", path, per_task=2)
    assert [d.title for d in drawn].count("P0") == [d.title for d in drawn].count("P1") == 2
    assert drawn == read("persuade", path, per_task=2)
    others = {tuple(d.id for d in read("persuade", path, per_task=2, seed=seed)) for seed in range(9)}
    assert len(others) > 1
    table(path, header, [[*row[:1], "", *row[2:]] for row in rows[:2]])
    assert [d.text for d in read("persuade", path)] == [""]
    table(path, header, [rows[0], [rows[0][0], "Another text.", *rows[0][2:]]])
    with pytest.raises(DataError, match="E0 has two different texts"):
        read("persuade", path)


def test_bawe(tmp_path):
    header = ["id", "student_id", "title", "discipline", "disciplinary group", "L1", "level", "words"]
    rows = [
        ["0001a", "0001", "On rain", "Physics", "PS", "English", "1", "5"],
        ["0001b", "0001", "On snow", "Law", "SS", "", "2", "5"],
    ]
    table(tmp_path / "documentation/BAWE.csv", header, rows)
    (tmp_path / "CORPUS_TXT").mkdir()
    for row in rows:
        (tmp_path / "CORPUS_TXT" / f"{row[0]}.txt").write_text("It fell.\n\nIt stayed long.")
    first, second = read("bawe", tmp_path)
    assert (first.id, first.cluster, first.text, first.task) == ("0001a", "0001", "It fell. It stayed long.", "On rain")
    assert first.meta == {"discipline": "Physics", "disciplinary group": "PS", "level": "1", "L1": "English"}
    assert second.cluster == "0001"
    assert len(read("bawe", tmp_path, per_discipline=1, max_words=320)) == 2
    (tmp_path / "CORPUS_TXT" / "0001b.txt").write_bytes(b"caf\xe9")
    with pytest.raises(DataError, match="or save it as UTF-8"):
        read("bawe", tmp_path)
    (tmp_path / "CORPUS_TXT" / "0001b.txt").unlink()
    with pytest.raises(DataError, match=r"0001b\.txt is not there"):
        read("bawe", tmp_path)
    with pytest.raises(DataError, match=r"save the sheet of documentation/BAWE\.xls as CSV"):
        read("bawe", tmp_path, holdings=str(tmp_path / "none.csv"))


def test_bawe_holdings_as_they_come_are_told_to_be_a_spreadsheet(tmp_path):
    (tmp_path / "CORPUS_TXT").mkdir()
    (tmp_path / "BAWE.xls").write_bytes(b"\xd0\xcf\x11\xe0")
    with pytest.raises(DataError, match="is a spreadsheet; save its sheet as CSV"):
        read("bawe", tmp_path, holdings=str(tmp_path / "BAWE.xls"))


def database(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript("""
        CREATE TABLE datasets (id INTEGER, name TEXT);
        CREATE TABLE questions (id INTEGER, dataset_id INTEGER, question TEXT, discipline TEXT);
        CREATE TABLE jobs (id INTEGER, model TEXT, prompt_mode TEXT);
        CREATE TABLE answers (id INTEGER, question_id INTEGER, job_id INTEGER, is_human INTEGER, answer TEXT);
        CREATE TABLE human_meta (answer_id INTEGER, l1 TEXT, grade TEXT);
        INSERT INTO datasets VALUES (1, 'persuade');
        INSERT INTO questions VALUES (5, 1, 'Why walk?', NULL);
        INSERT INTO jobs VALUES (131538, 'meta-llama/Llama-3.3-70B-Instruct', 'task'),
            (2, 'gpt-4o-mini-2024-07-18', 'rewrite-131538'),
            (3, 'dipper', 'dipper-131538'), (4, 'dipper', 'dipper-20250130074608'),
            (6, 'gpt-4o-mini-2024-07-18', 'task+resource'),
            (7, 'gpt-4o-mini-2024-07-18', 'task+summary');
        INSERT INTO answers VALUES (1, 5, NULL, 1, 'I walk.' || char(10) || 'Often.'), (2, 5, 131538, 0, 'Walking is'),
            (3, 5, 2, 0, 'To walk'), (4, 5, 3, 0, 'A walk'), (5, 5, 4, 0, 'Walks'),
            (6, 5, 6, 0, 'dropped'), (7, 5, 7, 0, 'We walk');
        INSERT INTO human_meta VALUES (1, 'Dutch', NULL);
    """)
    connection.commit()
    connection.close()
    return path


def test_gede_database(tmp_path):
    found = {document.id: document for document in read("gede", database(tmp_path / "database.db"))}
    assert list(found) == ["1", "2", "3", "4", "5", "7"]
    assert (found["1"].text, found["1"].label, found["1"].meta) == ("I walk. Often.", "human", {"l1": "Dutch"})
    assert {document.cluster for document in found.values()} == {"persuade/5"}
    levels = [Level.HUMAN, Level.TASK, Level.REWRITE_LLM, Level.HUMANIZE, Level.HUMANIZE, Level.TASK_SUMMARY]
    assert [document.level for document in found.values()] == levels
    llama, gpt = "meta-llama/Llama-3.3-70B-Instruct", "gpt-4o-mini-2024-07-18"
    assert [document.meta.get("pool") for document in found.values()] == [None, llama, gpt, llama, gpt, gpt]
    assert read("gede", tmp_path / "database.db", newlines="keep")[0].text == "I walk.\nOften."


def test_gede_names_its_corpora_and_tells_the_subject_of_every_text(tmp_path):
    """The database calls AAE 'argument-annotated-essays', and keeps the discipline with the question."""
    with closing(sqlite3.connect(database(tmp_path / "database.db"))) as connection, connection:
        connection.execute("INSERT INTO datasets VALUES (2, 'argument-annotated-essays')")
        connection.execute("INSERT INTO questions VALUES (6, 2, 'Why read?', 'Law')")
        connection.execute("INSERT INTO answers VALUES (8, 6, NULL, 1, 'I read.'), (9, 6, 131538, 0, 'Reading is')")
    human, machine = read("gede", tmp_path / "database.db")[-2:]
    assert (human.domain, human.cluster, human.meta["discipline"]) == ("aae", "aae/6", "Law")
    assert (machine.label, machine.domain, machine.meta["discipline"]) == ("machine", "aae", "Law")
    assert "discipline" not in read("gede", tmp_path / "database.db")[0].meta


def test_gede_answers_without_a_question_are_refused_or_left_out_as_asked(tmp_path):
    with closing(sqlite3.connect(database(tmp_path / "database.db"))) as connection, connection:
        connection.execute("INSERT INTO answers VALUES (8, 99, NULL, 1, 'I read.'), (9, 98, 131538, 0, 'Reading is')")
    with pytest.raises(DataError, match="2 answers name a question or a corpus that is not there"):
        read("gede", tmp_path / "database.db")
    assert len(read("gede", tmp_path / "database.db", orphans="drop")) == 6


@pytest.mark.parametrize("told", ["{broken", "{}", "[]", '{"info": {"model": "m", "dataset": "brat-project"}}'])
def test_gede_export_whose_job_is_not_told(tmp_path, told):
    path = table(tmp_path / "131538/data.csv", ["", "question", "human", "llm"], [[0, "Why?", "mine", "its"]], ";")
    path.with_name("info.json").write_text(told)
    with pytest.raises(DataError, match="does not tell model, prompt_mode and dataset"):
        read("gede", path)
    dump(path.with_name("info.json"), {"info": {"model": "m", "dataset": "brat-project", "prompt_mode": "task"}})
    human, machine = read("gede", path)
    assert (human.domain, machine.meta["job"]) == ("aae", "131538")


def test_gede_database_of_another_kind(tmp_path):
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute("CREATE TABLE answers (id INTEGER)")
    connection.commit()
    connection.close()
    with pytest.raises(DataError, match="table 'answers' has no column"):
        read("gede", tmp_path / "x.db")
    (tmp_path / "x.db").write_bytes(b"SQLite format 3\0 and nothing more")
    with pytest.raises(DataError, match="no readable SQLite"):
        read("gede", tmp_path / "x.db")


@pytest.mark.parametrize(
    ("mode", "folder", "expected"),
    [
        ("task", "gpt/1", [("human", Level.HUMAN, "mine"), ("machine", Level.TASK, "its")]),
        ("improve-human", "gpt/1", [("machine", Level.IMPROVE_HUMAN, "mine")]),
        ("task", "dipper/gpt/20250130074608", [("human", Level.HUMAN, "mine"), ("machine", Level.HUMANIZE, "its")]),
    ],
)
def test_gede_export(tmp_path, mode, folder, expected):
    path = table(tmp_path / folder / "data.csv", ["", "question", "human", "llm"], [[0, "Why?", "mine", "its"]], ";")
    job = {"model": "gpt-4o-mini-2024-07-18", "dataset": "aae", "prompt_mode": mode, "job_id": "20250130074608"}
    dump(path.with_name("info.json"), {"info": job})
    found = read("gede", path)
    assert [(d.label, d.level, d.text) for d in found] == expected
    assert found[-1].meta["pool"] == "gpt-4o-mini-2024-07-18"
    path.with_name("info.json").unlink()
    with pytest.raises(DataError, match=r"no info\.json"):
        read("gede", path)


def test_cutting_at_sentence_ends():
    text = "One two three. Four five. Six seven eight nine."
    assert first_sentences(text, 5) == "One two three. Four five."
    assert first_sentences(text, 8) == "One two three. Four five."
    assert first_sentences(text, 9) == text
    assert first_sentences(text, 2) == "One two"


@pytest.mark.parametrize(
    "spec", ["aae(path='x', max_words=0)", "persuade(path='x', per_task=0)", "gede(path='x', newlines='x')"]
)
def test_limits_out_of_range(spec):
    with pytest.raises(SpecError):
        corpora.get(spec)


def write_aae(folder: Path) -> Path:
    (folder / "prompts.csv").write_bytes(PROMPTS)
    return brat(folder / "brat-project-final.zip")


def write_persuade(folder: Path) -> Path:
    header = ["essay_id_comp", "full_text", "discourse_type", "prompt_name", "assignment"]
    rows = [[f"E{n}", f"Essay {n}.\n\nIt ends.", part, "P", "Write."] for n in range(5) for part in ("Lead", "Claim")]
    return table(folder / "persuade.csv", header, rows)


def write_bawe(folder: Path) -> Path:
    rows = [[f"000{n}a", f"On rain {n}", "Physics"] for n in range(3)]
    table(folder / "documentation/BAWE.csv", ["id", "title", "discipline"], rows)
    (folder / "CORPUS_TXT").mkdir()
    for name, *_ in rows:
        (folder / "CORPUS_TXT" / f"{name}.txt").write_text(f"It fell on {name}.\n\nIt stayed.")
    return folder


TREES = "{0} are good. Every town should have {1}.\nMore follows."


@pytest.mark.parametrize(
    ("name", "write", "n", "first", "last"),
    [
        (
            "aae",
            write_aae,
            2,
            ("essay001", TREES.format("Trees", "trees")),
            ("essay002", TREES.format("Books", "books")),
        ),
        ("persuade", write_persuade, 5, ("E0", "Essay 0.\n\nIt ends."), ("E4", "Essay 4.\n\nIt ends.")),
        ("bawe", write_bawe, 3, ("0000a", "It fell on 0000a. It stayed."), ("0002a", "It fell on 0002a. It stayed.")),
        ("gede", lambda folder: database(folder / "database.db"), 6, ("1", "I walk. Often."), ("7", "We walk")),
    ],
)
def test_golden_records(tmp_path, name, write, n, first, last):
    """Count, first and last: what a change of a reader must not change."""
    found = read(name, write(tmp_path))
    assert len(found) == n
    assert [(one.id, one.text) for one in (found[0], found[-1])] == [first, last]
