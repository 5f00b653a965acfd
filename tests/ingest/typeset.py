"""Papers typeset for the tests: one layout, drawn by three producers of PDF, whose sections are known to the letter.

Two columns or one, a running head on every page, page numbers, a title over both columns, footnotes, a table over both
columns, a caption, words broken at line ends, ligatures, and a numbered list that is no heading.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

WIDTH, HEIGHT = 595.0, 842.0
LEFT, RIGHT, TOP, FOOT, GUTTER = 57.0, 538.0, 770.0, 80.0, 17.0
BODY, SMALL, HEAD, TITLE = 10.0, 8.0, 12.0, 18.0
LIGATURES = {"ffi": "ﬃ", "fi": "ﬁ", "fl": "ﬂ"}
WORDS = (
    "the of and to in we that for this with as on are by these from an each at which river stone harbour measured carefully "
    "instrument temperature distribution experiment observation difference reference classification efficient final "
    "influence significant configuration different reflect sufficient approximately afterwards neighbouring "
    "description calibration station weather record season pressure sampling variation estimate uncertain northern southern "
    "village bridge water level current sediment laboratory procedure repeated average comparison standard"
).split()


@dataclass(frozen=True)
class Ink:
    page: int
    x: float
    y: float
    size: float
    bold: bool
    text: str


@dataclass(frozen=True)
class Style:
    columns: int = 2
    headings: tuple[str, str, str] = ("1 Introduction", "2 Measurements", "3 Conclusions")
    abstract: str = "Abstract"
    by_rows: bool = False
    ligatures: bool = True
    inside: str = ""
    """A heading inside the introduction, such as '1.1 Contributions'."""
    figure: bool = False
    """A drawing with labels and a caption in the first column of the introduction."""
    formula: bool = False
    bold: bool = True
    """Are headings bold? Otherwise they are only larger."""
    indent: float = 12.0
    """0: paragraphs are parted by a gap."""
    gutter: float = GUTTER
    wide_abstract: bool = False
    """Over both columns."""
    caption_above: bool = False


@dataclass
class Paper:
    """``sections`` is what a reader should find; ``ink`` what is drawn."""

    ink: list[Ink] = field(default_factory=list)
    sections: dict[str, str] = field(default_factory=dict)
    title: str = "Efficient Records of a River and Its Harbour"


@cache
def fonts() -> dict[bool, str]:
    import matplotlib

    folder = Path(matplotlib.get_data_path(), "fonts", "ttf")
    return {False: str(folder / "DejaVuSerif.ttf"), True: str(folder / "DejaVuSerif-Bold.ttf")}


@cache
def _measure() -> Callable[[str, bool, float], float]:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    for bold, path in fonts().items():
        pdfmetrics.registerFont(TTFont(f"serif-{bold}", path))
    return lambda text, bold, size: pdfmetrics.stringWidth(text, f"serif-{bold}", size)


def prose(rng: random.Random, sentences: int) -> str:
    made = []
    for _ in range(sentences):
        words = [rng.choice(WORDS) for _ in range(rng.randint(9, 22))]
        made.append(" ".join(words).capitalize() + ".")
    return " ".join(made)


def broken(text: str, width: float, size: float, indent: float = 0.0) -> Iterator[tuple[str, bool]]:
    """(line, does a word go on in the next one): as much as fits, words of nine letters or more broken where needed."""
    measure, line, room = _measure(), "", width - indent
    for word in text.split():
        whole = f"{line} {word}".strip()
        if measure(whole, False, size) <= room:
            line = whole
            continue
        cut = next(
            (
                i
                for i in range(len(word) - 3, 2, -1)
                if len(word) > 8 and word.isalpha() and measure(f"{line} {word[:i]}-".strip(), False, size) <= room
            ),
            0,
        )
        yield (f"{line} {word[:cut]}-".strip() if cut else line), bool(cut)
        line, room = word[cut:], width
    yield line, False


class Setter:
    """Sets blocks one below the other through columns and pages."""

    def __init__(self, style: Style) -> None:
        self.style, self.paper = style, Paper()
        self.page, self.column, self.top = 0, 0, TOP
        self.y = TOP
        self.notes: dict[tuple[int, int], list[str]] = {}

    @property
    def width(self) -> float:
        return (RIGHT - LEFT - self.style.gutter * (self.style.columns - 1)) / self.style.columns

    @property
    def x(self) -> float:
        return LEFT + self.column * (self.width + self.style.gutter)

    @property
    def floor(self) -> float:
        return FOOT + 11 * len(self.notes.get((self.page, self.column), [])) + 6

    def ink(self, x: float, y: float, size: float, bold: bool, text: str) -> None:
        shown = text
        for plain, joined in LIGATURES.items() if self.style.ligatures else ():
            shown = shown.replace(plain, joined)
        self.paper.ink.append(Ink(self.page, x, y, size, bold, shown))

    def room(self, height: float) -> None:
        if self.y - height >= self.floor:
            return
        self.column += 1
        if self.column == self.style.columns:
            self.page, self.column, self.top = self.page + 1, 0, TOP
            if self.page == 1:
                self.table()
        self.y = self.top

    def table(self) -> None:
        """A table over both columns at the head of page 2, its caption below."""
        y = TOP - (24 if self.style.caption_above else 0)
        for row in ("site level error count", "north 1.25 0.02 118", "south 1.31 0.03 97", "harbour 1.44 0.02 121"):
            for i, cell in enumerate(row.split()):
                self.ink(LEFT + 20 + i * 120, y, SMALL + 1, False, cell)
            y -= 12
        caption = "Table 1: Levels at three sites, with the error of each and the number of readings."
        self.ink(LEFT + 60, TOP if self.style.caption_above else y - 6, SMALL + 1, False, caption)
        self.top = y - 36

    def heading(self, text: str) -> None:
        self.room(HEAD + 40)
        self.y -= 14
        self.ink(self.x, self.y, HEAD, self.style.bold, text)
        self.y -= 18

    def wide(self, text: str) -> None:
        """An abstract over both columns, under its heading."""
        self.ink(WIDTH / 2 - 25, self.y, HEAD, True, "Abstract")
        for line, _ in broken(text, RIGHT - LEFT - 60, 9.0):
            self.y -= 12
            self.ink(LEFT + 30, self.y - 6, 9.0, False, line)
        self.y = self.top = self.y - 30

    def figure(self) -> None:
        self.room(90)
        for i, label in enumerate(("level", "north", "1.5", "south", "0.5")):
            self.ink(self.x + 20 + 31 * i, self.y - 20 - 9 * (i % 3), 7.0, False, label)
        self.y -= 62
        caption = "Figure 1: Levels of the river at two sites, north and south, over one season of readings."
        for line, _ in broken(caption, self.width, 9.0):
            self.ink(self.x, self.y, 9.0, False, line)
            self.y -= 11
        self.y -= 12

    def formula(self) -> None:
        self.room(30)
        self.ink(self.x + 60, self.y - 6, BODY, False, "h = a + b t")
        self.ink(self.x + self.width - 14, self.y - 6, BODY, False, "(1)")
        self.y -= 26

    def paragraph(self, text: str, size: float = BODY, indent: float | None = None, note: str | None = None) -> None:
        indent = self.style.indent if indent is None else indent
        lines = list(broken(text, self.width, size, indent))
        if note is not None:
            self.room(3 * 13)
            self.notes.setdefault((self.page, self.column), []).append(note)
        for i, (line, _) in enumerate(lines):
            self.room(1.25 * size)
            x = self.x + (indent if i == 0 else 0)
            self.ink(x, self.y, size, False, line)
            if note is not None and i == 0:
                mark = _measure()(line, False, size)
                self.paper.ink.append(Ink(self.page, x + mark + 0.3, self.y + 0.4 * size, 6.0, False, "1"))
                note = None
            self.y -= 1.25 * size
        self.y -= 0 if self.style.indent else 6

    def furniture(self) -> None:
        pages = self.page + 1
        for page in range(pages):
            head = "Made Records" if page % 2 else "A. Writer and B. Writer"
            self.paper.ink.append(Ink(page, LEFT, 800.0, SMALL, False, f"{head}, volume 7"))
            self.paper.ink.append(Ink(page, WIDTH / 2 - 5, 40.0, BODY, False, str(page + 101)))
        for (page, column), notes in self.notes.items():
            for i, text in enumerate(notes):
                x = LEFT + column * (self.width + self.style.gutter)
                self.paper.ink.append(Ink(page, x, FOOT + 11 * i, SMALL, False, text))


def typeset(seed: int, style: Style) -> Paper:
    rng, setter = random.Random(seed), Setter(style)
    paper = setter.paper
    setter.ink(LEFT + 30, TOP, TITLE, True, "Efficient Records of a River")
    setter.ink(LEFT + 90, TOP - 22, TITLE, True, "and Its Harbour")
    setter.ink(LEFT + 150, TOP - 48, BODY, False, "A. Writer and B. Writer, writer@example.org")
    setter.y = setter.top = TOP - 80
    abstract, introduction = prose(rng, 6), [prose(rng, rng.randint(5, 8)) for _ in range(4)]
    items = [f"{i}. {prose(rng, 1)}" for i in (1, 2, 3)]
    conclusion = [prose(rng, rng.randint(4, 6)) for _ in range(3)]
    if style.wide_abstract:
        setter.wide(abstract)
    elif style.abstract == "Abstract":
        setter.heading("Abstract")
        setter.paragraph(abstract, size=9.0, indent=0)
    else:
        setter.paragraph(style.abstract + abstract, size=9.0, indent=0)
    setter.heading(style.headings[0])
    setter.paragraph(introduction[0], note="1 The readings are kept by the harbour office.")
    for text in (introduction[1], *items, introduction[2]):
        setter.paragraph(text)
    if style.figure:
        setter.figure()
    if style.inside:
        setter.heading(style.inside)
    setter.paragraph(introduction[3])
    setter.heading(style.headings[1])
    for i in range(9):
        setter.paragraph(prose(rng, rng.randint(5, 9)))
        if style.formula and i % 3 == 0:
            setter.formula()
    setter.heading(style.headings[2])
    for text in conclusion:
        setter.paragraph(text)
    setter.heading("References")
    setter.paragraph("B. Writer. 1987. On the level of rivers. Harbour Notes 4.", size=9.0)
    setter.furniture()
    paper.sections = {
        "abstract": abstract,
        "introduction": " ".join([introduction[0], introduction[1], *items, *introduction[2:]]),
        "conclusion": " ".join(conclusion),
    }
    if style.by_rows:
        paper.ink.sort(key=lambda ink: (ink.page, -ink.y, ink.x))
    return paper


def by_reportlab(paper: Paper, path: Path) -> None:
    from reportlab.pdfgen.canvas import Canvas

    _measure()
    canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT))
    for page in range(1 + max(ink.page for ink in paper.ink)):
        for ink in (one for one in paper.ink if one.page == page):
            canvas.setFont(f"serif-{ink.bold}", ink.size)
            canvas.drawString(ink.x, ink.y, ink.text)
        canvas.showPage()
    canvas.save()


def by_fpdf2(paper: Paper, path: Path) -> None:
    from fpdf import FPDF

    pdf = FPDF(unit="pt", format=(WIDTH, HEIGHT))
    for bold, font in fonts().items():
        pdf.add_font("serif", "B" if bold else "", font)
    for page in range(1 + max(ink.page for ink in paper.ink)):
        pdf.add_page()
        for ink in (one for one in paper.ink if one.page == page):
            pdf.set_font("serif", "B" if ink.bold else "", ink.size)
            pdf.text(ink.x, HEIGHT - ink.y, ink.text)
    pdf.output(str(path))


def by_matplotlib(paper: Paper, path: Path) -> None:
    import matplotlib
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"pdf.fonttype": 42}), PdfPages(path) as pdf:
        for page in range(1 + max(ink.page for ink in paper.ink)):
            figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72))
            for ink in (one for one in paper.ink if one.page == page):
                figure.text(
                    ink.x / WIDTH, ink.y / HEIGHT, ink.text, size=ink.size, family="DejaVu Serif",
                    weight="bold" if ink.bold else "normal", va="baseline", parse_math=False,
                )  # fmt: skip
            pdf.savefig(figure)


def by_platypus(paper: Paper, path: Path) -> None:
    """ReportLab's own layout: justified, two frames a page; no furniture, no notes."""
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph

    _measure()
    text = ParagraphStyle("text", fontName="serif-False", fontSize=10, leading=12.5, alignment=4, firstLineIndent=12)
    head = ParagraphStyle("head", fontName="serif-True", fontSize=12, leading=15, spaceBefore=12, spaceAfter=6)
    flow = [Paragraph(paper.title, ParagraphStyle("title", parent=head, fontSize=17, leading=21))]
    for name, heading in zip(
        ("abstract", "introduction", "conclusion"), ("Abstract", "1 Introduction", "2 Conclusions"), strict=True
    ):
        flow += [Paragraph(heading, head), *(Paragraph(part, text) for part in paper.sections[name].split("\n"))]
    flow += [Paragraph("References", head), Paragraph("B. Writer. 1987. On rivers.", text)]
    frames = [Frame(LEFT + i * 249, FOOT, 232, 690, leftPadding=0, rightPadding=0) for i in (0, 1)]
    document = BaseDocTemplate(str(path), pagesize=(WIDTH, HEIGHT))
    document.addPageTemplates(PageTemplate("two", frames))
    document.build(flow)


