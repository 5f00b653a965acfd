"""DOCX, ODT, RTF and LaTeX files of one made paper, as word processors write them, for the tests."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

TITLE = "On the Level of a River"
SECTIONS = {
    "abstract": "We measured a river for a year. Its level rose in spring.",
    "introduction": "Rivers rise and fall. People have always watched them.\n\nWe watched one, in Łódź.",
    "conclusion": "The river rose in spring and fell in autumn. More years are needed.",
}
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STYLES = f"""<w:styles xmlns:w="{W}">
<w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style></w:styles>"""


def paragraph(text: str, style: str = "", extra: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    half = len(text) // 2
    runs = "".join(f'<w:r><w:t xml:space="preserve">{escape(part)}</w:t></w:r>' for part in (text[:half], text[half:]))
    return f"<w:p>{properties}{runs}{extra}</w:p>"


def docx(path: Path, *, styled: bool = True) -> Path:
    """German style ids, a footnote, a table, a deleted and a moved passage, a text box that is there twice."""
    head = "berschrift1" if styled else ""
    first, second = SECTIONS["introduction"].split("\n\n")
    note = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    gone = "<w:del><w:r><w:delText>nothing of this</w:delText></w:r></w:del>"
    table = f"<w:tbl><w:tr><w:tc>{paragraph('cell one')}</w:tc></w:tr></w:tbl>"
    body = [
        paragraph(TITLE, "Titel" if styled else ""), paragraph("A. Writer, writer@example.org"), paragraph("Abstract", head),
        paragraph(SECTIONS["abstract"]), paragraph("1 Introduction" if not styled else "Introduction", head),
        paragraph(first, extra=note + gone), table, paragraph("Aims", "berschrift2") if styled else "", paragraph(second),
        paragraph("2 Methods" if not styled else "Methods", head), paragraph("We used a gauge."),
        paragraph("3 Conclusion" if not styled else "Conclusion", head), paragraph(SECTIONS["conclusion"]),
        paragraph("References", head), paragraph("B. Writer. 1987. On rivers."),
    ]  # fmt: skip
    document = f'<w:document xmlns:w="{W}"><w:body>{"".join(body)}</w:body></w:document>'
    return zipped(path, {"word/document.xml": document, "word/styles.xml": STYLES, "word/footnotes.xml": "<a/>"})


OFFICE = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)


def odt(path: Path) -> Path:
    first, second = SECTIONS["introduction"].split("\n\n")
    note = "<text:note><text:note-body><text:p>a note</text:p></text:note-body></text:note>"

    def p(text: str) -> str:
        return f"<text:p>{escape(text)}</text:p>"

    def h(text: str, level: int = 1) -> str:
        return f'<text:h text:outline-level="{level}">{text}</text:h>'

    body = (
        f'<text:p text:style-name="P1">{TITLE}</text:p>' + p("A. Writer") + h("Abstract") + p(SECTIONS["abstract"])
        + h("Introduction") + f"<text:p>Rivers rise<text:s/>and fall.{note} People have always watched them.</text:p>"
        + f"<table:table><table:table-row><table:table-cell>{p('cell')}</table:table-cell></table:table-row></table:table>"
        + h("Aims", 2) + p(second) + h("Methods") + p("A gauge.") + h("Conclusion") + p(SECTIONS["conclusion"])
        + h("References") + p("B. Writer.")
    )  # fmt: skip
    assert first.startswith("Rivers rise and fall.")
    styles = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    content = (
        f"<office:document-content {OFFICE}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    return zipped(path, {"content.xml": content, "META-INF/manifest.xml": "<manifest/>"})


def rtf(path: Path) -> Path:
    def encoded(text: str) -> str:
        return "".join(c if ord(c) < 128 else f"\\u{ord(c)}?" for c in text)

    first, second = map(encoded, SECTIONS["introduction"].split("\n\n"))
    lines = [
        TITLE, "A. Writer", "Abstract", SECTIONS["abstract"], "1 Introduction",
        first + r"{\footnote \pard A note \{with braces\}.}", second, "2 Methods", "We used a gauge.", "3 Conclusion",
        SECTIONS["conclusion"], "References", "B. Writer.",
    ]  # fmt: skip
    body = "\\par\n".join(r"\pard " + line for line in lines)
    path.write_text(r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Times;}}{\header Made Records 7}" + body + "}", "ascii")
    return path


def latex(path: Path) -> Path:
    r"""With comments, accents, a figure, a footnote, citations and a section in another file."""
    (path.parent / "end.tex").write_text("\\section{Conclusion}\n" + SECTIONS["conclusion"] + "\n", "utf-8")
    path.write_text(
        "\\documentclass{article}\n\\title{On the \\emph{Level} of a River}\n\\author{A. Writer\\thanks{a@b.org}}\n"
        "\\begin{document}\\maketitle\n\\begin{abstract}\nWe measured a river for a year. % really\nIts level rose in spring."
        "\n\\end{abstract}\n\\section{Introduction}\\label{s}\nRivers rise and fall.\\footnote{A {nested} note.} People have "
        "always\nwatched them~\\cite{a,b}.\n\n\\begin{figure}\\caption{A river.}\\end{figure}\n\\subsection{Aims}\n"
        "We watched one, in {\\L}\\'od\\'z.\n\\section*{Methods}\nA gauge.\n\\input{end}\n\\begin{thebibliography}{9}"
        "\\bibitem{a} B.\\end{thebibliography}\n\\end{document}\n",
        "utf-8",
    )
    return path


def txt(path: Path, encoding: str = "utf-8") -> Path:
    text = (
        f"{TITLE}\n\nA. Writer\n\nAbstract\n\n{SECTIONS['abstract']}\n\n1. Introduction\n\nRivers rise and fall. People have "
        "al-\nways watched them.\n\nWe watched one, in Łódź.\n\n2. Methods\n\n1. A gauge.\n\n3. Conclusion\n\n"
        f"{SECTIONS['conclusion']}\n\nReferences\n\nB. Writer.\n"
    )
    path.write_bytes(text.encode(encoding))
    return path


def zipped(path: Path, parts: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path
