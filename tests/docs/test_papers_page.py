"""What the page says of GEDE's printed numbers is what the audit finds in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evenhand import audits
from evenhand.audits.gede_checks import LEFT, holds, published

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")


def test_the_checks_on_published_numbers_are_those_of_the_page():
    found = list(published())
    assert len(found) == 16
    assert all(map(holds, found))
    for one in (f for f in found if f.metric == LEFT):
        (row,) = re.findall(rf"^\| {one.where['detector']} \| 0, 0 \| 0 \| (.*) \|$", PAGE, re.MULTILINE)
        value, low, high = map(float, re.findall(r"\.\d+", row))
        assert (value, low, high) == pytest.approx((one.estimate.value, one.estimate.low, one.estimate.high), abs=5e-4)


def test_every_audit_that_the_page_names_is_there():
    table = PAGE.partition("| table, figure | audit |")[2].partition("\n\n")[0]
    named = re.findall(r"\| `([a-z_]+)", table)
    assert len(named) > 8
    assert set(named) <= set(audits.names())
