"""arXiv's snapshot with PDFs: ids old and new, versions and days, abstracts from the metadata, and what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evenhand import corpora
from evenhand.corpora.arxiv import paper_of
from evenhand.corpora.base import check
from evenhand.documents import Level
from evenhand.errors import DataError, SpecError
from evenhand.ingest import Limits

pytest.importorskip("pypdfium2")


@pytest.mark.parametrize(("name", "paper"), [
    ("0704.0001v2.pdf", ("0704.0001", 2)),
    ("2211.12345.pdf", ("2211.12345", None)),
    ("hep-th_9901001v1.pdf", ("hep-th/9901001", 1)),
    ("hep-th9901001v3.pdf", ("hep-th/9901001", 3)),
    ("hep-th/9901001v1.pdf", ("hep-th/9901001", 1)),
    ("math.GT_0309136.pdf", ("math/0309136", None)),  # whose metadata have no subject class
    ("arxiv/pdf/0704/0704.0001v1.pdf", ("0704.0001", 1)),  # the bucket's folders
    ("hep-th/pdf/9901/9901001v1.pdf", ("hep-th/9901001", 1)),
    ("pdf/9901/9901001v1.pdf", None),
    ("9901001v1.pdf", None),
    ("thesis.pdf", None),
])  # fmt: skip
def test_names_of_files_are_ids_and_versions(name, paper):
    assert paper_of(name) == paper


def record(identity: str, days: dict[str, str], **more: object) -> dict[str, object]:
    versions = [{"version": version, "created": f"{day} 10:00:00 GMT"} for version, day in days.items()]
    return {
        "id": identity, "submitter": "A. Writer", "authors": "A. Writer, B. Writer", "title": "On  the\n  Level",
        "abstract": "  We measured\na river.\n", "categories": "cs.CL physics.geo-ph", "versions": versions,
        "license": "http://creativecommons.org/licenses/by/4.0/", **more,
    }  # fmt: skip


@pytest.fixture
def snapshot(tmp_path: Path) -> dict[str, str]:
    canvas = pytest.importorskip("reportlab.pdfgen.canvas")

    def pdf(name: str, headings: tuple[str, ...]) -> None:
        path = tmp_path / "pdfs" / name
        path.parent.mkdir(exist_ok=True, parents=True)
        drawn, y = canvas.Canvas(str(path)), 780
        for heading in headings:
            drawn.setFont("Times-Bold", 14)
            drawn.drawString(72, y, heading)
            drawn.setFont("Times-Roman", 10)
            drawn.drawString(72, y - 20, f"The text under {heading[2:]} of {name[:9]} is here.")
            y -= 60
        drawn.save()

    whole = ("1 Introduction", "2 Data", "3 Conclusion", "References")
    for name in (
        "0704.0001v1.pdf",
        "0704.0001v2.pdf",
        "0704.0001v3.pdf",
        "hep-th_9901001v1.pdf",
        "2301.00001v1.pdf",
        "notes.pdf",
    ):
        pdf(name, whole)
    pdf("0704.0002v1.pdf", ("1 Introduction", "2 Data"))
    pdf("0704.0009v1.pdf", whole)
    (tmp_path / "pdfs" / "0704.0003v1.pdf").write_bytes(b"%PDF-1.4 cut off")
    rows = [
        record("0704.0001", {"v1": "Mon, 2 Apr 2007", "v2": "Tue, 1 Nov 2022", "v3": "Wed, 30 Nov 2022"}),
        record("0704.0002", {"v1": "Mon, 2 Apr 2007"}), record("0704.0003", {"v1": "Mon, 2 Apr 2007"}),
        record("hep-th/9901001", {"v1": "Fri, 1 Jan 1999"}), record("2301.00001", {"v1": "Sun, 1 Jan 2023"}),
        record("0704.0008", {"v1": "Mon, 2 Apr 2007"}),
    ]  # fmt: skip
    (tmp_path / "snapshot.json").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return {"metadata": str(tmp_path / "snapshot.json"), "pdfs": str(tmp_path / "pdfs")}


def spec(snapshot: dict[str, str], **more: object) -> str:
    return f"arxiv({', '.join(f'{key}={value!r}' for key, value in {**snapshot, **more}.items())})"


def test_papers_are_whole_dated_and_without_names(snapshot):
    documents = list(corpora.get(spec(snapshot)))
    assert [d.id for d in documents] == [
        f"{paper}#{section}"
        for paper in ("0704.0001", "hep-th/9901001")
        for section in ("abstract", "introduction", "conclusion")
    ]
    abstract, introduction = documents[0], documents[1]
    assert (abstract.text, abstract.title) == ("We measured a river.", "On the Level")
    assert (abstract.meta["taken_from"], introduction.meta["taken_from"]) == ("metadata", "file")
    assert introduction.text == "The text under Introduction of 0704.0001 is here."
    assert (introduction.label, introduction.level, introduction.domain) == ("human", Level.HUMAN, "cs.CL")
    assert (introduction.meta["date"], introduction.meta["year"]) == ("2022-11-01", 2022)
    assert {d.cluster for d in documents} == {"0704.0001", "hep-th/9901001"}
    assert "Writer" not in repr(documents)
    assert len(check(documents)) == 1  # one class only, as it is


def test_every_file_that_is_left_out_says_why(snapshot):
    rows, _ = corpora.get(spec(snapshot)).read()
    reasons = {row.file: row.reason for row in rows}
    wanted = {
        "0704.0001v1.pdf": "or a later version", "0704.0001v2.pdf": "", "0704.0001v3.pdf": "2022-11-30, not before 2022-11-30",
        "0704.0002v1.pdf": "no conclusion was found", "0704.0003v1.pdf": "damaged", "0704.0009v1.pdf": "has no 0704.0009",
        "2301.00001v1.pdf": "2023-01-01, not before", "hep-th_9901001v1.pdf": "", "notes.pdf": "not named as arXiv",
    }  # fmt: skip
    assert reasons.keys() == wanted.keys()
    assert [name for name, reason in wanted.items() if reason not in reasons[name]] == []


def test_metadata_without_an_abstract_or_versions_give_no_text_of_null(snapshot):
    rows = [
        record("0704.0001", {"v3": "Mon, 2 Apr 2007"}, abstract=None), record("hep-th/9901001", {}, versions="v1"),
    ]  # fmt: skip
    Path(snapshot["metadata"]).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    read, found = corpora.get(spec(snapshot)).read()
    reasons = {row.file: row.reason for row in read}
    assert found == []
    assert reasons["0704.0001v3.pdf"] == "left out: no abstract was found"
    assert "does not say when" in reasons["hep-th_9901001v1.pdf"]


def test_of_versions_of_one_day_the_last_is_taken(snapshot):
    row = record("0704.0001", {f"v{n}": "Mon, 2 Apr 2007" for n in (1, 2, 3)})
    Path(snapshot["metadata"]).write_text(json.dumps(row) + "\n", "utf-8")
    read, found = corpora.get(spec(snapshot)).read()
    assert {row.file for row in read if row.status == "ok"} == {"0704.0001v3.pdf"}
    assert len(found) == 3


def test_another_day_and_the_whole_paper(snapshot):
    found = list(corpora.get(spec(snapshot, before="2008-01-01", unit="whole")))
    assert [d.id for d in found] == ["0704.0001#paper", "hep-th/9901001#paper"]
    assert found[0].meta["date"] == "2007-04-02"
    assert found[0].text.startswith("Abstract:\n\nWe measured a river.\n\nIntroduction:\n\nThe text under Introduction")


def test_wrong_days_parsers_and_snapshots_name_the_cure(snapshot, tmp_path):
    for more, said in (
        ({"before": "November"}, "2022-11-30"),
        ({"parser": "fitz"}, "'idmgsp'"),
        ({"unit": "body"}, "'whole'"),
    ):
        with pytest.raises(SpecError, match=said):
            corpora.get(spec(snapshot, **more))
    Path(snapshot["metadata"]).write_text('{"id": "0704.0001", "title"\n', "utf-8")
    with pytest.raises(DataError, match="line 1 is no JSON"):
        list(corpora.get(spec(snapshot)))
    Path(snapshot["metadata"]).write_text("version https://git-lfs.github.com/spec/v1\n", "utf-8")
    with pytest.raises(DataError, match="git lfs pull"):
        list(corpora.get(spec(snapshot)))


def test_the_import_command_writes_corpus_and_ledger(snapshot, tmp_path):
    import typer
    from typer.testing import CliRunner

    from evenhand.cli.files import read_documents
    from evenhand.cli.import_files import import_files

    app = typer.Typer()
    app.command()(import_files)
    done = CliRunner().invoke(app, [spec(snapshot), "-o", str(tmp_path / "out.jsonl")])
    assert done.exit_code == 0
    assert "files: 9 (" in done.output
    assert len(read_documents(str(tmp_path / "out.jsonl"))) == 6
    rows = [json.loads(line) for line in (tmp_path / "out.ledger.jsonl").read_text("utf-8").splitlines()]
    assert sum(row["status"] == "ok" for row in rows) == 2
    done = CliRunner().invoke(app, [spec(snapshot), "-o", str(tmp_path / "again.jsonl"), "--jobs", "2"])
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()


def test_limits_hold_for_its_files_too(snapshot):
    rows, made = corpora.get(spec(snapshot)).read(Limits(file_bytes=10))
    assert made == []
    assert sum("at most 0 are read" in row.reason for row in rows) == 4
