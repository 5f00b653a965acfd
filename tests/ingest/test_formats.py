"""Each format of word processors: the sections of one made paper, found to the letter, and what is left out told."""

from __future__ import annotations

import pytest

from evenhand.ingest import read_file

from . import office

MADE = {
    "docx": (office.docx, "paper.docx"),
    "odt": (office.odt, "paper.odt"),
    "rtf": (office.rtf, "paper.rtf"),
    "latex": (office.latex, "paper.tex"),
    "txt": (office.txt, "paper.txt"),
}


@pytest.mark.parametrize("kind", MADE)
def test_the_three_sections_are_found_to_the_letter(tmp_path, kind):
    make, name = MADE[kind]
    found = read_file(make(tmp_path / name))
    assert (found.status, found.kind) == ("ok", kind)
    assert found.sections == office.SECTIONS


@pytest.mark.parametrize("kind", ["docx", "odt", "latex"])
def test_titles_come_from_styles_and_commands(tmp_path, kind):
    make, name = MADE[kind]
    found = read_file(make(tmp_path / name))
    assert (found.title, bool(found.title_from)) == (office.TITLE, True)


@pytest.mark.parametrize(
    ("kind", "left"),
    [
        ("docx", {"footnotes", "tables", "deleted passages"}),
        ("odt", {"footnotes", "tables"}),
        ("rtf", {"footnotes", "running heads"}),
        ("latex", {"footnotes", "figures"}),
    ],
)
def test_what_is_left_out_is_counted(tmp_path, kind, left):
    make, name = MADE[kind]
    assert left <= read_file(make(tmp_path / name)).left_out.keys()


def test_headings_without_styles_are_found_by_number_and_name(tmp_path):
    assert read_file(office.docx(tmp_path / "plain.docx", styled=False)).sections == office.SECTIONS


def test_other_encodings_are_read_and_said(tmp_path):
    assert read_file(office.txt(tmp_path / "wide.txt", "utf-16")).sections == office.SECTIONS
    text = "Abstract\n\nA café by the river.\n"
    (tmp_path / "old.txt").write_bytes(text.encode("latin-1"))
    found = read_file(tmp_path / "old.txt")
    assert found.sections == {"abstract": "A café by the river."}
    assert found.notes == ("not UTF-8: read as Windows-1252",)


def test_a_missing_section_is_told_and_nothing_takes_its_place(tmp_path):
    (tmp_path / "a.txt").write_text("1 Introduction\n\nRivers rise.\n\n2 Discussion\n\nThey fall too.\n", "utf-8")
    found = read_file(tmp_path / "a.txt")
    assert (found.status, found.sections) == ("partial", {"introduction": "Rivers rise."})
    assert found.missing["abstract"] == "no heading names it"
    assert "'2 Discussion' is not taken for one" in found.missing["conclusion"]


def test_an_empty_section_is_told(tmp_path):
    (tmp_path / "a.txt").write_text("Abstract\n\n1 Introduction\n\nRivers rise.\n", "utf-8")
    assert read_file(tmp_path / "a.txt").missing["abstract"] == "its heading is there, but no text under it"


def test_a_section_keeps_what_is_inside_it_and_no_more(tmp_path):
    parts = "1 Introduction|One.|1.1 Aims|Two.|1.2 Plan|Three.|2 Data|Four.|2.1 Conclusion|Five.|3 Conclusion|Six."
    (tmp_path / "a.txt").write_text(parts.replace("|", "\n\n"), "utf-8")
    found = read_file(tmp_path / "a.txt").sections
    assert found == {"introduction": "One.\n\nTwo.\n\nThree.", "conclusion": "Six."}


def test_addresses_are_masked_and_counted(tmp_path):
    (tmp_path / "a.txt").write_text("Abstract\n\nWrite to {a,b}@example.org or c.d@uni.example.\n", "utf-8")
    found = read_file(tmp_path / "a.txt")
    assert (found.sections["abstract"], found.emails) == ("Write to [email] or [email].", 2)


def test_latex_takes_in_no_file_from_outside_its_folder(tmp_path):
    (tmp_path / "secret.tex").write_text("a secret", "utf-8")
    inner = tmp_path / "paper"
    inner.mkdir()
    (inner / "a.tex").write_text(
        r"\begin{document}\section{Introduction}Open. \input{../secret}\end{document}", "utf-8"
    )
    (inner / "loop.tex").write_text(r"\begin{document}\section{Introduction}Open. \input{loop}\end{document}", "utf-8")
    found = read_file(inner / "a.tex")
    assert found.sections == {"introduction": "Open."}
    assert found.left_out == {"files that were not taken in": 1}
    endless = read_file(inner / "loop.tex")
    assert set(endless.sections["introduction"].split()) == {"Open."}
    assert endless.left_out == {"files that were not taken in": 1}


def test_the_content_decides_not_the_suffix(tmp_path):
    office.docx(tmp_path / "paper.pdf")
    assert read_file(tmp_path / "paper.pdf").kind == "docx"


def test_items_of_a_list_are_no_headings_where_the_file_says_what_is_one(tmp_path):
    """'2. Second' would go on from '1 Introduction'; in a styled file it is a paragraph."""
    items = ("1. First of all", "2. Second of all")
    body = "".join(
        office.paragraph(text, style)
        for text, style in (
            ("1 Introduction", "berschrift1"),
            *((item, "") for item in items),
            ("2 Conclusion", "berschrift1"),
            ("Done.", ""),
        )
    )
    document = f'<w:document xmlns:w="{office.W}"><w:body>{body}</w:body></w:document>'
    path = office.zipped(tmp_path / "a.docx", {"word/document.xml": document, "word/styles.xml": office.STYLES})
    assert read_file(path).sections == {"introduction": "\n\n".join(items), "conclusion": "Done."}
