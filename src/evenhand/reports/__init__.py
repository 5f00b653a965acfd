"""Findings as one offline HTML file, Markdown, LaTeX, JSON or CSV.

``report(findings).save("report.html")``; the suffix says the form. Nothing here reaches a model or a score.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..audits.finding import Findings
from ..errors import SpecError, StoreError

__all__ = ["Report", "report"]


@dataclass(frozen=True, slots=True)
class Report:
    """The same findings in every form, as texts. Rendering twice gives the same text."""

    findings: Findings

    def to_html(self) -> str:
        from .html import to_html

        return to_html(self.findings)

    def to_markdown(self) -> str:
        from .markdown import to_markdown

        return to_markdown(self.findings)

    def to_latex(self) -> str:
        from .latex import to_latex

        return to_latex(self.findings)

    def to_json(self) -> str:
        from .json_form import to_json

        return to_json(self.findings)

    def to_csv(self) -> str:
        from .csv_form import to_csv

        return to_csv(self.findings)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the form that the suffix names, whole or not at all, and returns the path.

        Raises SpecError for an unknown suffix and StoreError where the file cannot be written.
        """
        from ..store import write_whole

        target = Path(path)
        form = _FORMS.get(target.suffix.lower())
        if form is None:
            raise SpecError(f"no report form for the suffix {target.suffix!r} of {target}; use {', '.join(_FORMS)}")
        if not target.parent.is_dir():
            raise StoreError(
                f"cannot write {target}: there is no folder {target.parent}; make it, or choose another path"
            )
        content = form(self).encode("utf-8")
        write_whole(target, lambda temporary: temporary.write_bytes(content))
        return target


_FORMS: dict[str, Callable[[Report], str]] = {
    ".html": Report.to_html,
    ".md": Report.to_markdown,
    ".tex": Report.to_latex,
    ".json": Report.to_json,
    ".csv": Report.to_csv,
}


def report(findings: Findings) -> Report:
    """The findings, ready to be written: ``report(findings).save("report.html")``."""
    return Report(findings)
