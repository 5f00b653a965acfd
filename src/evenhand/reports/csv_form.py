"""Findings as CSV: one row a finding, all numbers unrounded.

A text that a spreadsheet would run as a formula gets an apostrophe in front (the advice of OWASP, "CSV injection").
"""

from __future__ import annotations

import csv
import io

from ..audits.finding import Findings
from .flat import NUMBERS, flat
from .words import clean

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def to_csv(findings: Findings) -> str:
    """Columns: audit, table, then those of ``flat``. Lines end in a line feed."""
    found = [(result.audit, f) for result in findings.results for f in result.findings]
    table = flat([f for _, f in found])
    columns = ("audit", "table", *table.columns)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_field("", name) for name in columns])
    for (audit, f), row in zip(found, table.rows, strict=True):
        writer.writerow([_field(name, value) for name, value in zip(columns, (audit, f.table, *row), strict=True)])
    return text.getvalue()


def _field(column: str, text: str) -> str:
    text = clean(text)
    return "'" + text if text.startswith(FORMULA) and column not in NUMBERS else text
