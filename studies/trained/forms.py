"""Cells as Markdown: value and interval, and a sign where the interval of a change leaves out zero."""

from __future__ import annotations

from evenhand.reports.numbers import printed
from evenhand.stats import Draws, Estimate

NOT_RUN = "not run"


def told(estimate: Estimate) -> str:
    value, interval = printed(estimate)
    return f"{value} {interval}" if interval else value


def cell(draws: Draws) -> str:
    """Of the one cell."""
    return told(draws.estimates()[0])


def change(draws: Draws) -> str:
    """With its sign, and bold where the interval leaves out zero."""
    estimate = draws.estimates()[0]
    text = f"+{told(estimate)}" if estimate.value > 0 else told(estimate)
    return f"**{text}**" if estimate.low > 0 or estimate.high < 0 else text


def marked(draws: Draws, against: Draws) -> str:
    """The value, and '↑' or '↓' where its difference to the other is more than chance."""
    difference = (draws - against).estimates()[0]
    return cell(draws) + (" ↑" if difference.low > 0 else " ↓" if difference.high < 0 else "")
