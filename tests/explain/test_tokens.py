"""A text token by token: every character once, ranks as the model gave them, hostile text as text, one style alone allowed."""

from __future__ import annotations

import re
from html import unescape

import pytest

from evenhand.detectors import get
from evenhand.explain import account, tokens
from evenhand.explain import page as page_of
from evenhand.markup import policy
from evenhand.models.causal import token_statistics

TEXT = "We walked <b>home</b> & slept.\n\nIt rained \U0001f600 and {{ 7*7 }}."
pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def statistics(embedded):
    return token_statistics([TEXT], embedded)[0]


def test_marks_cover_the_text_once_and_add_up(statistics):
    marks = list(tokens.marks(TEXT, statistics))
    assert "".join(TEXT[mark.start : mark.end] for mark in marks) == TEXT
    scored = [mark for mark in marks if mark.bucket]
    assert sum(mark.surprisal for mark in scored) == pytest.approx(float(statistics.surprisal.sum()) * tokens.BITS)
    assert max(mark.rank for mark in scored) == statistics.rank.max()
    assert (marks[0].shade, marks[0].told) == ("none", "not scored")  # context only


@pytest.mark.parametrize(
    ("rank", "name", "shade"),
    [(10, "top 10", "b0"), (11, "top 100", "b1"), (1000, "top 1,000", "b2"), (1001, "beyond", "b3")],
)
def test_colours_follow_the_rank(rank, name, shade):
    mark = tokens.Mark(0, 1, 2.25, rank)
    assert (mark.bucket[0], mark.shade, mark.told) == (name, shade, f"2.2 bits, rank {rank}")


def test_the_page_shows_the_text_as_it_is(statistics, embedded):
    html = tokens.page(TEXT, statistics, model="<model>")
    body = html.partition("<pre>")[2].partition("</pre>")[0]
    assert unescape(re.sub(r"<[^>]+>", "", body)) == TEXT
    assert "<b>" not in html
    style = html.partition("<style>")[2].partition("</style>")[0]
    assert f'content="{policy(style)}"' in html


def test_both_pages_colour_alike(statistics, embedded):
    explained = page_of(account(TEXT, get("log_rank", model=embedded), ["tokens"]), "x")
    alone = tokens.page(TEXT, statistics, model="m")
    cells = r'class="(b\d|none)" title="([^"]+)"'
    scored = [cell for cell in re.findall(cells, explained) if cell[0] != "none"]
    assert scored == re.findall(cells, alone)
    assert len(scored) > 10
