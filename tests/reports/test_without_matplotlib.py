"""A core without matplotlib: the report is whole, and every figure is told in words with the cure."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
sys.modules["matplotlib"] = None
from evenhand.audits.finding import Figure, Findings, Result, Series
from evenhand.reports import report
figure = Figure("roc", "line", "ROC", "false-positive rate", "true-positive rate", (Series("d", (0.0, 1.0), (0.0, 1.0)),))
page = report(Findings((Result("clean", "Unedited", "How well?", (), (), (figure,)),))).to_html()
assert "<svg" not in page
assert "pip install &#39;evenhand[figures]&#39;" in page, page
assert "Line chart" in page
"""


def test_figures_are_told_in_words():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
