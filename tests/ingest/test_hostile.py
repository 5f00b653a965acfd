"""Files that are broken, locked or made to hurt: each is a row with its reason, in bounded time and memory."""

from __future__ import annotations

import os
import random
import time
import zlib
from pathlib import Path
from zipfile import ZipFile

import pytest

from evenhand.errors import DataError, SpecError
from evenhand.ingest import PARSERS, Limits, find, read_file, read_files
from evenhand.ingest.safely import Child

from . import office

pytest.importorskip("pypdfium2")
pytest.importorskip("pdfminer")


def only(path: Path, parser: str = "layout", **limits):
    """What the child process says of one file."""
    (found,) = read_files(find([path]), parser, Limits(**limits))
    return found


def pdf_of(*objects: bytes) -> bytes:
    """A PDF of these objects, numbered from 1, with a right cross-reference table."""
    out, places = bytearray(b"%PDF-1.5\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer <</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)
    return bytes(out)


CATALOG = b"<</Type /Catalog /Pages 2 0 R>>"
PAGE = b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources <</Font <</F 5 0 R>>>>>>"
FONT = b"<</Type /Font /Subtype /Type1 /BaseFont /Times-Roman>>"


def one_page(stream: bytes, filters: bytes = b"/FlateDecode") -> bytes:
    content = b"<</Length %d /Filter [%s]>>\nstream\n" % (len(stream), filters) + stream + b"\nendstream"
    return pdf_of(CATALOG, b"<</Type /Pages /Kids [3 0 R] /Count 1>>", PAGE, content, FONT)


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    """A locked, a scanned and a 2,000-page PDF."""
    reportlab = pytest.importorskip("reportlab.pdfgen.canvas")
    from reportlab.lib.pdfencrypt import StandardEncryption

    folder = tmp_path_factory.mktemp("papers")
    locked = reportlab.Canvas(str(folder / "locked.pdf"), encrypt=StandardEncryption("secret", canPrint=0))
    locked.drawString(72, 700, "Abstract")
    locked.save()
    scanned = reportlab.Canvas(str(folder / "scanned.pdf"))
    scanned.rect(72, 72, 400, 600, fill=1)
    scanned.save()
    long = reportlab.Canvas(str(folder / "long.pdf"))
    for number in range(2000):
        long.drawString(72, 700, f"page {number}")
        long.showPage()
    long.save()
    return folder


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize(("name", "reason"), [("locked", "password"), ("scanned", "OCR"), ("long", "--max-pages")])
def test_locked_scanned_and_endless_files_say_so(papers, parser, name, reason):
    started = time.monotonic()
    found = only(papers / f"{name}.pdf", parser)
    assert (found.status, reason in found.reason) == ("refused", True)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("parser", PARSERS)
def test_a_long_file_is_read_where_that_is_asked(papers, parser, tmp_path):
    found = only(papers / "long.pdf", parser, pages=2000)
    assert (found.status, found.pages) == ("none", 2000)
    assert "page 1999" in found.body or parser == "idmgsp"  # whose rules keep blocks of more than 20 words


@pytest.fixture(scope="module")
def bombs(tmp_path_factory):
    """A page of 600 MB of nothing in a file of a few KB, and one that draws eight million lines."""
    folder = tmp_path_factory.mktemp("bombs")
    packer = zlib.compressobj(1)
    nothing = b"".join(packer.compress(bytes(2**20)) for _ in range(600)) + packer.flush()
    (folder / "wide.pdf").write_bytes(one_page(zlib.compress(nothing, 9), b"/FlateDecode /FlateDecode"))
    (folder / "slow.pdf").write_bytes(one_page(zlib.compress(b"0 0 m\n" * 2**23, 1)))
    return folder


@pytest.mark.parametrize("parser", PARSERS)
def test_a_stream_that_unpacks_to_all_memory_ends_in_time(bombs, parser):
    assert (bombs / "wide.pdf").stat().st_size < 100_000
    started = time.monotonic()
    assert only(bombs / "wide.pdf", parser, seconds=3, memory=400 * 2**20).status in ("failed", "refused")
    assert only(bombs / "slow.pdf", parser, seconds=1.5, memory=400 * 2**20).status in ("failed", "refused")
    assert time.monotonic() - started < 12


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("pages", [
    b"<</Type /Pages /Kids [2 0 R 2 0 R] /Count 2>>",
    b"<</Type /Pages /Kids [3 0 R] /Count 2147483647>>",
    b"<</Type /Pages /Kids 7 /Count -1>>",
])  # fmt: skip
def test_page_trees_that_loop_or_lie_are_one_row(tmp_path, parser, pages):
    content = b"<</Length 0>>\nstream\n\nendstream"
    (tmp_path / "a.pdf").write_bytes(pdf_of(CATALOG, pages, PAGE, content, FONT))
    assert only(tmp_path / "a.pdf", parser, seconds=10).status in ("refused", "failed")


def test_zip_bombs_and_entities_are_refused(tmp_path):
    bomb = office.zipped(tmp_path / "bomb.docx", {"word/document.xml": b"<a>" + b" " * (201 * 2**20) + b"</a>"})
    assert bomb.stat().st_size < 2**20
    found = only(bomb)
    assert (found.status, "unpacks to 201 MB" in found.reason) == ("refused", True)
    laughs = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]><a>&c;</a>'
    for name, part in (("a.docx", "word/document.xml"), ("a.odt", "content.xml")):
        found = only(office.zipped(tmp_path / name, {part: laughs}))
        assert (found.status, "document type" in found.reason) == ("refused", True)


