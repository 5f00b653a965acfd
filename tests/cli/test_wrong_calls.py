"""What a user meets at the command line when something is wrong: one line that names the cure, and an exit code."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


def evenhand(*arguments: str, stdin: str = "", cwd=None):
    command = [sys.executable, "-m", "evenhand", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, input=stdin, cwd=cwd)


def texts(folder, rows, name="texts.jsonl"):
    path = folder / name
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["run", "nowhere.toml", "-o", "out"], 2, "no plan at nowhere.toml"),
        (["score", "nowhere.csv", "-d", "log_rank"], 3, "no such file or folder: nowhere.csv"),
        (["score", "nowhere.csv"], 2, "at least one detector"),
        (["audit", "nowhere"], 6, "no run folder"),
        (["report", "nowhere"], 6, "holds no findings.json"),
        (["status", "nowhere"], 6, "no run folder"),
        (["list", "detecters"], 2, "the families are"),
        (["show", "log_ranks"], 2, "did you mean 'log_rank'"),
        (["try", "nowhere.txt"], 3, "cannot read nowhere.txt"),
        (["fetch", "hub:"], 4, "check the name"),
        (["run"], 2, "Missing argument"),
    ],
)
def test_wrong_calls(arguments, code, told, tmp_path):
    done = evenhand(*arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert told in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_label_spelt_in_an_unknown_way_is_never_guessed(tmp_path):
    path = texts(tmp_path, [{"id": "1", "text": "a", "label": "Human"}, {"id": "2", "text": "b", "label": "AI"}])
    done = evenhand("score", path, "-d", "tfidf_lr", "-o", str(tmp_path / "out"))
    assert done.returncode == 3
    assert "'Human' (1)" in done.stderr
    assert "labels=" in done.stderr


def test_what_a_plan_does_not_say_is_asked_for_before_the_work(tmp_path):
    path = texts(tmp_path, [{"id": str(i), "text": f"Plums fell {i}.", "label": "human"} for i in range(4)])
    plan = tmp_path / "plan.toml"
    plan.write_text(f'corpus = "jsonl(path={path!r})"\n')
    for command in ("run", "score"):
        done = evenhand(command, str(plan), "-o", str(tmp_path / "out"))
        assert done.returncode == 2
        assert "`evenhand list detectors` shows them" in done.stderr
    plan.write_text(f'corpus = "jsonl(path={path!r})"\ndetectors = ["tfidf_lr"]\n')
    done = evenhand("run", str(plan), "-o", str(tmp_path / "out"), "--fpr", "0")
    assert done.returncode == 2
    assert "fpr must lie between 0 and 1" in done.stderr
    assert not (tmp_path / "out").exists()


def test_an_audit_without_a_question_names_the_cure_and_uses_nothing_up(tmp_path):
    rows = [
        {
            "id": f"{label}{i}",
            "text": f"{label} plums number {i} and ten more words that say little here",
            "label": label,
            "split": split,
        }
        for label in ("human", "machine")
        for i, split in enumerate(["train", "train", "test", "test"])
    ]
    path, out = texts(tmp_path, rows), str(tmp_path / "out")
    assert evenhand("score", path, "-d", "tfidf_lr", "-o", out).returncode == 0
    done = evenhand("audit", out)
    assert done.returncode == 2
    assert f"evenhand audit {out} clean" in done.stderr
    assert json.loads(evenhand("status", out, "--json").stdout)["verification_uses"] == 0


def test_one_class_only_is_said_and_not_guessed_around(tmp_path):
    plan = tmp_path / "plan.toml"
    path = texts(tmp_path, [{"id": str(i), "text": "word " * 12, "label": "human", "split": "train"} for i in range(4)])
    plan.write_text(f'corpus = "jsonl(path={path!r})"\ndetectors = ["tfidf_lr"]\n')
    done = evenhand("run", str(plan), "-o", str(tmp_path / "out"))
    assert done.returncode == 3
    assert "tfidf_lr learns from human and machine texts" in done.stderr


def test_a_misspelt_key_in_a_plan(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('corpus = "embedded"\ndetecters = ["log_rank"]\n')
    done = evenhand("run", str(plan), "-o", str(tmp_path / "out"))
    assert done.returncode == 2
    assert "did you mean 'detectors'" in done.stderr


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    path = texts(tmp_path, [{"id": "1", "text": "a b", "label": "human"}])
    done = evenhand("score", path, "-d", "entropy", "-o", str(tmp_path / "file" / "run"))
    assert done.returncode == 6
    assert "choose another folder" in done.stderr


def test_attacks_and_sanitizers_can_be_tried_without_a_model(tmp_path):
    done = evenhand(
        "try", "-", "-a", "homoglyph(rate=1.0)", "-s", "script_aware", "--json", stdin="We walked home, slowly."
    )
    assert done.returncode == 0, done.stderr
    stages = json.loads(done.stdout)
    assert [stage["step"] for stage in stages] == ["text", "attack", "sanitizer"]
    assert stages[1]["text"] != stages[0]["text"] == stages[2]["text"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["build", "papers", "made_up(n=2)", "-o", "nowhere/x.jsonl"], "no folder nowhere; make it first"),
        (["build", "papers", "made_up(n=2)", "-o", "nowhere/x.parquet"], "no folder nowhere; make it first"),
        (
            ["build", "papers", "made_up(n=2)", "-o", "x.csv"],
            "name the file .jsonl or .jsonl.gz, or .parquet, not x.csv",
        ),
        (["build", "levels", "texts.jsonl", "-o", "nowhere/x.jsonl"], "no folder nowhere; make it first"),
        (["split", "texts.jsonl", "-o", "nowhere/x.jsonl"], "no folder nowhere; make it first"),
        (["lint", "texts.jsonl", "--repair", "bom", "-o", "nowhere/x.jsonl"], "no folder nowhere; make it first"),
        (["explain", "texts.jsonl", "-d", "log_rank", "-o", "nowhere/x.html"], "no folder nowhere; make it first"),
        (["explain", "texts.jsonl", "-d", "log_rank", "-o", "x.txt"], "name it FILE.html"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_work(arguments, told, tmp_path):
    texts(tmp_path, [{"id": "a", "text": "Plums fell on the hill.", "label": "human", "task": "Plums"}])
    done = evenhand(*arguments, cwd=tmp_path)
    assert done.returncode in (2, 3)
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert "to score" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["try", "-"],
        ["score", "-", "-d", "log_rank"],
        ["explain", "-", "-d", "log_rank"],
        ["build", "papers", "titles.txt", "-o", "x.jsonl"],
    ],
)
def test_bytes_that_are_no_text_are_named(arguments, tmp_path):
    (tmp_path / "titles.txt").write_bytes(b"Plums \xff\xfe")
    command = [sys.executable, "-m", "evenhand", *arguments]
    done = subprocess.run(command, check=False, capture_output=True, input=b"Plums \xff\xfe", cwd=tmp_path)
    assert done.returncode == 3
    assert b"Traceback" not in done.stderr
    assert b"is no UTF-8 text (byte 6)" in done.stderr or b"is not utf-8" in done.stderr


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path):
    (tmp_path / "a.txt").write_bytes("\ufeffPlums\r\nfell.".encode())
    (tmp_path / "titles.txt").write_bytes("\ufeffPlums".encode())
    (stage,) = json.loads(evenhand("try", "a.txt", "--json", cwd=tmp_path).stdout)
    assert stage["text"] == "Plums\nfell."
    assert evenhand("build", "papers", "titles.txt", "-o", "x.jsonl", cwd=tmp_path).returncode == 0
    assert json.loads((tmp_path / "x.jsonl").read_text("utf-8"))["title"] == "Plums"


def test_lists_print_json():
    rows = json.loads(evenhand("list", "attacks", "--json").stdout)
    assert {"family", "name", "summary"} == set(rows[0])
    assert all(row["summary"] for row in rows)


def test_forgetting_a_text(tmp_path):
    rows = [
        {
            "id": f"{label}{i}",
            "text": f"{word} number {i} and ten more words that say little here",
            "label": label,
            "split": split,
        }
        for label, word in (("human", "plum"), ("machine", "benefit"))
        for i, split in enumerate(["train", "train", "test", "test"])
    ]
    plan = tmp_path / "plan.toml"
    path = texts(tmp_path, rows)
    plan.write_text(f'corpus = "jsonl(path={path!r})"\ndetectors = ["tfidf_lr"]\nattacks = ["upper_lower(rate=1.0)"]\n')
    out = str(tmp_path / "out")
    assert evenhand("score", str(plan), "-o", out).returncode == 0
    before = json.loads(evenhand("status", out, "--json").stdout)
    assert evenhand("forget", out, "human2").returncode == 0
    after = json.loads(evenhand("status", out, "--json").stdout)
    assert before["documents"] - after["documents"] == 2
    assert after["documents_whole"]
    assert after["detectors"][0]["left"] == 0
    assert evenhand("forget", out, "nobody").returncode == 3


def test_the_doctor_tells_what_is_there():
    told = json.loads(evenhand("doctor", "--json").stdout)
    assert {"figures", "torch", "llm", "everyday", "files", "explain", "web", "ray"} == set(told["extras"])
    assert told["extras"]["figures"]["matplotlib"]
    assert told["cores"] >= 1
