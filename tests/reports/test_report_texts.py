"""Markdown, LaTeX and CSV: everything is there, nothing of a text becomes markup."""

from __future__ import annotations

import csv
import io
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.audits.finding import Findings
from evenhand.reports import report, words
from evenhand.reports.latex import escape as latex
from evenhand.reports.markdown import code
from evenhand.reports.markdown import escape as markdown

any_text = st.text(st.characters(exclude_categories=()), max_size=40)


@pytest.mark.parametrize("form", ["to_markdown", "to_latex", "to_csv", "to_json"])
def test_two_renderings_are_the_same(rich: Findings, form: str) -> None:
    first = getattr(report(rich), form)()
    assert getattr(report(rich), form)() == first
    first.encode("utf-8")
    assert "\x00" not in first


# --- Markdown


def test_markdown_has_the_order_of_the_page(rich: Findings) -> None:
    text = report(rich).to_markdown()
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings[0] == "Answers"
    assert headings[-2:] == [words.LEDGER, words.PROVENANCE]
    assert len(headings) == 3 + len(rich.results)
    for kind in words.KINDS.values():
        assert f"### {kind}" in text


def test_rows_of_markdown_tables_have_as_many_cells_as_their_head(rich: Findings) -> None:
    tables = re.findall(r"(?:^\|.*\|\n)+", report(rich).to_markdown(), re.MULTILINE)
    assert len(tables) > 5
    for table in tables:
        counts = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
        assert len(counts) == 1, table


def test_every_cell_of_markdown_says_n(rich: Findings) -> None:
    text = report(rich).to_markdown()
    assert len(re.findall(r"n = [\d,]+", text)) == sum(len(r.findings) for r in rich.results)


def test_markdown_shows_hostile_texts_as_they_are(rich: Findings, hostile_texts: tuple[str, ...]) -> None:
    text = report(rich).to_markdown()
    assert "<script" not in re.sub("`[^`]*`", "", text)
    for hostile in hostile_texts:
        assert markdown(hostile) in text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a | b", r"a \| b"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("[x](y)", r"\[x\](y)"),
        ("log_rank _it_", r"log_rank \_it\_"),
        ("# head", r"\# head"),
        ("1. item", r"1\. item"),
        ("1.5", "1.5"),
        ("- item\nmore", r"\- item more"),
        ("$x$ `c` ~~d~~", r"\$x\$ \`c\` \~\~d\~\~"),
    ],
)
def test_markdown_escapes(text: str, escaped: str) -> None:
    assert markdown(text) == escaped


@given(any_text)
def test_a_code_span_holds_any_text(text: str) -> None:
    span = code(text)
    fence = re.match("`*", span)
    assert fence is not None
    inner = span[len(fence[0]) : len(span) - len(fence[0])]
    assert span == fence[0] + inner + fence[0]
    assert fence[0] not in re.findall("`+", inner)
    assert (fence[0] != "") == (words.one_line(text) != "")


# --- LaTeX


COMMAND = re.compile(r"\\(?:[A-Za-z]+\*?|.)", re.DOTALL)


def check_latex(text: str) -> None:
    """Braces balance, and no sign that LaTeX reads as more than itself is left bare."""
    bare = COMMAND.sub(lambda m: " " if m[0] not in (r"\[", r"\(") else pytest.fail(m[0]), text)
    depth = 0
    for sign in bare:
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0
    without_math = re.sub(r"\$-\s*\$|\$\s*\$", "", bare)
    assert not set(without_math) & set('#%^~_$"`|<>\\')


@given(any_text)
def test_latex_of_any_text_is_text(text: str) -> None:
    escaped = latex(text)
    check_latex(escaped)
    assert "&" not in COMMAND.sub("", escaped)
    assert all(sign.isascii() or "¡" <= sign <= "ž" for sign in escaped)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("50% & $5", r"50\% \& \$5"),
        ("a--b", "a-{}-b"),
        ("a – b − c", "a -- b $-$ c"),
        ("[*]", "{[}{*}{]}"),
        ("é ž م", r"é ž \codepoint{0645}"),
        ("a_b", r"a\_\allowbreak{}b"),
    ],
)
def test_latex_escapes(text: str, escaped: str) -> None:
    assert latex(text) == escaped


def test_latex_document_is_sound(rich: Findings) -> None:
    text = report(rich).to_latex()
    body = text.partition(r"\begin{document}")[2]
    assert text.startswith(r"\documentclass")
    stack: list[str] = []
    for way, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if way == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert stack == []
    assert not re.search(r"\\begin\{itemize\}\s*\\end", text)
    plain = COMMAND.sub("", body)
    assert not set(re.sub(r"\$-?\$", "", plain)) & set('#%^_~$"`|<>')


def test_rows_of_latex_tables_have_as_many_cells_as_columns(rich: Findings) -> None:
    tables = re.findall(
        r"\\begin\{longtable\}\{([^\n]*)\}\n(.*?)\\end\{longtable\}", report(rich).to_latex(), re.DOTALL
    )
    assert len(tables) > 5
    for columns, content in tables:
        wanted = columns.count("L{")
        for row in content.splitlines():
            if row.endswith(r" \\") and r"\multicolumn" not in row:
                assert len(re.findall(r"(?<!\\)&", row)) == wanted - 1, row


def test_wide_grids_are_cut() -> None:
    from evenhand.audits.finding import Finding, Layout, Result
    from evenhand.stats.estimate import Estimate

    found = tuple(Finding("t", {"d": "x", "a": str(i)}, "m", Estimate(0.5, 0.4, 0.6, i, "m")) for i in range(14))
    text = report(Findings((Result("a", "A", "?", found, (Layout("t", "T", "C", ("d",), ("a",)),)),))).to_latex()
    assert text.count(r"\begin{longtable}") == 3
    assert all(f"n = {i} " in text or f"n = {i}\n" in text or f"n = {i} \\\\" in text for i in range(14))


# --- CSV


def test_csv_has_one_row_a_finding_with_exact_numbers(rich: Findings) -> None:
    rows = list(csv.DictReader(io.StringIO(report(rich).to_csv())))
    found = [(r.audit, f) for r in rich.results for f in r.findings]
    assert len(rows) == len(found)
    for row, (audit, f) in zip(rows, found, strict=True):
        assert row["audit"] == audit
        assert row["metric"] == words.clean(f.metric)
        for name in ("value", "low", "high", "level"):
            given_number = getattr(f.estimate, name)
            assert float(row[name]) == given_number or (math.isnan(given_number) and row[name] == "nan")
        assert int(row["n"]) == f.estimate.n
        assert {k for k in row if k.startswith("where.") and row[k]} == {f"where.{k}" for k in f.where}
        assert all(row[f"counts.{k}"] == str(v) for k, v in f.counts.items())


def test_csv_columns(rich: Findings) -> None:
    header = report(rich).to_csv().splitlines()[0].split(",")
    assert header[:3] == ["audit", "table", "where.detector"]
    assert header[-2:] == ["marks", "note"]
    assert len(set(header)) == len(header)


def test_no_spreadsheet_runs_a_cell(rich: Findings) -> None:
    rows = list(csv.reader(io.StringIO(report(rich).to_csv())))
    numbers = {rows[0].index(name) for name in ("value", "low", "high")}
    for row in rows:
        for i, text in enumerate(row):
            assert i in numbers or not text.startswith(("=", "+", "-", "@"))
    assert any("'=HYPERLINK(1)" in row for row in rows)
