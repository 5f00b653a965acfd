"""Each format of word processors: the sections of one made paper, found to the letter, and what is left out told."""

from __future__ import annotations

from itertools import pairwise

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
    assert endless.sections == {"introduction": "Open."}
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


CONTENTS = [
    ["Abstract ..... 1", "9 Data ..... 5"], ["1 Introduction . . . . . . . 2", "9 Data 5"], ["Introduction 2", "Data 5"],
    ["3 Conclusion iv", "9 Data v"], ["1. Introduction", "1.1 Aims", "2. Methods", "3. Conclusion"],
]  # fmt: skip


@pytest.mark.parametrize("entries", CONTENTS)
@pytest.mark.parametrize("kind", ["txt", "docx"])
def test_lists_of_contents_are_no_sections(tmp_path, kind, entries):
    """Behind the abstract, where they could end it, and before the introduction, whose first heading theirs would be."""
    lines = ["Abstract", "We measured.", "Contents", *entries, "1 Introduction", "Rivers rise.", "2 Methods", "A gauge.",
             "3 Conclusion", "It rose."]  # fmt: skip
    if kind == "txt":
        path = tmp_path / "a.txt"
        path.write_text("\n\n".join(lines), "utf-8")
    else:
        body = "".join(map(office.paragraph, lines))
        document = f'<w:document xmlns:w="{office.W}"><w:body>{body}</w:body></w:document>'
        path = office.zipped(tmp_path / "a.docx", {"word/document.xml": document})
    wanted = {"abstract": "We measured.", "introduction": "Rivers rise.", "conclusion": "It rose."}
    assert read_file(path).sections == wanted


def test_lists_of_contents_by_style_are_left_out_and_counted(tmp_path):
    styles = office.STYLES.replace(
        "</w:styles>", '<w:style w:styleId="V1"><w:name w:val="toc 1"/></w:style></w:styles>'
    )
    lines = (("Methods 3", "V1"), ("Introduction", "berschrift1"), ("Rivers rise.", ""))
    body = "".join(office.paragraph(text, style) for text, style in lines)
    document = f'<w:document xmlns:w="{office.W}"><w:body>{body}</w:body></w:document>'
    path = office.zipped(tmp_path / "a.docx", {"word/document.xml": document, "word/styles.xml": styles})
    found = read_file(path)
    assert (found.body, found.left_out) == ("Rivers rise.", {"lists of contents": 1})


def test_items_that_speak_of_a_section_are_no_headings(tmp_path):
    """A list in the introduction, and one in the conclusion."""
    items = "1. Introduction of a new gauge.\n\n2. So we came to the conclusion that it rose.\n\nMore."
    (tmp_path / "a.txt").write_text(
        f"1 Introduction\n\nRivers rise.\n\n{items}\n\n2 Methods\n\nA gauge.\n\n3 Conclusions and outlook\n\nIt rose.\n\n"
        "1. No conclusion is sure\n\nReferences\n\nB.", "utf-8",
    )  # fmt: skip
    found = read_file(tmp_path / "a.txt")
    assert found.sections == {
        "introduction": f"Rivers rise.\n\n{items}",
        "conclusion": "It rose.\n\n1. No conclusion is sure",
    }
    assert found.headings["conclusion"] == "3 Conclusions and outlook"


@pytest.mark.parametrize(
    "last", ["4. Conclusions and Future Work", "4 Summary and Conclusion", "IV. CONCLUSION AND OUTLOOK"]
)
@pytest.mark.parametrize(
    "between", ["2. What is it?\n\nA gauge.", "2 Methods\nA gauge.", "3. Rain of 2019\n\nIt fell."]
)
def test_a_numbered_section_is_found_where_headings_between_are_not_read(tmp_path, between, last):
    """Above its text, at a question, behind a year."""
    (tmp_path / "a.txt").write_text(f"1 Introduction\n\nRivers rise.\n\n{between}\n\n{last}\n\nIt rose.", "utf-8")
    found = read_file(tmp_path / "a.txt")
    assert found.sections["conclusion"] == "It rose."
    assert found.sections["introduction"].endswith(" ".join(between.split("\n")[-1:]))


def test_markdown_has_headings_and_levels(tmp_path):
    (tmp_path / "a.md").write_text(
        "# On rivers\n\n## Abstract\n\nWe measured.\n\n## 1. Introduction\nRivers rise.\n\n### 1.1 Aims ###\nTo know.\n\n"
        "## Methods\n\n```\n# Introduction\n```\n\nA gauge.\n\n"
        "## Conclusion and outlook\n\nIt rose.\n\n## References\n\nB.\n", "utf-8",
    )  # fmt: skip
    found = read_file(tmp_path / "a.md")
    wanted = {"abstract": "We measured.", "introduction": "Rivers rise.\n\nTo know.", "conclusion": "It rose."}
    assert (found.status, found.sections, found.left_out) == ("ok", wanted, {"listings": 1})


