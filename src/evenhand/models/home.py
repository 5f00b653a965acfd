"""Where weights and answers are kept between runs, and whether the network may be used."""

from __future__ import annotations

import os
from pathlib import Path


def cache_dir() -> Path:
    """The user's cache folder, or that of EVENHAND_CACHE; made when first written to."""
    if chosen := os.environ.get("EVENHAND_CACHE"):
        return Path(chosen).expanduser()
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("evenhand"))


def offline() -> bool:
    """EVENHAND_OFFLINE=1: only what is in the cache."""
    return os.environ.get("EVENHAND_OFFLINE", "").strip().lower() not in ("", "0", "false", "no")