def by_text_columns(paper: Paper, path: Path) -> None:
    """fpdf2's own layout: justified, two columns; no furniture, no notes."""
    from fpdf import FPDF

    pdf = FPDF(unit="pt", format=(WIDTH, HEIGHT))
    for bold, font in fonts().items():
        pdf.add_font("serif", "B" if bold else "", font)
    pdf.add_page()
    pdf.set_font("serif", "B", 17)
    pdf.multi_cell(0, 22, paper.title, new_x="LMARGIN", new_y="NEXT")
    with pdf.text_columns(ncols=2, gutter=17, text_align="J", line_height=1.25) as columns:
        for name, heading in zip(
            ("abstract", "introduction", "conclusion"), ("Abstract", "1 Introduction", "2 Conclusions"), strict=True
        ):
            for size, bold, text, gap in ((12, "B", heading, 12), (10, "", paper.sections[name], 0)):
                pdf.set_font("serif", bold, size)
                with columns.paragraph(top_margin=gap, bottom_margin=6) as paragraph:
                    paragraph.write(text)
        pdf.set_font("serif", "B", 12)
        with columns.paragraph(top_margin=12) as paragraph:
            paragraph.write("References")
    pdf.output(str(path))


OWN_LAYOUT = {"platypus": by_platypus, "text_columns": by_text_columns}
PRODUCERS = {"reportlab": by_reportlab, "fpdf2": by_fpdf2, "matplotlib": by_matplotlib}