def latex_of(tmp_path, introduction: str, before: str = "", end: str = ""):
    source = (
        before + "\\begin{document}\\begin{abstract}We measured.\\end{abstract}\\section{Introduction}"
        f"{introduction}\\section{{Conclusion}}It rose.{end}\\end{{document}}"
    )  # fmt: skip
    (tmp_path / "a.tex").write_text(source, "utf-8")
    return read_file(tmp_path / "a.tex")


@pytest.mark.parametrize(("written", "meant"), [
    (r"See Section~\ref{s:a} and \href{http://a.org}{the page}.", "See Section and the page."),
    (r"Set $\alpha = \frac{1}{2}$, $O(n \log n)$.", "Set α = 1/2, O(n log n)."),
    (r"As $\Lambda \leq \sqrt{\pi}$ in \S 2, $\int x$.", "As Λ ≤ √π in § 2, ∫ x."),
    (r"By Eq.~\eqref{e}, so.", "By Eq., so."),
    (r"Here are \textcolor{red}{red} words.", "Here are red words."),
    (r"A hy\-phen, word\/ and 10\,000 A\@.", "A hyphen, word and 10 000 A."),
    (r"Na \.zle\.z, \k{a}, \d{t}.", "Na żleż, ą, ṭ."),
    ("One line % not this\n\nA new paragraph.", "One line\n\nA new paragraph."),
    ("One % not this\n  line.", "One line."),
    (r"\begin{minipage}[t]{0.5\textwidth}In a box.\end{minipage}", "In a box."),
    (r"Before. \begin{wrapfigure}{r}{3cm}\caption{A}\end{wrapfigure}\begin{longtable}{l}cell\end{longtable}"
     r"\begin{tikzpicture}\draw (0,0);\end{tikzpicture}\begin{alignat}{2}x&=1\end{alignat}After.", "Before. After."),
])  # fmt: skip
def test_latex_commands_leave_no_traces(tmp_path, written, meant):
    assert latex_of(tmp_path, written).sections["introduction"] == meant


def test_macros_of_the_file_are_written_out(tmp_path):
    before = r"\newcommand{\ours}{River\net\xspace}\def\net{Net}\newcommand{\of}[1]{the #1}\renewcommand\a{\a\a}"
    assert latex_of(tmp_path, r"We call \ours{} so, and \ours is it, \of{one}.", before).sections["introduction"] == (
        "We call RiverNet so, and RiverNet is it, one."
    )


@pytest.mark.parametrize("anew", [
    r"\renewcommand\section{\@startsection{section}{1}{\z@}{-2ex}{1ex}{\large\bf}}", r"\def\section{\old}\def\abstract{\small}",
    r"\renewcommand{\title}{\large}\renewcommand*{\begin}{\small}\def\end{}",
])  # fmt: skip
def test_sections_that_a_source_sets_in_another_type_are_sections(tmp_path, anew):
    wanted = {"abstract": "We measured.", "introduction": "Rivers rise.", "conclusion": "It rose."}
    assert latex_of(tmp_path, "Rivers rise.", anew).sections == wanted


def test_macros_that_grow_without_end_are_refused(tmp_path):
    names = "abcdefg"
    before = "".join(rf"\def\{one}{{{(chr(92) + after) * 30}}}" for one, after in pairwise(names))
    found = latex_of(tmp_path, r"\a", before)
    assert (found.status, "its macros write out more than" in found.reason) == ("refused", True)


@pytest.mark.parametrize("thanks", [
    r"\begin{acks}All.\end{acks}", r"\begin{acknowledgments}All.\end{acknowledgments}", r"\acknowledgements All.",
    r"\paragraph*{Acknowledgment.} All.",
])  # fmt: skip
def test_thanks_are_no_part_of_the_conclusion(tmp_path, thanks):
    assert latex_of(tmp_path, "Rivers.", end=thanks).sections["conclusion"] == "It rose."


def test_an_abstract_may_be_a_command(tmp_path):
    (tmp_path / "a.tex").write_text(
        r"\title{T}\abstract{We {\em measured}.}\begin{document}\section{Introduction}Rivers.\end{document}", "utf-8"
    )
    assert read_file(tmp_path / "a.tex").sections == {"abstract": "We measured.", "introduction": "Rivers."}


def test_latex_takes_in_files_as_tex_does(tmp_path):
    for name, text in (("one.tex", "First."), ("two.v2.tex", "Second."), ("three.txt", "Third.")):
        (tmp_path / name).write_text(text, "utf-8")
    asked = r"\input one \input{two.v2} \input{three.txt} \input{" + "x" * 5000 + "} \\input{/etc/hostname}"
    found = latex_of(tmp_path, asked)
    assert found.sections["introduction"] == "First. Second. Third."
    assert found.left_out == {"files that were not taken in": 2}
