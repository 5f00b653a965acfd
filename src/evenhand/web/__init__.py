"""A local page over run folders: their reports under any policy, their texts and scores, and 'try a text'.

``page(folder, judge)`` is a Starlette application. Nothing here reaches a model: what judges a new text is handed in by the
command that starts it.
"""

from __future__ import annotations

from .pages import Judge, page

__all__ = ["Judge", "page"]
