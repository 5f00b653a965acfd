"""The digest of what a corpus reads: it moves with its files, and with nothing else."""

from __future__ import annotations

from evenhand import corpora


def test_the_content_is_that_of_the_files_that_are_read(tmp_path):
    run = tmp_path / "run"
    for name in ("human/1.txt", "machine/2.txt", "run/3.txt", ".git/4.txt", "notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    texts, all_of_it = corpora.get(f"folder(path={str(tmp_path)!r})"), corpora.get(f"mixset(path={str(tmp_path)!r})")
    first = corpora.content(texts, run), corpora.content(all_of_it, run)
    (tmp_path / "run/3.txt").write_text("a report, later")
    assert (corpora.content(texts, run), corpora.content(all_of_it, run)) == first
    (tmp_path / "notes.md").write_text("changed")
    assert corpora.content(texts, run) == first[0]
    assert corpora.content(all_of_it, run) != first[1]
    (tmp_path / "machine/2.txt").rename(tmp_path / "machine/5.txt")
    assert corpora.content(texts, run) != first[0]


def test_what_is_not_at_hand_has_no_content(tmp_path):
    assert corpora.content(corpora.get("embedded"), tmp_path) == ""
    assert corpora.content(corpora.get(f"jsonl(path={str(tmp_path / 'gone.jsonl')!r})"), tmp_path) == ""
    assert corpora.content(corpora.get(f"arxiv(metadata={str(tmp_path / 'm.json')!r}, pdfs='nowhere')"), tmp_path) == ""


def test_a_path_of_the_home_or_the_folder_itself_is_read(tmp_path, monkeypatch):
    (tmp_path / "texts.txt").write_text("one")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for spec in ("mixset(path='.')", "mixset(path='~')", "folder(path='~')", "jsonl(path='~/texts.txt')"):
        assert corpora.content(corpora.get(spec), tmp_path / "run"), spec
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "locked").mkdir(mode=0)
    assert corpora.content(corpora.get("mixset(path='.')"), tmp_path / "run")
