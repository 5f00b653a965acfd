"""The commands lint and split: they parse, call, print, and write only what is clean."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from evenhand import corpora
from evenhand.cli.files import read_documents, write_documents
from evenhand.cli.lint import lint
from evenhand.cli.split import read_shares, split
from evenhand.documents import Document, Level
from evenhand.errors import DataError, SpecError

Both = Callable[..., list[Document]]


def call(command: Callable[..., None], *words: str) -> tuple[int, str]:
    app = typer.Typer()
    app.command()(command)
    done = CliRunner().invoke(app, list(words))
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


@pytest.fixture
def file(both: Both, tmp_path: Path) -> str:
    path = tmp_path / "texts.jsonl"
    write_documents([replace(d, text=d.text + "\n") if d.label == "human" else d for d in both()], str(path))
    return str(path)


def test_documents_come_back_as_they_were_written(tmp_path: Path) -> None:
    texts = ["plain", "", "\ud800 lone", "日本\n\r\n\u2028x"]
    wrote = [
        Document(
            str(i), t, "mixed", Level.TASK, Level.HUMANIZE, "gpt", truncated=True, cluster="c", meta={"year": 1999}
        )
        for i, t in enumerate(texts)
    ]
    for name in ("a.jsonl", "a.jsonl.gz"):
        write_documents(wrote, str(tmp_path / name))
        assert [replace(d, corpus="") for d in read_documents(str(tmp_path / name))] == wrote
    with pytest.raises(DataError, match="is there already"):
        write_documents(wrote, str(tmp_path / "a.jsonl"))
    with pytest.raises(DataError, match="JSON lines"):
        write_documents(wrote, str(tmp_path / "a.txt"))


def test_lint_shows_the_shortcut_with_its_interval(file: str) -> None:
    code, output = call(lint, file, "--json")
    assert code == 0
    found = {row["kind"]: row for row in json.loads(output)}
    assert found["newlines"]["auroc"]["value"] == 0.0
    assert 0 < found["newlines"]["auroc"]["high"] < 0.2
    assert found["newlines"]["counts"] == {"human": 40, "machine": 0}
    code, output = call(lint, file)
    assert "newlines" in output
    assert "evenhand lint --repair flatten" in output


def test_lint_repairs_into_a_new_file(file: str, tmp_path: Path) -> None:
    out = str(tmp_path / "mended.jsonl")
    code, output = call(lint, file, "--repair", "edges", "-o", out)
    assert code == 0
    assert "40 of 40 human texts (40 edits) and 0 of 40 machine texts (0 edits) changed" in output
    assert "nothing found" in output
    assert all(not d.text.endswith("\n") for d in corpora.get(f"jsonl(path={out!r})"))
    with pytest.raises(SpecError, match="go together"):
        call(lint, file, "--repair", "edges")


def test_split_writes_what_is_clean_and_checks_what_is_there(file: str, tmp_path: Path) -> None:
    out = str(tmp_path / "sides.jsonl")
    code, output = call(split, file, "-o", out, "--shares", "train=0.5,test=0.5")
    assert code == 0
    assert "train: 20 human, 20 machine" in output
    assert "clean" in output
    assert call(split, out)[0] == 0
    leaking = [replace(d, cluster="one") for d in corpora.get(f"jsonl(path={out!r})")]
    write_documents(leaking, str(tmp_path / "leaking.jsonl"))
    code, output = call(split, str(tmp_path / "leaking.jsonl"), "--json")
    assert code == 3
    assert [leak["kind"] for leak in json.loads(output)["leaks"]] == ["cluster"]


def test_a_split_that_leaks_is_not_written(both: Both, tmp_path: Path) -> None:
    write_documents([replace(d, title="One title") for d in both()], str(tmp_path / "a.jsonl"))
    code, output = call(split, str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "b.jsonl"))
    assert code == 3
    assert "titles stand on two sides" in output
    assert "nothing was written" in output
    assert not (tmp_path / "b.jsonl").exists()


def test_shares_are_read() -> None:
    assert read_shares("train=0.6, test=0.4") == {"train": 0.6, "test": 0.4}
    with pytest.raises(SpecError, match="like train="):
        read_shares("train,test")
