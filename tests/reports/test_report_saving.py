"""report(findings).save(path): the suffix says the form, the file is whole or not there."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from subprocess import run

import pytest

from evenhand.audits.finding import Findings
from evenhand.errors import SpecError, StoreError
from evenhand.reports import Report, report
from evenhand.reports.json_form import from_json


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("r.html", "<!doctype html>"),
        ("r.md", "# "),
        ("r.tex", r"\documentclass"),
        ("r.json", "{"),
        ("r.csv", "audit,"),
        ("r.HTML", "<!doctype"),
    ],
)
def test_the_suffix_says_the_form(small: Findings, tmp_path: Path, name: str, start: str) -> None:
    path = report(small).save(tmp_path / name)
    assert path == tmp_path / name
    assert path.read_text(encoding="utf-8").startswith(start)
    assert os.listdir(tmp_path) == [name]


def test_saving_twice_gives_the_same_bytes_and_json_reads_back(small: Findings, tmp_path: Path) -> None:
    made = report(small)
    assert isinstance(made, Report)
    first, second = made.save(str(tmp_path / "a.json")).read_bytes(), made.save(tmp_path / "b.json").read_bytes()
    assert first == second
    assert from_json(first.decode()).results[0].title == small.results[0].title


def test_another_process_reads_the_json_and_makes_the_same_page(small: Findings, tmp_path: Path) -> None:
    source, target = report(small).save(tmp_path / "in.json"), tmp_path / "out.html"
    code = (
        "import sys; from pathlib import Path; from evenhand.reports import report;"
        "from evenhand.reports.json_form import from_json; report(from_json(Path(sys.argv[1]).read_text())).save(sys.argv[2])"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77", "MPLBACKEND": "agg", "TZ": "Asia/Tokyo"}
    run([sys.executable, "-c", code, str(source), str(target)], check=True, env=environment)
    assert target.read_text(encoding="utf-8") == report(small).to_html()


@pytest.mark.parametrize("name", ["report.pdf", "report", ".html"])
def test_an_unknown_suffix_lists_the_known_ones(small: Findings, tmp_path: Path, name: str) -> None:
    with pytest.raises(SpecError, match=r"\.html, \.md, \.tex, \.json, \.csv"):
        report(small).save(tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_no_folder(small: Findings, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no folder .*make it"):
        report(small).save(tmp_path / "none" / "r.json")


def test_a_folder_of_that_name(small: Findings, tmp_path: Path) -> None:
    (tmp_path / "r.json").mkdir()
    with pytest.raises(StoreError, match="cannot write"):
        report(small).save(tmp_path / "r.json")
    assert os.listdir(tmp_path) == ["r.json"]


def test_a_full_disk_leaves_the_old_file(small: Findings, tmp_path: Path) -> None:
    """/dev/full can't be replaced, so the limit on file sizes of a child process stands for the full disk."""
    target = tmp_path / "r.json"
    target.write_text("old")
    (tmp_path / "in.json").write_text(report(small).to_json())
    code = (
        "import resource, signal, sys; from pathlib import Path; from evenhand.reports import report;"
        "from evenhand.reports.json_form import from_json; from evenhand.errors import StoreError;"
        "findings = from_json(Path(sys.argv[1]).read_text()); signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: report(findings).save(sys.argv[2])\nexcept StoreError as error: sys.exit(7)"
    )
    done = run(
        [sys.executable, "-B", "-c", code, str(tmp_path / "in.json"), str(target)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 7, done.stderr
    assert target.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["in.json", "r.json"]
