"""evenhand import: a corpus and a ledger beside it, a table, and exit codes."""

from __future__ import annotations

import json

import pytest

from evenhand.cli.files import read_documents
from evenhand.errors import DataError, SpecError
from evenhand.ingest import Make
from evenhand.sections import split_sections

from . import office


@pytest.fixture
def call():
    import typer
    from typer.testing import CliRunner

    from evenhand.cli.import_files import import_files

    app = typer.Typer()
    app.command()(import_files)

    def run(*words: object) -> tuple[int, str]:
        done = CliRunner().invoke(app, [str(word) for word in words])
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.exit_code, done.output

    return run


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "in"
    made.mkdir()
    office.docx(made / "a.docx")
    office.rtf(made / "b.rtf")
    (made / "c.txt").write_text("Rivers rise and fall.", "utf-8")
    (made / "d.pdf").write_bytes(b"%PDF-1.4")
    return made


def test_sections_become_documents_and_every_file_a_row(call, folder, tmp_path):
    code, output = call(folder, "-o", tmp_path / "out.jsonl", "--label", "human")
    assert code == 0
    assert "files: 4 (2 ok, 1 none, 1 refused); texts: 6" in output
    documents = read_documents(str(tmp_path / "out.jsonl"))
    assert [(d.id, d.section) for d in documents[:2]] == [
        ("a.docx#abstract", "abstract"),
        ("a.docx#introduction", "introduction"),
    ]
    assert {d.section: d.text for d in documents[:3]} == office.SECTIONS
    first = documents[0]
    assert (first.title, first.source_id, first.cluster, str(first.level)) == (office.TITLE, "a.docx", "a", "human")
    assert first.meta["heading"] == "Abstract"
    rows = [json.loads(line) for line in (tmp_path / "out.ledger.jsonl").read_text("utf-8").splitlines()]
    assert [(row["file"], row["status"]) for row in rows] == [
        ("a.docx", "ok"),
        ("b.rtf", "ok"),
        ("c.txt", "none"),
        ("d.pdf", "refused"),
    ]
    assert rows[0]["words"] == {name: len(text.split()) for name, text in office.SECTIONS.items()}
    assert rows[2]["missing"]["abstract"] == "no heading names it"
    assert "Writer" not in (tmp_path / "out.ledger.jsonl").read_text("utf-8") + (tmp_path / "out.jsonl").read_text(
        "utf-8"
    )


def test_whole_papers_are_in_the_form_of_the_paper(call, folder, tmp_path):
    code, output = call(
        folder, "--whole", "-o", tmp_path / "out.jsonl.gz", "--label", "machine", "--generator", "scigen"
    )
    assert (code, "texts: 2;" in output) == (0, True)
    first, second = read_documents(str(tmp_path / "out.jsonl.gz"))
    assert split_sections(first.text) == split_sections(second.text) == office.SECTIONS
    assert (first.id, first.generator, first.level, first.label) == ("a.docx#paper", "scigen", None, "machine")
    assert (tmp_path / "out.ledger.jsonl").is_file()


def test_essays_are_taken_as_they_are(call, folder, tmp_path):
    call(folder / "c.txt", "--body", "-o", tmp_path / "out.jsonl")
    (essay,) = read_documents(str(tmp_path / "out.jsonl"))
    assert (essay.id, essay.text, essay.label, essay.section) == (
        "c.txt#body",
        "Rivers rise and fall.",
        "unknown",
        None,
    )


def test_nothing_found_is_exit_code_3_with_a_ledger_and_no_corpus(call, folder, tmp_path):
    code, output = call(folder / "d.pdf", "-o", tmp_path / "out.jsonl")
    assert (code, "texts: 0;" in output) == (3, True)
    assert not (tmp_path / "out.jsonl").exists()
    assert (tmp_path / "out.ledger.jsonl").is_file()


def test_nothing_is_written_over_and_wrong_calls_name_the_cure(call, folder, tmp_path):
    call(folder, "-o", tmp_path / "out.jsonl")
    with pytest.raises(DataError, match="name a new file"):
        call(folder, "-o", tmp_path / "out.jsonl")
    with pytest.raises(DataError, match="no folder"):
        call(folder, "-o", tmp_path / "nowhere" / "b.jsonl")
    with pytest.raises(DataError, match="JSON lines"):
        call(folder, "-o", tmp_path / "b.csv")
    with pytest.raises(SpecError, match="parameters of its own"):
        call("arxiv(metadata='a', pdfs='b')", "--whole", "-o", tmp_path / "b.jsonl")
    with pytest.raises(SpecError, match="choose one of"):
        call(folder, "--whole", "--body", "-o", tmp_path / "b.jsonl")
    with pytest.raises(SpecError, match="human, machine, mixed or unknown"):
        call(folder, "--label", "ai", "-o", tmp_path / "b.jsonl")
    with pytest.raises(SpecError, match="use it as a corpus"):
        call("jsonl(path='x')", "-o", tmp_path / "b.jsonl")
    with pytest.raises(SpecError, match="sections, whole, body"):
        Make("pages")


def test_json_tells_the_same(call, folder, tmp_path):
    told = json.loads(call(folder, "--json", "-o", tmp_path / "out.jsonl")[1])
    assert (told["texts"], told["status"]) == (6, {"ok": 2, "none": 1, "refused": 1})
    assert [row["file"] for row in told["files"]] == ["a.docx", "b.rtf", "c.txt", "d.pdf"]


def test_names_with_brackets_are_shown_and_names_with_dots_are_clusters_of_their_own(call, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "[").mkdir()
    files = [tmp_path / name for name in ("[/b] :x:.txt", "smith.2019", "smith.2020", "jones.v2.txt")]
    for file in files:
        file.write_text("Rivers rise.", "utf-8")
    code, output = call(tmp_path / "[", *files[1:], "-o", tmp_path / "out.jsonl", "--body")
    assert (code, "[/b] :x:.txt" in output) == (0, True)
    clusters = {document.cluster for document in read_documents(str(tmp_path / "out.jsonl"))}
    assert clusters == {"[/b] :x:", "smith.2019", "smith.2020", "jones.v2"}
