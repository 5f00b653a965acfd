"""Writes docs/components.md from the cards of all components: `python docs/make/components.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evenhand.cli.components import FAMILIES, card_of, family_of, format_parameters

PAGE = Path(__file__).resolve().parents[1] / "components.md"
ROWS = (
    ("source", "source"),
    ("licence", "licence"),
    ("needs", "needs"),
    ("follows", "paper and code"),
    ("pitfalls", "pitfalls"),
)


def page() -> str:
    """The whole page; the same components give the same text."""
    told = "Generated from the code by `python docs/make/components.py`; `evenhand show NAME` prints one."
    lines = ["# Components", "", told, ""]
    for family in FAMILIES:
        lines += [f"## {family}", ""]
        for name in family_of(family).names():
            lines += entry(card_of(family, name))
    return "\n".join(lines).rstrip() + "\n"


def entry(card: dict[str, Any]) -> list[str]:
    parameters = format_parameters(card["parameters"])
    told = [f"### `{card['name']}`", "", str(card["summary"]), ""]
    told += [f"- **parameters**: `{parameters}`"] if parameters else []
    told += [f"- **{title}**: {card[key]}" for key, title in ROWS if card.get(key) and card[key] != "nothing"]
    return [*told, ""]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