def test_a_container_whose_sizes_lie_is_refused(tmp_path):
    path = office.docx(tmp_path / "a.docx")
    content = path.read_bytes()
    size = ZipFile(path).getinfo("word/document.xml").file_size
    path.write_bytes(content.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little")))
    assert only(path).status == "refused"


def test_what_is_wrong_with_a_container_is_told_and_not_another_thing(tmp_path):
    """Locked, packed in a way that is not known, and too large for the memory: three reasons."""
    whole = office.docx(tmp_path / "a.docx").read_bytes()
    with ZipFile(tmp_path / "a.docx") as archive:
        part = archive.getinfo("word/document.xml")
    inside = whole.index(b"PK\x01\x02", part.header_offset)
    while whole[inside + 46 : inside + 46 + len(part.filename)] != part.filename.encode():
        inside = whole.index(b"PK\x01\x02", inside + 1)
    for reason, shift, value in (("password", 8, 1), ("compression method is not supported", 10, 98)):
        changed = bytearray(whole)
        changed[inside + shift] = value
        (tmp_path / "a.docx").write_bytes(changed)
        found = only(tmp_path / "a.docx")
        assert (found.status, reason in found.reason) == ("refused", True)
    office.zipped(tmp_path / "b.docx", {"word/document.xml": b"<a>" + b" " * (190 * 2**20) + b"</a>"})
    found = only(tmp_path / "b.docx", memory=300 * 2**20)
    assert (found.status, "of memory" in found.reason) == ("failed", True)


def test_deep_nesting_costs_one_row(tmp_path):
    deep = office.zipped(tmp_path / "a.docx", {"word/document.xml": "<a>" * 200_000 + "</a>" * 200_000})
    (tmp_path / "a.rtf").write_text(r"{\rtf1 " + "{" * 200_000, "ascii")
    (tmp_path / "a.tex").write_text(r"\begin{document}" + r"\begin{figure}" * 60_000, "ascii")
    assert only(deep).status in ("refused", "failed")
    assert only(tmp_path / "a.rtf", seconds=5).status in ("refused", "failed")
    assert only(tmp_path / "a.tex", seconds=1).status in ("refused", "failed", "none")


def test_a_file_that_takes_too_long_is_told_and_the_next_one_is_read(tmp_path):
    (tmp_path / "a.tex").write_text(r"\begin{document}" + r"\begin{figure}" * 400_000, "ascii")
    office.txt(tmp_path / "b.txt")
    slow, fine = read_files(find([tmp_path]), limits=Limits(seconds=1))
    assert (slow.status, slow.reason) == ("failed", "not read within 1 s")
    assert fine.status == "ok"


def test_a_child_that_dies_between_two_files_costs_one_row(tmp_path, monkeypatch):
    """Killed by the system just before it is asked: the question cannot be written, and the next child is a new one."""
    path, child = office.txt(tmp_path / "a.txt"), Child(Limits())
    assert child.read(path, "layout").status == "ok"
    dead = child._running()
    dead.kill()
    dead.wait()
    with monkeypatch.context() as late:
        late.setattr(child, "_running", lambda: dead)
        found = child.read(path, "layout")
    assert (found.status, "its reader died" in found.reason) == ("failed", True)
    assert child.read(path, "layout").status == "ok"
    child.close()


def test_a_child_that_dies_while_it_answers_costs_one_row(tmp_path, monkeypatch):
    path, child = office.txt(tmp_path / "a.txt"), Child(Limits())
    with monkeypatch.context() as cut:
        cut.setattr(child, "_asked", lambda process, request: '{"file": "a.txt", "sections": {"abs')
        found = child.read(path, "layout")
    assert (found.status, "its reader died" in found.reason) == ("failed", True)
    assert child.read(path, "layout").status == "ok"
    child.close()


def test_random_and_cut_files_never_stop_the_others(tmp_path):
    """400 mutilated files of six kinds; every one is a row, and the last good one is read."""
    rng = random.Random(5)
    whole = {".docx": office.docx, ".odt": office.odt, ".rtf": office.rtf, ".tex": office.latex, ".txt": office.txt}
    seeds = {suffix: make(tmp_path / f"seed{suffix}").read_bytes() for suffix, make in whole.items()}
    seeds[".pdf"] = one_page(zlib.compress(b"BT /F 12 Tf 72 700 Td (Abstract) Tj ET"))
    folder = tmp_path / "broken"
    folder.mkdir()
    for number in range(400):
        suffix = rng.choice(list(seeds))
        (folder / f"{number:03}{suffix}").write_bytes(mutilated(seeds[suffix], rng))
    office.txt(folder / "zzz.txt")
    found = list(read_files(find([folder]), limits=Limits(seconds=10)))
    assert len(found) == 401
    assert all(one.reason for one in found if one.status in ("refused", "failed"))
    assert found[-1].status == "ok"


def mutilated(content: bytes, rng: random.Random) -> bytes:
    kind = rng.randrange(4)
    if kind == 0:
        return rng.randbytes(rng.randrange(2000))
    if kind == 1:
        return content[: rng.randrange(len(content))]
    changed = bytearray(content)
    for _ in range(rng.choice((1, 20, 200))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed) if kind == 2 else b"%PDF-1.4\n" + rng.randbytes(500)


def test_wrong_suffixes_and_foreign_files_are_told(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    (tmp_path / "b.docx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(50))
    (tmp_path / "c.pdf").write_text("just words", "utf-8")
    (tmp_path / "d.txt").write_bytes(b"")
    (tmp_path / "e.csv").write_text("a,b", "utf-8")
    (tmp_path / "g.txt").write_bytes("Rivers rise.".encode("utf-16-le"))
    (tmp_path / "h.txt").write_text("<!DOCTYPE html><p>Rivers", "utf-8")
    (tmp_path / "f.pdf").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "utf-8")
    reasons = {one.file: one.reason for one in read_files(find([tmp_path]))}
    wanted = {"a.txt": "a picture", "b.docx": "old or encrypted Office", "c.pdf": "the name says pdf", "d.txt": "empty",
              "e.csv": "passed over", "f.pdf": "git lfs pull", "g.txt": "save it as UTF-8", "h.txt": "a web page"}  # fmt: skip
    assert {name: wanted[name] in reason for name, reason in reasons.items()} == dict.fromkeys(wanted, True)
    assert "needs no import" in only(tmp_path / "e.csv").reason  # where it is named itself
    (tmp_path / "i.json").write_text('{"text": "Rivers rise."}', "utf-8")
    assert "read where a corpus is asked for, as .jsonl" in only(tmp_path / "i.json").reason


def test_texts_about_file_formats_are_texts(tmp_path):
    for name, text in (
        ("a.txt", "PKI is a topic of this essay."),
        ("b.tex", "A file begins with %PDF-1.7."),
        ("c", "GIF or PK?"),
    ):
        (tmp_path / name).write_text(text, "utf-8")
    assert [one.status for one in read_files(find([tmp_path]))] == ["none"] * 3


@pytest.mark.skipif(os.name == "nt", reason="links and raw names are those of Unix")
def test_links_raw_names_and_special_files(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    office.txt(folder / "a.txt")
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "again.txt").symlink_to(folder / "a.txt")
    (folder / "lost.txt").symlink_to(tmp_path / "nothing")
    office.txt(tmp_path / "outside.txt")
    (folder / "out.txt").symlink_to(tmp_path / "outside.txt")
    os.mkfifo(folder / "pipe.txt")
    raw = os.fsdecode(b"caf\xe9.txt")
    office.txt(folder / raw)
    office.txt(folder / "\x1b[2J\n.txt")
    rows = {one.file: one for one in read_files(find([folder]))}
    assert rows.keys() == {"a.txt", "again.txt", "lost.txt", "out.txt", "pipe.txt", "caf\\xe9.txt", "\\x1b[2J\\x0a.txt"}
    assert rows["caf\\xe9.txt"].status == "ok"
    assert rows["again.txt"].reason == "the same file as a.txt"
    assert "link to nothing" in rows["lost.txt"].reason
    assert "leads out of the folder" in rows["out.txt"].reason
    assert "no regular file" in rows["pipe.txt"].reason


def test_empty_folders_and_wrong_paths_name_the_cure(tmp_path):
    with pytest.raises(DataError, match=r"no file in .*\.pdf, \.docx"):
        find([tmp_path])
    with pytest.raises(DataError, match="no such file or folder"):
        find([tmp_path / "nothing"])
    with pytest.raises(SpecError, match="'layout' and 'idmgsp'"):
        list(read_files([], "grobid"))


def test_a_folder_that_may_not_be_read_is_a_row(tmp_path, monkeypatch):
    office.txt(tmp_path / "a.txt")
    (tmp_path / "closed").mkdir()
    look = os.scandir

    def guarded(path):
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return look(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert [(one.name, one.problem) for one in find([tmp_path])] == [
        ("a.txt", ""),
        ("closed", "a folder that cannot be read: Permission denied"),
    ]


def test_names_of_several_folders_stay_apart(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        office.txt(tmp_path / name / "a.txt")
    assert [one.name for one in find([tmp_path / "one", tmp_path / "two"])] == ["one/a.txt", "two/a.txt"]
    assert [one.name for one in find([tmp_path / "one" / "a.txt", tmp_path / "two" / "a.txt"])][1] != "a.txt"


def test_nothing_is_imported_from_the_folder_where_the_command_runs(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('taken over')", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert only(office.txt(tmp_path / "a.txt")).status == "ok"


def test_two_children_give_the_same_rows_in_the_same_order(tmp_path):
    for number in range(20):
        office.txt(tmp_path / f"{number}.txt")
    (tmp_path / "3.txt").write_bytes(b"")
    told = [[one.file, one.status, one.sections] for one in read_files(find([tmp_path]), jobs=2)]
    assert told == [[one.file, one.status, one.sections] for one in read_files(find([tmp_path]))]


def test_many_children_hold_few_answers_and_end_with_the_reader(tmp_path):
    office.txt(tmp_path / "a.txt")
    taken, files = 0, find([tmp_path]) * 100

    def asked():
        nonlocal taken
        for one in files:
            taken += 1
            yield one

    rows = read_files(asked(), jobs=2)
    next(rows)
    assert taken < 15
    rows.close()
    assert taken < 15


def test_a_thousand_files_in_seconds(tmp_path):
    for number in range(1000):
        office.txt(tmp_path / f"{number:04}.txt")
    started = time.monotonic()
    assert sum(one.status == "ok" for one in read_files(find([tmp_path]))) == 1000
    assert time.monotonic() - started < 30


def test_reading_in_this_process_says_the_same(tmp_path):
    path = office.txt(tmp_path / "a.txt")
    assert read_file(path).sections == only(path).sections
