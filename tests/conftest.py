"""Fixtures that several folders of tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real texts beside the checkout; what needs it skips where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the folder ../shared with the real texts is not here")
    return SHARED