HEADINGS = (
    ("1 Introduction", "2 Measurements", "3 Conclusions"), ("1. Introduction", "2. Measurements", "3. Conclusion and Outlook"),
    ("I. INTRODUCTION", "II. MEASUREMENTS", "III. CONCLUSION"), ("Introduction", "Measurements", "Conclusion"),
    ("I. I NTRODUCTION", "II. M EASUREMENTS", "III. C ONCLUSION"),
)  # fmt: skip
INSIDE = {"1": "1.1 Contributions", "I": "A. Contributions"}


def drawn_style(rng: random.Random) -> Style:
    headings = rng.choice(HEADINGS)
    numbered = headings[0] != "Introduction"
    return Style(
        columns=rng.choice((1, 2, 2)), headings=headings, by_rows=rng.random() < 0.4, ligatures=rng.random() < 0.5,
        abstract=rng.choice(("Abstract", "Abstract", "Abstract—", "Abstract. ", "Abstract: ")),
        inside=rng.choice(("", INSIDE[headings[0][0]] if numbered else "")), figure=rng.random() < 0.4,
        formula=rng.random() < 0.3, wide_abstract=rng.random() < 0.25, caption_above=rng.random() < 0.5,
        bold=rng.random() < 0.8, indent=rng.choice((12.0, 0.0)), gutter=rng.choice((14, 17, 24)),
    )  # fmt: skip


def exact_sections(folder: Path, seeds: range) -> tuple[int, int]:
    """How many sections of papers in drawn styles come out to the letter, of how many."""
    from evenhand.ingest import read_file

    from .marked import normal

    exact = of = 0
    for seed in seeds:
        rng = random.Random(seed)
        paper = typeset(seed, drawn_style(rng))
        PRODUCERS[rng.choice(("reportlab", "fpdf2"))](paper, folder / f"{seed}.pdf")
        found = read_file(folder / f"{seed}.pdf").sections
        exact += sum(normal(found.get(name, "")) == text for name, text in paper.sections.items())
        of += len(paper.sections)
    return exact, of
