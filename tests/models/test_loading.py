"""Models in memory: what is told before they load, and what cannot be loaded."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from evenhand import score_texts  # noqa: E402
from evenhand.errors import DataError, MissingError  # noqa: E402
from evenhand.models import loading  # noqa: E402
from evenhand.models.loading import causal_model, tokenizer  # noqa: E402
from evenhand.models.weights import resolve  # noqa: E402


@pytest.fixture
def folder(tiny_models: dict[str, str], tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_models["first"], tmp_path / "model"))


@pytest.mark.parametrize(("options", "told"), [("", "4.0 GB"), ("[dtype=bfloat16]", "2.0 GB")])
def test_the_memory_that_a_model_needs_is_told_before_it_loads(
    folder: Path, options: str, told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "ANNOUNCED", 0)
    stored = sum(file.stat().st_size for file in folder.glob("*.safetensors"))
    monkeypatch.setattr(loading, "bytes_of", lambda w, real=loading.bytes_of: real(w) * 4e9 / stored)
    causal_model(resolve(f"{folder}{options}"))
    errors = capsys.readouterr().err
    assert f"about {told}" in errors
    assert str(folder) in errors


@pytest.mark.parametrize(
    ("options", "each"), [("", 4), ("[dtype=bfloat16]", 2), ("[quantization=4bit]", 0.5), ("[quantization=8bit]", 1)]
)
def test_bytes_of_a_parameter(folder: Path, options: str, each: float) -> None:
    assert loading.bytes_of(resolve(f"{folder}{options}")) == each
    assert loading.stored_bytes(resolve(f"{folder}{options}")) == 4


def test_the_type_is_the_one_that_was_asked_for(folder: Path) -> None:
    model = causal_model(resolve(f"{folder}[dtype=bfloat16]"))
    assert model.dtype == torch.bfloat16
    assert not model.training
    assert not any(parameter.requires_grad for parameter in model.parameters())


def test_pickled_weights_are_not_read(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(MissingError, match="save it once as safetensors"):
        causal_model(resolve(str(folder)))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a card")
def test_a_card_that_is_not_there_is_told(folder: Path) -> None:
    for device in ("cuda", "auto"):
        with pytest.raises(MissingError, match="use device=cpu"):
            causal_model(resolve(f"{folder}[device={device}]"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a card")
@pytest.mark.parametrize("spec", ["fdg_neo", "fdg_gede", "binoculars_falcon"])
def test_it_is_told_before_anything_is_fetched(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetched(*_: object, **__: object) -> Path:
        raise AssertionError("ten gigabytes fetched for a card that is not here")

    monkeypatch.setattr("evenhand.models.weights._snapshot", fetched)
    with pytest.raises(MissingError, match="asks for a CUDA card"):
        score_texts(["We walked home, slowly."], [spec])


def test_a_tokenizer_without_offsets_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import AutoTokenizer

    class Slow:
        is_fast = False

    monkeypatch.setattr(AutoTokenizer, "from_pretrained", lambda *_, **__: Slow())
    with pytest.raises(DataError, match="no character offsets"):
        tokenizer(resolve(str(folder)))
