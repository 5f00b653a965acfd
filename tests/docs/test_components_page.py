"""The page of components is that of the code."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_of_components_is_up_to_date():
    made = runpy.run_path(str(DOCS / "make" / "components.py"))["page"]()
    assert (DOCS / "components.md").read_text(encoding="utf-8") == made, "run python docs/make/components.py"
