"""The page: nothing from elsewhere, nothing of a text becomes markup, everything found is on it, in order."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field, replace
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from evenhand.audits.finding import Findings, Result
from evenhand.reports import report, words
from evenhand.reports.html import TEMPLATES, breakable

VOID = {"meta", "br", "wbr", "hr", "img", "input", "link"}
ALLOWED = set(
    "html head meta title style body a header p h1 h2 h3 nav ul ol li main section dl div dt dd code table caption thead tbody "
    "tr th td span sup b wbr details summary figure figcaption footer svg g path use text tspan defs desc clippath rect circle "
    "pattern".split()
)


@dataclass
class Page(HTMLParser):
    """All tags with their attributes, and all texts, of a page whose elements must be closed in order."""

    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    texts: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    stack: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {k: v or "" for k, v in attrs}))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {k: v or "" for k, v in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((tuple(self.stack), data))

    def of(self, *tags: str) -> list[tuple[str, dict[str, str]]]:
        return [(tag, attributes) for tag, attributes in self.tags if tag in tags]

    def text(self, tag: str = "body") -> str:
        return "".join(text for path, text in self.texts if tag in path and "style" not in path)


def read(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.close()
    assert page.stack == []
    return page


@pytest.fixture(scope="module")
def html(rich: Findings) -> str:
    return report(rich).to_html()


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return read(html)


def test_two_renderings_are_the_same(rich: Findings, html: str) -> None:
    assert report(rich).to_html() == html


def test_nothing_comes_from_elsewhere(page: Page) -> None:
    for tag, attributes in page.tags:
        assert tag in ALLOWED, tag
        for name, value in attributes.items():
            assert not name.startswith("on"), name
            assert name not in {
                "src",
                "srcset",
                "style",
                "action",
                "formaction",
                "poster",
                "background",
                "data",
                "ping",
            }, name
            if name in {"href", "xlink:href"}:
                assert value.startswith("#"), value
            elif name not in {"xmlns", "aria-label"}:
                assert "//" not in value, (tag, name, value)
            if "url(" in value:
                assert re.fullmatch(r"url\(#[\w-]+\)", value), value
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    assert "url(" not in style
    assert "@import" not in style
    assert "http" not in style


def test_the_policy_allows_the_one_style_sheet_alone(page: Page) -> None:
    (policy,) = [a["content"] for _, a in page.of("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    (style,) = [text for path, text in page.texts if path[-1:] == ("style",)]
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_hostile_texts_are_shown_and_never_markup(html: str, page: Page, hostile_texts: tuple[str, ...]) -> None:
    shown = page.text()
    for text in hostile_texts:
        assert words.clean(text) in shown
    assert "<script" not in html.lower()
    assert "<img" not in html.lower()
    assert "\x00" not in html
    assert "\u202e" not in html
    html.encode("utf-8")


def test_ids_are_unique_and_every_reference_leads_somewhere(page: Page) -> None:
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    named = [a[k] for _, a in page.tags for k in ("aria-labelledby",) if k in a]
    assert {part for value in named for part in value.split()} <= set(ids)
    assert {a["href"][1:] for _, a in page.tags if a.get("href", "").startswith("#")} <= set(ids)
    links = re.findall(r"url\(#([\w-]+)\)", str([a for _, a in page.tags]))
    assert set(links) <= set(ids)


def test_headings_never_skip_a_level(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.of("h1", "h2", "h3")]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_order_of_the_page(html: str, rich: Findings) -> None:
    anchors = ["answers", "reading", *(f"audit-{i}" for i in range(1, len(rich.results) + 1)), "ledger", "provenance"]
    places = [html.index(f'<section id="{a}"' if not a.startswith("audit") else f'id="{a}"') for a in anchors]
    assert places == sorted(places)
    part = html[places[2] : places[3]]
    marks = [part.index(m) for m in ('class="question"', '<table class="grid"', "<figure", ">Notes<")]
    assert marks == sorted(marks)


def test_every_finding_and_every_answer_is_on_the_page(page: Page, rich: Findings) -> None:
    shown = page.text()
    for result in rich.results:
        for answer in result.answers:
            assert words.clean(answer.text) in shown
        for f in result.findings:
            assert f"n = {f.estimate.n:,}" in shown
            assert repr(float(f.estimate.value)) in shown
            assert f.note is None or words.clean(f.note) in shown
    for row in rich.ledger:
        assert str(row["detector"]) in shown


def test_kinds_of_answers_differ_by_words_and_look(html: str) -> None:
    for kind, heading in words.KINDS.items():
        assert f'<h3 class="{kind}">{heading}</h3>' in html
        assert f'<ul class="answers {kind}">' in html


def test_tables_can_be_read_aloud(page: Page) -> None:
    assert page.of("th")
    assert all(a.get("scope") in {"col", "colgroup", "row", "rowgroup"} for _, a in page.of("th"))
    assert len(page.of("caption")) == len(page.of("table"))
    assert {tag for tag, _ in page.tags} >= {"main", "nav", "header", "footer"}
    assert page.of("a")[0][1]["class"] == "skip"
    assert dict(page.of("html")[0][1]) == {"lang": "en"}


def test_every_figure_has_a_title_and_a_description(page: Page) -> None:
    assert len(page.of("svg")) == len(page.of("figure")) == 11
    assert all(a["role"] == "img" and len(a["aria-labelledby"].split()) == 2 for _, a in page.of("svg"))
    assert len(page.of("desc")) == 11


def test_findings_without_anything() -> None:
    shown = read(report(Findings(())).to_html()).text()
    for text in (words.NO_ANSWERS, words.NO_LEDGER, words.NO_PROVENANCE):
        assert text in shown
    assert "Empty" in read(report(Findings((Result("e", "Empty", "", (), ()),))).to_html()).text()


def test_a_spec_may_break_but_stays_itself() -> None:
    assert str(breakable("a(b='<x>/y')")) == "a(<wbr>b=&#39;&lt;x&gt;/y&#39;)"
    assert str(breakable("hub:a/b@c")) == "hub:a/<wbr>b@<wbr>c"
    assert read(f"<p>{breakable('a(b=1) <i> c/d &lt;')}</p>").text("p") == "a(b=1) <i> c/d &lt;"


def _contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_colours_have_the_contrast_of_wcag() -> None:
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"--(\w+): (#\w{6})", part))
        for part in style.partition("@media print")[0].split("prefers-color-scheme: dark")
    )
    for colours in (light, dark):
        for name in ("ink", "muted", "link", "shown", "missing", "warning"):
            assert _contrast(colours[name], colours["paper"]) >= 4.5, name
    recoloured = re.findall(r'\[stroke="(#\w{6})"\] \{ stroke: (#\w{6}) \}', style)
    assert len(recoloured) == 6
    for on_light, on_dark in recoloured:
        assert _contrast(on_light, light["paper"]) >= 3
        assert _contrast(on_dark, dark["paper"]) >= 3


def test_many_notes_are_folded(rich: Findings) -> None:
    result = rich.results[0]
    noted = tuple(replace(f, note=f"note {i}") for i, f in enumerate(result.findings))
    html = report(Findings((replace(result, findings=noted, figures=()),))).to_html()
    assert "The 16 notes of this table" in html
    assert all(f">note {i}</li>" in html for i in range(16))
